/* SPDX-License-Identifier: GPL-2.0 */
/* include/linux/xarray.h, as of the newest kernel: what is used of it. */
#ifndef WALLPROF_COMPAT_XARRAY_H
#define WALLPROF_COMPAT_XARRAY_H

#include <linux/xarray.h>

#include "features.h"

#ifndef WP_HAS_XARRAY
#include <linux/errno.h>
#include <linux/idr.h>

/*
 * An array of pointers by numbers of 32 bits, never NULL. It has no lock: the caller
 * serializes all calls of these functions with each other, as unwind_store.c does by the
 * session's lock. An entry may be removed while they are iterated over.
 */
struct xarray {
	struct idr idr;
};

static inline void xa_init(struct xarray *xa)
{
	idr_init(&xa->idr);
}

/* Return: 0; -EBUSY if there is an entry; -ENOMEM. */
static inline int xa_insert(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp)
{
	u32 id = index;
	int err = idr_alloc_u32(&xa->idr, entry, &id, index, gfp);

	return err == -ENOSPC ? -EBUSY : err;
}

static inline void *xa_load(struct xarray *xa, unsigned long index)
{
	return idr_find(&xa->idr, index);
}

static inline void *xa_erase(struct xarray *xa, unsigned long index)
{
	return idr_remove(&xa->idr, index);
}

static inline void xa_destroy(struct xarray *xa)
{
	idr_destroy(&xa->idr);
}

/* Each step looks up the next entry anew. */
#define xa_for_each(xa, index, entry)					\
	for ((index) = 0;						\
	     ((entry) = idr_get_next_ul(&(xa)->idr, &(index))); (index)++)
#endif

#endif /* WALLPROF_COMPAT_XARRAY_H */
