/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The callbacks of a session to its caller, and the sink of its events. */
#ifndef SESSION_HOST_H
#define SESSION_HOST_H

#include "limits/budget.h"
#include "row/event.h"
#include "topo/topo.h"
#include "wire/ctl.h"

/* Where a session waits for the concurrent sessions. */
enum session_meeting {
	MEETING_AGREED, /* the plan is agreed but not started: it can still be refused */
	MEETING_READY,  /* all objects of a point are ready: the start follows */
	MEETING_GO      /* the server's loops run, this side's threads wait for the start */
};

/* The request of a server's peer. */
enum session_asked {
	ASKED_PLAN,
	ASKED_CHECK,   /* a plan of a check: its points and rows may be counted, not shown */
	ASKED_OTHER    /* a copy or facts: there are no rows */
};

/*
 * Every callback runs on the thread of the session. It returns 0, or -errno with an error message.
 */
struct session_host {
	struct event_sink events;
	bool progress;  /* EVENT_PROGRESS is wanted; else no thread wakes up for it */
	bool by_sender; /* see struct row_build_in */
	/*
	 * A plan is agreed, and nothing is measured yet: may it run? -errno: no, and the session
	 * has failed. NULL: yes.
	 */
	int (*approve)(void *arg, const struct event_plan *plan);
	/*
	 * Client: returns when all concurrent sessions have arrived, at the latest at until_ns
	 * (clock_ns()), because the server waits too. *ticks (clock_ticks()): when the last one
	 * arrived, the same for all. -errno: this session ends; -EINVAL at MEETING_AGREED: its plan
	 * is refused, and another one can follow. NULL: it is the only session.
	 */
	int (*meet)(void *arg, enum session_meeting where, uint64_t until_ns, uint64_t *ticks);
	/* Server: may it begin? -errno: the peer gets the message, and the session ends. */
	int (*begin)(void *arg, enum session_asked what);
	struct memory_budget *budget; /* memory of the session; NULL: not counted */
	/* the description of this machine, borrowed; NULL: the session makes its own */
	const struct topo *machine;
	int stop_fd;    /* client: readable: as if the user asked to stop; 0: signals_fd() */
	/* client: the key that it proves, borrowed; NULL: that of --key, if it is given */
	const struct ctl_tls *tls;
	void *arg;      /* argument of the callbacks */
};

#endif
