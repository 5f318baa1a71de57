/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Runs gnuplot: without a shell, without its start-up files, and no longer than it may. */
#ifndef GNUPLOT_H
#define GNUPLOT_H

#include <stddef.h>

/* With a cold cache of fonts, on a slow machine: some seconds. */
#define GNUPLOT_SECONDS 60

struct gnuplot_job {
	const char *script;
	size_t len;
	unsigned int seconds; /* it may take; then it is killed */
};

struct gnuplot_out {
	char *text;   /* what it wrote to standard output, owned: free() */
	size_t len;
};

/*
 * Gives gnuplot the script as its standard input. out->text is NULL on failure. -ENOENT: gnuplot is
 * not installed; -ETIMEDOUT; -EIO: it failed, with its own words; all with an error message.
 */
int gnuplot_run(const struct gnuplot_job *job, struct gnuplot_out *out)
	__attribute__((warn_unused_result));

#endif
