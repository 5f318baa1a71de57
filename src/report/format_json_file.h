/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A file of one JSON document. It is opened before the run, and written whole at its end: into a
 * file beside path, which is renamed to path when complete, so that path never holds half a
 * document. What is not a regular file ("-", a pipe, a device) is written directly.
 */
#ifndef FORMAT_JSON_FILE_H
#define FORMAT_JSON_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <jansson.h>

struct format_json_file {
	FILE *out;          /* NULL: not open */
	const char *path;   /* as given, borrowed */
	char *temp;         /* what is written until the rename; NULL: path itself */
	bool line;          /* one document a line, added to what is in the file */
};

/* -errno with an error message. */
int format_json_file_open(struct format_json_file *f, const char *path, bool line)
	__attribute__((warn_unused_result));

/* Writes the document and closes the file. -errno with an error message. doc NULL is -ENOMEM. */
int format_json_file_write(struct format_json_file *f, const json_t *doc)
	__attribute__((warn_unused_result));

#endif
