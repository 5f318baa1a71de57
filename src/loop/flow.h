/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The hot state of the measured loops: a flow is one QP, a worker is what one measuring thread works
 * on (its flows, their CQs, its counters). worker.c builds them, loops.h works on them, flow.c holds
 * what loops need around them: refill, credits, sleep, idle, stop, fail. No configuration is read
 * here.
 *
 * Numbering: requests of a flow are numbered from 0 (posted and done are such running indices);
 * request i uses ring slot i % ring_n. A completion's wr_id names flow and slot, so that one
 * completion says exactly how many requests are done, whatever the signal interval.
 *
 * Credits: a sender never has more messages under way than the receiver has receives posted. With
 * every refill the receiver sends a zero-length message whose immediate is the number of messages
 * (modulo 2^31) that the sender may have sent in all. Over UC and UD lost messages use up credit: a
 * receiver that has been idle for a while says so (FLOW_CREDIT_IDLE), and a sender that has been
 * without credit for resync_ns then knows that what is missing is lost, not under way.
 */
#ifndef FLOW_H
#define FLOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <infiniband/verbs.h>

#include "rdma/api.h"
#include "loop/sequence.h"
#include "util/histogram.h"
#include "config/kind.h"

#define FLOW_BATCH 32          /* completions taken per poll */
#define FLOW_SLOT_BITS 32
#define FLOW_CREDIT_ID (1ull << 63) /* in wr_id: a credit message, not a request */
#define FLOW_CREDIT_IDLE (1u << 31) /* in a credit message: nothing has come lately */
#define FLOW_CREDIT_WINDOW 8   /* credit messages in flight per QP */

/* What the controlling thread asks of the loop. */
enum flow_stop {
	FLOW_GO,
	FLOW_FINISH, /* stop posting and drain */
	FLOW_LEAVE   /* return at once */
};

enum flow_cq { FLOW_SCQ = 1, FLOW_RCQ = 2 };

/*
 * What a loop returned with besides 0 and -ECANCELED (FLOW_LEAVE); flow_failure says what it was.
 */
enum flow_what {
	FLOW_OK,
	FLOW_WC,        /* completion with error */
	FLOW_POST_SEND,
	FLOW_POST_RECV,
	FLOW_POLL,
	FLOW_LENGTH,    /* a message of another size than sent */
	FLOW_IMM,       /* immediate value wrong or out of order over RC */
	FLOW_ARM,
	FLOW_WAIT
};

struct flow_failure {
	enum flow_what what;
	int err;                /* errno of post, poll, arm, wait */
	bool rx;                /* on the receive side */
	uint32_t flow;          /* index of the QP */
	uint64_t message;       /* number of the message it was about, as far as known */
	struct ibv_wc wc;
	uint32_t expected;      /* length or immediate */
};

struct flow {
	/* requests */
	struct ibv_qp *qp;
	struct ibv_send_wr *ring; /* prebuilt, chained in lists of post_list, signalled by slot */
	struct ibv_send_wr *at, *ring_end; /* the next request's slot; one past the last */
	uint64_t posted, done;
	uint64_t limit;           /* min(bulk, done + depth, credit), when last looked at */
	uint64_t bulk;            /* up to here in whole lists; the rest by flow_tail() */
	uint64_t target;
	uint64_t credit;          /* posted may reach it; UINT64_MAX: no credits */
	uint32_t done_slot;       /* one past the slot of the last request done: 0..ring_n */
	uint32_t ring_n;
	uint32_t index;
	struct flow *next;        /* of the worker, circular: whose round is next in a ping-pong */
	bool listed;              /* on the worker's work list */
	bool starved;             /* off it for want of credit */

	/* receives */
	bool credit_owed;
	uint64_t taken;           /* receives consumed: by data and by credit messages */
	uint64_t refill_at;       /* the count of taken at which they are posted again */
	uint64_t reposted;        /* so many have been */
	struct ibv_recv_wr *rring; /* circular */
	uint32_t rslot, rring_n;
	uint32_t imm_next;        /* expected immediate */
	uint32_t credits_flying;
	uint64_t credits_taken;   /* credit messages among taken */
	uint64_t told;            /* flow_recvd() when the sender was last given credit */
	struct ibv_send_wr *credit_wr;
	uint64_t allowed;         /* by the receiver's count of what has reached it */
	uint64_t written_off;     /* messages known to be lost: they hold no receive */
	uint64_t starved_since_ns;
	uint64_t idle_allowed;    /* by the last idle credit heard since then */
	bool idle_heard;

	/*
	 * ping-pong: last byte of the payload, written by plain writes and by tags over UC and UD
	 */
	uint8_t *tx_flag;
	volatile uint8_t *rx_flag;
	uint32_t heard;           /* plain writes: the last value seen there */

	uint64_t duplicated, out_of_order;
	struct sequence *sequence;        /* UC and UD with immediates; owned */
} __attribute__((aligned(64)));

struct worker {
	/*
	 * ping-pong and probe: rounds to do in all; set to 0 by the controlling thread, ends them.
	 * Stands first because it is read in every round.
	 */
	_Atomic uint64_t rounds;

	/* fixed while the loop runs */
	struct flow *flows;
	uint32_t n_flows;
	struct ibv_cq *scq, *rcq;
	struct ibv_comp_channel *channel;
	api_post_fn *post, *post_credit; /* the posting and the polling API */
	api_poll_fn *poll_sent, *poll_came; /* of scq and of rcq */
	uint32_t depth, post_list, signal_interval;
	uint32_t quantum;         /* requests posted to one QP before the next has its turn */
	uint32_t recv_depth;      /* receives for data, per QP */
	uint32_t refill;          /* receives posted at a time */
	uint32_t recv_bytes;      /* what a completion of data must say: size + GRH */
	uint32_t credit_bytes;    /* a credit message: GRH only */
	bool sums;                /* the bytes of a batch of arrivals fit 32 bits */
	bool reliable;            /* RC: a message can be late, never lost */
	bool credits;
	bool sends;               /* stream: requests go out */
	bool tx_open;             /* both ways: the server waits for the first arrival */
	bool receives;            /* stream: messages of data come in */
	bool pingpong;            /* own completions are taken while waiting for the peer */
	bool answers;             /* ping-pong: the side that reacts */
	uint64_t resync_ns;       /* longer than anything can be under way */
	uint64_t quiet_ns;        /* nothing came for so long after the last post: lost */
	uint64_t loss_ns;         /* ping-pong over UC, UD: no answer for so long: lost */
	uint64_t spin_ns;         /* hybrid: empty polls for so long before it sleeps */
	/*
	 * ping-pong and probe: rounds of a QP between two looks at its queues, and in the first
	 * stretch, which is shorter so that the last of all is whole
	 */
	uint32_t tidy, tidy_first;
	int wake_fd;              /* readable when stop was set */
	int note_fd;              /* eventfd: the last request is done, the loop has ended */

	/* work list: flows with room, a circular array */
	struct flow **work;
	uint32_t work_head, work_n, work_mask;
	uint32_t unfinished;      /* flows whose done has not reached target */
	uint32_t starved;         /* flows that wait for credit */
	uint32_t owing;           /* flows whose credit message could not be sent yet */

	/* set by the controlling thread, read by the loop, relaxed: values, not orderings */
	_Atomic int stop;
	_Atomic uint64_t recv_target; /* messages to receive in all; UINT64_MAX not known yet */
	_Atomic bool peer_finished;   /* the peer posts nothing any more */
	/* set by the loop */
	_Atomic uint64_t progress;    /* grows with every batch: the loop is alive and moving */
	_Atomic uint64_t sent;        /* final number of requests done; UINT64_MAX until known */
	int stop_seen;

	/* counters */
	uint64_t recvd;
	uint64_t polls, empty_polls, events, spurious_events, credit_stalls, lost;
	uint64_t late;            /* ping-pong: answers passed over, of rounds that were lost */
	uint64_t rx_t0, rx_t1, tx_t0, tx_t1; /* ticks; 0 not yet */

	/* idle bookkeeping, CLOCK_MONOTONIC_RAW ns */
	uint64_t idle_recvd, idle_since_ns, idle_since_ticks, credit_sent_ns;
	uint64_t finished_ns, said_ns, began_ns;

	/* events */
	unsigned armed;           /* enum flow_cq bits */
	unsigned suspect;         /* of these, completions came without an event */
	bool ticked;              /* the last sleep ended without an event; what there was then: */
	uint64_t tick_progress, tick_recvd, tick_credits;
	uint64_t credits_taken;   /* polls that found credit messages */
	uint64_t lost_events;
	bool woken;               /* the next poll shows whether the event was spurious */
	uint64_t spin_from_ns;    /* hybrid: nothing found since; 0 not known */
	uint32_t unacked_s, unacked_r;

	struct histogram *histogram;        /* latency, in ticks; NULL without */
	struct flow_failure fail;
} __attribute__((aligned(64)));

/* wr_id has the flow's place in bytes, so that finding it takes no multiplication. */
static inline struct flow *flow_of(const struct worker *l, uint64_t wr_id)
{
	return (void *)((char *)l->flows + (wr_id >> FLOW_SLOT_BITS));
}

/* The same for what may be a credit message. */
static inline struct flow *flow_of_any(const struct worker *l, uint64_t wr_id)
{
	return flow_of(l, wr_id & ~FLOW_CREDIT_ID);
}

static inline uint64_t flow_wr_id(uint32_t flow, uint32_t slot)
{
	return (uint64_t)(flow * sizeof(struct flow)) << FLOW_SLOT_BITS | slot;
}

/* Messages of data. */
static inline uint64_t flow_recvd(const struct flow *f)
{
	return f->taken - f->credits_taken;
}

static inline void flow_advance(struct flow *f, uint32_t n, bool wraps)
{
	f->at += n;
	if (wraps && f->at == f->ring_end)
		f->at = f->ring;
}

/* Takes the completion of request wr_id, and of all before it, into done. */
static inline void flow_retire(struct flow *f, uint64_t wr_id)
{
	uint32_t next = (uint32_t)wr_id + 1, n = next - f->done_slot;

	if (next <= f->done_slot)
		n += f->ring_n;
	f->done += n;
	f->done_slot = next;
}

static inline void flow_set_limit(struct flow *f, uint32_t depth)
{
	uint64_t limit = f->done + depth;

	if (limit > f->bulk)
		limit = f->bulk;
	if (limit > f->credit)
		limit = f->credit;
	f->limit = limit;
}

/* Of the message that the receive in this slot took. */
static inline uint8_t flow_last_byte(const struct worker *l, const struct flow *f, uint32_t slot)
{
	return *(const uint8_t *)(f->rring[slot].sg_list->addr + l->recv_bytes - 1);
}

/* Puts a flow on the work list; it has room for one list at least and is not on it. */
static inline void flow_list(struct worker *l, struct flow *f)
{
	f->listed = true;
	l->work[(l->work_head + l->work_n++) & l->work_mask] = f;
}

/* Where the stretch ends that begins after so many rounds. */
static inline uint64_t flow_stretch(const struct worker *l, uint64_t done)
{
	const uint64_t end = done + (uint64_t)(done ? l->tidy : l->tidy_first) * l->n_flows;
	const uint64_t rounds = atomic_load_explicit(&l->rounds, memory_order_relaxed);

	/* told to end meanwhile (0), it is the last one and whole */
	return rounds < end && rounds ? rounds : end;
}

static inline bool flow_stop_changed(const struct worker *l)
{
	return atomic_load_explicit(&l->stop, memory_order_relaxed) != l->stop_seen;
}

static inline bool flow_rx_open(const struct worker *l)
{
	return l->recvd < atomic_load_explicit(&l->recv_target, memory_order_relaxed);
}

/*
 * Takes a flow that is off the list for want of credit to those that wait for it; one that has
 * posted its last, all credit used up, waits for nothing.
 */
static inline void flow_starve(struct worker *l, struct flow *f)
{
	if (f->posted >= f->target)
		return;
	l->starved += !f->starved;
	f->starved = true;
}

#define FLOW_COLD __attribute__((cold, noinline, warn_unused_result))

/* All below: 0, or negative to be returned by the loop at once. */

/* Failures: record, return -EIO. */
FLOW_COLD int flow_fail(struct worker *l, enum flow_what what, int err, uint32_t flow);
FLOW_COLD int flow_wc_failed(struct worker *l, const struct ibv_wc *wc, int n, enum flow_cq cq);
FLOW_COLD int flow_post_failed(struct worker *l, const struct flow *f, int err);
FLOW_COLD int flow_poll_failed(struct worker *l, int rc, enum flow_cq cq);

/* The stop word changed: -ECANCELED to leave, else the targets are where they are to end. */
FLOW_COLD int flow_stopped(struct worker *l);

/* Requests that do not fill a list, and the last one, signalled. As many as there is room for. */
FLOW_COLD int flow_tail(struct worker *l, struct flow *f);

/* Both ways: posting begins; stamps tx_t0 the first time. */
__attribute__((cold, noinline)) void flow_tx_open(struct worker *l);

/* The last request is done: stamps tx_t1, tells the controlling thread. */
__attribute__((cold, noinline)) void flow_tx_finished(struct worker *l);

/* An immediate other than expected: accounts for it over UC and UD, fails over RC. */
FLOW_COLD int flow_imm(struct worker *l, struct flow *f, const struct ibv_wc *wc);

/* Nothing to do for a while (called every so many empty polls, or after each sleep). */
FLOW_COLD int flow_idle(struct worker *l);

/*
 * Ping-pong and probe, while waiting for the answer: -EAGAIN when it counts as lost, -ESHUTDOWN
 * when a responder is to finish.
 */
FLOW_COLD int flow_wait(struct worker *l);

/* Takes completions of requests; blocks until at most so many of the flow are in flight. */
__attribute__((noinline, warn_unused_result)) int flow_reap(struct worker *l, struct flow *f,
							     uint32_t in_flight);

/*
 * Between two stretches of a ping-pong: begins the rings anew, posts receives again, takes own
 * completions.
 */
__attribute__((noinline, warn_unused_result)) int flow_tidy(struct worker *l);

/* Between two stretches of a probe: begins the rings anew. */
__attribute__((noinline)) void flow_rewind(struct worker *l);

/* The rounds are over: -ECANCELED when that was because of FLOW_LEAVE. */
FLOW_COLD int flow_ended(struct worker *l);

/* Hybrid mode, after many empty polls: as flow_sleep() once nothing has come for spin_ns. */
FLOW_COLD int flow_spin(struct worker *l, unsigned cqs);

/*
 * Event mode, after an empty poll: the first call arms and returns (poll again: a completion may
 * have come before), the second sleeps until an event, the wake-up of the controlling thread, or a
 * tick.
 */
FLOW_COLD int flow_sleep(struct worker *l, unsigned cqs);

/* Acknowledges every event taken; before the CQs are destroyed. */
void flow_ack_all(struct worker *l);

#endif
