/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The child processes of a server. Not for the child process of a session. */
#ifndef SERVE_PROCESSES_H
#define SERVE_PROCESSES_H

#include "serve/serve_state.h"
#include "control/ctl.h"

/* Makes room for one more child; once before the first poll(2). -ENOMEM without a message. */
int serve_processes_grow(struct serve *s) __attribute__((warn_unused_result));

/* Starts the child of a connection. -errno without an error message. */
int serve_processes_start(struct serve *s, struct ctl *ctl) __attribute__((warn_unused_result));

/*
 * Child i has written, or closed its end. When its process has ended, those behind it move down by
 * one. Nothing here waits for a process.
 */
void serve_processes_receive(struct serve *s, uint32_t i);

/*
 * Ends the children that are late, and forgets those whose process has ended. Returns when the next
 * deadline is, CLOCK_MONOTONIC_RAW ns.
 */
uint64_t serve_processes_expire(struct serve *s);

/* Asks every session to stop. */
void serve_processes_stop(const struct serve *s);

/* Waits shortly for their end, and frees the table. */
void serve_processes_kill_all(struct serve *s);

#endif
