// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the trial of whether the kernel can be asked for build-ids in records of mappings
 * (attr.build_id). Called by sideband.c.
 *
 * Kernels from 5.12 to 6.1 and later, until it was fixed, set
 * PERF_RECORD_MISC_MMAP_BUILD_ID in a header that all events share which the mapping is
 * recorded for, and do not take it back. Events that come after one that asks get their
 * device and inode marked as a build-id, those of other programs as well: files of perf
 * record on the same host are damaged, up to a crash of perf script.
 *
 * So it is tried, with events that record this thread only: one that does not ask, one that
 * does, and one that does not. In whatever order the kernel visits them, one that does not
 * ask comes after the one that asks. All write to one ring, which must have exactly one
 * record with a build-id in the end. What is mapped is a file in memory: its device has the
 * number 0:N, which even as a build-id is an empty one for perf, in case that this thread is
 * recorded by another program during the trial.
 */
#include <elf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/perfdata/mmaprecord.h"
#include "lib/perfdata/attrsize.h"
#include "lib/perfdata/perfdata.h"
#include "lib/record/inlineids.h"

#define NR_EVENTS	3
#define ASKS		1	/* the event that asks is between the others */

/* Missing in headers before Linux 6.3. */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL	0x0008U
#endif

/**
 * wp_inlineids_judge() - judge the records of the trial
 * @records: the records
 * @size: their size in bytes
 *
 * Return: true if there is one of each event, and only one has a build-id.
 */
bool wp_inlineids_judge(const void *records, size_t size)
{
	unsigned int nr = 0, nr_ids = 0;
	struct perf_event_header h;
	const char *at = records;

	while (size >= sizeof(h)) {
		memcpy(&h, at, sizeof(h));
		if (h.type != PERF_RECORD_MMAP2 || h.size < sizeof(h) || h.size > size)
			return false;
		nr++;
		nr_ids += !!(h.misc & PERF_RECORD_MISC_MMAP_BUILD_ID);
		at += h.size;
		size -= h.size;
	}
	return nr == NR_EVENTS && nr_ids == 1;
}

#ifndef NO_BUILD_ID_BIT
/* An ELF file in memory that has a build-id and nothing else; or -1. */
static int make_file(void)
{
	const struct {
		Elf64_Ehdr file;
		Elf64_Phdr segment;
		Elf64_Nhdr note;
		char name[4];
		__u8 id[WP_BUILDID_MAX];
	} elf = {
		.file = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
				     [EI_VERSION] = EV_CURRENT },
			.e_type = ET_DYN,
			.e_version = EV_CURRENT,
			.e_phoff = sizeof(elf.file),
			.e_ehsize = sizeof(elf.file),
			.e_phentsize = sizeof(elf.segment),
			.e_phnum = 1,
		},
		.segment = {
			.p_type = PT_NOTE,
			.p_offset = sizeof(elf.file) + sizeof(elf.segment),
			.p_filesz = sizeof(elf.note) + sizeof(elf.name) + sizeof(elf.id),
			.p_memsz = sizeof(elf.note) + sizeof(elf.name) + sizeof(elf.id),
			.p_align = 4,
		},
		.note = { sizeof(elf.name), sizeof(elf.id), NT_GNU_BUILD_ID },
		.name = ELF_NOTE_GNU,
		.id = "wallprof's trial",
	};
	int fd = memfd_create("wallprof", MFD_CLOEXEC | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("wallprof", MFD_CLOEXEC);
	if (fd >= 0 && write(fd, &elf, sizeof(elf)) != sizeof(elf)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int open_event(bool asks)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = WP_ATTRSIZE,
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.mmap = 1,
		.mmap2 = 1,
		.build_id = asks,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Open the events, all of which write to the ring of the first one. */
static bool open_events(int *fd, struct perf_event_mmap_page **ring, size_t size)
{
	int i;

	for (i = 0; i < NR_EVENTS; i++) {
		fd[i] = open_event(i == ASKS);
		if (fd[i] < 0)
			return false;
		if (i && ioctl(fd[i], PERF_EVENT_IOC_SET_OUTPUT, fd[0]))
			return false;
		if (i)
			continue;
		*ring = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd[0], 0);
		if (*ring == MAP_FAILED)
			return false;
	}
	return true;
}

static bool try_it(int file)
{
	long page = sysconf(_SC_PAGESIZE);
	struct perf_event_mmap_page *ring = MAP_FAILED;
	int fd[NR_EVENTS] = { -1, -1, -1 }, i;
	bool works = false;
	void *code;
	__u64 head;

	if (open_events(fd, &ring, 2 * page)) {
		code = mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
		head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE);
		works = head <= (__u64)page && wp_inlineids_judge((char *)ring + page, head);
		if (code != MAP_FAILED)
			munmap(code, page);
	}
	if (ring != MAP_FAILED)
		munmap(ring, 2 * page);
	for (i = 0; i < NR_EVENTS; i++)
		if (fd[i] >= 0)
			close(fd[i]);
	return works;
}
#endif

/**
 * wp_inlineids_work() - whether the kernel can be asked for build-ids
 *
 * Return: true if it reports them, and that disturbs no other event; false also if that
 * could not be found out.
 */
bool wp_inlineids_work(void)
{
	bool works = false;
#ifndef NO_BUILD_ID_BIT
	int file = make_file();

	if (file >= 0) {
		works = try_it(file);
		close(file);
	}
#endif
	return works;
}
