/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Two nodes and the network between them, in one thread and without a device: what the inline
 * verbs call (post, poll, arm) are functions of this fake, so that the real workers and loops run
 * on it. It is strict: whatever a device or a specification would not allow is noted as a
 * violation. fake.c builds and drives, fake_post.c and fake_wr.c take what is posted, fake_net.c
 * moves it, fake_sched.c is threads and time.
 *
 * Threads are coroutines that change places in poll_cq and poll; time (CLOCK_MONOTONIC_RAW)
 * passes only when they do. A run is therefore the same every time, on any machine, and waits
 * cost nothing.
 */
#ifndef FAKE_H
#define FAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <infiniband/verbs.h>

#include "endpoint/ep.h"
#include "loop/calls.h"
#include "worker/worker.h"
#include "decide/plan.h"
#include "worker/result.h"

#define FAKE_EVENTS 64u
#define FAKE_ROUND_NS 100u /* at least, of a round of the scheduler */
#define FAKE_LIST 128u /* requests in a list by ibv_wr_* */

enum fake_fate {
	FAKE_ARRIVES,
	FAKE_LOST,
	FAKE_TWICE,
	FAKE_LATE /* after the next message of the same QP */
};

/*
 * A message on its way: of data, or a credit message; numbered from 0 per QP, each kind for
 * itself.
 */
struct fake_msg {
	enum side from;
	uint32_t qp;
	bool credit;
	uint64_t number;
};

/* One thing goes wrong: on side, QP qp, at number at (of request, arrival, or call), with value. */
enum fake_what {
	FAKE_NOTHING,
	FAKE_SEND_STATUS, /* request at completes with status value */
	FAKE_RECV_STATUS, /* arrival at */
	FAKE_RECV_LENGTH, /* arrival at says length value */
	FAKE_RECV_IMM, /* arrival at has immediate value */
	FAKE_POST_SEND, /* post of request at returns value */
	FAKE_POST_CREDIT, /* post of credit message at */
	FAKE_POST_RECV, /* post of receive at returns value */
	FAKE_POLL_SEND, /* call at returns value */
	FAKE_POLL_RECV,
	FAKE_ARM, /* call at returns value */
	FAKE_SRQ_LIMIT /* every call that sets the limit of an SRQ returns value */
};

struct fake_fault {
	enum fake_what what;
	enum side side;
	uint32_t qp;
	uint64_t at;
	int value;
};

struct fake_req {
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	uint8_t *payload; /* of an inline request: taken at the post */
	bool credit;
	uint64_t number;
	uint64_t ready_ns; /* not delivered before */
};

struct fake_recv {
	uint64_t wr_id;
	struct ibv_sge sge;
	int num_sge;
};

struct fake_cqe {
	struct ibv_wc wc;
	struct fake_qp *qp;
	bool send, solicited;
	uint64_t request; /* send queue index */
};

struct fake_cq {
	struct ibv_cq ibv; /* first: found from what the program has */
	struct fake_side *side;
	struct fake_cqe *cqes; /* circular */
	uint64_t put, got;
	uint32_t size;
	bool armed, solicited_only;
	bool withheld; /* an event that is late */
	uint64_t calls, arms, events_due, events_got, events_acked;
};

struct fake_qp {
	union { /* first */
		struct ibv_qp ibv;
		struct ibv_qp_ex ex;
		uint8_t room[1024]; /* newer headers have a longer ibv_qp_ex */
	};
	struct ibv_srq srq; /* XRC: where its receives are posted */
	struct fake_side *side;
	struct fake_qp *peer;
	uint32_t index;

	struct fake_req *sq; /* circular */
	uint32_t sq_size;
	uint64_t posted, delivered, completed, retired; /* send queue indices */
	uint64_t data_posted, data_done, credits_posted, credits_done;
	uint64_t need_recv; /* posted, not delivered, and will take a receive */
	uint64_t signalled, last_signalled; /* requests of data: how many; 1 + number of the last */
	uint64_t send_posts;
	bool broken;

	struct ibv_send_wr built[FAKE_LIST]; /* by ibv_wr_*, since ibv_wr_start() */
	struct ibv_sge built_sge[FAKE_LIST];
	uint32_t n_built;
	bool building;

	struct fake_recv *rq;
	uint32_t rq_size, rq_slots; /* receives it holds, slots of the program's ring */
	uint64_t recv_posted, recv_used;
	bool *slot_posted; /* of the receive ring: posted, its completion not polled */
	uint64_t arrived; /* messages of data */

	struct fake_req held; /* FAKE_LATE */
	uint8_t *held_payload;
	bool holds;
};

/* The number of its SRQ. */
static inline uint32_t fake_srqn(const struct fake_qp *q)
{
	return q->ibv.qp_num + 0x5000;
}
struct fake_srq {
	struct ibv_srq ibv; /* first */
	struct fake_side *side;
	struct fake_recv *rq; /* circular */
	uint32_t size, slots; /* receives it holds, slots of the program's ring */
	uint64_t posted, used, posts, arms;
	bool *slot_posted; /* posted, its completion not polled */
	uint32_t limit;
	struct dev_srq_events events;
};

struct fake_channel {
	struct ibv_comp_channel ibv; /* first */
	struct fake_side *side;
};

struct fake_side {
	struct fake *fake;
	enum side side;
	struct ibv_context ctx;
	struct fake_channel channel;
	struct ibv_mr mr;
	struct ibv_ah ah;
	struct fake_cq scq, rcq;
	struct fake_srq srq; /* of SHARING_SRQ */
	struct fake_qp *qps;
	struct ibv_qp **qp_list;
	struct ibv_srq **srq_list; /* XRC */
	struct ep_qp_id *ids;
	struct ep ep;
	struct ep_addr addr;
	struct fake_cq *events[FAKE_EVENTS]; /* circular */
	uint32_t event_put, event_got;
	bool failed; /* the program has seen a failure: it must not post any more */

	bool has_worker, announced; /* announced: its peer knows that it has sent its last */
	struct worker_setup setup;
	struct worker_run run;
	struct result result;
	int rc;
	uint64_t polls, naps; /* polls of both CQs; times that the loop went to sleep */
};

struct fake {
	struct plan plan;
	struct point point;
	uint64_t kept; /* as fake_spec */
	struct fake_side sides[2];

	/* what a test may set between fake_open() and fake_run() */
	struct fake_fault fault;
	/* over UC and UD; NULL: all arrive */
	enum fake_fate (*fate)(const struct fake_msg *msg, void *arg);
	/* before every round of the scheduler; NULL none */
	void (*tick)(struct fake *f, void *arg);
	/*
	 * When a request of the client that is posted now is delivered. With it time goes from one
	 * event to the next, and all that can move does. NULL: in random steps.
	 */
	uint64_t (*serve)(struct fake *f, uint64_t now_ns, void *arg);
	void *arg;
	uint32_t rate; /* most requests moved per QP and round */
	uint32_t spurious_every; /* every so many calls that arm raise an event at once; 0 none */
	/* of each CQ: does not come, comes twice, comes when the CQ is armed again; 0 none */
	uint32_t lost_event, double_event, late_event;
	bool rush_at_arm; /* all that is under way completes just before a CQ is armed */
	bool overrun; /* messages without a receive are the test's intention */
	uint32_t late; /* rounds until the server's thread gets its processor */
	bool mute; /* no side learns that the other has finished */
	uint64_t loss_ns; /* 0: what worker_open() set */

	uint64_t rng, now_ns, rounds;
	uint32_t idle_rounds; /* since anything moved */
	bool moved;
	char violation[256]; /* "" none */
};

/* ---- fake.c */

#define FAKE_KINDS 66
extern const struct kind fake_kinds[FAKE_KINDS]; /* kinds.def, by each completion */

/*
 * What to run; zero: depth 16, recv_depth 32 (if the opcode takes receives), all else 1; size
 * 64.
 */
struct fake_spec {
	struct kind kind;
	enum test test;
	uint32_t srq_limit;
	uint32_t qps, depth, recv_depth, post_list, signal_interval, inline_bytes;
	uint64_t size_bytes;
	uint64_t footprint_bytes; /* 0: auto */
	enum walk_order walk;
	uint64_t messages; /* 0: until stopped */
	bool by_time; /* messages stays 0 */
	bool bidir;
	bool extended; /* requests are posted by ibv_wr_* */
	bool empty;    /* messages have no payload */
	bool fence;
	uint32_t solicited;
	uint64_t rate_milli;    /* open loop; 0: closed */
	bool poisson;
	bool iwarp;             /* no immediate data: credit messages are counted */
	uint64_t kept;          /* most samples of latency that are kept; 0: none */
	uint64_t seed;
};

/* The test of this kind with that pattern (PATTERN_STREAM or latency). */
enum test fake_stream_test(struct kind k);
enum test fake_latency_test(struct kind k);

/* plan.h: what every plan promises of list, interval, depth and receives. */
bool fake_allowed(const struct fake_spec *s);

/* Asserts on failure. The workers are open and not started. */
struct fake *fake_open(const struct fake_spec *spec);

/* Starts the workers, runs until all have returned, takes their results. */
void fake_run(struct fake *f);

void fake_close(struct fake *f);

/* Notes the first violation; returns EINVAL, which the program will take for a failure. */
int fake_bad(struct fake *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

uint32_t fake_random(struct fake *f, uint32_t below);
struct fake_side *fake_peer(struct fake_side *s);
bool fake_hits(const struct fake_qp *q, enum fake_what what, uint64_t number);

/* ---- fake_post.c */
int fake_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);
int fake_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
int fake_post_xrc_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);

/* ---- fake_srq.c */
void fake_srq_open(struct fake_side *s);
void fake_srq_close(struct fake_side *s);
int fake_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
uint64_t fake_srq_left(const struct fake_srq *srq);
/* The next receive; there is one. */
struct fake_recv *fake_srq_take(struct fake_srq *srq);
void fake_srq_polled(struct fake_srq *srq, uint64_t wr_id);

/* ---- fake_check.c */
/* Nothing was violated, every event acked, every completion taken exactly once, payload right. */
void fake_assert_clean(struct fake *f);

/* ---- fake_wr.c */
void fake_wr_open(struct fake_qp *q);
/* ibv_post_send() of a QP that is posted to by ibv_wr_*. */
int fake_wrong_post(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);

/* ---- fake_net.c */
int fake_poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc);
int fake_req_notify_cq(struct ibv_cq *cq, int solicited_only);
/* Moves what is under way: at most so many requests per QP. */
void fake_move(struct fake *f, uint32_t most);
/* Would this side sleep through a completion? */
bool fake_misses(const struct fake_side *s);

/*
 * ---- fake_sched.c: pthread_create, pthread_join, poll and clock_gettime of the program are its
 * own
 */
void fake_sched_open(struct fake *f);
void fake_sched_close(void);
void fake_sched_yield(void);
/* Runs all until they have returned; f->tick and what a session announces come in between. */
void fake_sched_run(void);

#endif
