/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Barrier of the measuring threads, so that their timed regions begin together. They sleep until
 * the controlling thread opens the barrier, then spin until the last of them is awake. If each has
 * its own CPU they leave it within some hundred ns of each other. Outside every timed region.
 */
#ifndef BARRIER_H
#define BARRIER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct barrier {
	uint32_t n;                /* number of threads */
	int wake_fd;               /* readable: the threads wake up */
	int passed_fd;             /* readable: the last thread has arrived */
	_Atomic uint32_t arrived;
	_Atomic bool open;
};

/* -errno with an error message. */
int barrier_init(struct barrier *b, uint32_t n) __attribute__((warn_unused_result));

/* Called by a measuring thread: returns when all have arrived and the barrier was opened. */
void barrier_pass(struct barrier *b);

/* Returns when all threads have left it. -errno with an error message. */
int barrier_open(struct barrier *b) __attribute__((warn_unused_result));

/* Releases the waiting threads, even if not all have arrived. */
void barrier_abandon(struct barrier *b);

/* No thread may wait any longer. Accepts a barrier for which barrier_init() failed. */
void barrier_close(struct barrier *b);

#endif
