/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Ways of equal cost, of which some are low. */
#include "config.h"
#include "judge/judge_paths.h"

#include <math.h>

#include "judge/judge_rows.h"

#define GOOD_TRIES 2u /* what is good once may be a fault that comes and goes */

/* Never good; never low. */
static bool is_low(const struct judge_paths *p, uint32_t i)
{
	return p->of[i].n_low && !p->of[i].n_good;
}

static bool is_good(const struct judge_paths *p, uint32_t i)
{
	return p->of[i].n_good && !p->of[i].n_low;
}

static uint32_t count(const struct judge_paths *p,
		      bool (*is)(const struct judge_paths *paths, uint32_t i))
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < JUDGE_LABELS; i++)
		n += is(p, i);
	return n;
}

bool judge_paths_wants(const struct judge_paths *p, uint32_t i, uint32_t try)
{
	if (!try)
		return true;
	if (!count(p, is_low) || !count(p, is_good))
		return false;
	return (is_low(p, i) && p->of[i].n_low < JUDGE_PASSES) ||
	       (is_good(p, i) && p->of[i].n_good < GOOD_TRIES);
}

void judge_paths_add(struct judge_paths *p, uint32_t i, const struct judge_pair *pair,
		     const struct judge_report *report)
{
	const bool low = judge_excess(pair, report) > 0;

	if (!judge_is_judged(pair))
		return;
	p->of[i].n_low += low;
	p->of[i].n_good += !low;
	p->of[i].value = pair->failed ? NAN : pair->value;
}

/* Measured as often as it takes. */
static bool is_sure(const struct judge_paths *p, uint32_t i)
{
	return (is_low(p, i) && p->of[i].n_low >= JUDGE_PASSES) ||
	       (is_good(p, i) && p->of[i].n_good >= GOOD_TRIES);
}

static bool is_mixed(const struct judge_paths *p, uint32_t i)
{
	return p->of[i].n_low && p->of[i].n_good;
}

bool judge_paths_conclude(struct judge_finding *f, const struct judge_paths *p)
{
	const uint32_t n_sure = count(p, is_sure);
	uint32_t low = 0, good = 0;
	double value_low = NAN, value_good = NAN;

	if (count(p, is_low) == JUDGE_LABELS)
		f->low_labels = (UINT32_C(1) << JUDGE_LABELS) - 1;
	for (uint32_t i = 0; i < JUDGE_LABELS; i++) {
		if (!is_sure(p, i))
			continue;
		if (is_low(p, i)) {
			low |= UINT32_C(1) << i;
			value_low = p->of[i].value;
		} else {
			good |= UINT32_C(1) << i;
			value_good = p->of[i].value;
		}
	}
	/* what comes and goes with any label is no way */
	if (!low || !good || 3 * count(p, is_mixed) > n_sure)
		return false;
	f->what = JUDGE_WAYS_LOW;
	f->low_labels = low;
	f->good_labels = good;
	f->alone = value_low;
	f->other = value_good;
	return true;
}
