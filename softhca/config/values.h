/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Numbers with units, as settings and topologies have them. All return 0 or -EINVAL. */
#ifndef VALUES_H
#define VALUES_H

#include <stdint.h>

/* "50us" to nanoseconds, "10G" to bit/s, "1%" to a probability times 2^32. */
int values_time(const char *text, uint64_t *ns);
int values_rate(const char *text, uint64_t *bit_s);
int values_chance(const char *text, uint32_t *of);
/* "256k" to bytes; k is 1024. */
int values_bytes(const char *text, uint64_t *bytes);
/* A decimal number without a sign. */
int values_count(const char *text, uint64_t min, uint64_t max, uint64_t *n);
/* The number at the end of the name of a node. */
int values_node(const char *name, uint32_t *number);

/* What is allowed. */
#define VALUES_TIME "a time from 0 to 1000000s, such as 50us (ns us ms s)"
#define VALUES_RATE "0, or bit/s from 1k to 100T, such as 10G"
#define VALUES_CHANCE "from 0 to 1, or from 0% to 100%"
#define VALUES_BYTES "0, or bytes up to 1T, such as 256k (k M G T)"
#define VALUES_NODE \
	"a name of at most 32 characters that ends with a number from 0 to 2047, such as n7"

/* The probability that one of two things happens, or both; all times 2^32. */
uint32_t values_either(uint32_t a, uint32_t b);

#endif
