/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Prints the rate of this machine's TSC in kHz: that of the guests, too, since QEMU's own processor
 * gives them the counter of the host. Built and run by cache.sh.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Both clocks at one moment: of many tries the one that was not interrupted. */
static void both(int64_t *ns, int64_t *ticks)
{
	int64_t best = INT64_MAX;

	for (int i = 0; i < 1000; i++) {
		const int64_t before = now_ns(), tsc = (int64_t)__rdtsc(), gap = now_ns() - before;

		if (gap < best) {
			best = gap;
			*ns = before + gap / 2;
			*ticks = tsc;
		}
	}
}

int main(void)
{
	const struct timespec wait = { .tv_nsec = 200000000 };
	int64_t ns[2], ticks[2];

	both(&ns[0], &ticks[0]);
	nanosleep(&wait, NULL);
	both(&ns[1], &ticks[1]);
	printf("%.0f\n", (double)(ticks[1] - ticks[0]) / (double)(ns[1] - ns[0]) * 1e6);
	return 0;
}
