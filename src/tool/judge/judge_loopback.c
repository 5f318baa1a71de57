/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* A node with itself. */
#include "config.h"
#include "judge/judge_loopback.h"

#include <math.h>

bool judge_loopback_is_low(const struct judge_finding *f, const struct judge_loopback *loop)
{
	/* a limit of the caller may be beyond the median */
	const double factor = loop->lower_is_better ? fmax(f->limit / f->median, 1) :
						      fmin(f->limit / f->median, 1);
	const double limit = loop->good * factor;

	return loop->lower_is_better ? loop->own > limit : loop->own < limit;
}

bool judge_loopback_wants(const struct judge_finding *f, const struct judge_loopback *loop)
{
	return !isnan(loop->good) && (isnan(loop->own) || judge_loopback_is_low(f, loop));
}

void judge_loopback_add(struct judge_loopback *loop, double value)
{
	loop->own = loop->lower_is_better ? fmin(loop->own, value) : fmax(loop->own, value);
}
