/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The lines of a file of settings. Comments begin with '#'; blanks around a line do not count. */
#ifndef LINES_H
#define LINES_H

#include <stddef.h>
#include <stdint.h>

#define LINES_BYTES 65536 /* of a file, at most */

struct line {
	const char *path;
	uint32_t number; /* from 1 */
	char *text;      /* may be changed */
};

/* 0, or -EINVAL after a message on stderr. */
typedef int lines_use(void *arg, const struct line *line);

/*
 * Calls use(arg) for each line that says something. kind, before the path in messages: "profile ".
 * 0; -EINVAL after a message on stderr: the path is no regular file, the file is no text or too
 * long, or a line cannot be used.
 */
int lines_read(const char *kind, const char *path, lines_use *use, void *arg);

/* The text without blanks at both ends. */
char *lines_trim(char *text);

#endif
