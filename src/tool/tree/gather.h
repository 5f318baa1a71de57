/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Messages of many nodes that say the same go up as one: their lists "ranks" are joined. So the
 * root reads one message of each child, and not one of each node.
 */
#ifndef GATHER_H
#define GATHER_H

#include <stdint.h>
#include <jansson.h>

#define GATHER_NS 20000000u  /* that a message waits at most in each node */

struct gather_group;

/* Zeroed at first. */
struct gather {
	struct gather_group *groups; /* n of them; owned */
	uint32_t n;
	uint64_t since_ns;           /* clock_ns() of the first one */
};

/* Steals msg, which differs from others of its group in "ranks" only. */
void gather_add(struct gather *gather, json_t *msg);

/* Takes a message out, the first first; NULL: there is none. */
json_t *gather_take(struct gather *gather);

/* clock_ns() when they have to go up; UINT64_MAX: there are none. */
uint64_t gather_due_ns(const struct gather *gather);

void gather_free(struct gather *gather);

#endif
