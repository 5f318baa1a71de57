/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the source of time stamps and the conversion of ticks to nanoseconds. Called by main
 * (clock_init), and outside the measured loops by the code that times them. Must not fail: without
 * a reliable counter it uses CLOCK_MONOTONIC_RAW.
 */
#include "config.h"
#include "util/clock.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define ANCHOR_TRIES 16
#define STEP_READINGS 1000

bool clock_counter_on;

/* Is name one of the words of this file? */
static bool file_has_word(const char *path, const char *name)
{
	char text[256], *save, *word;
	FILE *f = fopen(path, "re");
	size_t len;

	if (!f)
		return false;
	len = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[len] = '\0';
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

struct clock_anchor clock_anchor(void)
{
	struct clock_anchor best = { .bracket = UINT64_MAX };

	for (int i = 0; i < ANCHOR_TRIES; i++) {
		uint64_t before = clock_ticks();
		uint64_t ns = clock_ns();
		uint64_t bracket = clock_ticks() - before;

		if (bracket < best.bracket) {
			best.ticks = before + bracket / 2;
			best.ns = ns;
			best.bracket = bracket;
		}
	}
	return best;
}

double clock_ns_per_tick(const struct clock_anchor *a, const struct clock_anchor *b)
{
	if (!clock_counter_on)
		return 1.0;
	assert(b->ticks > a->ticks && b->ns > a->ns);
	return (double)((long double)(b->ns - a->ns) / (long double)(b->ticks - a->ticks));
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		const uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

double clock_step_ns(const struct clock_anchor *origin)
{
	struct clock_anchor now = clock_anchor();
	uint64_t last = clock_ticks(), step = 0;

	for (int i = 0; i < STEP_READINGS; i++) {
		const uint64_t ticks = clock_ticks(), more = ticks - last;

		if (more && clock_counter_on)
			step = common_divisor(more, step);
		else if (more && (!step || more < step))
			step = more;
		last = ticks;
	}
	return (double)step * (now.ticks > origin->ticks ? clock_ns_per_tick(origin, &now) : 1.0);
}

uint64_t clock_to_ns(uint64_t ticks, double ns_per_tick)
{
	return (uint64_t)((long double)ticks * ns_per_tick + 0.5L);
}
