/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* A schedule from a file; see SCHEDULE_FILE of schedule.h. */
#ifndef SCHEDULE_FILE_H
#define SCHEDULE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCHEDULE_FILE_MAX (64u << 20) /* bytes */

struct schedule_pair {
	uint32_t round;    /* from 0, without gaps */
	uint32_t from, to;
	uint32_t from_rail, to_rail;
	uint32_t line;
};

/* Zeroed: empty. */
struct schedule_pairs {
	struct schedule_pair *rows; /* n of them, by round and then by from; owned */
	size_t n, room;
	uint32_t rounds;
	bool rails;                 /* a line names a rail */
};

struct schedule_file {
	const char *path;
	uint32_t n;               /* nodes */
	uint32_t n_rails;         /* of each */
	const char *const *names; /* n of them; NULL: none */
};

/* -EINVAL, -errno, -ENOMEM with an error message: pairs is then empty. */
int schedule_file_read(struct schedule_pairs *pairs, const struct schedule_file *file)
	__attribute__((warn_unused_result));

void schedule_file_free(struct schedule_pairs *pairs);

/* The pair of the round in which the node sends; NULL: none. */
const struct schedule_pair *schedule_file_find(const struct schedule_pairs *pairs, uint32_t round,
					       uint32_t from);

#endif
