/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Marks in a guest's code for the plugin lines.c: instructions that do nothing,
 * "nopl 0xNN706177(%rax)", with NN one of the numbers below.
 */
#define MARK_BYTES	0x0f, 0x1f, 0x80, 'w', 'a', 'p'
#define MARK_BEGIN	1	/* from here on accesses count */
#define MARK_PIECE	2	/* a piece of this CPU's work ends */
#define MARK_END	3	/* the results are written */

#define mark(nr)							\
	__asm__ volatile(".byte 0x0f, 0x1f, 0x80, 0x77, 0x61, 0x70, %c0" : : "i"(nr) : "memory")
