/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * An agent as a node of the control tree: it finds its parent, and another one when that is gone;
 * passes on what the root and those below it say; and sends again what the root may not have.
 *
 * A message that is lost with a node costs nothing, and none counts twice: an agent keeps what it
 * has said of its cell, and says it again to a new parent; the root knows messages by numbers.
 *
 * All but the functions of what is measured are called by one thread.
 */
#ifndef MESH_RELAY_H
#define MESH_RELAY_H

#include "mesh/mesh.h"

struct mesh_relay;

/* Called inside mesh_relay_work(). */
struct mesh_relay_host {
	/*
	 * For each lane. It has a host. ahead_ns: of struct mesh_found. The pointer is valid during
	 * the call.
	 */
	void (*order)(void *arg, const struct mesh_order *order, int64_t ahead_ns);
	void (*go)(void *arg, const struct mesh_start *start);
	/* Once: 0, or -errno with an error message. */
	void (*over)(void *arg, int rc);
	void *arg;
};

/* port: where the agent serves sessions. Begins to join. -errno with an error message. */
int mesh_relay_open(struct mesh_relay **relay, const struct mesh *mesh,
		    const struct mesh_relay_host *host, uint32_t port)
	__attribute__((warn_unused_result));

/* Waits for messages, timeout_ms at most, and passes them on. */
void mesh_relay_work(struct mesh_relay *relay, uint32_t timeout_ms);

/* Readable when mesh_relay_work() has something to do. */
int mesh_relay_fd(const struct mesh_relay *relay);
/* clock_ns() when it has to be called without that. */
uint64_t mesh_relay_due_ns(const struct mesh_relay *relay);

/* Does it have a parent now? */
bool mesh_relay_joined(const struct mesh_relay *relay);

/* Has everything ended, with those below? Only after over(). */
bool mesh_relay_finished(const struct mesh_relay *relay);

/* This agent ends with the error of this thread: says so to its parent. */
void mesh_relay_abort(struct mesh_relay *relay, int rc);

/* Accepts NULL. */
void mesh_relay_close(struct mesh_relay *relay);

/* ---- what is measured, from any thread; msg is stolen */

void mesh_relay_row(struct mesh_relay *relay, uint64_t order, json_t *msg);
void mesh_relay_ready(struct mesh_relay *relay, const struct mesh_start *start);
void mesh_relay_done(struct mesh_relay *relay, uint64_t order, json_t *msg);

#endif
