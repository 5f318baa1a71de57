/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The life of a server: how it waits for its device, is stopped (drain, then ask, then kill),
 * reloaded, ended when nobody is there, and what the service manager is told of it.
 */
#ifndef SERVE_LIFE_H
#define SERVE_LIFE_H

#include <stdint.h>

struct serve;

/* First of all: reads what the service manager has left in the environment. */
void serve_life_open(struct serve *s);

/*
 * Waits until a session can have a device, --wait-device at most, or until the user stops the
 * server. -errno with an error message: there is none. A process of its own looks for it.
 */
int serve_life_device(struct serve *s) __attribute__((warn_unused_result));

/* The server takes connections now. */
void serve_life_ready(struct serve *s);

/* Signals have come. */
void serve_life_signals(struct serve *s);

/* Does what is due. Returns when something is due next, clock_ns(); UINT64_MAX never. */
uint64_t serve_life_due(struct serve *s);

/* In the process of a session, and at the end. */
void serve_life_close(struct serve *s);

#endif
