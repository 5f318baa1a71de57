/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The emulated link; see link.h. Called by the requester. */
#include "config.h"
#include "transport/link.h"

#include <math.h>

#include "base/hca.h"

#define PS_PER_NS 1000u

/*
 * When work can begin that is there at t, on a link that stands still at the start of each period.
 * The port may be one of a peer, so its numbers are not trusted.
 */
static uint64_t begin(const struct shm_port *port, uint64_t t)
{
	const uint64_t stall = port->stall_ps, period = port->period_ps;

	if (!stall || stall >= period || t % period >= stall)
		return t;
	return t + stall - t % period;
}

/* End of work ps of work that begins at t, which is of begin(). */
static uint64_t finish(const struct shm_port *port, uint64_t t, uint64_t work)
{
	const uint64_t stall = port->stall_ps, period = port->period_ps;
	uint64_t into, full;

	if (!stall || stall >= period)
		return t + work;
	into = t % period;
	if (work <= period - into)
		return t + work;
	work -= period - into;
	t += period - into + stall;
	full = (work - 1) / (period - stall); /* whole periods before the one in which it ends */
	return t + full * period + (work - full * (period - stall));
}

static void add(_Atomic uint64_t *sum, uint64_t n)
{
	atomic_fetch_add_explicit(sum, n, memory_order_relaxed);
}

static void raise_to(_Atomic uint64_t *max, uint64_t n)
{
	uint64_t was = atomic_load_explicit(max, memory_order_relaxed);

	while (was < n && !atomic_compare_exchange_weak(max, &was, n))
		continue;
}

/* 0 is no time. */
static void lower_to(_Atomic uint64_t *min, uint64_t n)
{
	uint64_t was = atomic_load_explicit(min, memory_order_relaxed);

	while ((!was || was > n) && !atomic_compare_exchange_weak(min, &was, n))
		continue;
}

static void departs(struct shm_link_counts *c, uint64_t begun, uint64_t end, uint64_t waited)
{
	add(&c->messages, 1);
	add(&c->wait_ps, waited);
	raise_to(&c->wait_max_ps, waited);
	lower_to(&c->departed_first_ps, begun);
	raise_to(&c->departed_last_ps, end);
}

void link_arrives(struct shm_port *port, uint64_t arrives_ns)
{
	lower_to(&port->link.arrived_first_ns, arrives_ns);
	raise_to(&port->link.arrived_last_ns, arrives_ns);
}

static uint64_t work_ps(const struct shm_port *port, uint64_t len_bytes)
{
	return (uint64_t)((unsigned __int128)port->fs_per_byte * len_bytes / 1000);
}

static uint64_t to_ns(uint64_t ps)
{
	return hca.origin_ns + (ps + PS_PER_NS - 1) / PS_PER_NS;
}

/* Puts a message behind those that are there; the times of its first and of its last byte. */
struct slot {
	uint64_t begun, end, paused, free; /* free: end of the one before it */
};

static uint64_t to_ps(uint64_t ns)
{
	return (ns - hca.origin_ns) * PS_PER_NS;
}

/* The slot of a message that is there at first, after that last message. */
static struct slot behind(const struct shm_port *port, const struct slot *last, uint64_t first,
			  uint64_t work)
{
	struct slot s = { .paused = last->paused, .free = last->free };

	s.begun = begin(port, s.free > first ? s.free : first);
	s.end = finish(port, s.begun, work);
	return s;
}

static struct slot last_of(struct shm_turn *turn)
{
	struct slot s = { .paused = atomic_load(&turn->paused_ps) };

	s.free = atomic_load_explicit(&turn->free_ps, memory_order_relaxed) + s.paused;
	return s;
}

/* False, with a new *last: another message was faster. */
static bool take(struct shm_turn *turn, struct slot *last, const struct slot *s)
{
	uint64_t free = last->free - last->paused;

	if (atomic_compare_exchange_weak(&turn->free_ps, &free, s->end - s->paused))
		return true;
	*last = last_of(turn);
	return false;
}

struct link_times link_send(struct shm_port *port, uint64_t now_ns, uint64_t len_bytes)
{
	const uint64_t now = to_ps(now_ns), work = work_ps(port, len_bytes);
	struct slot last = last_of(&port->turn), s;

	do {
		s = behind(port, &last, now, work);
	} while (!take(&port->turn, &last, &s));
	departs(&port->link, s.begun, s.end, s.begun - now);
	add(&port->link.bytes, len_bytes);
	add(&port->link.busy_ps, work);
	return (struct link_times) {
		.begun_ns = hca.origin_ns + s.begun / PS_PER_NS,
		.sent_ns = to_ns(s.end),
		.arrives_ns = to_ns(s.end + port->delay_ps),
		.paused_ps = s.paused,
	};
}

/* ---- what is behind the port that sends */

static struct shm_port *port_before(const struct link_transit *t)
{
	return t->hop ? t->way->hop[t->hop - 1] : t->from;
}

const struct shm_turn *link_before(const struct link_transit *t)
{
	return t->hop ? &port_before(t)->received.turn : &t->from->turn;
}

uint64_t link_held_ns(const struct shm_turn *turn, uint64_t *paused_ps)
{
	const uint64_t was = *paused_ps;

	*paused_ps = atomic_load(&turn->paused_ps);
	return (*paused_ps - was) / PS_PER_NS;
}

/* What is before the hop sends nothing until then. */
static void hold_before(const struct link_transit *t, uint64_t until)
{
	struct shm_port *port = port_before(t);
	struct shm_turn *turn = t->hop ? &port->received.turn : &port->turn;
	const uint64_t now = to_ps(t->at_ns), paused = atomic_load(&turn->paused_ps);
	uint64_t was = atomic_load(&turn->paused_until_ps), from, free;

	until += PS_PER_NS - 1 - (until + PS_PER_NS - 1) % PS_PER_NS;
	do {
		from = was > now ? was : now;
		if (until <= from)
			return;
	} while (!atomic_compare_exchange_weak(&turn->paused_until_ps, &was, until));
	free = atomic_load(&turn->free_ps);
	while (free + paused < now &&
	       !atomic_compare_exchange_weak(&turn->free_ps, &free, now - paused))
		continue;
	atomic_fetch_add(&turn->paused_ps, until - from);
	link_add(port, HCA_PAUSES, from == now);
	link_add(port, HCA_PAUSED_NS, (until - from) / PS_PER_NS);
}

/* The time was rounded up: the message may have been there almost 1 ns before. */
static uint64_t earliest_ps(uint64_t at_ns)
{
	return to_ps(at_ns) - (PS_PER_NS - 1);
}

/* How long the message needs at the slowest of those that it has passed. */
static uint64_t slowest_ps(const struct link_transit *t)
{
	uint64_t work = work_ps(t->from, t->len_bytes);

	for (uint32_t i = 0; i < t->hop; i++) {
		const uint64_t other = work_ps(t->way->hop[i], t->len_bytes);

		work = other > work ? other : work;
	}
	return work;
}

/*
 * How much longer than the buffer needs from full to empty a message waits whose last byte is
 * there, if the hop is not paused; 0: there is room.
 */
static uint64_t beyond_ps(const struct link_transit *t, const struct slot *s)
{
	const struct shm_port *port = t->way->hop[t->hop];
	const uint64_t now = to_ps(t->at_ns), room = work_ps(port, port->buffer_bytes);
	const uint64_t until = atomic_load(&port->received.turn.paused_until_ps);
	const uint64_t from = until > now ? until : now;

	return port->buffer_bytes && s->end > from + room ? s->end - room - from : 0;
}

static void count_received(struct shm_received *r, const struct slot *s, uint64_t first)
{
	add(&r->messages, 1);
	add(&r->wait_ps, s->begun - first);
	raise_to(&r->wait_max_ps, s->begun - first);
}

static uint64_t drop(const struct link_transit *t)
{
	link_add(t->way->hop[t->hop], HCA_DISCARDS, 1);
	add(&t->from->link.dropped, 1);
	return LINK_DROPPED;
}

uint64_t link_pass(struct link_transit *t)
{
	struct shm_port *port = t->way->hop[t->hop];
	struct shm_received *r = &port->received;
	const uint64_t work = work_ps(port, t->len_bytes), before = slowest_ps(t);
	const uint64_t first = earliest_ps(t->at_ns) - (before < work ? before : work);
	const uint64_t delay = t->way->has_delay ? port->delay_ps : 0;
	struct slot last = last_of(&r->turn), s;
	uint64_t beyond;

	t->paused_ps = last.paused;
	if (!port->fs_per_byte)
		return delay ? t->at_ns + delay / PS_PER_NS : 0;
	do {
		s = behind(port, &last, first, work);
		beyond = t->len_bytes ? beyond_ps(t, &s) : 0;
		if (beyond && !port->pauses && !t->kept)
			return drop(t);
	} while (!take(&r->turn, &last, &s));
	t->paused_ps = s.paused;
	if (beyond && port->pauses)
		hold_before(t, s.end - work_ps(port, port->buffer_bytes));
	count_received(r, &s, first);
	add(&r->bytes, t->len_bytes);
	add(&r->busy_ps, work);
	if (to_ns(s.end) <= t->at_ns && to_ns(s.free) < t->at_ns && !delay)
		return 0;
	return to_ns(s.end) + delay / PS_PER_NS;
}

uint64_t link_delay_ns(const struct shm_port *port)
{
	return port->delay_ps / PS_PER_NS;
}

/* splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014 */
static uint64_t mix(uint64_t z)
{
	z += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

unsigned int link_outcome(const struct settings_dev *settings, uint32_t ordinal, uint32_t message)
{
	uint64_t z = mix(mix(settings->seed) ^ ((uint64_t)ordinal << 32 | message));
	unsigned int outcome = 0;

	if ((uint32_t)z < settings->loss)
		return LINK_LOST;
	z = mix(z);
	if ((uint32_t)z < settings->reorder)
		outcome |= LINK_REORDERED;
	if ((uint32_t)(z >> 32) < settings->duplicate)
		outcome |= LINK_DUPLICATED;
	return outcome;
}

bool link_loses(const struct way *way, const struct settings_dev *settings, uint32_t ordinal,
		uint32_t message)
{
	const uint64_t z = mix(mix(~settings->seed) ^ ((uint64_t)ordinal << 32 | message));

	return way->cut || (uint32_t)z < way->loss;
}

uint64_t link_jitter_ns(const struct settings_dev *settings, uint32_t ordinal, uint32_t message)
{
	const uint64_t z = mix(mix(mix(settings->seed)) ^ ((uint64_t)ordinal << 32 | message));
	const double u = (double)(z >> 11) * 0x1p-53, ns = (double)settings->jitter_ns;

	if (!settings->jitter_ns)
		return 0;
	return (uint64_t)(settings->jitter == SETTINGS_JITTER_EXP ? -ns * log1p(-u) : ns * u);
}

void link_count(struct shm_port *port, const struct link_message *m)
{
	const unsigned int outcome = m->outcome;

	link_add(port, HCA_SENT, 1);
	link_add(port, HCA_SENT_BYTES, m->bytes);
	add(&port->link.sent, 1);
	add(&port->link.retries, m->again);
	if (outcome & LINK_LOST)
		add(&port->link.lost, 1);
	if (outcome & LINK_DUPLICATED)
		add(&port->link.duplicated, 1);
	if (outcome & LINK_REORDERED)
		add(&port->link.reordered, 1);
}

void link_count_arrival(const struct remote *to, uint64_t len_bytes)
{
	struct shm_port *port = link_port_of(to);

	link_add(port, HCA_RECEIVED, 1);
	link_add(port, HCA_RECEIVED_BYTES, len_bytes);
}
