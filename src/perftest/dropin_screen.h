/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What a drop-in program prints of a session, on both sides: a sink in place of that of the
 * options. A process has one.
 */
#ifndef DROPIN_SCREEN_H
#define DROPIN_SCREEN_H

#include "perftest/dropin_print.h"
#include "session/session.h"

struct dropin_screen {
	const struct dropin *asked; /* set this, zero the others */
	struct session_sink base;   /* of a server: whom it asks, and how it logs */
	struct dropin_run run;      /* of the plan that runs */
	bool started;               /* settings are printed */
	bool connected;             /* addresses and heads are printed */
	bool failed;                /* something was not written, or a row was not ok */
	bool bw_reached, msgrate_reached; /* a row was not below the limit */
	uint32_t n_rows;            /* of this point */
	uint32_t n_points;          /* of this plan, that have ended */
	struct row rows[2];         /* of this point: client's requests, server's */
};

/* The callbacks of a session. base: of a server, else NULL. screen is borrowed. */
struct session_sink dropin_screen_sink(struct dropin_screen *screen,
				       const struct session_sink *base);

/*
 * After the last plan of a session: the last line, and whether limits were reached, with an error
 * line for each that was not. Returns the exit status.
 */
int dropin_screen_end(struct dropin_screen *screen, enum session_end end);

#endif
