/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The workers of one side, one thread each. They start together and stop together; their results
 * are added after all threads have been joined. While they run they share only the stop words.
 */
#ifndef WORKERS_H
#define WORKERS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/barrier.h"
#include "worker/worker.h"
#include "worker/result.h"

struct workers {
	struct worker_run *runs; /* owned; each to be opened with worker_open() before the start */
	uint32_t n;              /* 0: a side without a loop */
	struct barrier barrier;  /* for worker_setup */
	uint64_t about_to_start; /* ticks: before the peer may learn of the start */
	struct clock_anchor monotonic; /* with CLOCK_MONOTONIC; made by workers_create() */
	uint64_t told_to_start;  /* ticks; client: the server has started; server: 0 */
};

/* n workers, none of them open. -errno with an error message. */
int workers_open(struct workers *workers, uint32_t n) __attribute__((warn_unused_result));

/*
 * Makes the threads, which wait for the start. -errno with an error message: workers_close() then
 * ends what runs.
 */
int workers_create(struct workers *workers) __attribute__((warn_unused_result));

/* After it: all threads enter their loops together. Errors the same. */
int workers_start(struct workers *workers) __attribute__((warn_unused_result));

/* After workers_join(), before another workers_create(). -errno with an error message. */
int workers_again(struct workers *workers) __attribute__((warn_unused_result));

/* Asks every loop; wakes those that sleep. */
void workers_stop(struct workers *workers, enum state_stop how);

/* Wakes the loops whose SRQ has raised a limit event since the last call. */
void workers_wake_low(struct workers *workers);

/* All loops have returned, so that workers_join() does not wait; one has, because it failed. */
bool workers_over(const struct workers *workers);
bool workers_failed(const struct workers *workers);

/* Joins all threads. 0, or a loop's return code: of one that failed, else of one that was left. */
int workers_join(struct workers *workers);

/*
 * Requests by which the windows of all threads but the first one opened: the window of all of them
 * has opened before, and has them inside.
 */
uint64_t workers_tx_inside(const struct workers *workers);

/*
 * After workers_join(): each thread's result, and all of them as one (result_add()): the window
 * runs from the first stamp to the last, of the threads that counted a message. The caller frees
 * detail by result_detail_free(), also after an error. -ENOMEM with an error message.
 */
int workers_result(const struct workers *workers, struct result *all, struct result_detail *detail)
	__attribute__((warn_unused_result));

/* Accepts a zeroed or half-opened workers; stops and joins what runs. Before ep_close(). */
void workers_close(struct workers *workers);

#endif
