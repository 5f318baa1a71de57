/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the arithmetic of windows; see row_windows.h. Called by row_sum.c and run/row_total.c. */
#include "config.h"
#include "report/row_windows.h"

#include <math.h>

static bool is_known(const struct row_window *w)
{
	return w->start_ns != UINT64_MAX && w->slack_ns != UINT64_MAX;
}

/*
 * From the begin of b to the end of a, the least and the most that the slacks allow. The windows
 * have no more in common than the least of all pairs, and span the most of them: each is a bound
 * that one choice of the slacks reaches.
 */
static void span(const struct row_window *a, const struct row_window *b, double *least,
		 double *most)
{
	const double d = (double)a->start_ns + (double)a->window_ns - (double)b->start_ns;
	const bool apart = a->clock != b->clock;

	*least = fmin(*least, d - (apart ? (double)b->slack_ns : 0));
	*most = fmax(*most, d + (apart ? (double)a->slack_ns : 0));
}

bool row_windows_compare(struct row_windows_common *c, const struct row_window *windows,
			 uint32_t n)
{
	double least = INFINITY, most = 0;

	*c = (struct row_windows_common){ .start_ns = UINT64_MAX };
	for (uint32_t i = 0; i < n; i++) {
		if (!is_known(&windows[i])) {
			*c = (struct row_windows_common){ .start_ns = UINT64_MAX };
			return false;
		}
		for (uint32_t k = 0; k < n; k++)
			span(&windows[i], &windows[k], &least, &most);
		if (windows[i].start_ns < c->start_ns)
			c->start_ns = windows[i].start_ns;
		if (windows[i].slack_ns > c->slack_ns)
			c->slack_ns = windows[i].slack_ns;
	}
	c->common_ns = least > 0 && n ? (uint64_t)least : 0;
	c->union_ns = (uint64_t)most;
	c->percent = most > 0 ? (double)c->common_ns * 100 / most : 0;
	return c->percent >= ROW_WINDOWS_PERCENT;
}

double row_windows_enough_s(const struct row_windows_common *c)
{
	const double apart_ns = (double)(c->union_ns - c->common_ns);

	return ceil(apart_ns * 100 / (100 - ROW_WINDOWS_PERCENT) / 1e9);
}
