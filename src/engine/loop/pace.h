/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Open loop: the times at which messages are due, and what is measured against them. A time does
 * not depend on answers: what cannot be posted when it is due is posted as soon as it can be, and
 * its response time is counted from the time that it was due. So a stall is seen by all messages
 * that it holds up, not by one (coordinated omission: Gil Tene, "How NOT to Measure Latency").
 *
 *   response  from the time that a message was due to the look that saw it done
 *   service   from its post to the same look
 *   late      from due to posted, where a request could have been posted when it was due: what the
 *             loop itself adds
 *
 * Times are ticks (clock_ticks()). Only the inline functions are in the path of a message.
 */
#ifndef PACE_H
#define PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/clock.h"
#include "util/histogram.h"

#define PACE_BITS 12                 /* fraction of a tick in gaps: their mean does not drift */
#define PACE_BINS_BITS 12
#define PACE_BINS (1u << PACE_BINS_BITS)
#define PACE_LEAD_NS 20000           /* from the start of a loop to the first message */

/* A series of messages: the next one. */
struct pace_series {
	uint64_t due;
	uint64_t since;           /* the same from the start, in 1/4096 ticks; 17 days at 3 GHz */
	uint64_t random;          /* state of the generator */
	uint64_t count;           /* messages before this one */
};

/* Of a request under way, by the slot of its ring. */
struct pace_stamp {
	uint64_t due, posted;
};

struct pace {
	struct pace_series next;  /* the message that is posted next */
	uint64_t start;           /* 0: not yet */
	uint64_t gap;             /* fixed, in 1/4096 ticks */
	uint64_t *gaps;           /* exponential: PACE_BINS of them; NULL: fixed; owned */
	uint64_t full_at;         /* until then no request could be posted */
	uint64_t in_time;         /* when the last message was due that could be posted at once */

	uint64_t now;             /* streams: the last look at the clock */

	struct pace_series due;   /* the first that is not due; its due is not kept */
	uint64_t total;           /* messages in all; UINT64_MAX: until the loop is stopped */
	uint64_t backlog_max;     /* messages that were due and not posted, the most at a time */
	uint64_t backlog_end;     /* when the last message was due */
	uint64_t end;             /* ticks: when that was; 0: not yet */
	double ns_per_tick;
	struct pace_stamp *stamps; /* of all queues: send_queue.stamps; NULL: latency; owned */

	struct histogram service, response, late; /* only their buckets: histogram_settle() */
};

/* What a pace is made of. */
struct pace_spec {
	double gap_ns;            /* the mean, above 0 */
	double ns_per_tick;
	double first;             /* gaps before the first message: 0 to 1 */
	bool poisson;
	uint64_t seed;
	uint64_t total;           /* messages; UINT64_MAX: until the loop is stopped */
};

/*
 * Everything but start, stamps and next.due: pace_start(). Empties the histograms. gaps is kept
 * from one call to the next. -ENOMEM with an error message.
 */
int pace_open(struct pace *p, const struct pace_spec *spec) __attribute__((warn_unused_result));

/* Frees what a pace owns; accepts a zeroed one. */
void pace_close(struct pace *p);

/*
 * The mean of bin i of n of the exponential distribution with mean 1, cut at its quantiles i/n and
 * (i+1)/n: n times the integral of -ln v over (1-(i+1)/n, 1-i/n). Their mean is 1.
 */
double pace_bin_mean(uint32_t i, uint32_t n);

/* The loop begins: sets start and the first time. Nothing if it has begun. */
void pace_start(struct pace *p);

/* Messages are due that cannot be posted: counts them. */
__attribute__((cold, noinline)) void pace_behind(struct pace *p, uint64_t now);

/* Nothing is due any more: the loop was stopped, or is over. Only the first call has an effect. */
__attribute__((cold, noinline)) void pace_stop(struct pace *p);

/* Messages that were due, and those of them that were not posted. After the loop. */
uint64_t pace_intended(const struct pace *p);
uint64_t pace_unsent(const struct pace *p);

/*
 * Could the messages not be carried at this rate? When the last one was due, more than 1 % of them
 * and more than slots were not posted, and in the last quarter of the time none could be posted
 * when it was due. After the loop.
 */
bool pace_is_saturated(const struct pace *p, uint64_t slots);

/*
 * A gap, in 1/4096 ticks. Exponential ones: xorshift64* (Vigna, "An experimental exploration of
 * Marsaglia's xorshift generators, scrambled", 2016) chooses one of equally likely bins, and the
 * gap is the mean of its bin: the mean is exact, the variance 0.05 % too small.
 */
static inline __attribute__((always_inline)) uint64_t pace_gap(const struct pace *p,
								uint64_t *random)
{
	uint64_t x = *random;

	if (__builtin_expect(!p->gaps, 1))
		return p->gap;
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*random = x;
	return p->gaps[(x * UINT64_C(0x2545f4914f6cdd1d)) >> (64 - PACE_BINS_BITS)];
}

/* The time of the next message; the caller counts it. */
static inline __attribute__((always_inline)) void pace_step(const struct pace *p,
							     struct pace_series *s)
{
	s->since += pace_gap(p, &s->random);
	s->due = p->start + (s->since >> PACE_BITS);
}

/* The next message, which could be posted when it was due, is posted now. */
static inline __attribute__((always_inline)) void pace_post(struct pace *p, uint64_t now)
{
	p->in_time = p->next.due;
	histogram_count_value(&p->late, now - p->next.due);
}

/* A message is done. */
static inline __attribute__((always_inline)) void pace_done(struct pace *p, uint64_t due,
							     uint64_t posted, uint64_t now)
{
	histogram_count_value(&p->response, now - due);
	histogram_count_value(&p->service, now - posted);
}

#endif
