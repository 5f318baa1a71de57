/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The transitions of QPs; see qp_steps.h. */
#include "config.h"
#include "limits/qp_steps.h"

#include <errno.h>
#include <stdbool.h>

enum { RC, UC, UD, XS, XR, TYPES }; /* XS: XRC_SEND, XR: XRC_RECV */

#define PKEY IBV_QP_PKEY_INDEX
#define PATH (IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN)
#define ALT IBV_QP_ALT_PATH
#define MIG IBV_QP_PATH_MIG_STATE
#define CUR IBV_QP_CUR_STATE
#define ACC IBV_QP_ACCESS_FLAGS
#define RNR IBV_QP_MIN_RNR_TIMER
#define UD_INIT (PKEY | IBV_QP_PORT | IBV_QP_QKEY)
#define C_INIT (PKEY | IBV_QP_PORT | ACC)
#define C_RTR (ALT | ACC | PKEY)
#define C_RTS (CUR | ALT | ACC | MIG)
#define RC_RTS                                                                              \
	(IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |             \
	 IBV_QP_MAX_QP_RD_ATOMIC)
#define UD_RTS (CUR | IBV_QP_QKEY)
#define NOTIFY IBV_QP_EN_SQD_ASYNC_NOTIFY
#define C_SQD (IBV_QP_AV | ALT | ACC | PKEY | MIG)
#define RC_SQD (C_SQD | IBV_QP_PORT | IBV_QP_TIMEOUT)
#define SEND_SQD (IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC)
#define RECV_SQD (IBV_QP_MAX_DEST_RD_ATOMIC | RNR)

struct rule {
	bool valid;
	int need[TYPES], may[TYPES];
};

/* qp_state_table of drivers/infiniband/core/verbs.c */
static const struct rule rules[IBV_QPS_ERR + 1][IBV_QPS_ERR + 1] = {
	[IBV_QPS_RESET] = {
		[IBV_QPS_RESET] = { .valid = true },
		[IBV_QPS_INIT] = { true, { C_INIT, C_INIT, UD_INIT, C_INIT, C_INIT }, { 0 } },
		[IBV_QPS_ERR] = { .valid = true },
	},
	[IBV_QPS_INIT] = {
		[IBV_QPS_RESET] = { .valid = true },
		[IBV_QPS_ERR] = { .valid = true },
		[IBV_QPS_INIT] = { true, { 0 }, { C_INIT, C_INIT, UD_INIT, C_INIT, C_INIT } },
		[IBV_QPS_RTR] = {
			true,
			{ PATH | IBV_QP_MAX_DEST_RD_ATOMIC | RNR, PATH, 0, PATH,
			  PATH | IBV_QP_MAX_DEST_RD_ATOMIC | RNR },
			{ C_RTR, C_RTR, PKEY | IBV_QP_QKEY, C_RTR, C_RTR },
		},
	},
	[IBV_QPS_RTR] = {
		[IBV_QPS_RESET] = { .valid = true },
		[IBV_QPS_ERR] = { .valid = true },
		[IBV_QPS_RTS] = {
			true,
			{ RC_RTS, IBV_QP_SQ_PSN, IBV_QP_SQ_PSN, RC_RTS,
			  IBV_QP_TIMEOUT | IBV_QP_SQ_PSN },
			{ C_RTS | RNR, C_RTS, UD_RTS, C_RTS, C_RTS | RNR },
		},
	},
	[IBV_QPS_RTS] = {
		[IBV_QPS_RESET] = { .valid = true },
		[IBV_QPS_ERR] = { .valid = true },
		[IBV_QPS_RTS] = {
			true, { 0 }, { C_RTS | RNR, C_RTS, UD_RTS, C_RTS, C_RTS | RNR },
		},
		[IBV_QPS_SQD] = { true, { 0 }, { NOTIFY, NOTIFY, NOTIFY, NOTIFY, NOTIFY } },
	},
	[IBV_QPS_SQD] = {
		[IBV_QPS_RESET] = { .valid = true },
		[IBV_QPS_ERR] = { .valid = true },
		[IBV_QPS_RTS] = {
			true, { 0 }, { C_RTS | RNR, C_RTS, UD_RTS, C_RTS, C_RTS | RNR },
		},
		[IBV_QPS_SQD] = {
			true, { 0 },
			{ RC_SQD | SEND_SQD | RECV_SQD, C_SQD, PKEY | IBV_QP_QKEY,
			  RC_SQD | SEND_SQD, RC_SQD | RECV_SQD },
		},
	},
	[IBV_QPS_SQE] = {
		[IBV_QPS_RESET] = { .valid = true },
		[IBV_QPS_ERR] = { .valid = true },
		[IBV_QPS_RTS] = { true, { 0 }, { 0, CUR | ACC, UD_RTS, 0, 0 } },
	},
	[IBV_QPS_ERR] = {
		[IBV_QPS_RESET] = { .valid = true },
		[IBV_QPS_ERR] = { .valid = true },
	},
};

static int row_of(enum ibv_qp_type type)
{
	return type == IBV_QPT_RC ? RC : type == IBV_QPT_UC ? UC : type == IBV_QPT_UD ? UD :
	       type == IBV_QPT_XRC_SEND ? XS : XR;
}

/* modify_qp_mask() of uverbs_cmd.c */
int qp_steps_mask(enum ibv_qp_type type, int mask)
{
	if (type == IBV_QPT_XRC_SEND)
		return mask & ~(IBV_QP_MAX_DEST_RD_ATOMIC | RNR);
	if (type == IBV_QPT_XRC_RECV)
		return mask & ~(IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY);
	return mask;
}

static int check_mask(enum ibv_qp_type type, const struct qp_step *step)
{
	const int t = row_of(type);
	const struct rule *r;

	if (step->from > IBV_QPS_ERR || step->to > IBV_QPS_ERR)
		return EINVAL;
	r = &rules[step->from][step->to];
	if (!r->valid || (step->mask & r->need[t]) != r->need[t])
		return EINVAL;
	return step->mask & ~(r->need[t] | r->may[t] | IBV_QP_STATE) ? EINVAL : 0;
}

static bool is_mask(int mask, int need, int may)
{
	return (mask & need) == need && !(mask & ~(need | may | IBV_QP_STATE));
}

/* modify_dci_qp_is_ok() of drivers/infiniband/hw/mlx5/qp.c */
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

int qp_steps_check(enum ibv_qp_type type, enum qp_dc dc, const struct qp_step *step)
{
	if (dc == QP_NO_DC)
		return check_mask(type, step);
	if (dc == QP_DCI)
		return is_dci_step(step->from, step->to, step->mask) ? 0 : EINVAL;
	return is_dct_step(step->from, step->to, step->mask) ? 0 : EINVAL;
}

/*
 * iWARP: irdma_modify_qp() and siw_verbs_modify_qp() take any attributes, and refuse RTS: the
 * connection manager makes the QP ready.
 */
int qp_steps_iwarp(const struct qp_step *step)
{
	const enum ibv_qp_state from = step->from, to = step->to;

	if (to == from || to == IBV_QPS_RESET || to == IBV_QPS_ERR || to == IBV_QPS_SQD)
		return 0;
	if (to == IBV_QPS_INIT)
		return from == IBV_QPS_RESET ? 0 : EINVAL;
	return to == IBV_QPS_RTR && from == IBV_QPS_INIT ? 0 : EINVAL;
}
