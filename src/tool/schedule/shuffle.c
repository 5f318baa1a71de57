/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Random orders without memory. */
#include "config.h"
#include "schedule/shuffle.h"

/* Enough for small n, too: 3 to 9 numbers have two digits of 2 or 3 values. */
#define STEPS 8u

static uint64_t mix(uint64_t z)
{
	z += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

struct shuffle shuffle_make(uint32_t n, uint64_t seed)
{
	struct shuffle s = { .key = mix(seed), .n = n, .base = 1 };

	while ((uint64_t)s.base * s.base < n)
		s.base++;
	return s;
}

struct shuffle shuffle_stream(const struct shuffle *s, uint64_t stream)
{
	struct shuffle other = *s;

	other.key = mix(s->key ^ mix(stream));
	return other;
}

/* What a step adds to one digit, from the other one; below base. */
static uint32_t added(const struct shuffle *s, uint32_t step, uint32_t digit)
{
	const uint64_t word = mix(s->key + ((uint64_t)step << 32 | digit));

	return (uint32_t)((word >> 32) * s->base >> 32);
}

uint32_t shuffle_at(const struct shuffle *s, uint32_t place)
{
	uint32_t high, low, sum;

	do {
		high = place / s->base;
		low = place % s->base;
		for (uint32_t step = 0; step < STEPS; step++) {
			sum = high + added(s, step, low);
			high = low;
			low = sum < s->base ? sum : sum - s->base;
		}
		place = high * s->base + low;
	} while (place >= s->n);
	return place;
}

uint32_t shuffle_place(const struct shuffle *s, uint32_t at)
{
	uint32_t high, low, sum, less;

	do {
		high = at / s->base;
		low = at % s->base;
		for (uint32_t step = STEPS; step--;) {
			sum = low;
			low = high;
			less = added(s, step, low);
			high = sum < less ? sum + s->base - less : sum - less;
		}
		at = high * s->base + low;
	} while (at >= s->n);
	return at;
}
