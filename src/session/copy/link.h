/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The sends, receives and writes of a copy on the QP of an endpoint. Headers have a memory region
 * of their own, so that the peer's R_Key reaches the windows only. Every wait ends: by a
 * completion, by what the caller watches, or by a deadline that the peer cannot extend.
 */
#ifndef LINK_H
#define LINK_H

#include <stdbool.h>
#include <stdint.h>
#include <infiniband/verbs.h>

#include "copy/copy.h"
#include "endpoint/ep.h"

/*
 * The payload of the sends of a copy: 64 bytes, integers in network order. docs/dev/protocol.md
 * describes it. The peer is not trusted: the caller compares every field with what it expects.
 */
#define HEADER_BYTES 64u

enum header_kind {
	HEADER_WINDOW = 1, /* to the receiver: window seq is written */
	HEADER_FREE,       /* to the sender: window seq is in the file */
	HEADER_END,        /* to the receiver: seq windows, length bytes, and the SHA-256 */
	HEADER_GOOD,       /* to the sender: the file is complete; the same fields */
};

struct header {
	uint32_t magic, kind; /* link_send() sets magic, link_receive() checks it */
	uint64_t seq;         /* of the window, from 0 */
	uint64_t off, len;    /* of the window in the file */
	uint8_t sha256[COPY_SHA256_BYTES]; /* END, GOOD; else zeros */
};

#define LINK_SLOTS (COPY_WINDOWS + 1) /* headers in flight in a direction: the windows and END */
#define LINK_WATCHED 3

/* What else can happen while the link waits. */
struct link_watch {
	int fds[LINK_WATCHED];     /* readable: look; -1: none */
	int (*look)(void *arg);    /* 0: go on; -errno with an error message */
	void (*works)(void *arg);  /* before each header is received, and often during a wait */
	void *arg;
};

struct link {
	struct ep *ep;             /* borrowed */
	const struct plan *plan;
	const struct link_watch *watch;
	uint64_t over_ns;          /* set by the user; clock_ns(): no wait lasts longer */
	struct header *headers;    /* LINK_SLOTS to send, then as many to receive */
	struct ibv_mr *mr;
	uint64_t posted, done;     /* sends */
	uint64_t came, taken;      /* receives */
	uint32_t lens[LINK_SLOTS]; /* of the receives that came */
	bool armed[2];             /* send CQ, receive CQ */
};

/* A write before the send. */
struct link_write {
	uint64_t local_off;        /* in ep->mem */
	uint64_t remote_addr;
	uint32_t rkey, len;
};

/*
 * After ep_open(), before ep_connect(): registers the headers and posts the receives. -errno with
 * an error message; link_close() is due.
 */
int link_open(struct link *l, struct ep *ep, const struct plan *plan,
	      const struct link_watch *watch) __attribute__((warn_unused_result));

/* Before ep_close(). Accepts a zeroed one. */
void link_close(struct link *l);

/* Posts a write, if it is not NULL, and a send. Waits while the send queue is full. */
int link_send(struct link *l, const struct header *h, const struct link_write *write)
	__attribute__((warn_unused_result));

/*
 * Waits for the next header, at most for the stall timeout of the plan and extra_ms. -ETIMEDOUT,
 * -EIO (a completion with an error), -EBADMSG, or what look() returns, with an error message.
 */
int link_receive(struct link *l, struct header *h, uint64_t extra_ms)
	__attribute__((warn_unused_result));

/* Waits until everything posted is completed. Errors as above. */
int link_drain(struct link *l) __attribute__((warn_unused_result));

#endif
