/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The configuration file of a server: lines "option = value" with the long names of options.def,
 * those that "verbench serve" takes and that are not of a test. '#' begins a comment, at the begin
 * of a line or after a blank.
 */
#ifndef SERVE_FILE_H
#define SERVE_FILE_H

#include <stddef.h>

#include "config/cfg.h"

#define SERVE_FILE_PATH "/etc/verbench/serve.conf"

/* The texts that struct cfg borrows. Zeroed at first. */
struct serve_file {
	char **values; /* owned */
	size_t n;
};

/*
 * Reads path into cfg, after the command line, which wins: an option that was given is only
 * checked. path NULL: SERVE_FILE_PATH, if it exists. -EINVAL with an error message that names
 * file, line, value and range; -errno of the file. cfg is then partly changed. The rules between
 * options are plan_rules_server().
 */
int serve_file_read(struct serve_file *file, struct cfg *cfg, const char *path)
	__attribute__((warn_unused_result));

/* cfg must not be used any more. Accepts a zeroed one. */
void serve_file_free(struct serve_file *file);

#endif
