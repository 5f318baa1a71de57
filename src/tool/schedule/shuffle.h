/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Random orders of 0..n-1, the same on each machine, that need no memory: a Feistel network over
 * the numbers of two digits with base a = ceil(sqrt(n)), which is walked until the result is below
 * n again (J. Black, P. Rogaway, "Ciphers with Arbitrary Finite Domains", CT-RSA 2002). Nobody is
 * kept from guessing them: the digits are mixed by splitmix64 (Steele, Lea, Flood, "Fast splittable
 * pseudorandom number generators", OOPSLA 2014).
 */
#ifndef SHUFFLE_H
#define SHUFFLE_H

#include <stdint.h>

struct shuffle {
	uint64_t key;
	uint32_t n, base;
};

/* n is at least 1. */
struct shuffle shuffle_make(uint32_t n, uint64_t seed);

/* Another order of the same numbers, for each stream. */
struct shuffle shuffle_stream(const struct shuffle *s, uint64_t stream);

/* Which of 0..n-1 is at this place of the order, and the reverse. */
uint32_t shuffle_at(const struct shuffle *s, uint32_t place);
uint32_t shuffle_place(const struct shuffle *s, uint32_t at);

#endif
