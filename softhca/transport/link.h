/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The emulated link: when a message leaves and arrives, and what happens to it. Each device of each
 * process has one, in the direction out of the process. A port of a node has one in each direction.
 * Only payload takes time on the link: 64 KiB messages at 10 Gbit/s carry 10 Gbit/s of payload.
 * Loss, reordering, duplication and jitter are random per message; the random numbers follow from
 * the seed, the ordinal of the QP and the number of the message on the QP. Acknowledgements and
 * responses have none of them.
 */
#ifndef LINK_H
#define LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hca.h"
#include "base/shm.h"
#include "config/settings.h"
#include "transport/remote.h"
#include "record/record.h"
#include "way/way.h"

enum link_outcome { LINK_LOST = 1, LINK_REORDERED = 2, LINK_DUPLICATED = 4 };

struct link_times {
	uint64_t begun_ns;   /* when the first byte leaves */
	uint64_t sent_ns;    /* when the last byte leaves */
	uint64_t arrives_ns; /* when the last byte arrives, without jitter */
	uint64_t paused_ps;  /* of struct link_transit */
};

/* Puts a message on the link, behind those that are on it. Times are of clock_now(). */
struct link_times link_send(struct shm_port *port, uint64_t now_ns, uint64_t len_bytes);
/* Of a message that was there at now_ns, for the record. */
static inline struct record_departure link_departure(uint64_t now_ns, uint32_t bytes,
						     const struct link_times *times)
{
	return (struct record_departure) {
		.queued_ns = now_ns, .begun_ns = times->begun_ns, .left_ns = times->sent_ns,
		.bytes = bytes,
	};
}

/* A message on its way: its last byte is at that hop at this time. */
struct link_transit {
	struct shm_port *from; /* the port that has sent it */
	const struct way *way;
	uint32_t hop;
	bool kept; /* it waits where others are dropped */
	uint64_t at_ns, len_bytes;
	/* pauses of what is before the hop, which at_ns has; set by link_pass() for the next hop */
	uint64_t paused_ps;
};

/* How long, by pauses since then, the message is not yet there. Adds them to paused_ps. */
uint64_t link_held_ns(const struct shm_turn *turn, uint64_t *paused_ps);
/* What the message has passed before the hop. */
const struct shm_turn *link_before(const struct link_transit *t);

/*
 * The hop receives the message behind those that it has not yet received, at the rate of its link,
 * while it comes: a hop that is free and as fast as those before it has the message when its last
 * byte is there. Returns when it is at the next hop, or has arrived; 0: at t->at_ns, and no other
 * message waits; LINK_DROPPED: the hop has no room for it. A hop that has none and pauses takes the
 * message, and holds back what is before it until there is room.
 *
 * Called when the message is there, and not before: what comes later and leaves earlier waits for
 * nothing that is still on its way.
 */
#define LINK_DROPPED UINT64_MAX
uint64_t link_pass(struct link_transit *t);
uint64_t link_delay_ns(const struct shm_port *port);
/* What happens to the message: bits of enum link_outcome, or 0. */
unsigned int link_outcome(const struct settings_dev *settings, uint32_t ordinal, uint32_t message);
/* Whether it is lost on its way, behind the port that sends it. */
bool link_loses(const struct way *way, const struct settings_dev *settings, uint32_t ordinal,
		uint32_t message);
/* A message of a QP. again: the QP had sent it before. */
struct link_message {
	unsigned int outcome;
	uint32_t bytes;
	bool again;
};

/* Adds it to the counters of the port that sends it. */
void link_count(struct shm_port *port, const struct link_message *m);
/* Adds it to those of the port of the QP that it arrives at. */
void link_count_arrival(const struct remote *to, uint64_t len_bytes);

static inline void link_add(struct shm_port *port, enum hca_counter what, uint64_t n)
{
	atomic_fetch_add_explicit(&port->count[what], n, memory_order_relaxed);
}

/* The port of a QP that has been found. */
static inline struct shm_port *link_port_of(const struct remote *r)
{
	return hca_port(r->peer->slot, r->s->dev, r->s->path.port);
}

/*
 * How much later the message arrives. exp: -m ln(1 - u), with the mean m and u uniform in [0, 1);
 * at most LINK_JITTER_MAX m. uniform: from 0 to the maximum.
 */
uint64_t link_jitter_ns(const struct settings_dev *settings, uint32_t ordinal, uint32_t message);
#define LINK_JITTER_MAX 37 /* u is at most 1 - 2^-53, and 53 ln 2 = 36.7 */
/* A message arrives completely, at this time: for the counters of the port. */
void link_arrives(struct shm_port *port, uint64_t arrives_ns);

#endif
