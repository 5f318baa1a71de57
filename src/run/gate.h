/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Where the sessions of several pairs wait for each other, each on a thread of its own. They go on
 * together, or none of them does: who fails, or comes too late, cancels the gate for all, and the
 * others are told which pair it was.
 */
#ifndef RUN_GATE_H
#define RUN_GATE_H

#include <stdbool.h>
#include <stdint.h>

struct gate;

/* For n pairs with these names, borrowed. -errno with an error message. */
int gate_open(struct gate **gate, const char *const *names, uint32_t n)
	__attribute__((warn_unused_result));
/* Nobody uses it any more. NULL is accepted. */
void gate_close(struct gate *gate);

/* All pairs are there again, and nothing is cancelled. Nobody waits. */
void gate_reset(struct gate *gate);

/*
 * Waits for all pairs that have not left. *ticks: when the last one came (clock_ticks()), the same
 * for all. until_ns: clock_ns(). stop_fd: readable when the user stops. -ETIMEDOUT: another pair is
 * late, which cancels the gate; -EINTR: the user; -EINVAL: a pair was refused; -ECANCELED: a pair
 * has failed or was late; each with an error message that names the pair.
 */
int gate_meet(struct gate *gate, uint32_t pair, uint64_t until_ns, int stop_fd, uint64_t *ticks)
	__attribute__((warn_unused_result));

/* How a pair leaves. */
enum gate_exit { GATE_DONE, GATE_REFUSED, GATE_FAILED };

/*
 * The pair is not waited for any more. Unless it is done, it cancels the gate; reason: why, copied.
 */
void gate_leave(struct gate *gate, uint32_t pair, enum gate_exit how, const char *reason);

/* After it: waits until all have left. False: not by until_ns. */
bool gate_all_left(struct gate *gate, uint32_t pair, uint64_t until_ns);

#endif
