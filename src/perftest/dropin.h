/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder perftest: the drop-in programs ib_send_bw, ib_send_lat, ...: the command lines, the
 * output and the exit statuses of perftest's programs of these names, on the sessions of verbench.
 * Above commands; it measures nothing.
 *
 * This header: what a command line asks for. The output is that of perftest 6.29; the options are
 * those of 4.5 and 6.29 (config/perftest.def).
 *
 * Source of all that must be the same as there: linux-rdma/perftest at 00b55b6 (6.29),
 * src/perftest_parameters.c and .h, src/perftest_communication.c and .h, src/write_bw.c, ...
 */
#ifndef DROPIN_H
#define DROPIN_H

#include <stdbool.h>
#include <stdint.h>

#include "config/cfg.h"

/* --output */
enum dropin_output { DROPIN_FULL, DROPIN_BANDWIDTH, DROPIN_MESSAGE_RATE, DROPIN_LATENCY };

/* What the command line of a drop-in program asks for. */
struct dropin {
	const char *program;     /* "ib_send_bw" */
	struct cfg cfg;          /* strings point into argv or into the texts below */
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
	uint32_t wait_destroy_s;
};

/* The exit status of perftest's programs where nothing failed, and of all else. */
enum { DROPIN_OK, DROPIN_FAILED };

#endif
