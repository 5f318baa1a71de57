/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Several pairs of devices at the same time: which pairs a command line names; a session for each,
 * on a thread of its own, with a common start; their rows, which go out when all pairs have ended:
 * one of each pair, and their total. With bulk traffic (--background) the first pair is a probe,
 * and the second one streams beside it: background.h.
 */
#ifndef RUN_PAIRS_H
#define RUN_PAIRS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "options/cfg.h"
#include "options/hosts.h"
#include "place/affinity.h"
#include "agree/session.h"
#include "run/background.h"
#include "util/err.h"

#define PAIRS_MAX 64           /* NEIGHBOURS_MAX is not smaller */

/* ---- pairs_list.c: which pairs a command line names. Opens and prints nothing. */

/* One operand: where the server is, and which device of it. */
struct pairs_operand {
	struct hosts_one host;
	char device[NEIGHBOURS_NAME]; /* "": the server chooses */
};

struct pairs_one {
	char host[HOSTS_TEXT];        /* HOST:PORT for cfg.host */
	char device[NEIGHBOURS_NAME]; /* of this host; "": the program chooses */
	char peer_device[NEIGHBOURS_NAME];
	char name[ROW_NAME];          /* as the operand was given, #2 if it was given before */
	char neighbours[2][NEIGHBOURS_TEXT]; /* by enum side */
};

/* A zeroed one is empty. */
struct pairs_list {
	uint32_t n;
	struct pairs_one *pairs;      /* owned */
	const struct background *bulk; /* of the second pair, borrowed; NULL: all are alike */
};

/*
 * HOST, HOST:PORT, HOST:DEVICE or HOST:PORT:DEVICE; digits are a port; an address of IPv6 with more
 * behind it is in brackets. The port is 0 if the text has none. -EINVAL with an error message.
 */
int pairs_operand(struct pairs_operand *operand, const char *text)
	__attribute__((warn_unused_result));

/*
 * The pairs of n operands and of --device A,B,...: the first device with the first operand, and so
 * on; one device, or one operand, is for all. *list has one pair if both are single. -EINVAL with
 * an error message; *list is then empty.
 */
int pairs_list_read(struct pairs_list *list, const struct cfg *cfg, char *const *operands,
		    uint32_t n)
	__attribute__((warn_unused_result));

/* Makes of one pair a probe and the bulk traffic beside it. bulk: borrowed. */
void pairs_list_beside(struct pairs_list *list, const struct background *bulk);
/* Accepts a zeroed one. */
void pairs_list_free(struct pairs_list *list);

/*
 * *cfg as pair i needs it: host, devices, neighbours; of bulk traffic also its test. Borrows from
 * list.
 */
void pairs_list_cfg(const struct pairs_list *list, uint32_t i, struct cfg *cfg);

/* ---- pairs.c: their sessions */

struct pairs;

/*
 * list: borrowed until pairs_close(). host: where everything goes but points and endpoints, from
 * one thread at a time.
 */
struct pairs *pairs_open(const struct pairs_list *list, const struct session_host *host);

/* Closes the sessions. NULL is accepted. */
void pairs_close(struct pairs *pairs);

/*
 * Connects the pairs that are not connected. -errno with an error message that names a pair: then
 * none is connected, and nothing has run.
 */
int pairs_connect(struct pairs *pairs, const struct cfg *cfg) __attribute__((warn_unused_result));

/*
 * Measures one plan on all pairs; they are connected. cfg: that of each, but for hosts and devices.
 * Returns and sets *end as session_run() does, for all pairs together: refused if one is refused,
 * then none has run. The error message names the pair; others that failed by themselves are logged.
 * *end is SESSION_FAILED and 0 is returned: all rows are there, and one of them is not ok. After an
 * error, and after SESSION_FAILED, pairs_connect() is due before the next plan.
 *
 * With bulk traffic the loops of the probe begin when those of the bulk traffic have had their
 * first completions, and their end, whatever it is, ends the bulk traffic; if that ends by itself,
 * it ends the probe. Then the probe runs alone: what is refused is refused before anything is
 * measured.
 */
int pairs_run(struct pairs *pairs, const struct cfg *cfg, enum session_end *end)
	__attribute__((warn_unused_result));

/* ---- pairs_rows.c: their rows until all have ended, and the totals */

struct pairs_rows_one {
	struct row *rows;     /* owned */
	uint32_t n;
	char lacks[ROW_TEXT]; /* why it has fewer rows than another */
};

struct pairs_rows {
	const struct pairs_list *list; /* borrowed */
	struct pairs_rows_one of[PAIRS_MAX];
};

void pairs_rows_free(struct pairs_rows *all);

/* Puts the name of a pair into a row of it. */
void pairs_rows_name(const struct pairs_rows *all, uint32_t pair, struct row *row);

/* The next row of a pair. All pairs have the same points and directions in the same order. */
void pairs_rows_add(struct pairs_rows *all, uint32_t pair, const struct row *row);

/* Why the pair has fewer rows than another, if it has. Copied. */
void pairs_rows_lacks(struct pairs_rows *all, uint32_t pair, const char *reason);

/*
 * Tells all rows: for each point and direction that of each pair, failed where it has none, and the
 * total. Then there are none. With bulk traffic: the row of the probe alone, that beside the bulk
 * traffic, and that of the bulk traffic, as far as they are there; the probe ran beside it first.
 */
void pairs_rows_flush(struct pairs_rows *all, const struct event_sink *events);

/*
 * The total of several pairs that ran at once: two hosts with several devices, or one host with
 * several others. Rates are added over the time that all windows have in common
 * (row_windows_add()): their begins have the common start of the pairs as origin.
 *
 * The total of the rows of one point and direction, one of each pair: the column pair names them.
 * n: 1 or more. Its kind is total. Columns that all rows have in common stay; counts are
 * sums, absent if they are absent in one of the rows; the others are absent. Shares of the pairs
 * are there whenever each row has a rate. Without a total the row is skipped, and its reason says
 * why: a row is not ok (the reason names the pair), or they share no time. The
 * total of a latency test has counts, rates and shares, no latency.
 */
void pairs_rows_total(struct row *total, const struct row *rows, uint32_t n);

#define PAIRS_TOTAL "total" /* the column pair of the total */

/*
 * ---- gate.c: where the sessions wait for each other. They go on together, or none of them does: a
 * pair that fails or comes too late cancels the gate for all, and the others learn which one.
 */

struct gate {
	const struct pairs_list *list; /* borrowed */
	pthread_mutex_t lock;
	pthread_cond_t woken;
	bool waits[PAIRS_MAX], left[PAIRS_MAX]; /* by pair */
	uint32_t n_waits, n_left;
	uint64_t opened;          /* how often it has opened */
	uint64_t ticks;           /* when it opened last */
	int cancelled;            /* -errno of those who wait, 0 */
	char reason[ERR_TEXT_MAX];
};

void gate_open(struct gate *gate, const struct pairs_list *list);
/* No pair uses it any more. */
void gate_close(struct gate *gate);

/* All pairs are there again, and nothing is cancelled. No pair waits. */
void gate_reset(struct gate *gate);

/*
 * Waits for all pairs that have not left. *ticks: when the last one came (clock_ticks()), the same
 * for all. until_ns: clock_ns(). stop_fd: readable when the user stops. -ETIMEDOUT: another pair is
 * late, which cancels the gate; -EINTR: the user; -EINVAL: a pair was refused; -ECANCELED: a pair
 * has failed or was late; each with an error message that names the pair.
 */
int gate_meet(struct gate *gate, uint32_t pair, uint64_t until_ns, int stop_fd, uint64_t *ticks)
	__attribute__((warn_unused_result));

/* How a pair leaves. */
enum gate_exit { GATE_DONE, GATE_REFUSED, GATE_FAILED };

/*
 * No pair waits for this one any more. Unless it is done, it cancels the gate; reason: why, copied.
 */
void gate_leave(struct gate *gate, uint32_t pair, enum gate_exit how, const char *reason);

/* After it: waits until all have left. False: not by until_ns. */
bool gate_all_left(struct gate *gate, uint64_t until_ns);

/* ---- what pairs.c and pairs_beside.c share: the sessions of several pairs */

struct pair {
	struct pairs *all;
	uint32_t i;
	pthread_t thread;
	bool started;             /* the thread */
	struct session *session;  /* NULL: not connected */
	struct cfg cfg;           /* of the plan that runs */
	enum session_end end;
	int rc;
	bool held;                /* rc is of the gate: another pair has the cause */
	uint64_t origin;          /* with bulk traffic: the common start; 0: not yet */
	uint64_t left_ns;         /* clock_ns(): when it left the gate */
	int end_fd, stop_fd;      /* eventfd: the other one has ended; that, or the user's stop */
	char error[ERR_TEXT_MAX];
};

struct pairs {
	const struct pairs_list *list;
	struct session_host out;  /* of all pairs */
	pthread_mutex_t lock;     /* one pair at a time calls out */
	struct pair *pairs;       /* as many as list has */
	uint32_t n;
	struct gate gate;
	struct pairs_rows rows;
	bool over;                /* with bulk traffic: the loops of the probe have ended */
	bool alone;               /* the probe runs alone */
	struct event_progress progress[PAIRS_MAX]; /* of each pair, the last one */
};

static inline bool pair_is_bulk(const struct pair *p)
{
	return p->all->list->bulk && p->i == BACKGROUND_BULK;
}

/* How long its server waits for the next plan, with a reserve. */
static inline uint64_t pair_wait_ns(const struct pair *p)
{
	return p->cfg.stall_timeout_ms * 500000ull;
}

/* ---- pairs.c */

/* What its session is given. */
struct session_host pairs_host(struct pair *p);
/* rc with the error message of this thread. */
void pairs_note(struct pair *p, int rc);
void pairs_close_one(struct pair *p);

/*
 * ---- pairs_beside.c: a probe and bulk traffic. Of pairs that are alike the first three do
 * nothing.
 */

/* -errno with an error message. */
int pairs_beside_open(struct pair *p) __attribute__((warn_unused_result));
void pairs_beside_close(struct pair *p);

/* Before both connect and run: what the last run has left ends neither of them. */
void pairs_beside_reset(struct pairs *all);

/* An event of a session. */
void pairs_beside_loops(struct pair *p, const struct event *event);

/* session_host.h */
int pairs_beside_meet(struct pair *p, enum session_meeting where, uint64_t until_ns,
		      uint64_t *ticks) __attribute__((warn_unused_result));

/* The session of one of them has ended, and was not refused. */
void pairs_beside_leave(struct pair *p);

/* Both have ended: closes the bulk traffic and, if both are ok, measures the probe alone. */
void pairs_beside_end(struct pairs *all);

#endif
