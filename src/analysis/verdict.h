/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The verdict of a comparison of repeats A with repeats B. The band is within percent of A's
 * median, in both directions. p is a probability of rank_test.h.
 *
 *   better, worse, differs   the medians differ by more than the band, and p of the difference is
 *                            at most VERDICT_ALPHA
 *   same                     the medians differ by the band at most, and two tests show it: B is
 *                            above A less the band, and below A plus the band, p of each at most
 *                            VERDICT_ALPHA. Or all values of both are one value.
 *   unsure                   all else, and always with fewer than VERDICT_REPEATS on a side
 *
 * So "same" has to be shown, as "worse" has: repeats that scatter more than the band are unsure
 * until there are enough of them. Of equal A and B, VERDICT_ALPHA are called better or worse at
 * most; of A and B that differ by the band or more, VERDICT_ALPHA are called same at most (two
 * one-sided tests: Schuirmann, J. Pharmacokinet. Biopharm. 15 (1987), here of ranks, and exact for
 * distributions that differ in their place only). With 4 repeats beside 4 the least p of a
 * difference is 2/70 = 0.029, with 3 beside 3 it is 2/20 = 0.1.
 */
#ifndef VERDICT_H
#define VERDICT_H

#include "rows/spread.h"

#define VERDICT_ALPHA 0.05
#define VERDICT_REPEATS 4u

enum verdict {
	VERDICT_SAME, VERDICT_BETTER, VERDICT_WORSE, VERDICT_DIFFERS, VERDICT_UNSURE,
	VERDICT_ONLY_A, VERDICT_ONLY_B, VERDICT_COUNT
};
/* same better worse differs unsure "only in A" "only in B" */
extern const char *const verdict_names[];

/*
 * direction: 1: better when greater, -1: when less, 0: neither, it only differs. -ENOMEM with an
 * error message.
 */
int verdict_of(enum verdict *verdict, const struct spread_values *a, const struct spread_values *b,
	       double within, int direction) __attribute__((warn_unused_result));

#endif
