/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the objects that connections by rdma_cm share; see cm_objects.h. Must not time anything. */
#include "config.h"
#include "setup/cm_objects.h"

#include <errno.h>
#include <string.h>

#include "cm/cm_address.h"
#include "util/err.h"
#include "util/log.h"

int cm_objects_open(struct cm_objects *o, const struct dev *dev, const struct plan *plan,
		    enum side side)
{
	int rc;

	*o = (struct cm_objects){ .dev = dev, .plan = plan };
	rc = cm_address_own(&o->own, dev, plan_gid_index(plan, side));
	return rc ? rc : cm_open(&o->cm);
}

int cm_objects_take(struct cm_objects *o, const struct rdma_cm_id *id)
{
	const struct limits *own = &o->dev->limits;
	const char *device = id->verbs ? ibv_get_device_name(id->verbs->device) : "no device";

	if (!id->verbs || strcmp(device, own->device) || id->port_num != own->port)
		return err_set(-ENODEV, "rdma_cm finds %s port %u, the plan has %s port %u", device,
			       id->port_num, own->device, own->port);
	errno = 0;
	if (!o->pd)
		o->pd = ibv_alloc_pd(id->verbs);
	if (!o->pd)
		return err_set(err_code(), "cannot allocate PD on %s: %s", own->device,
			       strerror(-err_code()));
	if (!o->cq)
		o->cq = ibv_create_cq(id->verbs, 1, NULL, NULL, 0);
	if (!o->cq)
		return err_set(err_code(), "cannot create a CQ on %s: %s", own->device,
			       strerror(-err_code()));
	return 0;
}

int cm_objects_qp(struct cm_objects *o, struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = o->cq,
		.recv_cq = o->cq,
		.qp_type = IBV_QPT_RC,
		.cap = {
			.max_send_wr = o->plan->work.depth,
			.max_recv_wr = o->plan->work.recv_depth,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
	};

	errno = 0;
	return rdma_create_qp(id, o->pd, &attr) ? -err_code() : 0;
}

struct rdma_conn_param cm_objects_param(const struct cm_objects *o)
{
	return (struct rdma_conn_param){
		.responder_resources = 1,
		.initiator_depth = 1,
		.flow_control = 1,
		.retry_count = (uint8_t)o->plan->path.retry,
		.rnr_retry_count = (uint8_t)o->plan->path.rnr_retry,
	};
}

/* Teardown goes on after an error, and must not hide the error that led to it. */
static void warn(const char *what, int err)
{
	if (err)
		log_note("cannot %s: %s", what, strerror(err));
}

void cm_objects_close(struct cm_objects *o)
{
	if (o->cq)
		warn("destroy CQ", ibv_destroy_cq(o->cq));
	if (o->pd)
		warn("free PD", ibv_dealloc_pd(o->pd));
	cm_close(&o->cm);
	*o = (struct cm_objects){ 0 };
}
