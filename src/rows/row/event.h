/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What happens in a session, in the order in which it happens: the only way of results from
 * measuring to counting, printing and writing. A stage takes events and may pass them on. Nothing
 * that an event points to is valid after the call.
 */
#ifndef EVENT_H
#define EVENT_H

#include <stdbool.h>
#include <stdint.h>
#include <jansson.h>

#include "endpoint/ep_addr.h"
#include "decide/plan.h"
#include "row/row.h"
#include "worker/result.h"

struct copy_report;

enum event_kind {
	EVENT_WAITING,  /* client: no server is there yet; it is waited for */
	EVENT_BEGIN,    /* server: what the peer asks for begins; EVENT_END follows */
	EVENT_CHECKS,   /* server: the peer begins a check; once */
	EVENT_CELL,     /* a cell of a sweep begins; its plan follows, unless it is skipped */
	EVENT_PLAN,     /* a plan is agreed and measured */
	EVENT_MAKING,   /* client, before and after a point: twice a second if it takes so long */
	EVENT_ENDPOINT, /* a thread of a point is connected, and its loop does not run yet */
	EVENT_LOOPS,    /* the loops of a point begin, or have ended */
	EVENT_OPENED,   /* the windows of this side's loops are open; after EVENT_LOOPS, once */
	EVENT_PROGRESS, /* client, while a point runs: once a second */
	EVENT_INTERVAL, /* a row of an interval (kind) of the point that runs */
	EVENT_POINT,    /* a point has ended on this side; its rows follow */
	EVENT_ROW,
	EVENT_PART,     /* a part of the JSON document that is no row */
	EVENT_CELL_END, /* all rows of a cell are there; -errno: they are not written */
	EVENT_MOVED,    /* a window of a copy is in the peer's file, or in this side's */
	EVENT_COPIED,   /* the server has the whole file */
	EVENT_ERROR,    /* server: what ended the plan, or the session after it */
	EVENT_END       /* the plan, the copy or the run has ended */
};

struct event_waiting {
	const char *server;   /* "node2:18515" */
	uint32_t timeout_ms;  /* at most */
};

/* One of the receivers of a multicast group. */
struct event_receiver {
	const char *name;     /* as the column receiver */
	const struct limits *limits;
	uint32_t gid_index;
};

struct event_plan {
	const struct plan *plan;
	const struct limits *self, *peer;
	enum side side;
	const struct event_receiver *receivers; /* peer is the first */
	uint32_t n_receivers; /* 0: not the sender of a multicast group */
	uint32_t pair;        /* of several pairs that run at the same time, from 0 */
	uint32_t n_pairs;     /* that run at once, of which this is the first; 0, 1: it is alone */
	json_t *options;      /* of the test, as the client gave and resolved them; or NULL */
	const char *client;   /* of a server of many: the address of the client; NULL unknown */
	const char *affinity_note; /* of setup; NULL, "": none */
};

/* The addresses of the QPs of one thread. */
struct event_endpoint {
	const struct ep_addr *own, *peer;
};

struct event_cell {
	uint32_t index, of;        /* from 0, in the order of measuring; how many there are */
	uint32_t in_round;         /* the same in each round */
	uint32_t round, rounds;    /* from 1; with until: at most so many */
	const char *until;         /* of intervals, which may end it before: "1%"; NULL: not so */
	bool one_test;             /* all cells are of one test */
	const char *text;          /* the columns cell and scenario; scenario NULL: none */
	const char *scenario;
	uint32_t n_axes;           /* options with several values */
	const char *const *names;  /* of them: "completion" */
	const char *const *values; /* of this cell; "" of a bool that is off */
	const int *widths;         /* of the longest value */
	uint32_t n_pairs;          /* that are measured at once */
	int pair_width;            /* of the longest name of a pair */
	bool beside;               /* a probe runs alone, and beside bulk traffic; n_pairs is 1 */
};

/* Progress of creating or destroying many QPs. */
struct event_making {
	const char *what; /* "made", "connected", "destroyed"; NULL: the peer makes as many as of */
	uint32_t done, of;
	bool ends;        /* nothing can stop it */
};

/* How far a running point is. */
struct event_progress {
	const struct point *point;
	uint32_t of_points;   /* of the plan */
	uint64_t ns;          /* since its loops began */
	uint64_t messages;    /* that this side has done; with very many QPs an estimate */
	uint64_t of_messages; /* 0: the point ends by time */
	bool latency;         /* a message is a round trip */
	bool bidir;           /* the other side does about as many */
};

/* Thread by thread and QP by QP. */
struct event_point {
	const struct point *point;
	const struct result_detail *detail;
	const struct result *failed; /* of the side that failed first; NULL: none */
	enum result_status status;   /* of the point, both sides taken together */
};

/* For the JSON document alone. */
struct event_part {
	const char *key;
	json_t *value;    /* borrowed; NULL: no memory */
};

struct event_moved {
	uint64_t bytes, of_bytes;
};

struct event_error {
	int rc;           /* -errno; -EINTR by the user */
	const char *text;
};

/* How a run ended. */
struct event_end {
	const char *status; /* NULL: that of its rows; else "failed", "refused" or "interrupted" */
	const char *error;  /* why, NULL: no error */
};

struct event {
	enum event_kind kind;
	union {
		const struct event_waiting *waiting;
		const struct event_cell *cell;
		const struct event_plan *plan;
		const struct event_making *making;
		const struct event_endpoint *endpoint;
		const struct event_progress *progress;
		const struct event_point *point;
		const struct row *row;            /* EVENT_ROW and EVENT_INTERVAL of tests */
		const void *record;               /* EVENT_ROW of any table of columns */
		const struct event_part *part;
		const struct event_moved *moved;
		const struct copy_report *copied;
		const struct event_error *error;
		const struct event_end *end;      /* NULL: of a plan or copy of a session */
		bool begin;                       /* EVENT_LOOPS */
	};
};

/* Takes events, all on one thread. 0; -errno with an error message: one was not written. */
struct event_sink {
	int (*take)(void *arg, const struct event *event);
	void *arg;
};

/* To nobody if there is no take. */
static inline int event_tell(const struct event_sink *sink, const struct event *event)
{
	return sink->take ? sink->take(sink->arg, event) : 0;
}

#endif
