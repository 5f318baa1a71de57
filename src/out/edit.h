/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Lines that are taken out of a file to which other programs may add (append.h): under its lock the
 * file is read whole, and replaced by what stays.
 */
#ifndef OUT_EDIT_H
#define OUT_EDIT_H

#include <stddef.h>

/* Set all fields. */
struct edit {
	const char *what;    /* "CSV" */
	const char *path;
	/*
	 * text has *len bytes and a '\0' behind them. 0: the file stays as it is. 1: text, of the
	 * new *len, replaces it. -errno with an error message: nothing is changed.
	 */
	int (*change)(void *arg, char *text, size_t *len);
	void *arg;
};

/* Of a regular file that exists. -errno with an error message: the file is as before. */
int edit_file(const struct edit *edit) __attribute__((warn_unused_result));

#endif
