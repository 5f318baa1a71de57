/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room loop: the measured loops and their state. It knows no options, no threads and no rows, and
 * prints nothing.
 *
 * This header: the state of the loops. A worker is one measuring thread with its CQs and counters.
 * The work of a QP has three parts, each a struct:
 *
 *   send_queue  what one QP sends: the ring of prebuilt requests, how many are posted and done
 *   recv_queue  where messages arrive: the ring of prebuilt receives, how many are used
 *   peer        one sender and receiver on the other side: its address, its credit, the numbers
 *               of its messages
 *
 * QP i has send queue i, receive queue i and peer i of its worker, unless a receive queue is shared
 * (struct worker_share):
 *   - QPs with a shared receive queue (SRQ): all peers use receive queue 0. A completion identifies
 *     the peer by its qp_num.
 *   - one UD QP with several peers: all peers use receive queue 0, and all send queues use the same
 *     QP. A completion identifies the peer by its src_qp.
 * Then recv_queue.peer is NULL.
 *
 * wr_id: the high half is the byte offset of the struct in its array, which saves a multiplication;
 * the low half is the slot of the ring. Requests refer to a send queue, receives to a receive
 * queue, and credit messages (STATE_CREDIT_ID) to a peer. Receives of a shared queue hold their
 * address instead.
 *
 * worker/worker.c builds all of it.
 */
#ifndef STATE_H
#define STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <infiniband/verbs.h>

#include "loop/kept.h"
#include "loop/pace.h"
#include "options/kind.h"
#include "verbs/api.h"
#include "util/histogram.h"
#include "util/sequence.h"

#define STATE_BATCH 32                /* completions taken per poll */
#define STATE_SLOT_BITS 32
#define STATE_CREDIT_ID (1ull << 63)  /* in wr_id: a credit message, not a request */
#define STATE_ALIGN 64                /* a cache line */
#define STATE_LINE __attribute__((aligned(STATE_ALIGN)))
/* functions that the loops call outside the per-message path: often, and rarely */
#define STATE_CALL __attribute__((noinline, warn_unused_result))
#define STATE_COLD __attribute__((cold, noinline, warn_unused_result))

/* Requests of the controlling thread to the loop. */
enum state_stop {
	STATE_OPENS = -1, /* not a request, but seen before any: a window by time is to open */
	STATE_GO,
	STATE_FINISH, /* stop posting and drain */
	STATE_LEAVE   /* return at once */
};

/*
 * The API by which a stream posts its requests: ibv_post_send(); or ibv_wr_*, with one request of
 * one SGE per list, several requests, or several SGEs.
 */
enum state_post { STATE_POST_SEND, STATE_WR_ONE, STATE_WR_LIST, STATE_WR_SGES };

/* The reason why a loop stopped: state_fail(). */
enum fail_what {
	FAIL_NONE,
	FAIL_WC,         /* a completion with an error */
	FAIL_POST_SEND,
	FAIL_POST_RECV,
	FAIL_POLL,
	FAIL_LENGTH,     /* a message whose length differs from the length sent */
	FAIL_IMM,        /* over RC: a wrong immediate, or one out of order */
	FAIL_ARM,
	FAIL_WAIT,
	FAIL_SRQ_LIMIT,  /* the limit of an SRQ could not be set again */
	FAIL_UNKNOWN    /* a message from a QP that is no peer */
};

/* One of the two completion queues; the values are bits of a set. */
enum fail_cq { FAIL_SCQ = 1, FAIL_RCQ = 2 };

struct failure {
	enum fail_what what;
	int err;           /* errno of a post, poll, arm or wait */
	bool rx;           /* on the receive side */
	uint32_t qp;       /* index of the QP in its worker */
	uint64_t message;  /* number of the message, if known */
	struct ibv_wc wc;
	uint32_t expected; /* length or immediate */
};

struct peer;

/*
 * Requests are numbered from 0; request i is in slot i % slots of the ring, plus an offset
 * (ring_first()). A completion identifies its slot, so that one completion gives the exact number
 * of requests done, with any signal interval.
 */
struct send_queue {
	struct ibv_qp *qp;
	struct ibv_send_wr *at;   /* the slot of the next request */
	struct ibv_send_wr *ring, *ring_end; /* in lists of post_list; owned */
	uint64_t posted, done;
	uint64_t whole;           /* up to here in whole lists; send_tail() posts the rest */
	uint64_t credit;          /* upper limit of posted; UINT64_MAX: no credits */

	uint64_t target;          /* total number of requests; UINT64_MAX: until STATE_FINISH */
	uint32_t done_slot;       /* one past the slot of the last request done: 0..slots */
	uint32_t slots;
	uint32_t index;           /* of the QP in its worker */
	bool listed;              /* on the worker's work list */
	bool starved;             /* not on it for lack of credit */
	struct peer *peer;
	struct send_queue *next;  /* latency: the QP of the next round, circular */
	uint8_t *mark;            /* last byte of the payload: a tag (plan_marks_payload()) */
	struct pace_stamp *stamps; /* open loop: of its slots; borrowed of struct pace */
} STATE_LINE;

struct recv_queue {
	union {                   /* where receives are posted */
		struct ibv_qp *qp;
		struct ibv_srq *srq; /* has_srq */
	};
	struct ibv_recv_wr *ring; /* circular; owned */
	uint64_t taken;           /* receives consumed, by data and by credit messages */
	uint64_t refill_at;       /* the value of taken at which they are posted again */
	uint64_t reposted;        /* receives posted again */
	uint32_t slot, slots;     /* the next slot to post again */
	uint32_t index;
	bool has_srq;             /* XRC, or shared by --srq */
	struct peer *peer;
} STATE_LINE;

struct peer {
	struct send_queue *sq;    /* messages to it */
	struct recv_queue *rq;    /* messages from it; credit messages too */
	uint64_t received;        /* messages of data from it, plus credit_left */
	uint32_t number;          /* expected immediate of the next one */
	uint32_t qpn;             /* shared receives: its key in a completion */
	volatile uint8_t *mark;   /* plain writes: the last byte that it writes */
	struct sequence *sequence; /* UC and UD with immediates: numbers skipped; owned */
	uint64_t duplicated, out_of_order;

	/* credit granted to it: calls.h */
	struct ibv_send_wr *credit_wr; /* owned */
	uint64_t credited;        /* the value of received when it last got credit */
	uint64_t credit_left;     /* shared receives: messages until it gets credit again */
	uint32_t credits_flying;  /* credit messages in flight */
	bool credit_owed;         /* a credit message is due that could not be sent */
	bool idle_known;
	uint8_t seen;             /* plain writes over UC: the last value of *mark */

	/* credit received from it */
	uint64_t allowed;         /* messages that it allows, counted by its arrivals */
	uint64_t written_off;     /* messages known to be lost: they use no receive */
	uint64_t starved_since_ns;
	uint64_t idle_allowed;    /* idle_known: allowed, in the last idle credit message */
} STATE_LINE;

/* Written by the controlling thread, read by the loop; relaxed: single values, no ordering. */
struct worker_control {
	_Atomic uint64_t rounds;      /* latency: total number of rounds; 0 ends them */
	_Atomic uint64_t recv_target; /* messages to receive in total; UINT64_MAX: unknown yet */
	_Atomic int stop;             /* enum state_stop */
	_Atomic bool peer_finished;   /* the peer will post nothing more */
} STATE_LINE;

/* Constant while the loop runs. */
struct worker_fixed {
	struct send_queue *sqs;
	struct recv_queue *rqs;
	struct peer *peers;
	struct ibv_cq *scq, *rcq;
	api_post_fn *post;
	api_poll_fn *poll_sent, *poll_came; /* of scq and of rcq */
	uint32_t n_qps;           /* send queues, receive queues and peers: see above */
	uint32_t depth, post_list, signal_interval;
	uint32_t group;           /* the larger of the last two: a ring has whole groups */
	uint32_t quantum;         /* requests posted to one QP before the next QP is served */
	uint32_t recv_depth;      /* receives for data, per QP */
	uint32_t refill;          /* receives posted at a time */
	uint32_t recv_bytes;      /* byte_len of a data completion: size + GRH */
	uint64_t recv_last;       /* last byte of payload, from the start of a receive buffer */
	uint32_t credit_bytes;    /* of a credit message: GRH only */
	uint32_t batch;           /* latency: rounds of a QP in a batch */
	enum state_post post_by;  /* streams */
	uint32_t idle_mask;       /* idle_wait() when none of these bits is set in empty_polls */
	enum completion cm;       /* of idle_wait() */
	uint32_t solicited;       /* messages per solicited one; 0: every message raises an event */
	bool sums;                /* the sum of bytes of a batch of arrivals fits 32 bits */
	bool reliable;            /* RC: messages can be late but not lost */
	bool credits;
	bool counted;             /* credit messages have no number: each stands for one refill */
	bool sends;               /* stream: requests are sent */
	bool receives;            /* stream: data messages are received */
	bool timed;               /* stream: it sends until it is stopped; its window is cut */
	bool pingpong;            /* own completions are polled while waiting for the peer */
	bool answers;             /* ping-pong: the side that replies */
	uint64_t rounds, first_rounds; /* of all QPs per batch; in the first, shorter batch */
	struct ibv_comp_channel *channel;
	api_post_fn *post_credit;
	uint64_t resync_ns;       /* longer than any message can be in flight */
	uint64_t quiet_ns;        /* no arrival for this long after the last post: lost */
	uint64_t loss_ns;         /* ping-pong over UC, UD: no reply for this long: lost */
	uint64_t gap_ns;          /* latency: pause before each batch; 0: none */
	uint64_t spin_ns;         /* hybrid: time of empty polls before it sleeps */
	int wake_fd;              /* readable when stop is set */
	int note_fd;              /* eventfd: the last request is done, or the loop has ended */
} STATE_LINE;

/* A moment in the loop. */
struct state_mark {
	uint64_t ticks, ns; /* ns: CLOCK_MONOTONIC_RAW */
	uint64_t done;      /* requests of all queues */
};

/*
 * The window of sending by time: it opens just before the first completion, which is not counted in
 * it, and closes with the first one after the stop. So neither the time until the first message is
 * done is in it, nor that in which the queues become empty. Counts are requests done of all queues;
 * UINT64_MAX: not yet.
 */
struct state_cut {
	uint64_t base;            /* before the point */
	uint64_t open, stop, close;
	uint64_t progress;        /* at the last look */
	uint64_t done;            /* at the last look */
	struct state_mark turn;   /* before the last poll */
	struct state_mark empty;  /* before the last poll that found nothing; ns 0: none did */
	struct state_mark spare;  /* the least blurred edge so far; ns 0: none */
	uint64_t spare_blur_ns;
	uint64_t first_done;      /* of queue 0, at the last look */
	uint64_t first_filled;    /* value of first_done from which edges are good ones */
	uint32_t tries;
};

/* Written only by the loop. The controlling thread reads progress and sent meanwhile. */
struct worker_live {
	_Atomic uint64_t progress; /* grows with every batch: the loop makes progress */
	_Atomic uint64_t sent;     /* final number of requests done; UINT64_MAX until known */
	/* work list: send queues that can post, a circular array */
	struct send_queue **work;
	uint32_t work_head, work_n, work_mask;
	uint32_t unfinished;      /* send queues whose done has not reached target */
	uint32_t starved;         /* send queues that wait for credit */
	uint32_t owing;           /* peers whose credit message could not be sent yet */
	int stop_seen;
	bool tx_open;             /* both ways: the server waits for the first arrival */

	uint64_t received;        /* messages of data */
	uint64_t polls, empty_polls;
	uint64_t credit_stalls, lost;
	uint64_t late;            /* ping-pong: replies skipped because their round was lost */
	/* received at rx_t0; UINT64_MAX: every poll for arrivals has found something so far */
	uint64_t rx_before;
	uint64_t rx_none;         /* ticks, after the last poll without an arrival; 0: none yet */
	uint64_t rx_t0, rx_t1, tx_t0, tx_t1; /* ticks; 0: not yet */
	struct state_cut cut;
} STATE_LINE;

/* A receive queue shared by several peers: shared.h. */
struct worker_share {
	struct peer **table;      /* by QP number, with open addressing; owned */
	uint32_t mask;            /* of the table */
	enum sharing sharing;     /* what is shared; SHARING_NONE: the other fields are unused */
	struct ibv_recv_wr *tail; /* the last of the chain */
	struct ibv_recv_wr chain; /* head of the chain of receives that are not posted */
	uint32_t spare;           /* number that stays in the chain: buffers beyond receives */
	uint32_t limit;           /* receives left when the SRQ raises an event; 0: none */
	const _Atomic uint64_t *limit_events; /* raised so far */
	uint64_t limits_seen;
} STATE_LINE;

/* For idle.c; CLOCK_MONOTONIC_RAW in ns, 0: not yet. */
struct worker_idle {
	uint64_t received;        /* at the last check */
	uint64_t since_ns, since_ticks; /* no arrival since then */
	uint64_t credit_sent_ns, finished_ns, began_ns;
	uint64_t posted_ns;       /* ping-pong over UC, UD: the wait for an answer began */
	uint64_t spin_from_ns;    /* hybrid: no completion found since then */
	uint64_t spin_found;      /* value of found_so_far() at spin_from_ns */
};

/* For idle.c: sleeping until an event. Sets of queues are bits of enum fail_cq. */
struct worker_events {
	uint64_t taken, spurious, lost;
	unsigned armed;
	unsigned suspect;         /* subset on which completions came without an event */
	unsigned woken;           /* the next poll shows whether their event was spurious */
	uint64_t woken_found;     /* value of found_so_far() at the event */
	unsigned doubted;         /* their event counts as lost, and may be late */
	uint64_t doubted_found;   /* value of found_so_far() when they were armed again */
	bool ticked;              /* the last sleep ended without an event; values at its end: */
	uint64_t tick_progress, tick_received, tick_credits;
	uint64_t credits;         /* polls that found credit messages */
	uint32_t unacked_s, unacked_r;
};

/* A receiver of a multicast group: calls.h. */
struct worker_group {
	api_poll_fn *poll;        /* of rcq, all messages */
	uint32_t sender_qpn;
};

struct worker {
	struct worker_control control;
	struct worker_fixed fixed;
	struct worker_live live;
	struct worker_idle idle;
	struct worker_events events;
	struct worker_share share;
	struct worker_group group;
	struct histogram *histogram; /* latency, in ticks; NULL without; owned */
	struct pace *pace;        /* open loop; NULL: closed; borrowed */
	struct failure fail;
	struct kept kept;         /* for the loops of engine_find_kept() */
};

static inline uint64_t state_send_id(uint32_t index, uint32_t slot)
{
	return (uint64_t)(index * sizeof(struct send_queue)) << STATE_SLOT_BITS | slot;
}

static inline uint64_t state_recv_id(uint32_t index, uint32_t slot)
{
	return (uint64_t)(index * sizeof(struct recv_queue)) << STATE_SLOT_BITS | slot;
}

static inline uint64_t state_credit_id(uint32_t index)
{
	return (uint64_t)(index * sizeof(struct peer)) << STATE_SLOT_BITS | STATE_CREDIT_ID;
}

/* 0 if a and b name requests of the same send queue. */
static inline uint32_t state_gap(uint64_t a, uint64_t b)
{
	return (uint32_t)((a ^ b) >> STATE_SLOT_BITS);
}

/* The queue or peer of a completion: of a request, of a receive, of a credit message sent. */
static inline struct send_queue *state_send(const struct worker *w, uint64_t wr_id)
{
	return (void *)((char *)w->fixed.sqs + (wr_id >> STATE_SLOT_BITS));
}

static inline struct recv_queue *state_recv(const struct worker *w, uint64_t wr_id)
{
	return (void *)((char *)w->fixed.rqs + (wr_id >> STATE_SLOT_BITS));
}

static inline struct peer *state_credit_peer(const struct worker *w, uint64_t wr_id)
{
	const uint64_t place = (wr_id & ~STATE_CREDIT_ID) >> STATE_SLOT_BITS;

	return (void *)((char *)w->fixed.peers + place);
}

/*
 * For a receive queue with several peers: the peer in the home slot of this number in the hash
 * table. If it has another number, call state_peer_search().
 */
static inline struct peer *state_peer_first(const struct worker_share *share, uint32_t qpn)
{
	return share->table[qpn & share->mask];
}

/* NULL: no peer has that number. */
__attribute__((noinline, pure)) struct peer *state_peer_search(const struct worker_share *share,
								uint32_t qpn);

/* Never the number of a QP: these have 24 bits. */
#define STATE_NO_QPN UINT32_MAX

/* The key of the peer in the completion of a receive. */
static inline uint32_t state_peer_key(enum sharing sharing, const struct ibv_wc *wc)
{
	return sharing == SHARING_ONE_QP ? wc->src_qp : wc->qp_num;
}

/*
 * The peer a receive completion belongs to. A failed one may not name it; then the first candidate.
 * Not for the per-message path.
 */
struct peer *state_peer(const struct worker *w, const struct ibv_wc *wc);

/*
 * With shared receives a stream updates only one number per message, credit_left, which counts down
 * to the next credit; received is ahead by that amount. To read received call state_count() first;
 * a loop that continues calls state_expect() afterwards.
 */
static inline void state_count(struct peer *peer)
{
	peer->received -= peer->credit_left;
	peer->credit_left = 0;
}

static inline void state_expect(const struct worker *w, struct peer *peer)
{
	const uint64_t due = peer->credited + w->fixed.refill;

	/* a credit that could not be sent when due is tried with each message */
	peer->credit_left = due > peer->received ? due - peer->received : 1;
	peer->received += peer->credit_left;
}

/* Rounds of a ping-pong that this QP has done: the QPs take turns. */
uint64_t state_rounds(const struct worker *w, uint32_t qp);

/*
 * Sets the counters that the loops do not update while they run: state_count() of every peer, and
 * the number of messages that each QP of a ping-pong over RC has received, which follows from the
 * number of rounds.
 */
void state_count_received(struct worker *w);

/*
 * ---- failures
 *
 * What stopped a loop: the loops and their helpers record the first failure and return -EIO;
 * worker_result.c makes an error message of it after the loop. err: a positive errno.
 */

STATE_COLD int state_fail(struct worker *w, enum fail_what what, int err, uint32_t qp);

/* One of these n completions of that queue has a bad status or a wrong length. */
STATE_COLD int state_fail_wc(struct worker *w, const struct ibv_wc *wc, int n, enum fail_cq cq);

/* rc: what the post or the poll returned. */
STATE_COLD int state_fail_post(struct worker *w, const struct send_queue *sq, int rc);
STATE_COLD int state_fail_poll(struct worker *w, int rc, enum fail_cq cq);

static inline bool state_stop_changed(const struct worker *w)
{
	return atomic_load_explicit(&w->control.stop, memory_order_relaxed) != w->live.stop_seen;
}

/* Are there more messages to receive? */
static inline bool state_rx_open(const struct worker *w)
{
	return w->live.received <
	       atomic_load_explicit(&w->control.recv_target, memory_order_relaxed);
}

#endif
