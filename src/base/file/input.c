/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Reads lines and bytes of a file without knowing its format. */
#include "config.h"
#include "file/input.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/err.h"
#include "util/text.h"

/* Takes what an open has returned: a descriptor, or -errno. */
static int begin(struct input *in, int fd)
{
	in->fd = fd;
	if (fd < 0)
		return err_set(fd, "cannot open %s: %s", in->path,
			       fd == -EINVAL ? "not a regular file" : strerror(-fd));
	in->buf = malloc(in->room + 1);
	if (in->buf)
		return 0;
	input_close(in);
	return err_set(-ENOMEM, "no memory to read %s", in->path);
}

int input_open(struct input *in, const char *path)
{
	int fd;

	*in = (struct input){ .path = path, .line = 1, .room = INPUT_BLOCK };
	if (!strcmp(path, "-")) {
		in->path = "standard input";
		fd = dup(STDIN_FILENO);
	} else {
		fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	return begin(in, fd < 0 ? -errno : fd);
}

int input_regular(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	int rc;

	if (fd < 0)
		return -errno;
	rc = fstat(fd, &st) ? -errno : S_ISREG(st.st_mode) ? 0 : -EINVAL;
	if (rc)
		close(fd);
	return rc ? rc : fd;
}

int input_open_regular(struct input *in, const char *path, size_t most)
{
	*in = (struct input){ .path = path, .line = 1, .room = INPUT_BLOCK, .most = most };
	return begin(in, input_regular(path));
}

void input_close(struct input *in)
{
	if (in->fd >= 0)
		close(in->fd);
	in->fd = -1;
	free(in->buf);
	in->buf = NULL;
}

/*
 * Programs of Windows write U+FEFF first, as UTF-8 or as the first two bytes of UTF-16. False: the
 * latter, with an error message.
 */
static bool skip_mark(struct input *in)
{
	if (in->n >= 3 && !memcmp(in->buf, "\xef\xbb\xbf", 3))
		in->at = 3;
	if (in->n < 2 || (memcmp(in->buf, "\xff\xfe", 2) && memcmp(in->buf, "\xfe\xff", 2)))
		return true;
	in->rc = err_set(-EBADMSG, "%s: a text in UTF-16; allowed: UTF-8", in->path);
	in->ended = true;
	return false;
}

/* Appends to the buffer. False: nothing was read. */
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
	if (n <= 0)
		return false;
	in->n += (size_t)n;
	in->all += (size_t)n;
	if (in->all == (size_t)n && !skip_mark(in))
		return false;
	if (!in->most || in->all <= in->most)
		return true;
	in->rc = err_set(-EINVAL, "%s: the file is too long; allowed: %zu bytes", in->path,
			 in->most);
	in->ended = true;
	return false;
}

bool input_fill(struct input *in)
{
	do
		in->at = in->n = 0;
	while (read_more(in) && in->at == in->n);
	return in->at < in->n;
}

/* Twice the buffer when it is full. False: no memory, with an error message. */
static bool grow(struct input *in)
{
	char *buf;

	if (in->n < in->room)
		return true;
	buf = realloc(in->buf, 2 * in->room + 1);
	if (!buf) {
		in->rc = err_set(-ENOMEM, "no memory to read %s", in->path);
		return false;
	}
	in->buf = buf;
	in->room *= 2;
	return true;
}

/* Makes room for more of a line that begins at in->at. False: too long, or no memory. */
static bool make_room(struct input *in)
{
	if (in->at) {
		memmove(in->buf, in->buf + in->at, in->n - in->at);
		in->n -= in->at;
		in->at = 0;
		return true;
	}
	if (in->n < in->room || in->room < INPUT_LINE_MAX)
		return grow(in);
	in->rc = err_set(-EBADMSG, "%s, line %zu: longer than %u bytes", in->path, in->line,
			 INPUT_LINE_MAX);
	in->ended = true;
	return false;
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

/* What is here reaches terminals, logs and files. A tab is a blank. */
static int check_visible(struct input *in, const char *line)
{
	const size_t len = strlen(line);
	size_t at = 0;

	while ((at += text_visible(line + at, len - at)) < len && line[at] == '\t')
		at++;
	if (at == len)
		return 0;
	return err_set(-EINVAL, "%s:%zu: byte 0x%02x, the %zuth from the first word on, is of no character that can be seen: write plain text in UTF-8",
		       in->path, in->line, (unsigned char)line[at], at + 1);
}

char *input_setting(struct input *in)
{
	char *line;
	size_t len;

	while ((line = input_line(in, &len))) {
		while (len && isspace((unsigned char)line[len - 1]))
			len--;
		/* behind the last line of a file there is room for one byte */
		line[len] = '\0';
		if (strlen(line) != len) {
			in->rc = err_set(-EINVAL, "%s:%zu: the line has a zero byte: this is no text",
					 in->path, in->line);
			return NULL;
		}
		line += strspn(line, " \t");
		if (!*line || *line == '#')
			continue;
		in->rc = check_visible(in, line);
		return in->rc ? NULL : line;
	}
	return NULL;
}

char *input_text(const char *path, size_t most, int *rc)
{
	struct input in;
	char *text = NULL;

	*rc = input_open_regular(&in, path, most);
	if (*rc)
		return NULL;
	while (grow(&in) && read_more(&in))
		continue;
	*rc = in.rc;
	if (!in.rc) {
		text = in.buf;
		text[in.n] = '\0';
		in.buf = NULL;
	}
	input_close(&in);
	return text;
}

int input_trust(int fd, const struct input_trust *t)
{
	struct stat st;

	if (fstat(fd, &st))
		return err_set(-errno, "%s%s: %s", t->label, t->path, strerror(errno));
	if (t->directory ? !S_ISDIR(st.st_mode) : !S_ISREG(st.st_mode))
		return err_set(-EACCES, "%s%s: not a %s", t->label, t->path,
			       t->directory ? "directory" : "regular file");
	if (st.st_uid && st.st_uid != geteuid() && st.st_uid != t->also)
		return err_set(-EACCES, "%s%s belongs to user %u; it must belong to the user who runs the program (%u) or to root",
			       t->label, t->path, st.st_uid, t->also ? t->also : geteuid());
	if (st.st_mode & t->none)
		return err_set(-EACCES, "%s%s: mode %04o lets others than its owner %s: chmod %s %s%s",
			       t->label, t->path, st.st_mode & 07777, t->harm, t->chmod, t->path,
			       t->advice);
	return 0;
}

/* ---- cells */

/* The common case: a million rows have a hundred million of these cells. */
static char plain_cell(struct input_cells *csv)
{
	char *at = csv->at, stop;

	while (*at != ',' && *at != '\n' && at < csv->end)
		at++;
	stop = *at;
	csv->at = at;
	*at = '\0';
	return stop;
}

char input_cell(struct input_cells *csv, char **cell)
{
	bool open = true;
	char *to = csv->at, stop;

	*cell = to;
	if (*csv->at != '"')
		return plain_cell(csv);
	csv->at++;
	while (csv->at < csv->end && *csv->at != '\n') {
		if (*csv->at == '"' && *++csv->at != '"') {
			open = false;
			break;
		}
		*to++ = *csv->at++;
	}
	stop = csv->at < csv->end ? *csv->at : '\0';
	if (open || (stop != ',' && stop != '\n'))
		return '\0';
	*to = '\0';
	return stop;
}
