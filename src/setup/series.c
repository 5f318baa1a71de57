/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the recording of single operations and what the recording costs; see series.h. */
#include "config.h"
#include "setup/series.h"

#include <stdlib.h>

#define CALIBRATIONS 1001u /* odd: the median is one of them */

struct series *series_new(void)
{
	struct series *s = calloc(1, sizeof(*s));

	if (s)
		histogram_reset(&s->ticks);
	return s;
}

void series_add_taken(struct series *s, const struct stamp *taken)
{
	if (!s->calls++) {
		s->first_ticks = taken->ticks;
		return;
	}
	histogram_record(&s->ticks, taken->ticks);
	s->cpu_ns += taken->cpu_ns;
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static double median(uint64_t *of)
{
	qsort(of, CALIBRATIONS, sizeof(*of), compare);
	return (double)of[CALIBRATIONS / 2];
}

void series_calibrate(struct setup_run *run)
{
	uint64_t ticks[CALIBRATIONS], cpu[CALIBRATIONS];

	for (uint32_t i = 0; i < CALIBRATIONS; i++) {
		const struct stamp begin = stamp_take(), taken = stamp_since(&begin);

		ticks[i] = taken.ticks;
		cpu[i] = taken.cpu_ns;
	}
	run->clock_ticks = median(ticks);
	run->cpu_clock_ns = median(cpu);
}
