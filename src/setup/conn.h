/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * RC QPs of one side, step by step from nothing to RTS, so that each step can be timed. They share
 * a PD and a CQ, as large as one QP needs.
 */
#ifndef CONN_H
#define CONN_H

#include <stdint.h>
#include <infiniband/verbs.h>

#include "plan/plan.h"
#include "rdma/dev.h"
#include "ep/ep.h"

struct conn {
	const struct dev *dev;
	const struct plan *plan;
	enum side side;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp **qps;   /* room for max; NULL: not created */
	uint32_t max;
	uint32_t psn;          /* of the next QP: a new one each, IBA vol. 1, 9.7.1 */
	struct ep_addr addr;   /* of this side; room for max QPs */
};

/* For at most max QPs at a time. -errno with an error message; conn_close() is due all the same. */
int conn_open(struct conn *c, const struct dev *dev, const struct plan *plan, enum side side,
	      uint32_t max) __attribute__((warn_unused_result));

/*
 * The steps of QP i. 0 or an errno, without an error message: the calls are timed. create and init
 * fill addr.qps[i]; rtr needs the QP of the peer.
 */
int conn_create(struct conn *c, uint32_t i) __attribute__((warn_unused_result));
int conn_init(struct conn *c, uint32_t i) __attribute__((warn_unused_result));
int conn_rtr(struct conn *c, uint32_t i, const struct ep_addr *peer)
	__attribute__((warn_unused_result));
int conn_rts(struct conn *c, uint32_t i) __attribute__((warn_unused_result));
int conn_destroy(struct conn *c, uint32_t i) __attribute__((warn_unused_result));

/*
 * Waits until one completion is in the CQ; it must be good. -errno with an error message that
 * begins with what. Polls; the deadline is the stall timeout of the plan.
 */
int conn_complete(struct conn *c, struct ibv_wc *wc, const char *what)
	__attribute__((warn_unused_result));

/* Destroys what is left. Accepts a zeroed or half-opened one. */
void conn_close(struct conn *c);

#endif
