/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room file: readers of lines, CSV cells and JSON values that do not trust their input; text files
 * to which several programs append; files that are written whole. It knows no columns.
 *
 * This header: a file or standard input that is read once from beginning to end, by line or by
 * byte, with the line number. Memory: one block and the longest line. Also whether a file may be
 * trusted that decides what a program may do.
 */
#ifndef INPUT_H
#define INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define INPUT_BLOCK (256u * 1024)
#define INPUT_LINE_MAX (1024u * 1024)
#define INPUT_SETTINGS_MAX (256u * 1024) /* of a file that people write */

struct input {
	const char *path;   /* for messages, borrowed */
	size_t line;        /* from 1: of the next byte; of input_line(): of the line itself */
	char *buf;          /* owned */
	size_t room, at, n; /* buf[at..n) is not consumed yet */
	size_t most, all;   /* bytes that may be read, 0: any number; that were */
	int fd;
	bool begun;         /* input_line() has returned a line */
	bool ended;
	int rc;             /* error of a read, with its error message; the input has then ended */
};

/* "-" is standard input. -errno with an error message. */
int input_open(struct input *in, const char *path) __attribute__((warn_unused_result));
void input_close(struct input *in);

/*
 * Opens a file that must have an end: a device or a FIFO may have none, and the open of a FIFO
 * waits. Returns the descriptor, or without an error message -errno; -EINVAL: no regular file.
 */
int input_regular(const char *path) __attribute__((warn_unused_result));

/* For such a file of at most so many bytes: more is an error of a read. As input_open(). */
int input_open_regular(struct input *in, const char *path, size_t most)
	__attribute__((warn_unused_result));

/* The whole of such a file and an end, freed by the caller; NULL with an error message. */
char *input_text(const char *path, size_t most, int *rc) __attribute__((warn_unused_result));

/*
 * The next line with its newline, or the text after the last newline. The caller may change it; it
 * is valid until the next call. NULL: the end; in->rc says whether because of an error.
 */
char *input_line(struct input *in, size_t *len);

/*
 * The same for a file of settings: a text without blanks around it. Empty lines and comments (#)
 * are skipped. A zero byte, or another of no character that can be seen, is an error.
 */
char *input_setting(struct input *in);

/* Reads more into the empty buffer. False: the end. Used by the two functions below. */
bool input_fill(struct input *in);

/* The next byte, without consuming it; -1: the end. */
static inline int input_peek(struct input *in)
{
	if (in->at == in->n && !input_fill(in))
		return -1;
	return (unsigned char)in->buf[in->at];
}

/* Consumes the next byte; -1: the end. */
static inline int input_next(struct input *in)
{
	const int c = input_peek(in);

	if (c < 0)
		return c;
	in->at++;
	in->line += c == '\n';
	return c;
}

/* The name of the file, the mode bits it must not have, and why. Texts for messages. */
struct input_trust {
	const char *label;  /* "--key " or "" */
	const char *path;
	mode_t none;
	bool directory;     /* in place of a regular file */
	uid_t also;         /* another user who may own it; 0 (root): nobody else */
	const char *harm;   /* "lets others than its owner ..." */
	const char *chmod;  /* the argument that clears the bits */
	const char *advice; /* follows that command */
};

/*
 * Checks an open file, not its path: its kind, that it belongs to this user, also or root, and that
 * it has none of these mode bits.
 * -EACCES or -errno of fstat(2) with an error message that says what to do.
 */
int input_trust(int fd, const struct input_trust *t) __attribute__((warn_unused_result));

/* ---- the cells of a CSV line: RFC 4180, but no line breaks in a cell */

/* The position of a reader in a text; *end is '\0'. */
struct input_cells {
	char *at, *end;
};

/*
 * The cell at cells->at, unquoted and terminated in place. cells->at then points at the ',' or '\n'
 * after it, which is returned; '\0': there is no cell, because the text ends or a quote is not
 * closed.
 */
char input_cell(struct input_cells *cells, char **cell);

#endif
