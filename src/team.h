/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The lanes of one side, a thread each: started together, stopped together, their counts taken
 * together once all have been joined. While they run nothing is shared but the stop words.
 */
#ifndef TEAM_H
#define TEAM_H

#include <stdbool.h>
#include <stdint.h>

#include "gate.h"
#include "lane.h"
#include "result.h"

struct team {
	struct lane_run *runs;   /* owned; each to be opened with lane_open() before the start */
	uint32_t n;              /* 0: a side without a loop */
	struct gate gate;        /* for lane_setup */
};

/* n lanes, none of them open. -errno with a sentence. */
int team_open(struct team *team, uint32_t n) __attribute__((warn_unused_result));

/* All threads enter their loops, together. -errno with a sentence: team_close() ends what runs. */
int team_start(struct team *team) __attribute__((warn_unused_result));

/* Asks every loop; wakes those that sleep. */
void team_stop(struct team *team, enum flow_stop how);

/* All loops have returned, team_join() will not wait; or one has, because it failed. */
bool team_over(const struct team *team);
bool team_failed(const struct team *team);

/* Joins all threads. 0, or a loop's return code: of one that failed, else of one that was left. */
int team_join(struct team *team);

/*
 * After team_join(): each thread's result, and all of them as one (result_add()): the window runs
 * from the first stamp of any to the last, of those that have counted a message. detail is the
 * caller's to result_detail_free(), whatever is returned. -ENOMEM with a sentence.
 */
int team_result(const struct team *team, struct result *all, struct result_detail *detail)
	__attribute__((warn_unused_result));

/* Accepts a zeroed or half-opened team; stops and joins what runs. Before ep_close(). */
void team_close(struct team *team);

#endif
