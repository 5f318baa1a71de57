/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room perftest: the drop-in programs ib_send_bw, ib_send_lat, ...: the command lines, the
 * output and the exit statuses of perftest's programs of these names, on the sessions of verbench.
 * Above commands; it measures nothing. The output is that of perftest 6.29; the options are
 * those of 4.5 and 6.29 (options/perftest.def).
 *
 * Source of all that must be the same as there: linux-rdma/perftest at 00b55b6 (6.29),
 * src/perftest_parameters.c and .h, src/perftest_communication.c and .h, src/write_bw.c, ...
 */
#ifndef DROPIN_H
#define DROPIN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "options/cfg.h"
#include "options/options.h"
#include "options/perftest.h"
#include "write/output.h"

/* --output */
enum dropin_output { DROPIN_FULL, DROPIN_BANDWIDTH, DROPIN_MESSAGE_RATE, DROPIN_LATENCY };

/* What the command line of a drop-in program asks for. */
struct dropin {
	const char *program;     /* "ib_send_bw" */
	struct cfg cfg;          /* strings point into argv */
	bool gbits;              /* --report_gbits: Gbit/s (10^9), else MiB/s (2^20) */
	bool no_peak;            /* the column of the peak is 0.00 */
	bool report_both;
	bool cpu_util;
	bool forever;            /* --run_infinitely: a line every -D seconds of one run */
	enum dropin_output output;
	bool json;               /* --out_json */
	const char *json_path;   /* --out_json_file */
	double limit_bw;         /* of the unit of the report; negative: none */
	double limit_msgrate;    /* millions per second; negative: none */
	double rate_limit;       /* --rate_limit; negative: none */
	const char *rate_type;   /* --rate_limit_type; NULL: not given */
	const char *rate_units;  /* --rate_units; NULL: not given */
	uint32_t wait_destroy_s;
	char numa[16];           /* --numa_node as --pin has it; "": not given */
	struct options_texts wrong; /* a message for each wrong option */
	bool refused;               /* one of them names what vb_* have in its place */
};

/* ---- dropin_main.c */

/* Is it the name of a drop-in program ("ib_send_bw")? *test: its test. */
bool dropin_find(const char *program, enum test *test);

/* The program. Returns the exit status; standard output is flushed by main(). */
int dropin_main(const char *program, enum test test, int argc, char **argv);

/* ---- dropin_options.c */

/*
 * Reads argv[1..] into d, whose program and cfg.test are set; argv is reordered. 0: d is complete,
 * with perftest's defaults; 1: --help or --version is asked for; -EINVAL: d->wrong has why, and
 * the error message is its first.
 */
int dropin_options(struct dropin *d, int argc, char **argv) __attribute__((warn_unused_result));

/* Is it an option that is done here? Of PERFTEST_OWN; of all others true. */
bool dropin_own_known(const struct perftest_option *option);

/* ---- dropin_help.c */

/* --help; --version if that is not asked for. */
void dropin_help_print(FILE *out, const struct dropin *d);

/* Prints d->wrong on standard error. */
void dropin_help_wrong(const struct dropin *d);

/*
 * ---- dropin_settle.c
 *
 * After all options are read: what they mean together, and perftest's defaults. -EINVAL with an
 * error message.
 */
int dropin_settle(struct dropin *d) __attribute__((warn_unused_result));

/* ---- dropin_print.c */

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

/* The settings, from line to line. */
void dropin_print_settings(FILE *out, const struct dropin_run *run);

/* The addresses of all QPs, of this side and of the other. */
void dropin_print_addresses(FILE *out, const struct dropin_run *run,
			    const struct event_endpoint *endpoint);

/* The columns' names. */
void dropin_print_heads(FILE *out, const struct dropin_run *run);

/* The row of a result, or the one figure of --output. */
void dropin_print_result(FILE *out, const struct dropin_run *run, const struct dropin_result *r);

/* --report-both: the rows of both directions, each by itself. */
void dropin_print_both(FILE *out, const struct dropin_run *run, const struct dropin_result *r);

/* --out_json: the file, written anew. -errno with an error message. */
int dropin_print_json(const struct dropin_run *run, const struct dropin_result *r)
	__attribute__((warn_unused_result));

/* The figures of a bandwidth test, of both directions together. */
struct dropin_bw {
	uint64_t size, iters;
	double peak, average; /* of the unit that was asked for */
	double msg_rate;      /* millions per second */
};
struct dropin_bw dropin_bw(const struct dropin_run *run, const struct dropin_result *r);

/* Figures of latency in microseconds, each a number: see there. */
struct dropin_lat {
	uint64_t size, iters;
	double min, max, typical, average, stdev, p99, p99_9;
	double tps;           /* rounds per second */
};
struct dropin_lat dropin_lat(const struct dropin_result *r);

#endif
