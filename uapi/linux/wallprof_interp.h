/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * wallprof: interpreted functions in user stacks.
 *
 * An interpreter such as CPython keeps a chain of frames, one for each function that it
 * executes. The reader, which knows the interpreter, describes with MAPS how the chain is
 * found and read; the module, which knows none, follows the description where it walks
 * the stack. Both use this header.
 *
 * A native frame in one of the ranges executes a run of interpreted functions. The chain
 * is a list of runs, in the order of the native frames, the innermost first.
 *
 * In the words of a user stack, &struct wallprof_stack.ips, there are two words for each
 * function of a run behind the address of the native frame that executes it, the innermost
 * function first. The highest three bits distinguish them from addresses of a process,
 * whose highest bit is 0 (the first word of a stack is always an address, whatever it is):
 *
 *	WALLPROF_INTERP_CODE | address of the code object, which is below 1 << 56
 *	WALLPROF_INTERP_AT | place << 32 | hash
 *
 * A rule of an unwind table can have a word of the native frame in the stack
 * (WALLPROF_RULE_WORD, ABI 19), such as the method that a JVM interprets there. It stands
 * behind the frame's address, and behind the functions of a run that the frame executes:
 *
 *	WALLPROF_INTERP_WORD | the word, which is below 1 << 56
 *
 * A word that is not, that could not be read, or that is below the stack pointer, is 0.
 *
 * The place is the number of the instruction + 1, in 24 bits; 0: before the first one, or
 * not a number that can be represented. The hash is wallprof_interp_hash() of the words by
 * which the code object is known: another object at the same address has another one.
 */
#ifndef _UAPI_LINUX_WALLPROF_INTERP_H
#define _UAPI_LINUX_WALLPROF_INTERP_H

#include <linux/types.h>

#define WALLPROF_INTERP_RANGES	4
#define WALLPROF_INTERP_STEPS	6
#define WALLPROF_INTERP_WORDS	4
#define WALLPROF_INTERP_FRAMES	512	/* of a chain that are read, at most */
#define WALLPROF_INTERP_NONE	0xffff	/* an offset that is not used */

/* &struct wallprof_interp.flags */
#define WALLPROF_INTERP_EACH	(1U << 0)	/* each frame ends its run */
#define WALLPROF_INTERP_SHIM	(1U << 1)	/* the frame that ends a run is no function */
#define WALLPROF_INTERP_ADDRESS	(1U << 2)	/* @frame_at is of an address */

/**
 * struct wallprof_interp_range - code whose native frames execute runs
 * @start: first address in the process
 * @end: behind the last one; equal to @start: the range is not used
 */
struct wallprof_interp_range {
	__aligned_u64 start;
	__aligned_u64 end;
};

/**
 * struct wallprof_interp_word - a word by which a code object is known
 * @at: its offset in the code object, a multiple of 8; WALLPROF_INTERP_NONE: not used
 * @then: WALLPROF_INTERP_NONE, or the word at @at is a pointer, and the word that counts is
 *	at this offset, a multiple of 8, from where it points
 */
struct wallprof_interp_word {
	__u16 at;
	__u16 then;
};

/**
 * struct wallprof_interp - how the interpreted functions of a thread are found
 * @size: of this struct
 * @flags: WALLPROF_INTERP_EACH, …; EACH and SHIM exclude each other
 * @range: code whose native frames execute a run each; at least one is used, none overlap
 * @step: the way to the innermost frame: address = thread pointer, then for each step
 *	address = the word at (address + step). The last one is the frame. 0 on the way:
 *	there is none. Multiples of 8
 * @nr_steps: steps used, 1 to WALLPROF_INTERP_STEPS; the others are 0
 * @reserved: 0
 * @code_type: what the word at @code_type_at of each code object is; otherwise the chain
 *	is bad
 * @code_type_at: offset in a code object, a multiple of 8
 * @frame_previous: offset in a frame of the pointer to its caller's frame, a multiple of 8;
 *	a pointer that is 0 ends the chain. The last frame must end its run
 * @frame_code: offset in a frame of the pointer to its code object, a multiple of 8. Not
 *	read of a frame that is no function (SHIM)
 * @frame_at: offset in a frame of its instruction: with ADDRESS of its address, 64 bits, a
 *	multiple of 8; otherwise of its number, signed, 32 bits, a multiple of 4
 * @frame_end: offset in a frame of the byte that decides whether it ends its run;
 *	WALLPROF_INTERP_NONE with EACH, and only then
 * @end_mask: the frame ends its run if (byte & @end_mask) == @end_value; 0 with EACH
 * @end_value: bits of @end_mask; 0 with EACH
 * @code_start: with ADDRESS, the offset in a code object of its first instruction;
 *	otherwise 0
 * @at_shift: with ADDRESS, the instruction's number is its offset from the first one,
 *	shifted right by this, at most 31; otherwise 0
 * @code_tag: lowest bits of the word at @frame_code that are not the pointer's, at most 7
 * @word: words by which a code object is known; used ones come first
 *
 * All offsets are below WALLPROF_INTERP_NONE. All pointers, without @code_tag, are to be
 * multiples of 8, and user addresses: otherwise the chain is bad. Words are in the byte
 * order of the machine.
 */
struct wallprof_interp {
	__u32 size;
	__u32 flags;
	struct wallprof_interp_range range[WALLPROF_INTERP_RANGES];
	__s32 step[WALLPROF_INTERP_STEPS];
	__u32 nr_steps;
	__u32 reserved;
	__aligned_u64 code_type;
	__u16 code_type_at;
	__u16 frame_previous;
	__u16 frame_code;
	__u16 frame_at;
	__u16 frame_end;
	__u8 end_mask;
	__u8 end_value;
	__u16 code_start;
	__u8 at_shift;
	__u8 code_tag;
	struct wallprof_interp_word word[WALLPROF_INTERP_WORDS];
};

/**
 * enum wallprof_interp_reason - how the capture of a stack's interpreted functions ended
 * @WALLPROF_INTERP_READ: all runs of the stack's native frames were recorded
 * @WALLPROF_INTERP_NO_STATE: the way to the innermost frame had a 0: the thread has no
 *	interpreted function
 * @WALLPROF_INTERP_FAULT: a word could not be read
 * @WALLPROF_INTERP_BAD: a code object has another type, an address is not one, or the
 *	chain ended within a run
 * @WALLPROF_INTERP_DEEP: there are more than WALLPROF_INTERP_FRAMES frames
 * @WALLPROF_INTERP_RUNS: the chain has another number of runs than the stack has native
 *	frames of them; or fewer, if the native walk did not reach the end of the stack. Or
 *	it did not, and found frames by frame pointer, which may have left some out
 * @WALLPROF_INTERP_NO_ROOM: the outermost functions found no room in the stack
 * @WALLPROF_INTERP_MAX: the number of reasons
 *
 * By READ and NO_ROOM, interpreted functions were recorded; by the others the native frames
 * alone. Native frames take their room first. What is left by
 * &struct wallprof_configure.max_stack, of which a function takes two, is the functions',
 * the innermost first.
 */
enum wallprof_interp_reason {
	WALLPROF_INTERP_READ,
	WALLPROF_INTERP_NO_STATE,
	WALLPROF_INTERP_FAULT,
	WALLPROF_INTERP_BAD,
	WALLPROF_INTERP_DEEP,
	WALLPROF_INTERP_RUNS,
	WALLPROF_INTERP_NO_ROOM,
	WALLPROF_INTERP_MAX,
};

/* Words of a stack: the highest three bits, and what the others hold. */
#define WALLPROF_INTERP_KIND	(7ULL << 61)
#define WALLPROF_INTERP_CODE	(4ULL << 61)
#define WALLPROF_INTERP_AT	(5ULL << 61)
#define WALLPROF_INTERP_WORD	(6ULL << 61)
#define WALLPROF_INTERP_ADDRESS_MASK	((1ULL << 56) - 1)
#define WALLPROF_INTERP_PLACES	(1U << 24)	/* places are below this */

#define WALLPROF_INTERP_IS_CODE(word)	(((word) & WALLPROF_INTERP_KIND) == WALLPROF_INTERP_CODE)
#define WALLPROF_INTERP_IS_AT(word)	(((word) & WALLPROF_INTERP_KIND) == WALLPROF_INTERP_AT)
#define WALLPROF_INTERP_IS_WORD(word)	(((word) & WALLPROF_INTERP_KIND) == WALLPROF_INTERP_WORD)
#define WALLPROF_INTERP_CODE_ADDRESS(word)	((word) & WALLPROF_INTERP_ADDRESS_MASK)
#define WALLPROF_INTERP_AT_PLACE(word)	((__u32)((word) >> 32 & (WALLPROF_INTERP_PLACES - 1)))
#define WALLPROF_INTERP_AT_HASH(word)	((__u32)(word))

/**
 * wallprof_interp_mix - go on with the hash of a code object's words
 * @hash: 0, or of the words before
 * @word: the next one
 *
 * Return: the hash of these; the lower 32 bits are what a stack has.
 */
static inline __u64 wallprof_interp_mix(__u64 hash, __u64 word)
{
	hash = (hash + 1 + word) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 32;
}

/**
 * wallprof_interp_hash - hash the words by which a code object is known
 * @word: the words that are used, in the order of &struct wallprof_interp.word
 * @nr: how many
 *
 * Return: the hash that a stack has.
 */
static inline __u32 wallprof_interp_hash(const __u64 *word, unsigned int nr)
{
	__u64 hash = 0;
	unsigned int i;

	for (i = 0; i < nr; i++)
		hash = wallprof_interp_mix(hash, word[i]);
	return (__u32)hash;
}

#endif /* _UAPI_LINUX_WALLPROF_INTERP_H */
