/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder transport: carries messages between QPs: requester, responder, link, injected faults, and
 * the thread that runs timers. It uses the structs of the verbs objects, but does not create them.
 *
 * This header has these structs. The first member of each is the public struct of libibverbs. What
 * peers must see of an object is in base/shm.h; the object points to it. objects/ has the structs
 * that the transport does not need.
 */
#ifndef OBJECT_H
#define OBJECT_H

#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/event_pipe.h"
#include "base/hca.h"
#include "base/shm.h"
#include "config/newer.h"
#include "config/settings.h"
#include "transport/remote.h"

struct mode; /* objects/mode.h */

struct ctx {
	struct ctx *next;
	const struct mode *mode;
	uint32_t dev, id;
	uint32_t forks; /* hca.fixed.forks when it was opened */
	atomic_uint refs; /* 1 while open, and its objects: ctx_hold() */
	void (*end)(struct ibv_context *ctx); /* at refs 0 */
	int async_out;  /* write end of the pipe of async events */
	uint32_t ports_down; /* bits: by injected faults of this context */
	struct settings_dev settings;
	const struct profile *profile;
	uint64_t dm_bytes; /* of device memory in use; under hca.mutex */
	atomic_uint channels;
	_Atomic uint64_t posts, completions, events; /* counted for injected faults */
	struct verbs_context v; /* must be last: its last member is the ibv_context */
};

struct pd {
	struct ibv_pd ib;
	uint32_t id;
	atomic_uint refs;
	struct pd *parent; /* of a parent domain: the PD that it contains */
};

/* An XRC domain. Each ibv_open_xrcd() makes one; those of one file have the same id. */
struct xrcd {
	struct ibv_xrcd ib;
	uint32_t id, dev;
	atomic_uint refs;
	bool has_file;
	uint64_t file_dev, file_ino;
	struct xrcd *next;
};

struct ah {
	struct ibv_ah ib;
	struct ibv_ah_attr attr;
};

struct mw {
	struct ibv_mw ib;
	struct shm_mr *s;
};

/* A posted send request. Its SGEs or its inline data follow it in the ring. */
struct wqe {
	uint64_t wr_id;
	uint8_t opcode, flags, n_sge;
	uint8_t status; /* enum ibv_wc_status; valid if acked */
	bool acked;
	uint8_t refused; /* enum ibv_wc_status if the request cannot be executed; else 0 */
	uint16_t spare;
	uint32_t imm;
	uint32_t len;
	uint32_t rkey;
	uint64_t raddr;
	union {
		struct {
			uint64_t compare, swap;
		};
		struct {
			struct ah *ah;
			uint32_t qpn, qkey;
		} ud;
		struct {
			struct mw *mw;
			struct ibv_mr *mr;
		} bind;
	};
	uint64_t bind_len;
	uint32_t bind_access;
	uint32_t srqn; /* XRC: the SRQ that the message is for */
	uint64_t paused_ps; /* on the link: of struct link_transit */
	struct {       /* DC: whom it is for */
		uint32_t dctn;
		struct ah *ah;
		uint64_t key;
	} dc;
	void *bounce; /* data of a read or atomic, until its response arrives */
	union {
		struct ibv_sge sge[0];
		uint8_t data[0];
	};
};

enum { QP_DEST_CACHE = 64 };

/* What of DC a QP is. A DCI only sends, a DCT only receives. */
enum qp_dc { QP_NO_DC, QP_DCI, QP_DCT };

/* Of a QP whose rate is limited. */
struct qp_pace {
	uint32_t kbit_s;  /* 0: no limit */
	uint64_t free_ns; /* when the next message may leave */
	bool waits;       /* a request has been waiting for that */
	bool timed;       /* a timer will run the queue */
};

struct qp {
	union {
		struct ibv_qp ib;
		struct ibv_qp_ex ex;
		uint8_t room[1024]; /* newer headers have a longer ibv_qp_ex */
	};
	struct shm_qp *s;
	uint32_t idx, id, async_seen;
	struct pd *pd; /* NULL: XRC_RECV */
	struct xrcd *xrcd; /* XRC_RECV */
	struct qp *next, **at; /* at: what points to this QP in the list of all */
	bool sig_all, is_ex;
	enum qp_dc dc;
	void *dv; /* DCI: the struct of mlx5dv that belongs to it, one block; owned */
	struct lock recv_lock; /* of the threads that post receives */
	/* the send queue, all under lock */
	struct lock lock;
	_Atomic uint32_t asking; /* threads that wait to modify or query the QP */
	uint8_t *ring;
	uint32_t stride, mask, cap, max_sge, max_inline;
	uint32_t max_msg;   /* bytes; UD: the MTU of the port */
	uint32_t read_sink; /* access that the memory of a read needs */
	/* by the profile; all zero without one */
	bool has_rules;        /* a request may be refused when it is posted */
	bool drop_inline;      /* IBV_SEND_INLINE is ignored */
	bool signal_all;       /* requests must be signalled */
	uint8_t refused_flags; /* enum ibv_send_flags */
	uint32_t refused_ops;  /* bits by enum ibv_wr_opcode */
	uint64_t pinned;       /* bytes of the queues, counted in hca.pinned */
	/* indices of WQEs: the next to post and to send, the oldest that is not completed, and */
	uint32_t next_post, next_send, oldest;
	uint32_t expected;       /* the next that the responder accepts */
	_Atomic uint32_t polled; /* the slots before this index are free */
	uint32_t epoch;          /* of transmission: timers of an older epoch are ignored */
	uint32_t reads;          /* of wqe_takes_response(), without it */
	bool blocked;            /* nothing is sent until a timer expires */
	bool sqd_event;          /* the program wants IBV_EVENT_SQ_DRAINED */
	bool nak_sent;           /* the responder has sent a NAK for the gap */
	uint32_t retries, rnr_retries;
	uint32_t messages, ordinal; /* for the random numbers of the link */
	uint32_t first_new;     /* requests before this one have been on the link */
	uint64_t last_arrival_ns; /* of a message that is not reordered: none passes another */
	struct qp_pace pace;
	struct ibv_qp_attr attr;
	struct remote dest;
	struct remote *cache; /* UD, DCI: QP_DEST_CACHE destinations */
	/* ibv_wr_*: the request under construction, and the index at wr_start */
	struct wqe *building;
	struct wqe *scratch; /* a slot behind the ring that is never sent */
	uint32_t section;
	int section_err;
	struct shm_port *port; /* of the path */
	uint32_t migrations;   /* of s->path.migrations, those that attr has */
	struct peer *self; /* this process, as a peer */
};

static inline struct ctx *ctx_of(struct ibv_context *ib)
{
	return container_of(container_of(ib, struct verbs_context, context), struct ctx, v);
}

static inline struct event_pipe ctx_async(struct ibv_context *ib)
{
	return (struct event_pipe){ .in = ib->async_fd, .out = ctx_of(ib)->async_out };
}

static inline struct count *ctx_count(const struct ctx *ctx)
{
	return &hca.count[ctx->dev % SHM_DEVS];
}

/* Whether the context is of the parent of this process: its objects do not exist here. */
static inline bool ctx_is_of_parent(struct ibv_context *ib)
{
	return ctx_of(ib)->forks != hca.fixed.forks;
}

/*
 * An object of the context begins and ends. One that holds another object of the context, such as
 * its PD, need not hold the context.
 */
static inline void ctx_hold(struct ibv_context *ib)
{
	atomic_fetch_add(&ctx_of(ib)->refs, 1);
}

static inline void ctx_drop(struct ibv_context *ib)
{
	if (!ctx_is_of_parent(ib) && atomic_fetch_sub(&ctx_of(ib)->refs, 1) == 1)
		ctx_of(ib)->end(ib);
}

static inline bool qp_type_is_xrc(enum ibv_qp_type type)
{
	return type == IBV_QPT_XRC_SEND || type == IBV_QPT_XRC_RECV;
}

/* Whether the requests of the QP are acknowledged. */
static inline bool qp_is_reliable(const struct qp *qp)
{
	return qp->ib.qp_type == IBV_QPT_RC || qp->ib.qp_type == IBV_QPT_XRC_SEND ||
	       qp->dc == QP_DCI;
}

static inline struct wqe *qp_wqe(const struct qp *qp, uint32_t i)
{
	return (struct wqe *)(void *)(qp->ring + (size_t)(i & qp->mask) * qp->stride);
}

/* Whether the response of the request carries data. */
static inline bool wqe_is_read(const struct wqe *w)
{
	return w->opcode == IBV_WR_RDMA_READ || w->opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
	       w->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

/* Whether its call of ibv_wr_*() has all of it as arguments: no setter follows. */
static inline bool wqe_is_whole(const struct wqe *w)
{
	return w->opcode == IBV_WR_ATOMIC_WRITE || w->opcode == IBV_WR_FLUSH;
}

/* Whether it takes one of the max_rd_atomic responses of its QP. */
static inline bool wqe_takes_response(const struct wqe *w)
{
	return wqe_is_read(w) || wqe_is_whole(w);
}

/* Whether the request is executed without a message. */
static inline bool wqe_is_local(const struct wqe *w)
{
	return w->opcode == IBV_WR_BIND_MW || w->opcode == IBV_WR_LOCAL_INV;
}

#endif
