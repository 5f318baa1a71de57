/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What the connections by rdma_cm of one side share: the event channel, and a PD and a CQ on the
 * context of librdmacm, which is not that of struct dev.
 */
#ifndef CM_OBJECTS_H
#define CM_OBJECTS_H

#include "cm/cm.h"
#include "plan/plan.h"
#include "rdma/dev.h"

struct cm_objects {
	struct cm cm;
	const struct dev *dev;
	const struct plan *plan;
	struct sockaddr_storage own;  /* of the planned GID, port 0 */
	struct ibv_pd *pd;            /* made with the first QP */
	struct ibv_cq *cq;
};

/* -errno with an error message; cm_objects_close() is due all the same. */
int cm_objects_open(struct cm_objects *o, const struct dev *dev, const struct plan *plan,
		    enum side side) __attribute__((warn_unused_result));

/* Is the id on the planned device and port? Makes PD and CQ. -errno with an error message. */
int cm_objects_take(struct cm_objects *o, const struct rdma_cm_id *id)
	__attribute__((warn_unused_result));

/* rdma_create_qp(): 0 or an errno, without an error message. After cm_objects_take(). */
int cm_objects_qp(struct cm_objects *o, struct rdma_cm_id *id) __attribute__((warn_unused_result));

/* What both sides send; private_data is the caller's to fill. */
struct rdma_conn_param cm_objects_param(const struct cm_objects *o);

/* Accepts a zeroed one. All ids and their QPs are destroyed before. */
void cm_objects_close(struct cm_objects *o);

#endif
