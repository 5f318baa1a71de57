/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room tree: what a node of the control tree of a mesh does with messages without knowing what they
 * say: connections to its parent and its children, ways to those below, lists that are gathered.
 *
 * This header: the connections of one node. All functions are called by one thread, but for
 * links_post(). A connection has a number: the rank of the other side, or LINKS_UP.
 */
#ifndef LINKS_H
#define LINKS_H

#include <stdbool.h>
#include <stdint.h>
#include <jansson.h>

#include "wire/ctl.h"

#define LINKS_UP (UINT32_MAX - 1) /* the parent */
#define LINKS_NONE UINT32_MAX

#define LINKS_BEAT_NS 1000000000u   /* between two heartbeats, both ways */
#define LINKS_SILENT_NS 5000000000u /* a node that is silent for so long is gone */
#define LINKS_SEND_MS 5000u         /* a message that is not taken by then costs the connection */

struct links;

/* What another thread hands over. */
struct links_mail {
	int what;            /* the host knows */
	uint32_t rank;
	int64_t number;
	int rc;
	json_t *msg;         /* owned */
	struct ctl ctl;      /* owned; CTL_CLOSED: none */
};

/* None of the calls is made inside another function than links_work(). */
struct links_host {
	/* Not of heartbeats. */
	void (*message)(void *arg, uint32_t id, json_t *msg);
	/* It is closed already; err_text() says why. -ECONNABORTED, -EINTR: an abort. */
	void (*lost)(void *arg, uint32_t id, int rc);
	/* Takes over what mail owns. */
	void (*mail)(void *arg, struct links_mail *mail);
	void *arg;
};

/* n: of all nodes. -errno with an error message. */
int links_open(struct links **links, const struct links_host *host, uint32_t n)
	__attribute__((warn_unused_result));

/* Closes all connections. Accepts NULL. */
void links_close(struct links *links);

/* Takes over the connection, in place of one with the same number. */
void links_add(struct links *links, uint32_t id, struct ctl *ctl);
void links_drop(struct links *links, uint32_t id);
bool links_have(const struct links *links, uint32_t id);
bool links_have_below(const struct links *links);

/* Steals msg. What cannot be sent costs the connection, later; without one msg is dropped. */
void links_send(struct links *links, uint32_t id, json_t *msg);

/* To all but the parent. */
void links_send_below(struct links *links, json_t *msg);

/* As ctl_abort(), with the error of this thread. The connection is still there. */
void links_abort(struct links *links, uint32_t id, int rc);

/* Rank is reached by this connection from now on. */
void links_route(struct links *links, uint32_t rank, uint32_t id);

/*
 * Steals msg. Its list `list` has ranks, or lists that begin with one: each child gets those that
 * are below it. Others are dropped.
 */
void links_send_parts(struct links *links, json_t *msg, const char *list);

/* The rank in an item of such a list; LINKS_NONE: there is none. */
uint32_t links_item_rank(const json_t *item);

/* Readable when links_work() has something to do. */
int links_fd(const struct links *links);
/* clock_ns() when it has to be called without that. */
uint64_t links_due_ns(const struct links *links);

/* Waits for that, timeout_ms at most, and does it. */
void links_work(struct links *links, uint32_t timeout_ms);

/* From any thread, as long as it is open. Takes over what mail owns. */
void links_post(struct links *links, const struct links_mail *mail);

#endif
