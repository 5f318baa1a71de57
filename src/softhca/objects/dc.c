/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* DCIs and DCTs; see dc.h. */
#include "config.h"
#include "objects/dc.h"

#include <errno.h>

/*
 * mlx5_create_qp() and create_dct() of providers/mlx5/verbs.c, create_dct() of
 * drivers/infiniband/hw/mlx5/qp.c: a DCT is made with a PD, CQs and an SRQ, and nothing else.
 */
int dc_check(const struct ibv_qp_init_attr_ex *a, enum qp_dc dc)
{
	const uint32_t dci = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;

	if (a->qp_type != IBV_QPT_DRIVER)
		return EINVAL;
	if (dc == QP_DCI)
		return a->comp_mask & ~dci ? EINVAL : 0;
	return a->comp_mask == IBV_QP_INIT_ATTR_PD && a->srq && a->recv_cq ? 0 : EINVAL;
}

static bool is_mask(int mask, int need, int may)
{
	return (mask & need) == need && !(mask & ~(need | may | IBV_QP_STATE));
}

/* modify_dci_qp_is_ok() */
static bool is_dci_step(enum ibv_qp_state from, enum ibv_qp_state to, int mask)
{
	const int init = IBV_QP_PKEY_INDEX | IBV_QP_PORT;

	if (to == IBV_QPS_RESET || (to == IBV_QPS_ERR && from != IBV_QPS_RESET))
		return is_mask(mask, IBV_QP_STATE, 0);
	if (from == IBV_QPS_RESET && to == IBV_QPS_INIT)
		return is_mask(mask, init, 0);
	if (from == IBV_QPS_INIT && to == IBV_QPS_INIT)
		return is_mask(mask, 0, init);
	if (from == IBV_QPS_INIT && to == IBV_QPS_RTR)
		return is_mask(mask, IBV_QP_PATH_MTU, IBV_QP_PKEY_INDEX | IBV_QP_AV);
	if (from == IBV_QPS_RTR && to == IBV_QPS_RTS)
		return is_mask(mask, IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			       IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_SQ_PSN, IBV_QP_MIN_RNR_TIMER);
	return from == IBV_QPS_RTS && to == IBV_QPS_RTS &&
	       is_mask(mask, 0, IBV_QP_MIN_RNR_TIMER);
}

/* mlx5_ib_modify_dct(): there is no way back. */
static bool is_dct_step(enum ibv_qp_state from, enum ibv_qp_state to, int mask)
{
	if (from == IBV_QPS_RESET && to == IBV_QPS_INIT)
		return is_mask(mask, IBV_QP_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX |
			       IBV_QP_PORT, 0);
	return from == IBV_QPS_INIT && to == IBV_QPS_RTR &&
	       is_mask(mask, IBV_QP_STATE | IBV_QP_MIN_RNR_TIMER | IBV_QP_AV | IBV_QP_PATH_MTU, 0);
}

int dc_check_mask(enum qp_dc dc, enum ibv_qp_state from, enum ibv_qp_state to, int mask)
{
	const bool ok = dc == QP_DCI ? is_dci_step(from, to, mask) : is_dct_step(from, to, mask);

	return ok ? 0 : EINVAL;
}

void dc_set_addr(struct qp *qp, struct ibv_ah *ah, uint32_t dctn, uint64_t key)
{
	struct wqe *w = qp->building;

	w->dc.ah = container_of(ah, struct ah, ib);
	w->dc.dctn = dctn;
	w->dc.key = key;
}
