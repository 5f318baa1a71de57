/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The objects of this process: what libibverbs' public structs are the first member of, and the
 * one static state. Everything peers must see is in shm.h and pointed to from here.
 */
#ifndef HCA_H
#define HCA_H

#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "arena.h"
#include "cfg.h"
#include "shm.h"

#define HCA_MAX_INLINE 1024
#define HCA_MAX_WR 32768
#define HCA_MAX_CQE 1048575
#define HCA_MAX_RD_ATOMIC 128
#define HCA_MAX_MSG (UINT32_C(1) << 30)
#define HCA_MTU 4096
#define HCA_MCAST_QPN 0xffffffu
#define HCA_GRH_BYTES 40

#define container_of(ptr, type, member) ((type *)(void *)((char *)(ptr) - offsetof(type, member)))

struct peer; /* peer.h */

struct ctx {
	struct ctx *next;
	uint32_t dev, id;
	int async_out;
	bool port_down; /* by a fault of this context */
	struct cfg_dev cfg;
	atomic_uint pds, cqs, channels;
	_Atomic uint64_t posts, completions, events; /* counted for faults */
	struct verbs_context v; /* last: its last member is the ibv_context */
};

struct pd {
	struct ibv_pd ib;
	uint32_t id;
	atomic_uint refs;
	struct pd *parent; /* of a parent domain: the PD it stands for */
};

struct ah {
	struct ibv_ah ib;
	struct ibv_ah_attr attr;
};

struct mr {
	struct ibv_mr ib;
	struct mr *next;
	struct shm_mr *s;
	uint64_t map_start, map_end; /* pages made shared; equal if none */
};

struct mw {
	struct ibv_mw ib;
	struct shm_mr *s;
};

struct chan {
	struct ibv_comp_channel ib;
	int out; /* the end that is written */
};

/* The zero-cost mode's own completions: few bytes, as many fit a first-level cache. */
struct null_cqe {
	uint64_t wr_id;
	const struct ibv_wc *like; /* what else is in it */
	uint32_t imm, spare;
};

struct null_cq {
	struct null_cqe *ring; /* of as many as shm_cq's */
	uint32_t mask, head, tail;
	uint32_t news;         /* of shm_cq, last seen */
	struct qp *qps, *turn; /* those that receive here, the next to look at */
	/* between start_poll and end_poll */
	const struct ibv_wc *now;
	uint32_t imm;
	struct ibv_wc plain; /* what a full entry says */
};

struct cq {
	union {
		struct ibv_cq ib;
		struct ibv_cq_ex ex;
	};
	struct shm_cq *s;
	struct shm_cqe *ring;
	struct lock lock; /* consumers */
	bool single;
	uint32_t tail, mask;
	uint32_t idx, id;
	struct shm_cqe *cur; /* between start_poll and end_poll */
	struct null_cq null;
	uint32_t comp_seen, async_seen;
	atomic_uint refs;
	struct cq *next;
};

struct srq {
	struct ibv_srq ib;
	struct shm_srq *s;
	struct lock lock; /* producers */
	uint32_t idx, id;
	uint32_t async_seen;
	atomic_uint refs;
	struct srq *next;
};

/* A posted send. Its SGEs or its inline bytes follow it in the ring. */
struct wqe {
	uint64_t wr_id;
	uint8_t opcode, flags, n_sge, status;
	bool acked, broken; /* broken: refused at posting, completes in error */
	uint8_t refused;    /* enum ibv_wc_status of that */
	uint8_t spare;
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
	uint32_t spare2;
	void *bounce; /* what a read or atomic fetched, until its answer is due */
	union {
		struct ibv_sge sge[0];
		uint8_t data[0];
	};
};

/* A QP somewhere, found by its number. */
struct remote {
	struct peer *peer; /* a reference is held; NULL: not resolved */
	struct shm_qp *s;
	uint64_t dir;
	uint32_t qpn;
};

enum { QP_DEST_CACHE = 64 };

/* A QP of the zero-cost mode, see null.h. */
struct null_qp {
	/* requests */
	uint64_t key;      /* null_key() of those expected: all others take the long way */
	uint64_t posted;   /* messages that take a receive */
	uint32_t weight;   /* of those expected in that count */
	uint32_t signal;   /* IBV_SEND_SIGNALED if all are */
	struct shm_sent *to, nowhere; /* the peer's; nowhere while there is none */
	/* receives */
	uint32_t gen;      /* of shm_told, last seen */
	uint64_t taken;    /* completed as messages with payload */
	uint64_t limit;    /* taken may reach it on the short way, */
	uint64_t upto;     /* and at all */
	struct cq *scq, *rcq;
	struct qp *next;   /* of rcq */
	/* what completions are copies of */
	struct ibv_wc came, mail, sent[IBV_WR_SEND_WITH_INV + 1];
	uint32_t mails;    /* of shm_told, delivered */
	/* ibv_wr_*: what was built last, and whether the peer must hear of it */
	bool pending;
	uint32_t building, told, qpn, imm, rkey;
	uint64_t raddr;
	struct ibv_sge sge;
	/* writes that come back */
	uint64_t reflections;
	bool wrote;
	uint8_t add;
	uint8_t *mirror;
	uint64_t mirror_of;
};

struct qp {
	union {
		struct ibv_qp ib;
		struct ibv_qp_ex ex;
		uint8_t room[1024]; /* newer headers have a longer ibv_qp_ex */
	};
	struct shm_qp *s;
	uint32_t idx, id, async_seen;
	struct pd *pd;
	struct qp *next;
	bool sig_all, is_ex;
	struct lock recv_lock; /* who post receives */
	/* the send queue, all under lock */
	struct lock lock;
	uint8_t *ring;
	uint32_t stride, mask, cap, max_sge, max_inline;
	uint32_t post, nxt, una, exp; /* next to fill, to send, to complete, to arrive */
	_Atomic uint32_t polled;      /* slots below are free */
	uint32_t epoch;               /* of transmission: older events mean nothing */
	uint32_t reads;               /* reads and atomics under way */
	bool blocked, sqd_event, naked;
	uint32_t retries, rnr_retries;
	uint32_t messages, ordinal;
	struct ibv_qp_attr attr;
	struct remote dest;
	struct remote *cache; /* UD */
	/* ibv_wr_*: the request being built, and where the section began */
	struct wqe *building, *spill; /* spill: a slot behind the ring, never sent */
	uint32_t section;
	int section_err;
	struct shm_port *port;
	struct peer *self; /* this process, as its own peer */
	struct null_qp null;
};

/* Settled once; a child of fork() keeps it. */
struct hca_fixed {
	pthread_once_t cfg_once, dev_once;
	struct cfg cfg;                  /* cfg.c */
	struct ibv_device dev[SHM_DEVS]; /* dev.c */
	bool at_fork;                    /* fabric.c: fork() is seen to */
};

/*
 * A library that is preloaded into other people's programs has nobody to hand it a context, so
 * this is the only variable there is; but for its first member a child of fork() begins anew.
 */
struct hca {
	struct hca_fixed fixed;
	pthread_mutex_t mutex; /* joining, lists, tables */
	bool joined;
	uint32_t users;
	uint32_t slot, gen;
	uint32_t self; /* lock word */
	struct shm_fabric *fabric;
	struct shm_arena *arena;
	int fabric_fd, arena_fd, name_fd;
	int bell_in, bell_out;
	struct qp *qp[SHM_QPS];
	struct qp *qps;
	struct cq *cqs;
	struct srq *srqs;
	struct mr *mrs;
	struct ctx *ctxs;
	uint32_t next_pd, next_mr, next_id, next_ordinal;
	atomic_uint attention_seen;
	struct arena_books books;
	pthread_mutex_t peers_lock;
	struct peer *peers; /* peer.c */
	atomic_uint in_flight, settling; /* req_ud.c: messages of no QP; who waits for their end */
};

extern struct hca hca;

/* In the child of a fork(): all of it but hca.fixed is as at the start. Closes nothing. */
void hca_forget(void);

static inline struct ctx *ctx_of(struct ibv_context *ib)
{
	return container_of(container_of(ib, struct verbs_context, context), struct ctx, v);
}

static inline void *hca_at(struct shm_arena *arena, uint64_t off)
{
	return (uint8_t *)arena + off;
}

static inline struct wqe *qp_wqe(const struct qp *qp, uint32_t i)
{
	return (struct wqe *)(void *)(qp->ring + (size_t)(i & qp->mask) * qp->stride);
}

static inline bool seq_before(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

#endif
