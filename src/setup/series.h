/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The times of one kind of operation, each timed by itself, and the row that they become:
 *
 *	struct pace pace = pace_begin(run, 1);
 *	while (pace_more(&pace)) {
 *		struct stamp stamp = stamp_take();
 *		... the operation ...
 *		series_add(series, &stamp);
 *	}
 *	pace_end(&pace);
 *	series_row(series, &pace, &row);
 *
 * The first operation is kept apart: it is in no figure but first_ns.
 */
#ifndef SERIES_H
#define SERIES_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "setup/run.h"
#include "util/clock.h"
#include "util/histogram.h"

/* Before an operation. */
struct stamp {
	uint64_t cpu_ns, ticks;
};

struct series {
	uint64_t calls;            /* with the first one */
	uint64_t first_ticks;
	uint64_t cpu_ns;           /* of all but the first, with the reading of the CPU clock */
	struct histogram ticks;    /* of all but the first */
};

/* NULL: no memory. free() it. */
struct series *series_new(void);

/* CPU time of the calling thread: a system call, so it is read outside of the timed interval. */
static inline uint64_t stamp_cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline struct stamp stamp_take(void)
{
	struct stamp s;

	s.cpu_ns = stamp_cpu_ns();
	s.ticks = clock_ticks();
	return s;
}

/* The time since the stamp; what it is added to: series_add_taken(). */
static inline struct stamp stamp_since(const struct stamp *begin)
{
	const uint64_t ticks = clock_ticks();

	return (struct stamp){ .cpu_ns = stamp_cpu_ns() - begin->cpu_ns,
			       .ticks = ticks - begin->ticks };
}

/* One operation that took so long. */
void series_add_taken(struct series *s, const struct stamp *taken);

/* The operation that began at the stamp ends now. Returns what it took. */
static inline struct stamp series_add(struct series *s, const struct stamp *begin)
{
	const struct stamp taken = stamp_since(begin);

	series_add_taken(s, &taken);
	return taken;
}

/* Finds out what the stamps cost: fills run->clock_ticks and run->cpu_clock_ns. */
void series_calibrate(struct setup_run *run);

/* ---- how many operations: pace.c */

struct pace {
	struct setup_run *run;
	uint64_t n, limit;         /* rounds, without the first one */
	uint64_t began_ns, until_ns, latest_ns;
	uint64_t user_ns, system_ns; /* of the thread, over the loop */
	int rc;                    /* why it ended early; with an error message */
};

/*
 * A round has so many operations of a row. With -n as many rounds as give that many operations;
 * else for a quarter of a second, but at least 20 rounds (5 if these take a second) and at most
 * 10000 operations. One more round is made first.
 */
struct pace pace_begin(struct setup_run *run, uint32_t operations);

/* Before each round: is it due? Also tells the peer that this side lives: see setup_peer. */
bool pace_more(struct pace *pace);

/* Between the operations of a long round: tells the peer. Errors as of setup_peer.alive. */
int pace_alive(struct setup_run *run) __attribute__((warn_unused_result));

/* After the last round. */
void pace_end(struct pace *pace);

/* ---- rows: series_row.c */

/*
 * Fills the figures of row from the series of a loop, and hands it to the sink. The status is ok,
 * or incomplete if the pace ended early.
 */
void series_row(const struct series *s, const struct pace *pace, const struct setup_row *row);

/* A row without figures; reason: err_text() by default (NULL). */
void series_row_without(struct setup_run *run, const struct setup_row *row,
			enum setup_status status, const char *reason);

/*
 * Have both devices so many QPs, and does the owner of the server allow them? -EOPNOTSUPP with an
 * error message: no.
 */
int series_room(const struct setup_run *run, uint32_t qps) __attribute__((warn_unused_result));

/*
 * An operation failed with this errno after so many that did not: sets the error message. Returns
 * the status of the row: a first call can show that the device does not have the operation.
 */
enum setup_status series_fault(const char *operation, uint64_t done, int err);

/* The errno of a verb that returns an errno, or -1 and errno, or NULL and errno (0 here). */
int series_errno(int returned);

/* ---- objects that are made and destroyed again: pair.c */

struct pair {
	const char *make, *destroy;         /* the operations, for the rows */
	void *(*open)(void *arg);           /* NULL and errno */
	int (*close)(void *object);         /* 0, or an errno, or -1 and errno */
	void *arg;
	/* of memory: a first call that finds no memory is unsupported, with a reason; 0: none */
	uint64_t pinned_bytes;
};

/*
 * Makes and destroys objects by turns, and writes the rows of both operations; row: what they have
 * in common. reason: NULL, or why the device cannot do it: both rows are unsupported. -errno with
 * an error message: the session has failed, or -EINTR.
 */
int pair_measure(struct setup_run *run, const struct setup_row *row, const struct pair *pair,
		 const char *reason) __attribute__((warn_unused_result));

/* Calls measure with a new PD. Returns what it returns; -errno with an error message. */
int setup_with_pd(struct setup_run *run, int (*measure)(struct setup_run *run, struct ibv_pd *pd))
	__attribute__((warn_unused_result));

#endif
