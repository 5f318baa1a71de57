/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The descriptors 0 to 2. */
#include "config.h"
#include "util/standard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/clock.h"

int standard_open(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		/* open(2) returns the lowest free number: those below fd are in use */
		if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return errno ? -errno : -EBADF;
	}
	return 0;
}

void standard_unshare(int fd)
{
	char path[32];
	struct stat st;
	int own;

	if (fstat(fd, &st) || !(S_ISFIFO(st.st_mode) || (S_ISCHR(st.st_mode) && isatty(fd))))
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	own = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (own < 0)
		return;
	dup2(own, fd);
	close(own);
}

static bool is_ready(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return poll(&p, 1, 0) > 0;
}

ssize_t standard_write(int fd, const char *text, size_t len)
{
	ssize_t n = send(fd, text, len, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n < 0 && errno == ENOTSOCK) {
		if (!is_ready(fd))
			return -EAGAIN;
		n = write(fd, text, len);
	}
	return n < 0 ? -errno : n;
}

int standard_wait(int fd, uint32_t wait_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	const int n = poll(&p, 1, (int)wait_ms);

	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	return n ? 0 : -ETIMEDOUT;
}

/* ---- the stream */

struct stream {
	int fd;
	uint32_t wait_ms;
	void (*late)(void);
	bool is_late;        /* the last text was lost */
};

static ssize_t lose(struct stream *s)
{
	if (!s->is_late)
		s->late();
	s->is_late = true;
	return 0;
}

/* 0: an error. A signal is not an error: the deadline stays the same. */
static ssize_t write_stream(void *cookie, const char *text, size_t len)
{
	struct stream *s = cookie;
	const uint64_t until_ms = clock_ns() / 1000000 + (s->is_late ? 0 : s->wait_ms);
	size_t at = 0;

	while (at < len) {
		const ssize_t n = standard_write(s->fd, text + at, len - at);
		const uint64_t now = clock_ns() / 1000000;

		if (n > 0) {
			at += (size_t)n;
			continue;
		}
		if (n != -EAGAIN && n != -EINTR)
			return 0;
		if (now >= until_ms || standard_wait(s->fd, (uint32_t)(until_ms - now)))
			return lose(s);
	}
	s->is_late = false;
	return (ssize_t)len;
}

FILE *standard_stream(int fd, uint32_t wait_ms, void (*late)(void))
{
	struct stream *s = malloc(sizeof(*s));
	FILE *out = NULL;

	if (!s)
		return NULL;
	*s = (struct stream){ .fd = fd, .wait_ms = wait_ms, .late = late };
	out = fopencookie(s, "w", (cookie_io_functions_t){ .write = write_stream });
	if (!out)
		free(s);
	else if (isatty(fd))
		setvbuf(out, NULL, _IOLBF, BUFSIZ);
	return out;
}
