/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The join lock and the files of members; see join.h. Called by fabric.c.
 *
 * The lock is a lock of one byte (F_SETLK, fcntl(2)) of a file, which ends with its process. Its
 * first word is the turn, and the byte to lock follows from it: who passes a stopped holder by adds
 * one to the turn. If several do, they write the same number.
 */
#include "config.h"
#include "base/join.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alive.h"
#include "base/clock.h"
#include "meet/place.h"

#define LIMIT_NS (4 * JOIN_LATE_NS)
#define NAP_MIN_NS 50000
#define NAP_MAX_NS 50000000 /* a thousand that wait must leave the holder a CPU */

enum { NAME_BYTES = 96 };

/* Processes of other namespaces have other numbers, so they do not meet. Returns the length. */
static size_t prefix(char text[NAME_BYTES])
{
	struct stat pids = { 0 }, net = { 0 };

	(void)stat("/proc/self/ns/pid", &pids);
	(void)stat("/proc/self/ns/net", &net);
	return (size_t)snprintf(text, NAME_BYTES, "%llx-%llx.", (unsigned long long)pids.st_ino,
				(unsigned long long)net.st_ino);
}

static uint32_t turn_of(int file)
{
	uint32_t turn = 0;

	return pread(file, &turn, sizeof(turn), 0) == sizeof(turn) ? turn : 0;
}

static struct flock byte_of(uint32_t turn, short type)
{
	return (struct flock) {
		.l_type = type, .l_whence = SEEK_SET, .l_start = 8 + (off_t)turn, .l_len = 1,
	};
}

static bool take(int file, uint32_t turn)
{
	struct flock l = byte_of(turn, F_WRLCK);

	return !fcntl(file, F_SETLK, &l);
}

/* The process that has the lock; 0: none. */
static int holder_of(int file, uint32_t turn)
{
	struct flock l = byte_of(turn, F_WRLCK);

	return fcntl(file, F_GETLK, &l) || l.l_type == F_UNLCK ? 0 : l.l_pid;
}

static void nap(uint64_t *ns)
{
	struct timespec t = { .tv_nsec = (long)*ns };

	ppoll(NULL, 0, &t, NULL);
	*ns = *ns < NAP_MAX_NS ? *ns * 3 / 2 : NAP_MAX_NS;
}

static bool is_late(int holder, uint64_t ns)
{
	return ns > JOIN_LATE_NS || (ns > JOIN_HOLD_NS && alive_is_pid_stopped(holder));
}

/* A process that is late is not worse off: it only begins anew, see fabric.c. */
static int wait_for_turn(struct join *j)
{
	const uint64_t end = clock_now() + LIMIT_NS;
	uint64_t since = clock_now(), now, pause_ns = NAP_MIN_NS;
	int holder = 0;

	for (;;) {
		uint32_t turn = turn_of(j->file), next = turn + 1;
		int seen;

		if (turn != j->turn)
			holder = 0;
		j->turn = turn;
		if (take(j->file, turn)) {
			if (join_is_held(j))
				return 0;
			continue; /* passed by in between; the lock of the old turn does no harm */
		}
		now = clock_now();
		if (now > end)
			return -ETIMEDOUT;
		seen = holder_of(j->file, turn);
		if (seen != holder)
			since = now;
		holder = seen;
		if (holder && is_late(holder, now - since) &&
		    pwrite(j->file, &next, sizeof(next), 0) != sizeof(next))
			return -errno;
		nap(&pause_ns);
	}
}

int join_begin(struct join *j)
{
	char name[NAME_BYTES];
	int rc;

	*j = (struct join) { .dir = place_open(), .file = -1 };
	if (j->dir < 0)
		return j->dir;
	strcpy(name + prefix(name), "lock");
	j->file = openat(j->dir, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
			 S_IRUSR | S_IWUSR);
	rc = j->file < 0 ? -errno : wait_for_turn(j);
	if (rc)
		join_end(j);
	return rc;
}

bool join_is_held(const struct join *j)
{
	return turn_of(j->file) == j->turn;
}

void join_end(struct join *j)
{
	if (j->file >= 0)
		close(j->file);
	close(j->dir);
}

bool join_each(const struct join *j, int (*found)(int pid, int fd))
{
	char want[NAME_BYTES];
	const struct dirent *e;
	size_t len;
	int rc = -ENOENT, at = openat(j->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = at < 0 ? NULL : fdopendir(at);

	if (!dir) {
		if (at >= 0)
			close(at);
		return false;
	}
	len = prefix(want);
	while (rc && (e = readdir(dir))) {
		int pid, fd;

		if (strncmp(e->d_name, want, len) ||
		    sscanf(e->d_name + len, "%d.%d", &pid, &fd) != 2)
			continue;
		rc = found(pid, fd);
		if (rc == -ENOENT || rc == -EPERM)
			unlinkat(j->dir, e->d_name, 0);
	}
	closedir(dir);
	return !rc;
}

static void own_name(char name[NAME_BYTES], int fd)
{
	size_t len = prefix(name);

	snprintf(name + len, NAME_BYTES - len, "%d.%d", getpid(), fd);
}

int join_publish(const struct join *j, int fd)
{
	char name[NAME_BYTES];
	int file;

	own_name(name, fd);
	/* there may be one of a dead process with the same number */
	file = openat(j->dir, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
		      S_IRUSR | S_IWUSR);
	if (file < 0)
		return -errno;
	close(file);
	return 0;
}

void join_leave(int fd)
{
	char name[NAME_BYTES];
	int dir = place_open();

	if (dir < 0)
		return;
	own_name(name, fd);
	unlinkat(dir, name, 0);
	close(dir);
}
