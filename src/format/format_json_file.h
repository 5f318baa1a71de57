/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A file of one JSON document: of one run. It is written whole at the end, into a file beside path,
 * which is renamed to path when complete, so that path never holds half a document. An old document
 * does not outlive the start of a run: until its end it says that the run is running. What is not a
 * regular file ("-", a pipe, a device) is written directly.
 *
 * Or a file of many documents, one a line: the sessions of a server add theirs (out/append.h).
 */
#ifndef FORMAT_JSON_FILE_H
#define FORMAT_JSON_FILE_H

#include <stdbool.h>
#include <jansson.h>

struct format_json_file {
	const char *path;   /* as given, borrowed */
	bool lines;         /* one document a line, added to what is in the file */
	bool force;         /* what is in the file may be replaced, whatever it is */
};

/*
 * {"schema", "tool_version", "status", "error", "run", "rows": []}, with null where nothing is
 * known yet. error: NULL is null. New reference, NULL: no memory.
 */
json_t *format_json_file_doc(int schema, const char *status, const char *error);

/*
 * A row with this status is in doc. Its own becomes the worst: failed, interrupted, then what is
 * not ok. Without memory *doc becomes NULL, as in json/json_build.h.
 */
void format_json_file_status(json_t **doc, const char *status);

/*
 * Before anything runs: could it be written? A file that is no document of one run (or none of
 * lines of documents) is refused. -errno with an error message. Touches nothing.
 */
int format_json_file_check(const struct format_json_file *f) __attribute__((warn_unused_result));

/* For a server: a file of lines is started over with force. -errno with an error message. */
int format_json_file_prepare(const struct format_json_file *f) __attribute__((warn_unused_result));

/*
 * An old document becomes doc; where none is, none is made. Not of lines. doc NULL is -ENOMEM.
 * -errno with an error message.
 */
int format_json_file_mark(const struct format_json_file *f, const json_t *doc)
	__attribute__((warn_unused_result));

/* Writes the document. -errno with an error message. doc NULL is -ENOMEM. */
int format_json_file_write(const struct format_json_file *f, const json_t *doc)
	__attribute__((warn_unused_result));

#endif
