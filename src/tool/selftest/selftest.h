/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room selftest: the command selftest: are the figures of this machine right? It measures emulated
 * links whose bandwidth, delay and loss are known, and how long the threads of this machine stand
 * still. No memory ends the program (util/must.h).
 *
 * This header: its parts.
 */
#ifndef SELFTEST_H
#define SELFTEST_H

#include <stdbool.h>
#include <stdint.h>

#include "frame/command.h"
#include "read/rows.h"
#include "util/histogram.h"

/* ---- the machine: selftest_machine.c */

#define SELFTEST_NOTHING_NS 10000u /* what a thread waits for, again and again */
#define SELFTEST_LATE_NS 1000u     /* longer than that by so much is late */

struct selftest_machine {
	uint32_t cpus;           /* each had a thread */
	double clock_read_ns;    /* cost of a reading of the clock of the loops */
	struct histogram *waits; /* how many ticks SELFTEST_NOTHING_NS took; owned */
	double ns_per_tick;
	double late;             /* share of these waits that were late, 0 to 1 */
	double steal;            /* share of CPU time given to others by a hypervisor; or NAN */
	double mhz_min, mhz_max; /* frequencies seen; NAN: unknown */
};

/*
 * Keeps all CPUs that this thread may use busy for so long, SELFTEST_CPUS at most. 0; -errno with
 * an error message.
 */
#define SELFTEST_CPUS 64
int selftest_machine(struct selftest_machine *m, double seconds)
	__attribute__((warn_unused_result));

/* ---- a pair of processes on an emulated link: selftest_pair.c */

/* A client and a server of this program. Set the first fields, zero the others. */
struct selftest_pair {
	char link[64];           /* SOFTHCA_LINK of both */
	const char *args;        /* of the client, without its host: "write_bw -D 2" */
	enum rows_column column; /* what is read of its row */

	double value;            /* of the row; NAN: absent */
	double link_value;       /* of the record of the client's link, by the key; NAN: absent */
	char codes[ROWS_TEXT];   /* warning codes of the row */
};

/*
 * Measures once. 0: there is a row; -errno with an error message, -EINTR if a signal asked to stop.
 * key: of the line of SOFTHCA_STATS that link_value is read from, "lost"; NULL: none.
 */
int selftest_pair(struct selftest_pair *p, const char *key) __attribute__((warn_unused_result));

/* ---- figures: selftest_figures.c */

enum selftest_verdict { SELFTEST_OK, SELFTEST_WRONG, SELFTEST_NO_FIGURE };

/* What the link did, and what was reported. Values are in the unit; NAN: absent. */
struct selftest_figure {
	char name[64], unit[16];
	double truth, value;
	double error;            /* relative; of a count (bound 0): the difference */
	double bound;
	enum selftest_verdict verdict;
	char codes[ROWS_TEXT];   /* warning codes of the row */
};

extern const struct field_table selftest_table; /* of struct selftest_figure */

/* How many there are. */
uint32_t selftest_figures(void);

/*
 * Measures figure i. inject: percent by which the link is slower than what is expected of it. 0, or
 * -errno with an error message: there is no row; -EINTR if a signal asked to stop.
 */
int selftest_figure(struct selftest_figure *f, uint32_t i, uint32_t inject)
	__attribute__((warn_unused_result));

/* ---- the command: selftest.c */

int selftest_command(const struct command *cmd, const struct command_line *line);

#endif
