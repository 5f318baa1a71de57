/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Where measuring threads wait for each other, so that their timed regions begin together: they
 * sleep until the controlling thread opens it, spin until the last of them is awake, and go on
 * within some hundred ns of each other where each has a CPU. Outside every timed region.
 */
#ifndef GATE_H
#define GATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct gate {
	uint32_t n;                /* threads that pass it */
	int wake_fd;               /* semaphore: one token for each of them */
	int passed_fd;             /* the last of them is there */
	_Atomic uint32_t arrived;
	_Atomic bool open;
};

/* -errno with a sentence. */
int gate_init(struct gate *g, uint32_t n) __attribute__((warn_unused_result));

/* A measuring thread: returns when all have come and the gate was opened. */
void gate_pass(struct gate *g);

/* Returns when all threads are on their way. -errno with a sentence. */
int gate_open(struct gate *g) __attribute__((warn_unused_result));

/* Lets those through that wait, however few they are. */
void gate_abandon(struct gate *g);

/* Nobody waits any more. Accepts one whose gate_init() failed. */
void gate_close(struct gate *g);

#endif
