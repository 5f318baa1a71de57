/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The scenarios of the command run: which they are, their cells, their texts. */
#ifndef RUN_SCENARIOS_H
#define RUN_SCENARIOS_H

#include "run/run_sweep.h"

/* Reads them. -EINVAL, -errno with an error message. */
int run_scenarios_load(struct run *run, const char *const *names, uint32_t n)
	__attribute__((warn_unused_result));

/* Adds their cells; over: options of the command line. -EINVAL with an error message. */
int run_scenarios_cells(struct run *run, const struct axes *over)
	__attribute__((warn_unused_result));

void run_scenarios_free(struct run *run);

/* Title, question and what to expect, to standard output. */
void run_scenarios_print(const struct run *run);

/* Below the results: the commands that make their reports of the file with the rows. */
void run_scenarios_print_reports(const struct run *run);

/* --list: a line for each scenario of the folder. Returns the exit status. */
int run_scenarios_list(void);

#endif
