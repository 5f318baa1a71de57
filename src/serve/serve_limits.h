/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The limits that the server's process enforces: sessions in all, of one host and per second,
 * the memory of all sessions, the time of a point and of a session, and how long a session may show
 * no sign of life between two points. What one session may ask for is in session/owner.h.
 */
#ifndef SERVE_LIMITS_H
#define SERVE_LIMITS_H

#include <stddef.h>

#include "config/cfg.h"
#include "serve/serve_state.h"

/* A session over its time ends by itself within this time, or is killed after twice that. */
#define SERVE_LIMITS_GRACE_MS 3000u

/*
 * Fills what is "auto", checks texts, and makes room for the descriptors. -EINVAL with an error
 * message.
 */
int serve_limits_fill(struct cfg *cfg, enum serve_for how_many)
	__attribute__((warn_unused_result));

/* The address of a connected socket: IPv6, or IPv4 as ::ffff:a.b.c.d; zeros: unknown. */
void serve_limits_address(uint8_t address[16], int fd);

/* May the session of this child begin? It then counts as begun; else why tells the peer. */
bool serve_limits_admit(struct serve *s, struct serve_process *c, char *why, size_t size);

/* May this child have so many bytes in all? It then has them; else why tells the peer. */
bool serve_limits_memory(struct serve *s, struct serve_process *c, uint64_t bytes, char *why,
			 size_t size);

/* When a session is over its time; UINT64_MAX never. The call below does what is then done. */
uint64_t serve_limits_until(const struct serve *s, const struct serve_process *c);

/* It is: asks it to end. False: it was asked before, and is to be killed; that is logged. */
bool serve_limits_late(const struct serve *s, struct serve_process *c);

#endif
