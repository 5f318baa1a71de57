/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the bytes of a file of rows; see input.h. Called by the readers. Must not know formats. */
#include "config.h"
#include "read/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/err.h"

int input_open(struct input *in, const char *path)
{
	*in = (struct input){ .path = path, .line = 1, .room = INPUT_BLOCK };
	if (!strcmp(path, "-")) {
		in->path = "standard input";
		in->fd = dup(STDIN_FILENO);
	} else {
		in->fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	if (in->fd < 0)
		return err_set(-errno, "cannot open %s: %s", in->path, strerror(errno));
	in->buf = malloc(in->room + 1);
	if (in->buf)
		return 0;
	input_close(in);
	return err_set(-ENOMEM, "no memory to read %s", in->path);
}

void input_close(struct input *in)
{
	if (in->fd >= 0)
		close(in->fd);
	in->fd = -1;
	free(in->buf);
	in->buf = NULL;
}

/* Behind what is there. False: nothing came. */
static bool read_more(struct input *in)
{
	ssize_t n;

	if (in->ended)
		return false;
	do
		n = read(in->fd, in->buf + in->n, in->room - in->n);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		in->rc = err_set(-errno, "cannot read %s: %s", in->path, strerror(errno));
	in->ended = n <= 0;
	if (n > 0)
		in->n += (size_t)n;
	return n > 0;
}

bool input_fill(struct input *in)
{
	in->at = in->n = 0;
	return read_more(in);
}

/* Room for more of a line that begins at in->at. False: it is too long, or no memory. */
static bool make_room(struct input *in)
{
	char *buf;

	if (in->at) {
		memmove(in->buf, in->buf + in->at, in->n - in->at);
		in->n -= in->at;
		in->at = 0;
		return true;
	}
	if (in->n < in->room)
		return true;
	buf = in->room < INPUT_LINE_MAX ? realloc(in->buf, 2 * in->room + 1) : NULL;
	if (!buf) {
		in->rc = err_set(-EBADMSG, "%s, line %zu: longer than %u bytes", in->path, in->line,
				 INPUT_LINE_MAX);
		in->ended = true;
		return false;
	}
	in->buf = buf;
	in->room *= 2;
	return true;
}

char *input_line(struct input *in, size_t *len)
{
	size_t seen = 0;
	char *end, *line;

	in->line += in->begun;
	in->begun = true;
	for (;;) {
		end = memchr(in->buf + in->at + seen, '\n', in->n - in->at - seen);
		if (end)
			break;
		seen = in->n - in->at;
		if (!make_room(in) || !read_more(in))
			break;
	}
	if (in->rc || in->at == in->n)
		return NULL;
	line = in->buf + in->at;
	*len = end ? (size_t)(end + 1 - line) : in->n - in->at;
	in->at += *len;
	return line;
}
