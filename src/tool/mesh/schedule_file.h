/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* A schedule from a file; see SCHEDULE_FILE of schedule.h. */
#ifndef SCHEDULE_FILE_H
#define SCHEDULE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "mesh/schedule.h"

struct schedule_pair {
	uint32_t round;    /* from 0, without gaps */
	uint32_t from, to;
	uint32_t line;
};

/* Zeroed: empty. */
struct schedule_pairs {
	struct schedule_pair *rows; /* n of them, by round and then by from; owned */
	size_t n, room;
	uint32_t rounds;
};

/* As schedule_open(). On an error pairs is empty. */
int schedule_file_read(struct schedule_pairs *pairs, const struct schedule_ask *ask)
	__attribute__((warn_unused_result));

void schedule_file_free(struct schedule_pairs *pairs);

/* As schedule_target(). */
uint32_t schedule_file_target(const struct schedule_pairs *pairs, uint32_t round, uint32_t node);

#endif
