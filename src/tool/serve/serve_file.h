/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The configuration file of a server: lines "option = value" with the long names of options.def,
 * those that "verbench serve" takes and that are not of a test. '#' begins a comment, at the begin
 * of a line or after a blank.
 */
#ifndef SERVE_FILE_H
#define SERVE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "options/cfg.h"

#define SERVE_FILE_PATH "/etc/verbench/serve.conf"

/* The texts that struct cfg borrows. Zeroed at first. */
struct serve_file {
	char **values; /* owned */
	size_t n;
	bool found;    /* there is a file */
};

/*
 * Reads the file of --config, or else SERVE_FILE_PATH, into cfg, after the command line, which
 * wins: an option that was given is only checked. SERVE_FILE_PATH need not exist; but if it cannot
 * be opened, that is an error. -EINVAL with an error message that names file, line, value and
 * range; -errno of the file; -EACCES: it belongs to another user, or others can write to it. cfg is
 * then partly changed. The rules between options are
 * plan_rules_server().
 */
int serve_file_read(struct serve_file *file, struct cfg *cfg)
	__attribute__((warn_unused_result));

/* cfg must not be used any more. Accepts a zeroed one. */
void serve_file_free(struct serve_file *file);

#endif
