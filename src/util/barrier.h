/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Where measuring threads wait for each other, so that their timed regions begin together. They
 * sleep until the controlling thread opens the barrier, then spin until the last of them is awake.
 * They leave it within some hundred ns if each has a CPU. Outside every timed region.
 */
#ifndef BARRIER_H
#define BARRIER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct barrier {
	uint32_t n;                /* threads that pass it */
	int wake_fd;               /* readable: they are to come */
	int passed_fd;             /* readable: the last of them is there */
	_Atomic uint32_t arrived;
	_Atomic bool open;
};

/* -errno with an error message. */
int barrier_init(struct barrier *b, uint32_t n) __attribute__((warn_unused_result));

/* A measuring thread: returns when all have come and the barrier was opened. */
void barrier_pass(struct barrier *b);

/* Returns when all threads have left it. -errno with an error message. */
int barrier_open(struct barrier *b) __attribute__((warn_unused_result));

/* Lets those through that wait, however few they are. */
void barrier_abandon(struct barrier *b);

/* Nobody waits any more. Accepts a barrier that barrier_init() could not make. */
void barrier_close(struct barrier *b);

#endif
