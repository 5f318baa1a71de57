/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Chooses the source of time stamps, converts ticks to nanoseconds, and finds the resolution of the
 * ticks. It never fails: without a reliable counter it uses CLOCK_MONOTONIC_RAW. The resolution
 * reported must not be below the true one, nor above it because the readings happened to be equally
 * spaced.
 */
#include "config.h"
#include "util/clock.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

#define ANCHOR_TRIES 16
#define READINGS 1000
#define PAUSE_MAX 499 /* a prime, so that few steps of the counter divide it */

/*
 * A difference of two readings can be this far from a multiple of the step, in ticks. One tick: a
 * hypervisor scales the counter and rounds each reading down. One more: some counters never return
 * the same value twice, so the second reading in a step is a tick higher. (A virtual TSC had
 * differences of 26 and 52 ticks, and of 1 and 25.)
 */
#define NEAR_TICKS 2

/* Below this, nearly every number is near a multiple of the step, so only the divisor counts. */
#define ROUNDED_MIN (4 * NEAR_TICKS)

bool clock_counter_on;

/* Is name one of the words of this file? */
static bool file_has_word(const char *path, const char *name)
{
	char text[256], *save, *word;

	text_read(path, text, sizeof(text));
	for (word = strtok_r(text, " \n", &save); word; word = strtok_r(NULL, " \n", &save))
		if (!strcmp(word, name))
			return true;
	return false;
}

const char *clock_name(void)
{
	return clock_counter_on ? CLOCK_COUNTER_NAME : "monotonic_raw";
}

void clock_init(void)
{
	static const char name[] = CLOCK_COUNTER_KERNEL_NAME;
	static const char dir[] = "/sys/devices/system/clocksource/clocksource0";
	char current[128], available[128];

	snprintf(current, sizeof(current), "%s/current_clocksource", dir);
	snprintf(available, sizeof(available), "%s/available_clocksource", dir);
	clock_counter_on = file_has_word(current, name) ||
			   (clock_counter_steady() && file_has_word(available, name));
}

struct clock_anchor clock_anchor_of(clockid_t clock)
{
	struct clock_anchor best = { .bracket = UINT64_MAX };

	for (int i = 0; i < ANCHOR_TRIES; i++) {
		uint64_t before = clock_ticks();
		uint64_t ns = clock_ns_of(clock);
		uint64_t bracket = clock_ticks() - before;

		if (bracket < best.bracket) {
			best.ticks = before + bracket / 2;
			best.ns = ns;
			best.bracket = bracket;
		}
	}
	return best;
}

struct clock_anchor clock_anchor(void)
{
	return clock_anchor_of(CLOCK_MONOTONIC_RAW);
}

double clock_ns_per_tick(const struct clock_anchor *a, const struct clock_anchor *b)
{
	if (!clock_counter_on)
		return 1.0;
	assert(b->ticks > a->ticks && b->ns > a->ns);
	return (double)((long double)(b->ns - a->ns) / (long double)(b->ticks - a->ticks));
}

uint64_t clock_to_ns(uint64_t ticks, double ns_per_tick)
{
	return (uint64_t)((long double)ticks * ns_per_tick + 0.5L);
}

/* ---- the resolution of the counter */

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		const uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/*
 * Is each of the sorted differences near a multiple of a step in [*low, *high]? Narrows the range
 * by each difference whose multiple is certain.
 */
static bool fits(const uint64_t *differences, int n, double *low, double *high)
{
	for (int i = 0; i < n; i++) {
		const double d = (double)differences[i];
		const double first = ceil((d - NEAR_TICKS) / *high);
		const double last = floor((d + NEAR_TICKS) / *low);

		if (first > last)
			return false;
		if (first < last || first < 1)
			continue;
		*low = fmax(*low, (d - NEAR_TICKS) / first);
		*high = fmin(*high, (d + NEAR_TICKS) / first);
	}
	return *low <= *high;
}

/*
 * For sorted differences. The smallest that is not near 0 is the first multiple, or a higher one.
 */
static double step_of(const uint64_t *differences, int n, double divisor)
{
	while (n && *differences <= NEAR_TICKS) {
		differences++;
		n--;
	}
	for (double steps = 1; n; steps++) {
		double low = ((double)*differences - NEAR_TICKS) / steps;
		double high = ((double)*differences + NEAR_TICKS) / steps;

		if (low < ROUNDED_MIN || high <= divisor)
			break;
		if (fits(differences, n, &low, &high))
			return (low + high) / 2;
	}
	return divisor;
}

double clock_step_ticks(uint64_t *differences, int n)
{
	uint64_t divisor = 0;

	for (int i = 0; i < n; i++)
		divisor = common_divisor(differences[i], divisor);
	qsort(differences, (size_t)n, sizeof(*differences), by_value);
	return step_of(differences, n, (double)divisor);
}

/* The pauses make the spacing of the readings different. */
static double counter_step(void)
{
	uint64_t differences[READINGS], last = clock_ticks();

	for (int i = 0; i < READINGS; i++) {
		uint64_t ticks;

		for (int pause = i % PAUSE_MAX; pause; pause--)
			__asm__ volatile("");
		ticks = clock_ticks();
		differences[i] = ticks - last;
		last = ticks;
	}
	return clock_step_ticks(differences, READINGS);
}

static uint64_t smallest_difference(void)
{
	uint64_t last = clock_ticks(), step = 0;

	for (int i = 0; i < READINGS; i++) {
		const uint64_t ticks = clock_ticks(), more = ticks - last;

		if (more && (!step || more < step))
			step = more;
		last = ticks;
	}
	return step;
}

double clock_step_ns(const struct clock_anchor *origin)
{
	const struct clock_anchor now = clock_anchor();

	if (!clock_counter_on)
		return (double)smallest_difference();
	return counter_step() * (now.ticks > origin->ticks ? clock_ns_per_tick(origin, &now) : 1.0);
}
