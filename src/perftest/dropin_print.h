/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The lines of perftest: what is printed of a plan, of an endpoint and of a result. */
#ifndef DROPIN_PRINT_H
#define DROPIN_PRINT_H

#include <stdio.h>

#include "perftest/dropin.h"
#include "format/format.h"

/* RESULT_LINE: 87 dashes. */
#define DROPIN_LINE \
	"---------------------------------------------------------------------------------------\n"

/* What lines are made of, beside the result. All borrowed. */
struct dropin_run {
	const struct dropin *asked;
	enum side side;
	struct plan_work work;   /* of the plan, which does not live as long */
	struct plan_path path;
	struct limits self;
	uint32_t n_points;
	uint64_t messages;       /* of a point, 0: it ends by time */
};

/* The results of one point: both directions of -b, else the first only; own is of this side. */
struct dropin_result {
	const struct row *own, *other; /* other NULL: one direction */
	double cpu_percent;            /* of the machine; 0 unknown */
};

/* A figure of a bandwidth test. */
struct dropin_bw {
	uint64_t size, iters;
	double peak, average; /* of the unit that was asked for */
	double msg_rate;      /* millions per second */
};

/* ---- dropin_banner.c */

/* "Waiting for client to connect": a server, before anything else. */
void dropin_print_waiting(FILE *out);

/* What perftest warns of on standard output while it reads its options. */
void dropin_print_warnings(FILE *out, const struct dropin *d);

/* The settings, from line to line. */
void dropin_print_settings(FILE *out, const struct dropin_run *run);

/* The addresses of all QPs, of this side and of the other. */
void dropin_print_addresses(FILE *out, const struct dropin_run *run,
			    const struct format_endpoint *endpoint);

/* "Send", "RDMA_Write_imm": as in the first line of the settings. */
const char *dropin_verb(const struct dropin_run *run);
const char *dropin_atomic(const struct dropin_run *run); /* of an atomic test */

/* ---- dropin_table.c */

/* The columns' names. */
void dropin_print_heads(FILE *out, const struct dropin_run *run);

/* The row of a result, or the one figure of --output. */
void dropin_print_result(FILE *out, const struct dropin_run *run, const struct dropin_result *r);

/* --report-both: the rows of both directions, each by itself. */
void dropin_print_both(FILE *out, const struct dropin_run *run, const struct dropin_result *r);

/* The figures of both directions together. */
struct dropin_bw dropin_bw(const struct dropin_run *run, const struct dropin_result *r);

/* Figures of latency in microseconds, each a number: see there. */
struct dropin_lat {
	uint64_t size, iters;
	double min, max, typical, average, stdev, p99, p99_9;
	double tps;           /* rounds per second */
};
struct dropin_lat dropin_lat(const struct dropin_result *r);

/* ---- dropin_json.c */

/* --out_json: the file, written anew. -errno with an error message. */
int dropin_write_json(const struct dropin_run *run, const struct dropin_result *r)
	__attribute__((warn_unused_result));

#endif
