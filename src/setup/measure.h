/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The table of the measurements of setup, and all of them in their order: see run.h. */
#ifndef MEASURE_H
#define MEASURE_H

#include <stdint.h>

#include "setup/run.h"

#define SETUP_QPS 64u               /* --qps, if it is not given */
#define SETUP_MAX_OPERATIONS 1000000u /* -n */

/* One row of the table of measurements: one value of --only. */
struct measure {
	const char *name, *help;
	/* -errno with an error message: the session has failed, or the user stopped it. */
	int (*run)(struct setup_run *run);
};

extern const struct measure measure_table[];
extern const uint32_t measure_n; /* at most 32 */

/* The row of that name, or NULL. */
const struct measure *measure_find(const char *name);

/*
 * Bits of measure_table[] that only names ("mr,qp"); NULL: all. -EINVAL with an error message.
 */
int measure_select(uint32_t *selected, const char *only) __attribute__((warn_unused_result));

/*
 * Runs the selected measurements, each row to the sink as it ends. 0; -errno with an error message:
 * the session has failed, or -EINTR. After it run->not_ok is valid.
 */
int measure_run(struct setup_run *run) __attribute__((warn_unused_result));

/* The functions of the rows, each in the file of that name. */
int setup_pd(struct setup_run *run);
int setup_mr(struct setup_run *run);
int setup_cq(struct setup_run *run);
int setup_srq(struct setup_run *run);
int setup_ah(struct setup_run *run);
int setup_mw(struct setup_run *run);
int setup_qp(struct setup_run *run);
int setup_qps(struct setup_run *run);
int setup_cm(struct setup_run *run);
int setup_cms(struct setup_run *run);

#endif
