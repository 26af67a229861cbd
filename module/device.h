/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_DEVICE_H
#define WALLPROF_DEVICE_H

int wp_device_init(void);
void wp_device_exit(void);

#endif /* WALLPROF_DEVICE_H */
