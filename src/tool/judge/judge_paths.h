/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Is a pair low on some of the ways between its ends only? Where switches choose among ways of
 * equal cost, the flow label does (the UDP source port of RoCE v2 follows from it): all messages
 * with one label take one way. So a pair is measured alone with each of JUDGE_LABELS labels, and
 * with some of them again. A label that is now low, now good says nothing of a way.
 *
 *	for (try = 0; try < JUDGE_TRIES; try++)
 *		for (i = 0; i < JUDGE_LABELS; i++)
 *			if (judge_paths_wants(&paths, i, try))
 *				... measure with label JUDGE_LABEL(i); judge_paths_add()
 *	judge_paths_conclude(&finding, &paths);
 */
#ifndef JUDGE_PATHS_H
#define JUDGE_PATHS_H

#include "judge/judge.h"

#define JUDGE_LABELS 8u
#define JUDGE_LABEL(i) ((i) + 1)
#define JUDGE_TRIES (JUDGE_PASSES + 2) /* some may be disturbed */

/* Zero it. */
struct judge_paths {
	struct {
		uint32_t n_low, n_good;
		double value;          /* the last one; NAN: it failed */
	} of[JUDGE_LABELS];
};

/* Is that label to be measured, in this try, from 0? */
bool judge_paths_wants(const struct judge_paths *paths, uint32_t i, uint32_t try);

/* What was measured with it; nothing, if it is not judged. */
void judge_paths_add(struct judge_paths *paths, uint32_t i, const struct judge_pair *pair,
		     const struct judge_report *report);

/*
 * Sets the labels of the finding. True: it is JUDGE_WAYS_LOW now, as JUDGE_PASSES figures of each
 * of some labels are low, and all of others are good.
 */
bool judge_paths_conclude(struct judge_finding *f, const struct judge_paths *paths);

#endif
