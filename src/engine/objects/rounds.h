/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Measurements in rounds: a round takes one step after the other, each step for all objects of the
 * round before the next one. Each call of a step is timed by itself, and each step becomes a row.
 *
 * The times of one kind of operation are a series. The first operation is kept apart: it is in no
 * figure but first_ns.
 */
#ifndef ROUNDS_H
#define ROUNDS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <infiniband/verbs.h>

#include "device/dev.h"
#include "endpoint/ep.h"
#include "objects/measure.h"
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

/* CPU time of the calling thread: a system call, so it is read outside of the timed interval. */
static inline uint64_t stamp_cpu_ns(void)
{
	return clock_cpu_ns(CLOCK_THREAD_CPUTIME_ID);
}

static inline struct stamp stamp_take(void)
{
	struct stamp s;

	s.cpu_ns = stamp_cpu_ns();
	s.ticks = clock_ticks();
	return s;
}

/* The time since the stamp. */
static inline struct stamp stamp_since(const struct stamp *begin)
{
	const uint64_t ticks = clock_ticks();

	return (struct stamp){ .cpu_ns = stamp_cpu_ns() - begin->cpu_ns,
			       .ticks = ticks - begin->ticks };
}

/* One operation that took so long. */
void series_add_taken(struct series *s, const struct stamp *taken);

/* Finds out what the stamps cost: fills run->clock_ticks and run->cpu_clock_ns. */
void series_calibrate(struct setup_run *run);

/* ---- how many operations */

struct schedule {
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
struct schedule series_begin(struct setup_run *run, uint32_t operations);

/* Before each round: is it due? Also tells the peer that this side lives: see setup_peer. */
bool series_more(struct schedule *schedule);

/* Between the operations of a long round: tells the peer. Errors as of setup_peer.alive. */
int series_alive(struct setup_run *run) __attribute__((warn_unused_result));

/* After the last round. */
void series_end(struct schedule *schedule);

/* ---- rows */

/*
 * Fills the figures of row from the series of a loop, and hands it to run->row. The status is ok,
 * or incomplete if the schedule ended early.
 */
void series_row(const struct series *s, const struct schedule *times,
		const struct setup_row *row);

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

/* The same of an object that no row has: -errno with the error message "cannot WHAT on DEVICE". */
int series_failed(const struct setup_run *run, int returned, const char *what);

/* ---- rounds */

enum step_kind {
	STEP_EACH,     /* one call per object */
	STEP_ONCE,     /* one call for all objects */
	STEP_EVENTS,   /* one call per object, which ends with an event; the calls overlap */
	STEP_WHOLE,    /* no call: all steps of the round before it */
};

struct step {
	const char *operation;
	enum step_kind kind;
	bool silent;             /* it has no row */
	uint64_t entries;        /* for its row; 0: those of rounds.row */
};

struct step_times;

/* Set the first fields, zero the others. */
struct rounds {
	struct setup_run *run;
	struct setup_row row;    /* what all rows have in common: rounds_row() */
	const struct step *steps;
	uint32_t n_steps;
	uint32_t n;              /* objects of a round */
	bool many;               /* mode "many"; else "single", and n is 1 */
	/* of memory: a first call that finds no memory is unsupported, with a reason; 0: none */
	uint64_t pinned_bytes;
	/*
	 * The call of a step for object i: 0, an errno, or -1 and errno. It may also set rc or
	 * status, with an error message, and return 0.
	 */
	int (*call)(struct rounds *r, uint32_t step, uint32_t i);
	/* STEP_EVENTS: waits for an event. The object whose call it ends; or sets rc or status. */
	uint32_t (*await)(struct rounds *r, uint32_t step);
	void *arg;

	enum setup_status status; /* not SETUP_OK: a call failed, with an error message */
	int rc;                  /* the session has failed, with an error message */
	bool warm;               /* the first round is over: of it only first_ns is kept */
	struct step_times *times; /* per step */
	uint64_t *begun_ticks;   /* STEP_EVENTS: per object */
	struct stamp sum;        /* of the calls of this round */
	uint32_t stamps;         /* that this round has read */
};

/* A row of that measurement without values. */
struct setup_row rounds_row(const char *measurement);

/*
 * Runs the rounds and writes the rows. -errno with an error message: the session has failed, or
 * -EINTR.
 */
int rounds_run(struct rounds *r) __attribute__((warn_unused_result));

/*
 * Asks the server, unless the session has failed; sets r->rc, and returns it. The answer is in
 * request, which may be NULL.
 */
int rounds_ask(struct rounds *r, enum setup_ask ask, struct setup_request *request);

/* Writes the rows without figures; reason: err_text() by default (NULL). */
void rounds_without(struct rounds *r, enum setup_status status, const char *reason);

/* ---- objects that are made and destroyed by turns: setup_objects.c */

enum object { OBJECT_PD, OBJECT_MR, OBJECT_CQ, OBJECT_SRQ, OBJECT_AH, OBJECT_MW_1, OBJECT_MW_2 };

/* The parts of an object; each kind uses its own. */
struct recipe {
	enum object kind;
	uint32_t entries;        /* CQ, SRQ */
	struct ibv_ah_attr path; /* AH */
	void *base;              /* MR */
	uint64_t bytes;
	int access;
};

/*
 * Writes the rows of both operations; row: what they have in common. reason: NULL, or why the
 * device cannot do it: both rows are unsupported. Errors as of rounds_run().
 */
int setup_by_turns(struct setup_run *run, const struct setup_row *row, struct recipe *recipe,
		   const char *reason) __attribute__((warn_unused_result));

#endif
