/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder read: files as lines, cells of CSV and values of JSON. It trusts nothing that is in them,
 * and knows no columns.
 *
 * This header: a file or standard input that is read once, from its begin to its end, a line or a
 * byte at a time, with the number of the line. Memory: a block, and the longest line.
 */
#ifndef INPUT_H
#define INPUT_H

#include <stdbool.h>
#include <stddef.h>

#define INPUT_BLOCK (256u * 1024)
#define INPUT_LINE_MAX (1024u * 1024)

struct input {
	const char *path;   /* for messages, borrowed */
	size_t line;        /* from 1: of the next byte; of input_line(): of the line itself */
	char *buf;          /* owned */
	size_t room, at, n; /* buf[at..n) is not taken yet */
	int fd;
	bool begun;         /* input_line() has given a line */
	bool ended;
	int rc;             /* of a read that failed, with its error message; then it ended */
};

/* "-" is standard input. -errno with an error message. */
int input_open(struct input *in, const char *path) __attribute__((warn_unused_result));
void input_close(struct input *in);

/*
 * The next line with its newline, or what is behind the last newline. It may be changed, and is
 * valid until the next call. NULL: the end; in->rc says whether by an error.
 */
char *input_line(struct input *in, size_t *len);

/* Reads more into the empty buffer. False: the end. For the two functions below. */
bool input_fill(struct input *in);

/* The next byte, which stays the next; -1: the end. */
static inline int input_peek(struct input *in)
{
	if (in->at == in->n && !input_fill(in))
		return -1;
	return (unsigned char)in->buf[in->at];
}

/* The next byte is taken; -1: the end. */
static inline int input_next(struct input *in)
{
	const int c = input_peek(in);

	if (c < 0)
		return c;
	in->at++;
	in->line += c == '\n';
	return c;
}

#endif
