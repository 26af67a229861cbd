// SPDX-License-Identifier: GPL-2.0
/* Descriptors: how they come and go, and what files can do besides. */
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <linux/capability.h>

#include "calls.h"

const char *const how_open[] = {
	"rdwr", "rdonly", "wronly", "nonblock", "weak", "path", NULL
};

/* Without the capabilities that let it. */
static long open_weak(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct old[2], weak[2];
	long fd;

	if (syscall(SYS_capget, &head, old))
		abort();
	memcpy(weak, old, sizeof(old));
	weak[0].effective &= ~(1U << CAP_SYS_ADMIN);
	weak[1].effective &= ~(1U << (CAP_PERFMON - 32));
	if (syscall(SYS_capset, &head, weak))
		abort();
	fd = sys(open(WALLPROF_DEVICE, O_RDWR | O_CLOEXEC));
	if (syscall(SYS_capset, &head, old))
		abort();
	return fd;
}

long run_open(struct thread *t, const __u64 *a)
{
	static const int modes[] = { O_RDWR, O_RDONLY, O_WRONLY, O_RDWR | O_NONBLOCK,
		O_RDWR, O_PATH };
	static const int allowed[] = { EPERM, EUSERS, ENOMEM, EINTR, 0 };
	unsigned int how = a[1] % ARRAY_SIZE(modes);
	struct slot *slot = slot_of(t, a[0]);
	long fd, ret;

	if (how == 4)
		fd = open_weak();
	else
		fd = sys(open(WALLPROF_DEVICE, modes[how] | O_CLOEXEC));
	judge_errno(t, "open", fd, allowed);
	if (how == 4 ? fd != -EPERM : fd == -EPERM)
		wrong(t, "open %s: %ld", how_open[how], fd);
	if (fd < 0)
		return fd;
	/* Closes what had the number. */
	do
		ret = sys(dup3(fd, fd_of(t, a[0]), O_CLOEXEC));
	while (ret == -EBUSY || ret == -EINTR);
	close(fd);
	if (ret < 0)
		wrong(t, "dup3: %ld", ret);
	if (!slot)
		return 0;
	slot_close(t, a[0]);
	slot->model = calloc(1, sizeof(*slot->model));
	slot->model->refs = 1;
	slot->model->exact = how != 5;
	slot->mode = modes[how] & (O_ACCMODE | O_PATH);
	if (slot->model->exact)
		status_check(t, a[0]);
	return 0;
}

long run_close(struct thread *t, const __u64 *a)
{
	long ret = sys(close(fd_of(t, a[0])));

	if (ret && ret != -EBADF)
		wrong(t, "close: %ld", ret);
	slot_close(t, a[0]);
	return ret;
}

long run_dup(struct thread *t, const __u64 *a)
{
	struct slot *from = slot_of(t, a[0]), *to = slot_of(t, a[1]);
	long ret;

	if (a[0] % FDS == a[1] % FDS)
		return -EINVAL;
	do
		ret = sys(dup3(fd_of(t, a[0]), fd_of(t, a[1]), O_CLOEXEC));
	while (ret == -EBUSY || ret == -EINTR);
	if (ret < 0) {
		if (ret != -EBADF)
			wrong(t, "dup3: %ld", ret);
		return ret;
	}
	if (!to)
		expose(t, a[0]);
	if (to) {
		slot_close(t, a[1]);
		if (from && from->model) {
			*to = *from;
			to->model->refs++;
		} else {
			to->model = calloc(1, sizeof(*to->model));
			to->model->refs = 1;
			to->mode = O_RDWR;
		}
	}
	return 0;
}


const char *const how_poll[] = {
	"poll", "wait", "epoll", "select", "epoll-kept", NULL
};

long run_poll(struct thread *t, const __u64 *a)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLOUT };
	struct pollfd pfd = { fd_of(t, a[0]), a[1], 0 };
	struct model *m = model_of(t, a[0]);
	struct slot *slot = slot_of(t, a[0]);
	struct timeval none = { 0 };
	int epoll, got;
	fd_set in, bad;
	long ret;

	switch (a[2] % 5) {
	case 2:
	case 4:
		epoll = epoll_create1(EPOLL_CLOEXEC);
		ret = sys(epoll_ctl(epoll, EPOLL_CTL_ADD, pfd.fd, &event));
		if (!ret)
			ret = sys(epoll_wait(epoll, &event, 1, a[1] & 1));
		close(epoll);
		return ret < 0 ? ret : 0;
	case 3:
		FD_ZERO(&in);
		FD_ZERO(&bad);
		FD_SET(pfd.fd, &in);
		FD_SET(pfd.fd, &bad);
		ret = sys(select(pfd.fd + 1, &in, NULL, &bad, &none));
		return ret < 0 ? ret : 0;
	}
	ret = sys(poll(&pfd, 1, a[2] % 5));
	if (ret < 0)
		return ret;
	got = pfd.revents;
	if (got & ~(POLLIN | POLLRDNORM | POLLHUP | POLLERR | POLLNVAL))
		wrong(t, "poll: %x", got);
	if (surely_closed(t, a[0]) || (slot && slot->mode == O_PATH))
		return got == POLLNVAL ? -EBADF : (wrong(t, "poll: %x", got), 0);
	if (!m)
		return 0;
	if (m->state <= WALLPROF_SESSION_CONFIGURED ? got != POLLERR :
	    m->state == WALLPROF_SESSION_STOPPED ? got != POLLHUP :
	    got & (POLLERR | POLLNVAL))
		wrong(t, "poll in state %u: %x", m->state, got);
	return 0;
}

const char *const how_file[] = {
	"read", "write", "lseek", "pread", "pwrite", "ftruncate", "fallocate", "fsync",
	"readv", "splice-from", "splice-to", "sendfile", "copy", "flock", "setfl",
	"getfl", "stat", "getdents", "async", "lease", NULL
};

long run_file(struct thread *t, const __u64 *a)
{
	static const int allowed[] = {
		EINVAL, EBADF, ESPIPE, ENODEV, EOPNOTSUPP, ENOTDIR, ENOTTY, EPERM, EISDIR,
		EAGAIN, EFAULT, EINTR, EACCES, EXDEV, 0
	};
	int fd = fd_of(t, a[0]), how = a[1] % (ARRAY_SIZE(how_file) - 1), ends[2];
	char buffer[64] = "";
	struct iovec iov = { buffer, sizeof(buffer) };
	struct stat st;
	long ret;

	switch (how) {
	case 0:
		ret = sys(read(fd, buffer, sizeof(buffer)));
		break;
	case 1:
		ret = sys(write(fd, buffer, sizeof(buffer)));
		break;
	case 2:
		ret = sys(lseek(fd, 8, SEEK_SET));
		break;
	case 3:
		ret = sys(pread(fd, buffer, sizeof(buffer), 8));
		break;
	case 4:
		ret = sys(pwrite(fd, buffer, sizeof(buffer), 8));
		break;
	case 5:
		ret = sys(ftruncate(fd, 8));
		break;
	case 6:
		ret = sys(fallocate(fd, 0, 0, 8));
		break;
	case 7:
		ret = sys(fsync(fd));
		break;
	case 8:
		ret = sys(readv(fd, &iov, 1));
		break;
	case 9:
	case 10:
		if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
			return -errno;
		if (write(ends[1], "x", 1) != 1)
			wrong(t, "write to a pipe: %s", strerror(errno));
		ret = how == 9 ? sys(splice(fd, NULL, ends[1], NULL, 8, SPLICE_F_NONBLOCK)) :
				 sys(splice(ends[0], NULL, fd, NULL, 8, SPLICE_F_NONBLOCK));
		close(ends[0]);
		close(ends[1]);
		break;
	case 11:
		ret = sys(sendfile(fd_of(t, a[0] + 1), fd, NULL, 8));
		break;
	case 12:
		ret = sys(copy_file_range(fd, NULL, fd_of(t, a[0] + 1), NULL, 8, 0));
		break;
	case 13:
		ret = sys(flock(fd, LOCK_SH | LOCK_NB));
		return ret;
	case 14:
		return sys(fcntl(fd, F_SETFL, O_NONBLOCK));
	case 15:
		ret = sys(fcntl(fd, F_GETFL));
		return ret < 0 ? ret : 0;
	case 16:
		return sys(fstat(fd, &st));
	case 17:
		ret = sys(syscall(SYS_getdents64, fd, buffer, sizeof(buffer)));
		break;
	case 18:
		return sys(fcntl(fd, F_SETFL, O_ASYNC));
	default:
		return sys(fcntl(fd, F_SETLEASE, F_RDLCK));
	}
	judge_errno(t, how_file[how], ret, allowed);
	if (ret >= 0)
		wrong(t, "%s succeeded: %ld", how_file[how], ret);
	return ret;
}
