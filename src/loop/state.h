/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder loop: the measured loops and their state. It knows no options, no threads and no rows, and
 * prints nothing.
 *
 * This header: the state of the loops. A worker is one measuring thread with its CQs and counters.
 * What a QP does has three parts, each a struct:
 *
 *   send_queue  what one QP sends: the ring of prebuilt requests, how many are posted and done
 *   recv_queue  where messages arrive: the ring of prebuilt receives, how many are used
 *   peer        one sender and receiver on the other side: its address, its credit, the numbers
 *               of its messages
 *
 * QP i has send queue i, receive queue i and peer i of its worker, unless a receive queue is shared
 * (struct worker_share):
 *   - QPs with a shared receive queue (SRQ): all peers have receive queue 0. A completion names the
 *     peer by its qp_num.
 *   - one UD QP with several peers: so have they, and all send queues have the same QP. A
 *     completion names the peer by its src_qp.
 * Then recv_queue.peer is NULL.
 *
 * wr_id: the high half is the place of the struct in its array in bytes, so that no multiplication
 * is needed; the low half is the slot of the ring. Requests name a send queue, receives a receive
 * queue, and credit messages (STATE_CREDIT_ID) a peer. Receives of a shared queue have their
 * address.
 *
 * worker/worker.c builds all of it.
 */
#ifndef STATE_H
#define STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <infiniband/verbs.h>

#include "config/kind.h"
#include "verbs/api.h"
#include "util/histogram.h"
#include "util/sequence.h"

#define STATE_BATCH 32                /* completions taken per poll */
#define STATE_SLOT_BITS 32
#define STATE_CREDIT_ID (1ull << 63)  /* in wr_id: a credit message, not a request */
#define STATE_ALIGN 64                /* a cache line */
#define STATE_LINE __attribute__((aligned(STATE_ALIGN)))

/* What the controlling thread asks of the loop. */
enum state_stop {
	STATE_GO,
	STATE_FINISH, /* stop posting and drain */
	STATE_LEAVE   /* return at once */
};

/*
 * How a stream posts its requests: ibv_post_send(); or ibv_wr_*, with one request of one SGE per
 * list, several requests, or several SGEs.
 */
enum state_post { STATE_POST_SEND, STATE_WR_ONE, STATE_WR_LIST, STATE_WR_SGES };

/* What stopped a loop, as fail.h records it. */
enum fail_what {
	FAIL_NONE,
	FAIL_WC,         /* a completion with an error */
	FAIL_POST_SEND,
	FAIL_POST_RECV,
	FAIL_POLL,
	FAIL_LENGTH,     /* a message of another length than was sent */
	FAIL_IMM,        /* over RC: a wrong immediate, or one out of order */
	FAIL_ARM,
	FAIL_WAIT,
	FAIL_SRQ_LIMIT,  /* the limit of an SRQ could not be set again */
	FAIL_STRANGER    /* a message of a QP that is no peer */
};

/* One of the two completion queues; the values are bits of a set. */
enum fail_cq { FAIL_SCQ = 1, FAIL_RCQ = 2 };

struct failure {
	enum fail_what what;
	int err;           /* errno of a post, a poll, arm or wait */
	bool rx;           /* on the receive side */
	uint32_t qp;       /* index of the QP in its worker */
	uint64_t message;  /* number of the message, as far as it is known */
	struct ibv_wc wc;
	uint32_t expected; /* length or immediate */
};

struct peer;

/*
 * Requests are numbered from 0; request i is in slot i % slots of the ring, but for an offset
 * (ring_first()). A completion names its slot, so that one completion gives the exact number
 * of requests done, with any signal interval.
 */
struct send_queue {
	struct ibv_qp *qp;
	struct ibv_send_wr *at;   /* the next request's slot */
	struct ibv_send_wr *ring, *ring_end; /* in lists of post_list; owned */
	uint64_t posted, done;
	uint64_t whole;           /* up to here in whole lists; the rest by send_tail() */
	uint64_t credit;          /* posted may reach it; UINT64_MAX: no credits */

	uint64_t target;          /* requests in all; UINT64_MAX: until STATE_FINISH */
	uint32_t done_slot;       /* one past the slot of the last request done: 0..slots */
	uint32_t slots;
	uint32_t index;           /* of the QP in its worker */
	bool listed;              /* on the worker's work list */
	bool starved;             /* not on it because it has no credit */
	struct peer *peer;
	struct send_queue *next;  /* latency: the QP of the next round, circular */
	uint8_t *mark;            /* last byte of the payload: a tag (plan_marks_payload()) */
} STATE_LINE;

struct recv_queue {
	union {                   /* where receives are posted */
		struct ibv_qp *qp;
		struct ibv_srq *srq; /* has_srq */
	};
	struct ibv_recv_wr *ring; /* circular; owned */
	uint64_t taken;           /* receives used, by data and by credit messages */
	uint64_t refill_at;       /* the count of taken at which they are posted again */
	uint64_t reposted;        /* receives posted again */
	uint32_t slot, slots;     /* the next to post again */
	uint32_t index;
	bool has_srq;             /* XRC, or shared by --srq */
	struct peer *peer;
} STATE_LINE;

struct peer {
	struct send_queue *sq;    /* messages to it */
	struct recv_queue *rq;    /* messages from it; credit messages too */
	uint64_t received;        /* messages of data from it; and credit_left more */
	uint32_t number;          /* expected immediate of the next one */
	uint32_t qpn;             /* shared receives: what names it in a completion */
	volatile uint8_t *mark;   /* plain writes: the last byte of what it writes */
	struct sequence *sequence; /* UC and UD with immediates: numbers skipped; owned */
	uint64_t duplicated, out_of_order;

	/* credit given to it: credit.h */
	struct ibv_send_wr *credit_wr; /* owned */
	uint64_t credited;        /* received when it was last given credit */
	uint64_t credit_left;     /* shared receives: messages until it is given credit again */
	uint32_t credits_flying;  /* credit messages in flight */
	bool credit_owed;         /* a credit message could not be sent when it was due */
	bool idle_known;
	uint8_t seen;             /* plain writes over UC: the last value of *mark */

	/* credit taken from it */
	uint64_t allowed;         /* messages that it allows, by its count of what has arrived */
	uint64_t written_off;     /* messages known to be lost: they hold no receive */
	uint64_t starved_since_ns;
	uint64_t idle_allowed;    /* idle_known: allowed, in the last idle credit message */
} STATE_LINE;

/* Written by the controlling thread, read by the loop, relaxed: values, not orderings. */
struct worker_control {
	_Atomic uint64_t rounds;      /* latency: rounds to do in all; 0 ends them */
	_Atomic uint64_t recv_target; /* messages to receive in all; UINT64_MAX: unknown yet */
	_Atomic int stop;             /* enum state_stop */
	_Atomic bool peer_finished;   /* the peer posts nothing any more */
} STATE_LINE;

/* Not written while the loop runs. */
struct worker_fixed {
	struct send_queue *sqs;
	struct recv_queue *rqs;
	struct peer *peers;
	struct ibv_cq *scq, *rcq;
	api_post_fn *post;
	api_poll_fn *poll_sent, *poll_came; /* of scq and of rcq */
	uint32_t n_qps;           /* send queues, receive queues and peers: see above */
	uint32_t depth, post_list, signal_interval;
	uint32_t quantum;         /* requests posted to one QP before the next has its turn */
	uint32_t recv_depth;      /* receives for data, per QP */
	uint32_t refill;          /* receives posted at a time */
	uint32_t recv_bytes;      /* byte_len of a completion of data: size + GRH */
	uint64_t recv_last;       /* last byte of payload, from the start of a receive buffer */
	uint32_t credit_bytes;    /* of a credit message: GRH only */
	uint32_t batch;           /* latency: rounds of a QP in a batch */
	enum state_post post_by;  /* streams */
	uint32_t solicited;       /* messages per solicited one; 0: all make events */
	bool sums;                /* the bytes of a batch of arrivals fit 32 bits */
	bool reliable;            /* RC: a message can be late, never lost */
	bool credits;
	bool counted;             /* credit messages have no number: each is one refill */
	bool sends;               /* stream: requests go out */
	bool receives;            /* stream: messages of data come in */
	bool pingpong;            /* own completions are taken while waiting for the peer */
	bool answers;             /* ping-pong: the side that reacts */
	uint64_t rounds, first_rounds; /* of all QPs in a batch; in the first, which is shorter */
	struct ibv_comp_channel *channel;
	api_post_fn *post_credit;
	uint64_t resync_ns;       /* longer than anything can be under way */
	uint64_t quiet_ns;        /* nothing came for so long after the last post: lost */
	uint64_t loss_ns;         /* ping-pong over UC, UD: no answer for so long: lost */
	uint64_t spin_ns;         /* hybrid: empty polls for so long before it sleeps */
	int wake_fd;              /* readable when stop was set */
	int note_fd;              /* eventfd: the last request is done, the loop has ended */
} STATE_LINE;

/* Written by the loop alone. The controlling thread reads progress and sent meanwhile. */
struct worker_live {
	_Atomic uint64_t progress; /* grows with every batch: the loop is alive and moving */
	_Atomic uint64_t sent;     /* final number of requests done; UINT64_MAX until known */
	/* work list: send queues with room, a circular array */
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
	uint64_t late;            /* ping-pong: answers passed over, of rounds that were lost */
	/* received at rx_t0; UINT64_MAX: no poll for arrivals has found nothing yet */
	uint64_t rx_before;
	uint64_t rx_t0, rx_t1, tx_t0, tx_t1; /* ticks; 0 not yet */
} STATE_LINE;

/* A receive queue of several peers: shared.h. */
struct worker_share {
	struct peer **table;      /* by QP number, with open addressing; owned */
	uint32_t mask;            /* of the table */
	enum sharing sharing;     /* what is shared; SHARING_NONE: all else here is unused */
	struct ibv_recv_wr *tail; /* the last of the chain */
	struct ibv_recv_wr chain; /* before the first: receives that are not posted */
	uint32_t spare;           /* so many stay in the chain: more buffers than receives */
	uint32_t limit;           /* receives left when the SRQ raises an event; 0: none */
	const _Atomic uint64_t *limit_events; /* raised so far */
	uint64_t limits_seen;
} STATE_LINE;

/* Of idle.c; CLOCK_MONOTONIC_RAW in ns, 0 not yet. */
struct worker_idle {
	uint64_t received;        /* when it was last looked at */
	uint64_t since_ns, since_ticks; /* nothing has come since */
	uint64_t credit_sent_ns, finished_ns, began_ns;
	uint64_t posted_ns;       /* ping-pong over UC, UD: the wait for an answer began */
	uint64_t spin_from_ns;    /* hybrid: nothing found since */
};

/* Of idle.c: sleeping until an event. Sets of queues are bits of enum fail_cq. */
struct worker_events {
	uint64_t taken, spurious, lost;
	unsigned armed;
	unsigned suspect;         /* of these, completions came without an event */
	bool woken;               /* the next poll shows whether the event was spurious */
	bool ticked;              /* the last sleep ended without an event; what there was then: */
	uint64_t tick_progress, tick_received, tick_credits;
	uint64_t credits;         /* polls that found credit messages */
	uint32_t unacked_s, unacked_r;
};

/* A receiver of a multicast group: group.h. */
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
	struct failure fail;
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

/* 0 if b names a later slot of the same ring as a: the ring has not wrapped between them. */
static inline uint32_t state_gap(uint64_t a, uint64_t b)
{
	return (uint32_t)((b - a - 1) >> STATE_SLOT_BITS);
}

/* Of a completion of a request, of a receive, of a credit message that was sent. */
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
 * Where several peers share a receive queue: the peer in the own place of this number in the table,
 * which has another number if it is not the one. Then state_peer_search() finds it.
 */
static inline struct peer *state_peer_first(const struct worker_share *share, uint32_t qpn)
{
	return share->table[qpn & share->mask];
}

/* NULL: no peer has that number. */
__attribute__((noinline, pure)) struct peer *state_peer_search(const struct worker_share *share,
								uint32_t qpn);

/* Of no QP: the numbers of QPs have 24 bits. */
#define STATE_NO_QPN UINT32_MAX

/* What names the peer in the completion of a receive. */
static inline uint32_t state_peer_key(enum sharing sharing, const struct ibv_wc *wc)
{
	return sharing == SHARING_ONE_QP ? wc->src_qp : wc->qp_num;
}

/*
 * The peer of any completion of a receive, also of a failed one that does not name it: then it is
 * the first that it can be. Not in the path of a message.
 */
struct peer *state_peer(const struct worker *w, const struct ibv_wc *wc);

/*
 * With shared receives a stream counts one number for each message, credit_left, down to the next
 * credit; received is ahead by as much. Whoever needs received as it is calls state_count() first,
 * and a loop that goes on state_expect() after it.
 */
static inline void state_count(struct peer *peer)
{
	peer->received -= peer->credit_left;
	peer->credit_left = 0;
}

static inline void state_expect(const struct worker *w, struct peer *peer)
{
	const uint64_t due = peer->credited + w->fixed.refill;

	/* what could not be given when it was due is tried with each message */
	peer->credit_left = due > peer->received ? due - peer->received : 1;
	peer->received += peer->credit_left;
}

static inline bool state_stop_changed(const struct worker *w)
{
	return atomic_load_explicit(&w->control.stop, memory_order_relaxed) != w->live.stop_seen;
}

/* Are more messages to be received? */
static inline bool state_rx_open(const struct worker *w)
{
	return w->live.received <
	       atomic_load_explicit(&w->control.recv_target, memory_order_relaxed);
}

#endif
