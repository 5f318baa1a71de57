/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The callbacks that get the results of a session. */
#ifndef SINK_H
#define SINK_H

#include "copy/copy.h"
#include "plan/plan.h"
#include "format/format.h"
#include "limits/budget.h"

/* How far a running point is. */
struct session_progress {
	const struct point *point;
	uint32_t of_points;   /* of the plan */
	uint64_t ns;          /* since its loops began */
	uint64_t messages;    /* that this side has done; with very many QPs an estimate */
	uint64_t of_messages; /* 0: the point ends by time */
	bool latency;         /* a message is a round trip */
	bool bidir;           /* the other side does about as many */
};

/* How far the making of many queue pairs is, or their end. */
struct session_making {
	const char *what; /* "made", "connected", "destroyed"; NULL: the peer makes as many as of */
	uint32_t done, of;
	bool ends;        /* nothing can stop it */
};

/* Where a session waits for those that run at the same time. */
enum session_meeting {
	MEETING_AGREED, /* the plan is agreed, nothing of it has begun: it can be refused */
	MEETING_READY,  /* everything of a point is made: the start follows */
	MEETING_GO      /* the server's loops run, this side's threads wait for the start */
};

/*
 * Where a session hands its results. Every call is made with arg, on the thread of the session.
 */
struct session_sink {
	/*
	 * Client: no server is there yet; it is waited for, timeout_ms at most. NULL: not told.
	 * server: "node2:18515".
	 */
	void (*waiting)(void *arg, const char *server, uint32_t timeout_ms);
	/* Client, while a point runs: once a second. NULL: not told, and no thread is woken. */
	void (*progress)(void *arg, const struct session_progress *progress);
	/* Client, before and after a point: twice a second if it takes so long. NULL: not told. */
	void (*making)(void *arg, const struct session_making *making);
	/*
	 * A plan is agreed, and nothing is measured yet: may it be? -errno with an error message:
	 * no, and the session has failed. NULL: yes. Nothing of run is valid after the call.
	 */
	int (*approve)(void *arg, const struct format_run *run);
	/* The plan is measured. Nothing of run is valid after the call. */
	void (*start)(void *arg, const struct format_run *run);
	/* A thread of a point is connected, and its loop does not run yet. */
	void (*endpoint)(void *arg, const struct format_endpoint *endpoint);
	/* A point has ended; its rows follow. */
	void (*point)(void *arg, const struct point *point, const struct result_detail *detail);
	void (*row)(void *arg, const struct row *row);
	/* A row of an interval (kind) of the point that runs. NULL: not told. */
	void (*interval)(void *arg, const struct row *row);
	bool by_sender; /* see struct row_build_in */
	/*
	 * Client: returns when all sessions that run at the same time are there, until_ns
	 * (clock_ns()) at the latest: the server waits too. *ticks (clock_ticks()): when the last
	 * one came, the same for all. -errno with an error message: this one ends; -EINVAL at
	 * MEETING_AGREED: its plan is refused, and another one can follow. NULL: it is alone.
	 */
	int (*meet)(void *arg, enum session_meeting where, uint64_t until_ns, uint64_t *ticks);
	/* A window of a copy is in the peer's file, or in this side's. */
	void (*moved)(void *arg, uint64_t bytes, uint64_t of_bytes);
	/* The server has the whole file. */
	void (*copied)(void *arg, const struct copy_report *report);

	/* The rest is for the server: its caller does not know when a plan comes. */

	/*
	 * The peer sent a plan. -errno with an error message: the peer gets the message, and the
	 * session ends.
	 */
	int (*begin)(void *arg);
	/* The same for a copy, which has no rows. */
	int (*begin_copy)(void *arg);
	/* The same for a plan of a check: its points and rows may be counted, and are not shown. */
	int (*begin_check)(void *arg);
	/* The peer begins a check. NULL: not told. */
	void (*checks)(void *arg);
	/* The loops of a point begin, or have ended. NULL: not told. */
	void (*runs)(void *arg, bool begin);
	struct memory_budget *budget; /* of the memory of the session; NULL: it is not counted */
	/* What ended the plan, or the session after it. rc: -errno, -EINTR by the user. */
	void (*error)(void *arg, int rc, const char *text);
	/* The plan or copy that began has ended. */
	void (*end)(void *arg);
	void *arg;
};

#endif
