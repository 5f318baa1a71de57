/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns what threads that waited for a CPU say of figures; see judge_waits.h. */
#include "config.h"
#include "judge/judge_waits.h"

#define OTHERS_MIN 5u /* that say something */

/* NAN is never low, and never disturbed. */
bool judge_waits_disturb(const struct judge_waits *w, double value, double lost)
{
	return w->latency ? value > w->limit && value * (1 - lost) <= w->limit :
			    value < w->limit && value >= w->limit * (1 - lost);
}

void judge_waits_add(struct judge_waits *w, double value, double lost)
{
	w->n++;
	w->n_disturbed += judge_waits_disturb(w, value, lost);
}

void judge_waits_compare(struct judge_waits *w, double value, double lost)
{
	if (!judge_waits_disturb(w, w->value, lost))
		return;
	w->n_others++;
	w->n_good += w->latency ? value <= w->limit : value >= w->limit;
}

bool judge_waits_explain(const struct judge_waits *w)
{
	return 2 * w->n_disturbed >= w->n &&
	       !(w->n_others >= OTHERS_MIN && 2 * w->n_good > w->n_others);
}
