/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* A file that is written whole: its path has the old content or all of the new one. */
#ifndef OUT_REPLACE_H
#define OUT_REPLACE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes a file beside path, which is renamed to path when it is complete. What is no regular file
 * ("-" is standard output, a pipe, a device) is written directly. -errno without an error message
 * (out_path_strerror()); -EINVAL and the like of the path itself with one.
 */
int out_replace(const char *path, const char *text, size_t len)
	__attribute__((warn_unused_result));

/* How a file begins that may be replaced. Constant. */
struct out_replace_kind {
	const char *what;    /* "page of verbench": for messages */
	const char *begins;
	size_t len;          /* of begins, which may have any bytes */
};

/*
 * Before anything is computed: could it be written? A file of another kind is refused, unless force
 * is set or it is empty. -errno with an error message. Touches nothing.
 */
int out_replace_check(const char *path, const struct out_replace_kind *kind, bool force)
	__attribute__((warn_unused_result));

#endif
