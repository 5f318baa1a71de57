/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * How far a running point is, for people, on standard error: on a terminal one line that the next
 * one replaces; else, because somebody may read a log, a line once every 10 s.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>

#include "control/sink.h"

/* Zeroed at first. */
struct progress {
	uint64_t told_ns;  /* when there was a line in the log */
	/* what was shown last */
	uint32_t point;
	uint64_t ns, messages;
};

/* The same while many queue pairs are made or destroyed. */
void progress_making(struct progress *shown, const char *before, const struct session_making *m);

/* before: in front of the text, "3 of 69, "; "" nothing. */
void progress_show(struct progress *shown, const char *before, const struct session_progress *p);

#endif
