/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What people see of the cells while they are measured: how far the sweep is, and their names. */
#ifndef RUN_SHOW_H
#define RUN_SHOW_H

#include "format/output.h"
#include "run/run_sweep.h"

/* A zeroed one is at the beginning. */
struct run_show {
	double expected_ns;      /* of all cells: run_time_ns() */
	double passed_ns;        /* of those that were begun, without the current one */
	double cell_ns;          /* of the current one */
	uint64_t begin_ns;       /* clock_ns() */
	uint64_t told_ns;        /* when a line was printed last */
	char progress[64];
};

/* Before the first cell, of each one that can be run. */
void run_show_expect(struct run_show *show, const struct cfg *cfg);

/*
 * A cell begins; runs: it can be run. Without a terminal a line is printed now and then. Returns
 * what goes before the progress of its points: "3 of 69, 20 s left, "; valid until the next call.
 */
const char *run_show_cell(struct run_show *show, const struct run *run, const struct cell *cell,
			  const struct cfg *cfg, bool runs);

/* Hands the cell to the outputs, with its options that have several values. */
void run_show_axes(const struct run *run, const struct cell *cell, struct output *output);

/* After the last cell, with --verbose: how long they took, and what --dry-run says. */
void run_show_end(const struct run_show *show, const struct run *run);

/* "90 s", "12 min", "3.5 h", "without end". Returns text. */
const char *run_show_time(double ns, char *text, size_t size);

#endif
