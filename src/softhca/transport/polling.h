/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Threads of the program that poll. While one polls, it runs the timers, and the progress thread
 * leaves them to it. What a thread that polls needs may be done by another one that waits for this
 * processor: then it gives the processor away. This is counted (SOFTHCA_STATS).
 */
#ifndef POLLING_H
#define POLLING_H

#include <stdbool.h>
#include <stdint.h>

/* For each poll of a CQ, first. */
void polling_note(void);
/* For each poll that finds no completion, last. */
void polling_empty(void);
/* The timers are due, but another thread of this process runs them. */
void polling_kept_out(void);
/*
 * Whether a thread polls all the time; also one that has lost its processor does. For the progress
 * thread only.
 */
bool polling_goes_on(uint64_t now_ns);

#endif
