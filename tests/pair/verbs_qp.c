/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Queue pairs and address handles of the devices of verbs.h. Transitions are checked against the
 * table of ib_modify_qp_is_ok() (Linux, drivers/infiniband/core/verbs.c, qp_state_table): an
 * attribute missing or superfluous is EINVAL, as is a value that the device cannot do.
 */
#include "config.h"
#include "verbs.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "util/clock.h"
#include "verbs_own.h"

#define MASK_RTR_CONNECTED (IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN)

static struct verbs_qp *qps;
static uint32_t next_qpn = 0x100;

/* Columns: RC, UC, UD. */
static const struct {
	enum ibv_qp_state from, to;
	int required[3], optional[3];
} transitions[] = {
	{ IBV_QPS_RESET,
	  IBV_QPS_INIT,
	  { IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
	    IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
	    IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY },
	  { 0, 0, 0 } },
	{ IBV_QPS_INIT,
	  IBV_QPS_RTR,
	  { MASK_RTR_CONNECTED | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
	    MASK_RTR_CONNECTED, 0 },
	  { IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX,
	    IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX,
	    IBV_QP_PKEY_INDEX | IBV_QP_QKEY } },
	{ IBV_QPS_RTR,
	  IBV_QPS_RTS,
	  { IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
		    IBV_QP_MAX_QP_RD_ATOMIC,
	    IBV_QP_SQ_PSN, IBV_QP_SQ_PSN },
	  { IBV_QP_CUR_STATE | IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER |
		    IBV_QP_PATH_MIG_STATE,
	    IBV_QP_CUR_STATE | IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PATH_MIG_STATE,
	    IBV_QP_CUR_STATE | IBV_QP_QKEY } },
};

struct verbs_qp *verbs_find_qp(uint32_t qpn)
{
	struct verbs_qp *qp = qps;

	while (qp && qp->qp.qp_num != qpn)
		qp = qp->next;
	return qp;
}

/*
 * What a device takes is what is tested; nobody waits for it to be over. One QP after the other:
 * who is late by less than a second for one waits less for the next, so that the sum is right.
 */
static void take_time(struct verbs_device *vd)
{
	const uint64_t now = clock_ns();

	if (!vd->qp_ms)
		return;
	if (vd->qp_free_ns + 1000000000 < now)
		vd->qp_free_ns = now;
	vd->qp_free_ns += vd->qp_ms * UINT64_C(1000000);
	if (vd->qp_free_ns > now)
		poll(NULL, 0, (int)((vd->qp_free_ns - now) / 1000000));
}

/* rdma-core, providers/mlx5/verbs.c: mlx5_calc_sq_size(), of RC */
static bool blocks_fit(const struct verbs_device *vd, const struct ibv_qp_cap *cap)
{
	const uint64_t overhead = 192 - 16;
	const uint64_t inlined = cap->max_inline_data ? overhead + 4 + cap->max_inline_data : 0;
	const uint64_t gathered = overhead + 16u * cap->max_send_sge;
	const uint64_t request = ((inlined > gathered ? inlined : gathered) + 63) / 64 * 64;
	uint64_t queue = 64;

	while (queue < request * cap->max_send_wr)
		queue *= 2;
	return queue / 64 <= (uint64_t)vd->attr.max_qp_wr;
}

/* errno for what is asked of a new QP. */
static int check_init(const struct verbs_device *vd, const struct ibv_qp_init_attr *init,
		      bool in_parent)
{
	const struct ibv_qp_cap *cap = &init->cap;

	if (cap->max_send_wr > (uint32_t)vd->attr.max_qp_wr ||
	    cap->max_recv_wr > (uint32_t)vd->attr.max_qp_wr ||
	    cap->max_send_sge > (uint32_t)vd->attr.max_sge ||
	    cap->max_recv_sge > (uint32_t)vd->attr.max_sge || init->sq_sig_all ||
	    cap->max_inline_data > vd->max_inline_bytes ||
	    (vd->in_blocks && !blocks_fit(vd, cap)))
		return EINVAL;
	if ((init->qp_type != IBV_QPT_RC && init->qp_type != IBV_QPT_UC &&
	     init->qp_type != IBV_QPT_UD) || vd->no_qp[init->qp_type])
		return EOPNOTSUPP;
	if (in_parent && vd->qp_parent_errno)
		return vd->qp_parent_errno;
	/* the probe of what is granted is not what has to fail */
	return init->qp_context ? vd->qp_errno : 0;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *init)
{
	struct verbs_device *vd = verbs_device_of(pd->context);
	struct verbs_qp *qp;

	if (init->qp_context)
		take_time(vd);
	errno = check_init(vd, init, verbs_protection(pd) != pd);
	if (errno)
		return NULL;
	if (init->cap.max_inline_data)
		init->cap.max_inline_data = (init->cap.max_inline_data + 27) / 32 * 32 + 28;
	if (init->cap.max_inline_data > vd->max_inline_bytes)
		init->cap.max_inline_data = vd->max_inline_bytes;
	qp = verbs_new(sizeof(*qp));
	qp->cap = init->cap;
	qp->rq = calloc(qp->cap.max_recv_wr ? qp->cap.max_recv_wr : 1, sizeof(*qp->rq));
	if (!qp->rq)
		verbs_die("out of memory");
	verbs_lock();
	qp->qp = (struct ibv_qp){ .context = pd->context,
				  .qp_context = init->qp_context,
				  .pd = pd,
				  .send_cq = init->send_cq,
				  .recv_cq = init->recv_cq,
				  .qp_type = init->qp_type,
				  .state = IBV_QPS_RESET,
				  .qp_num = next_qpn++ };
	qp->next = qps;
	qps = qp;
	vd->moving_qps += init->qp_context != NULL;
	qp->qp.srq = init->srq;
	if (init->srq)
		verbs_srq_of(qp)->qps++;
	verbs_unlock();
	verbs_pd_take(pd);
	return &qp->qp;
}

int ibv_destroy_qp(struct ibv_qp *ibqp)
{
	struct verbs_qp *qp = VERBS_OF(ibqp, struct verbs_qp, qp), **at;

	if (ibqp->qp_context)
		take_time(verbs_device_of(ibqp->context));
	verbs_lock();
	for (at = &qps; *at && *at != qp; at = &(*at)->next)
		;
	if (!*at)
		verbs_die("destroying what is no QP");
	*at = qp->next;
	if (ibqp->srq)
		verbs_srq_of(qp)->qps--;
	verbs_forget_qp(VERBS_OF(ibqp->send_cq, struct verbs_cq, cq), qp);
	verbs_forget_qp(VERBS_OF(ibqp->recv_cq, struct verbs_cq, cq), qp);
	verbs_unlock();
	verbs_pd_drop(ibqp->pd);
	free(qp->rq);
	verbs_free(qp);
	return 0;
}

int verbs_check_path(const struct ibv_context *ctx, const struct ibv_ah_attr *ah)
{
	struct ibv_gid_entry entry;
	struct verbs_device *vd = verbs_device_of(ctx);
	const bool infiniband = vd->link_layer == IBV_LINK_LAYER_INFINIBAND;
	const bool global = !infiniband || vd->port_flags & IBV_QPF_GRH_REQUIRED;

	if (ah->port_num != 1 || (global && !ah->is_global) || (infiniband && !ah->dlid))
		return EINVAL;
	if (!ah->is_global)
		return 0;
	if (_ibv_query_gid_ex((struct ibv_context *)(uintptr_t)ctx, 1, ah->grh.sgid_index, &entry,
			      0, sizeof(entry)) ||
	    !ah->grh.hop_limit)
		return EINVAL;
	if (!verbs_has_gid(verbs_device(SIDE_CLIENT), &ah->grh.dgid) &&
	    !verbs_has_gid(verbs_device(SIDE_SERVER), &ah->grh.dgid))
		return ETIMEDOUT;
	if (vd->n_routes < VERBS_ROUTES)
		vd->routes[vd->n_routes++] = ah->grh;
	return 0;
}

static int check_values(const struct verbs_qp *qp, const struct ibv_qp_attr *attr, int mask)
{
	const struct verbs_device *vd = verbs_device_of(qp->qp.context);

	if ((mask & IBV_QP_PORT && attr->port_num != 1) ||
	    (mask & IBV_QP_PKEY_INDEX &&
	     (attr->pkey_index >= VERBS_PKEYS || !vd->pkeys[attr->pkey_index])) ||
	    (mask & IBV_QP_PATH_MTU &&
	     (attr->path_mtu < IBV_MTU_256 || attr->path_mtu > vd->mtu)) ||
	    (mask & IBV_QP_MAX_DEST_RD_ATOMIC &&
	     attr->max_dest_rd_atomic > vd->attr.max_qp_rd_atom) ||
	    (mask & IBV_QP_MAX_QP_RD_ATOMIC &&
	     attr->max_rd_atomic > vd->attr.max_qp_init_rd_atom) ||
	    (mask & IBV_QP_RETRY_CNT && attr->retry_cnt > 7) ||
	    (mask & IBV_QP_RNR_RETRY && attr->rnr_retry > 7) ||
	    (mask & IBV_QP_TIMEOUT && attr->timeout > 31) ||
	    (mask & IBV_QP_MIN_RNR_TIMER && attr->min_rnr_timer > 31) ||
	    (mask & (IBV_QP_RQ_PSN | IBV_QP_SQ_PSN) && (attr->rq_psn | attr->sq_psn) > 0xffffff))
		return EINVAL;
	return mask & IBV_QP_AV ? verbs_check_path(qp->qp.context, &attr->ah_attr) : 0;
}

static int check_transition(const struct verbs_qp *qp, const struct ibv_qp_attr *attr, int mask)
{
	const int column = qp->qp.qp_type == IBV_QPT_RC ? 0 : qp->qp.qp_type == IBV_QPT_UC ? 1 : 2;
	const int given = mask & ~IBV_QP_STATE;

	if (!(mask & IBV_QP_STATE))
		return EINVAL;
	if (attr->qp_state == IBV_QPS_ERR)
		return given ? EINVAL : 0;
	for (size_t i = 0; i < sizeof(transitions) / sizeof(transitions[0]); i++) {
		if (transitions[i].from != qp->qp.state || transitions[i].to != attr->qp_state)
			continue;
		if (transitions[i].required[column] & ~given ||
		    given & ~(transitions[i].required[column] | transitions[i].optional[column]))
			return EINVAL;
		return 0;
	}
	return EINVAL;
}

static void merge(struct ibv_qp_attr *to, const struct ibv_qp_attr *from, int mask)
{
	if (mask & IBV_QP_ACCESS_FLAGS)
		to->qp_access_flags = from->qp_access_flags;
	if (mask & IBV_QP_QKEY)
		to->qkey = from->qkey;
	if (mask & IBV_QP_AV)
		to->ah_attr = from->ah_attr;
	if (mask & IBV_QP_PATH_MTU)
		to->path_mtu = from->path_mtu;
	if (mask & IBV_QP_DEST_QPN)
		to->dest_qp_num = from->dest_qp_num;
	if (mask & IBV_QP_RQ_PSN)
		to->rq_psn = from->rq_psn;
	if (mask & IBV_QP_SQ_PSN)
		to->sq_psn = from->sq_psn;
	if (mask & IBV_QP_MAX_DEST_RD_ATOMIC)
		to->max_dest_rd_atomic = from->max_dest_rd_atomic;
	if (mask & IBV_QP_MAX_QP_RD_ATOMIC)
		to->max_rd_atomic = from->max_rd_atomic;
}

int ibv_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int mask)
{
	struct verbs_qp *qp = VERBS_OF(ibqp, struct verbs_qp, qp);
	const struct verbs_device *vd = verbs_device_of(ibqp->context);
	int err;

	if (vd->modify_errno && attr->qp_state == vd->modify_state)
		return vd->modify_errno;
	verbs_lock();
	err = check_transition(qp, attr, mask);
	if (!err)
		err = check_values(qp, attr, mask);
	if (!err) {
		merge(&qp->attr, attr, mask);
		ibqp->state = attr->qp_state;
		if (ibqp->state == IBV_QPS_ERR)
			verbs_flush_recvs(qp);
	}
	verbs_unlock();
	return err;
}
