/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* A file that is replaced as a whole: whoever reads it sees the old content or the new one. */
#ifndef REPLACE_H
#define REPLACE_H

#include <stddef.h>

/*
 * Writes text to a new file beside path, and gives it the name and the permissions of path. The
 * text is on the disk before its name is. path: without links at its end, which would be replaced
 * themselves. -errno without an error message: path is as before.
 */
int replace_file(const char *path, const char *text, size_t len)
	__attribute__((warn_unused_result));

#endif
