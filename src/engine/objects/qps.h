/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * RC QPs of one side on an endpoint (endpoint/ep.h), step by step from nothing to RTS, so that each
 * step can be timed. They share a PD and a CQ, as large as one QP needs.
 */
#ifndef QPS_H
#define QPS_H

#include <stdint.h>
#include <infiniband/verbs.h>

#include "decide/plan.h"
#include "cm/cm_address.h"

struct qps {
	struct ep ep;              /* n_qps: room for so many; ep_close() destroys what is left */
	const struct plan *plan;
	enum side side;
	struct plan_needs needs;   /* of one QP */
};

/* What one QP of setup needs. */
struct plan_needs qps_needs(const struct plan *plan, const struct limits *limits);

/* Room for n QPs. -errno with an error message; ep_close(&qps->ep) is due all the same. */
int qps_open(struct qps *qps, const struct dev *dev, const struct plan *plan, enum side side,
	     uint32_t n) __attribute__((warn_unused_result));

/*
 * The steps of QP i: create, modify to INIT, RTR and RTS, destroy. INIT takes a new PSN; RTR needs
 * the address of the peer. -errno; all but destroy with an error message.
 */
int qps_create(struct qps *qps, uint32_t i) __attribute__((warn_unused_result));
int qps_move(struct qps *qps, uint32_t i, enum ibv_qp_state to, const struct ep_addr *peer)
	__attribute__((warn_unused_result));
int qps_destroy(struct qps *qps, uint32_t i) __attribute__((warn_unused_result));

/* Makes n QPs and takes them to INIT, and then from INIT to RTS. -errno with an error message. */
int qps_make(struct qps *qps, uint32_t n) __attribute__((warn_unused_result));
int qps_connect(struct qps *qps, const struct ep_addr *peer) __attribute__((warn_unused_result));

/*
 * What the connections by rdma_cm of one side share: the event channel, and PD and CQ for the QPs
 * that rdma_cm makes. These are on the context of librdmacm, which is not that of struct dev.
 */
struct qps_cm {
	struct cm_local local;
	const struct plan *plan;
	enum side side;
	struct dev dev;       /* that of local, with the context of librdmacm */
	struct ep ep;         /* PD and CQ; opened for the first connection */
};

/* -errno with an error message; qps_cm_close() is due all the same. */
int qps_cm_open(struct qps_cm *c, const struct dev *dev, const struct plan *plan, enum side side)
	__attribute__((warn_unused_result));

/* Is the id on the planned device and port? Makes PD and CQ. -errno with an error message. */
int qps_cm_take(struct qps_cm *c, const struct rdma_cm_id *id)
	__attribute__((warn_unused_result));

/* rdma_create_qp(): 0, or -1 and errno. After qps_cm_take(). */
int qps_cm_create(struct qps_cm *c, struct rdma_cm_id *id) __attribute__((warn_unused_result));

/* What both sides send; private_data is the caller's to fill. */
struct rdma_conn_param qps_cm_param(const struct qps_cm *c);

/* Accepts a zeroed one. All ids and their QPs are destroyed before. */
void qps_cm_close(struct qps_cm *c);

#endif
