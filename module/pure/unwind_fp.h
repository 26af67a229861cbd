/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The unwinder of user stacks by frame pointers.
 *
 * Pure, and a header, since it must be inlined: while user memory is open to the kernel
 * (user_access_begin) no function may be called. Its callers are stack.c (irqs off or
 * NMI) and the userspace tests.
 *
 * User memory is hostile. For any contents, the walk ends after @max frames; it reads
 * only below @limit, through @read, which can fail; each frame is above the last one.
 */
#ifndef WALLPROF_PURE_UNWIND_FP_H
#define WALLPROF_PURE_UNWIND_FP_H

#include <linux/types.h>
#include <linux/wallprof.h>

/**
 * struct wp_frame - the words at a frame pointer
 * @next: the caller's frame pointer
 * @ret: the return address
 */
struct wp_frame {
	u64 next;
	u64 ret;
};

/*
 * 32-bit ARM has two kinds of frame. That of its current standard is like all others: two
 * words, at the frame pointer. The older one, of the APCS, is the three words before it:
 * the caller's frame pointer, its stack pointer, the return address. It is recognized by
 * its stack pointer, which is where the frame ends, or up to four arguments above that,
 * of a variadic function that pushes them.
 */
#define WP_APCS_FRAME	12

static __always_inline bool wp_is_apcs_frame(u64 fp, u32 sp)
{
	u32 pushed = sp - (u32)fp - 4;

	return pushed <= 16 && !(pushed & 3);
}

/* Reads the frame at @addr; must not fault, sleep or, in stack.c, call. */
typedef bool (*wp_read_frame_fn)(void *ctx, u64 addr, struct wp_frame *frame);

/**
 * wp_unwind_fp - walk a user stack
 * @ip: instruction pointer of the user registers
 * @sp: stack pointer
 * @fp: frame pointer
 * @word: bytes of a word of the task: 8 or 4
 * @limit: user addresses are below this
 * @read: reads a frame of two such words
 * @ctx: passed to @read
 * @ips: out: addresses, the innermost first
 * @max: room in @ips, at least 1
 * @stop: out: the stop reason, enum wallprof_unwind
 *
 * Context: that of @read.
 * Return: the number of addresses, at least 1.
 */
static __always_inline unsigned int
wp_unwind_fp(u64 ip, u64 sp, u64 fp, unsigned int word, u64 limit,
	     wp_read_frame_fn read, void *ctx, u64 *ips, unsigned int max, u8 *stop)
{
	struct wp_frame frame = {};
	unsigned int nr = 0;

	ips[nr++] = ip;
	*stop = WALLPROF_UNWIND_DEPTH;
	while (nr < max) {
		if (!fp) {
			*stop = WALLPROF_UNWIND_END;
			break;
		}
		if (fp & (word - 1)) {
			*stop = WALLPROF_UNWIND_MISALIGNED;
			break;
		}
		if (fp < sp) {
			*stop = WALLPROF_UNWIND_NOT_RISING;
			break;
		}
		if (fp > limit - 2 * word || !read(ctx, fp, &frame)) {
			*stop = WALLPROF_UNWIND_FAULT;
			break;
		}
		if (!frame.ret || frame.ret >= limit) {
			*stop = WALLPROF_UNWIND_BAD_IP;
			break;
		}
		ips[nr++] = frame.ret;
		sp = fp + 2 * word;
		fp = frame.next;
	}
	return nr;
}

#endif /* WALLPROF_PURE_UNWIND_FP_H */
