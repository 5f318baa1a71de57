/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Descriptors of other processes; see shared.h. Called by fabric.c and peer.c. */
#include "config.h"
#include "meet/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* F_SEAL_EXEC of Linux 6.3, which older headers do not have */
#define SEAL_EXEC 0x0020

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

int shared_make(const char *name, uint64_t bytes)
{
	int rc, fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -errno;
	if (!ftruncate(fd, (off_t)bytes) && !fcntl(fd, F_ADD_SEALS, SEALS))
		return fd;
	rc = -errno;
	close(fd);
	return rc;
}

/*
 * A descriptor that names the file without opening it: to open a device or a FIFO of somebody else
 * may already do harm.
 */
static int look(int pid, int fd, struct stat *st)
{
	char path[64];
	int at;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
	at = open(path, O_PATH | O_CLOEXEC);
	if (at < 0)
		return -errno;
	if (!fstat(at, st) && st->st_uid == geteuid())
		return at;
	fprintf(stderr,
		"softhca: descriptor %d of process %d is not used: it belongs to user %u, not to user %u\n",
		fd, pid, (unsigned int)st->st_uid, (unsigned int)geteuid());
	close(at);
	return -EPERM;
}

/* Opens what look() has found. */
static int open_at(int at, int flags)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", at);
	fd = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		fd = -errno;
	close(at);
	return fd;
}

/* Only files in memory have seals. With F_SEAL_WRITE each access would be a fault. */
static bool is_sealed(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);

	/* the kernel adds F_SEAL_EXEC if vm.memfd_noexec is 1 */
	return seals >= 0 && (seals & ~SEAL_EXEC) == SEALS;
}

int shared_open(int pid, int fd, uint64_t bytes)
{
	struct stat st = { 0 };
	int own, at = look(pid, fd, &st);

	if (at < 0)
		return at;
	if (!S_ISREG(st.st_mode)) {
		close(at);
		return -EINVAL;
	}
	own = open_at(at, O_RDWR);
	/* the size does not change any more if the file is sealed */
	if (own < 0 || (is_sealed(own) && !fstat(own, &st) && (uint64_t)st.st_size == bytes))
		return own;
	close(own);
	return -EINVAL;
}

int shared_open_pipe(int pid, int fd)
{
	struct stat st = { 0 };
	int at = look(pid, fd, &st);

	/* also for reading: if the process dies, a write is no SIGPIPE for this one */
	if (at < 0 || S_ISFIFO(st.st_mode))
		return at < 0 ? at : open_at(at, O_RDWR);
	close(at);
	return -EINVAL;
}
