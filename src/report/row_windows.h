/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * How much of their time several windows have in common. Rates may be added only if they are of the
 * same interval: those of both directions (row_sum.h), those of several pairs (run/row_total.h).
 *
 * A window begins some time after a moment that all of them know: the common start. A window of
 * another host's clock begins slack_ns later at most, because that host learned of the start by a
 * message. Windows of one clock shift together. Pure.
 */
#ifndef ROW_WINDOWS_H
#define ROW_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>

#define ROW_WINDOWS_PERCENT 99 /* of the union, for the windows to count as one */

struct row_window {
	uint64_t start_ns;  /* after the common start; UINT64_MAX: unknown */
	uint64_t window_ns;
	uint64_t slack_ns;  /* it begins up to so much later; UINT64_MAX: unknown */
	uint32_t clock;     /* which clock start_ns is of: any number */
};

/* In the worst case of what the slacks allow. */
struct row_windows_common {
	uint64_t start_ns, slack_ns; /* of the union; start UINT64_MAX: one is unknown */
	uint64_t common_ns, union_ns;
	double percent;              /* common_ns of union_ns */
};

/* Can the figures of these windows be added? False also if one of them is unknown: percent 0. */
bool row_windows_compare(struct row_windows_common *c, const struct row_window *windows,
			 uint32_t n);

/* How long they must be to be added, seconds, if they are as far apart then as they are now. */
double row_windows_enough_s(const struct row_windows_common *c);

#endif
