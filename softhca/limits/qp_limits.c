/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What a profile refuses and grants; see qp_limits.h. */
#include "config.h"
#include "limits/qp_limits.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/pages.h"
#include "transport/path.h"

/* Bytes of an SGE of a send request, and before inline data, in blocks of a send queue (mlx5). */
#define SGE_BYTES 16
#define INLINE_BYTES 4

struct op {
	uint32_t bit;
	enum ibv_wr_opcode opcode;
	uint64_t flag; /* of ibv_wr_*() */
};

static const struct op ops[] = {
	{ PROFILE_SEND, IBV_WR_SEND, IBV_QP_EX_WITH_SEND },
	{ PROFILE_SEND_IMM, IBV_WR_SEND_WITH_IMM, IBV_QP_EX_WITH_SEND_WITH_IMM },
	{ PROFILE_WRITE, IBV_WR_RDMA_WRITE, IBV_QP_EX_WITH_RDMA_WRITE },
	{ PROFILE_WRITE_IMM, IBV_WR_RDMA_WRITE_WITH_IMM, IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM },
	{ PROFILE_READ, IBV_WR_RDMA_READ, IBV_QP_EX_WITH_RDMA_READ },
	{ PROFILE_FETCH_ADD, IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD },
	{ PROFILE_CMP_SWAP, IBV_WR_ATOMIC_CMP_AND_SWP, IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP },
	{ PROFILE_ATOMIC_WRITE, IBV_WR_ATOMIC_WRITE, IBV_QP_EX_WITH_ATOMIC_WRITE },
	{ PROFILE_FLUSH_GLOBAL | PROFILE_FLUSH_PERSISTENT, IBV_WR_FLUSH, IBV_QP_EX_WITH_FLUSH },
	{ PROFILE_SEND_INV, IBV_WR_SEND_WITH_INV, IBV_QP_EX_WITH_SEND_WITH_INV },
	{ PROFILE_BIND, IBV_WR_BIND_MW, IBV_QP_EX_WITH_BIND_MW },
	{ PROFILE_LOCAL_INV, IBV_WR_LOCAL_INV, IBV_QP_EX_WITH_LOCAL_INV },
};

enum { OPS = sizeof(ops) / sizeof(ops[0]) };

/* The opcodes of the transport of the QP; 0: the device does not have it. */
static uint64_t ops_of(const struct profile *p, enum ibv_qp_type type, enum qp_dc dc)
{
	if (dc != QP_NO_DC)
		return p->dc;
	switch (type) {
	case IBV_QPT_RC:
		return p->rc;
	case IBV_QPT_UC:
		return p->uc;
	case IBV_QPT_UD:
		return p->ud;
	case IBV_QPT_XRC_SEND:
	case IBV_QPT_XRC_RECV:
		return p->xrc;
	default:
		return 0;
	}
}

static uint64_t wr_flags(uint64_t set)
{
	uint64_t flags = 0;

	for (int i = 0; i < OPS; i++)
		flags |= set & ops[i].bit ? ops[i].flag : 0;
	return flags;
}

static uint64_t max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t pow2(uint64_t n)
{
	uint64_t p = 1;

	while (p < n)
		p *= 2;
	return p;
}

/* Bytes of a request without SGEs; with ibv_wr_*() the QP says which requests it has. */
static uint64_t head(const struct profile *p, const struct ibv_qp_init_attr_ex *a)
{
	const uint64_t f = a->send_ops_flags;

	if (a->qp_type == IBV_QPT_UD)
		return p->wqe_head_ud;
	if (!(a->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) || !p->wqe_op_send ||
	    f & (IBV_QP_EX_WITH_BIND_MW | IBV_QP_EX_WITH_LOCAL_INV))
		return a->qp_type == IBV_QPT_UC ? p->wqe_head_uc : p->wqe_head_rc;
	if (f & (IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD))
		return p->wqe_op_atomic;
	return f & (IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM |
		    IBV_QP_EX_WITH_RDMA_READ) ? p->wqe_op_rdma : p->wqe_op_send;
}

/*
 * A send queue of blocks: mlx5_calc_send_wqe() and mlx5_calc_sq_size() of providers/mlx5/verbs.c. A
 * request is as long as its SGEs or its inline data, in whole blocks; the queue has a power of two
 * of bytes.
 */
static int grant_blocks(const struct profile *p, struct ibv_qp_init_attr_ex *a)
{
	const uint64_t fixed = head(p, a);
	uint64_t size = fixed + a->cap.max_send_sge * (uint64_t)SGE_BYTES, queue;

	if (a->cap.max_inline_data)
		size = max(size, fixed + ((INLINE_BYTES + a->cap.max_inline_data + 15) & ~15u));
	if (p->wqe_sq_bytes && size > p->wqe_sq_bytes)
		return EINVAL;
	size = (size + p->wqe_block - 1) / p->wqe_block * p->wqe_block;
	queue = pow2(a->cap.max_send_wr * size);
	if (queue / p->wqe_block > p->max_qp_wr)
		return EINVAL;
	a->cap.max_send_wr = (uint32_t)(queue / size);
	/* a request without SGEs may leave no room */
	a->cap.max_inline_data = (uint32_t)(max(size, fixed + INLINE_BYTES) - fixed - INLINE_BYTES);
	return 0;
}

static int grant_inline(const struct profile *p, struct ibv_qp_cap *cap)
{
	uint64_t asked = cap->max_inline_data;

	if (p->inline_mode == PROFILE_INLINE_IGNORE)
		return 0;
	if (asked <= p->max_inline)
		return 0;
	if (p->inline_mode == PROFILE_INLINE_REFUSE)
		return EINVAL;
	cap->max_inline_data = (uint32_t)p->max_inline;
	return 0;
}

static uint32_t rounded(const struct profile *p, uint32_t n)
{
	const uint64_t up = p->round == PROFILE_ROUND_POW2 && n ? pow2(n) : n;

	return (uint32_t)(up < p->max_qp_wr ? up : p->max_qp_wr);
}

static int grant_cap(const struct profile *p, struct ibv_qp_init_attr_ex *a)
{
	const uint64_t send_sge = p->max_send_sge ? p->max_send_sge : p->max_sge;
	int rc;

	if (a->cap.max_send_wr > p->max_qp_wr || a->cap.max_send_sge > send_sge ||
	    (!a->srq && (a->cap.max_recv_wr > p->max_qp_wr || a->cap.max_recv_sge > p->max_sge)))
		return EINVAL;
	rc = grant_inline(p, &a->cap);
	if (!rc && p->wqe_block && a->cap.max_send_wr)
		rc = grant_blocks(p, a);
	else if (!rc)
		a->cap.max_send_wr = rounded(p, a->cap.max_send_wr);
	if (!rc && !a->srq)
		a->cap.max_recv_wr = rounded(p, a->cap.max_recv_wr);
	return rc;
}

int qp_limits_grant(const struct ctx *ctx, struct ibv_qp_init_attr_ex *a, enum qp_dc dc)
{
	const struct profile *p = ctx->profile;
	const uint64_t set = ops_of(p, a->qp_type, dc);

	if (!set)
		return (int)p->qp_type_errno;
	if (a->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS &&
	    (!p->wr_api || a->send_ops_flags & ~wr_flags(set)))
		return EOPNOTSUPP;
	if (a->srq && !p->srq)
		return EINVAL;
	return grant_cap(p, a);
}

static uint8_t refused_flags(const struct profile *p)
{
	static const struct {
		uint32_t bit, flag;
	} flags[] = {
		{ PROFILE_FENCE, IBV_SEND_FENCE }, { PROFILE_SIGNALED, IBV_SEND_SIGNALED },
		{ PROFILE_SOLICITED, IBV_SEND_SOLICITED }, { PROFILE_INLINE, IBV_SEND_INLINE },
	};
	uint32_t refused = 0;

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		refused |= p->send_flags & flags[i].bit ? 0 : flags[i].flag;
	return (uint8_t)refused;
}

void qp_limits_rules(struct qp *qp, const struct ibv_qp_init_attr_ex *a)
{
	const struct profile *p = ctx_of(qp->ib.context)->profile;
	const uint64_t set = ops_of(p, a->qp_type, qp->dc);

	qp->max_msg = p->max_msg_bytes && p->max_msg_bytes < HCA_MAX_MSG ?
		      (uint32_t)p->max_msg_bytes : HCA_MAX_MSG;
	if (a->qp_type == IBV_QPT_UD)
		qp->max_msg = path_mtu((uint32_t)p->active_mtu);
	qp->read_sink = IBV_ACCESS_LOCAL_WRITE |
			(p->read_sink_remote_write ? IBV_ACCESS_REMOTE_WRITE : 0);
	if (!profile_is_set(p))
		return;
	for (int i = 0; i < OPS; i++)
		if (!(set & ops[i].bit))
			qp->refused_ops |= 1u << ops[i].opcode;
	qp->refused_flags = refused_flags(p);
	qp->signal_all = p->signal_all && !a->sq_sig_all;
	qp->drop_inline = p->inline_mode == PROFILE_INLINE_IGNORE;
	qp->has_rules = qp->refused_ops || qp->refused_flags || qp->signal_all || qp->drop_inline;
}

/* capable(CAP_IPC_LOCK) */
static bool may_lock_all(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3] = { { .effective = 0 } };

	return !syscall(SYS_capget, &head, caps) && caps[0].effective & 1u << CAP_IPC_LOCK;
}

int qp_limits_pin(const struct ctx *ctx, uint64_t bytes, uint64_t *pinned)
{
	struct rlimit limit;
	uint64_t before;

	*pinned = 0;
	if (!ctx->profile->memlock_queues || !bytes)
		return 0;
	bytes = pages_ceil(bytes);
	before = atomic_fetch_add(&hca.pinned, bytes);
	if (!getrlimit(RLIMIT_MEMLOCK, &limit) && before + bytes > limit.rlim_cur &&
	    !may_lock_all()) {
		atomic_fetch_sub(&hca.pinned, bytes);
		return -ENOMEM;
	}
	*pinned = bytes;
	return 0;
}

void qp_limits_unpin(uint64_t *pinned)
{
	atomic_fetch_sub(&hca.pinned, *pinned);
	*pinned = 0;
}

void qp_limits_wait(uint64_t ns)
{
	struct timespec left = {
		.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000),
	};

	/* a signal does not end it early: the time is that of a driver in the kernel */
	while (ns && syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &left, &left) < 0 &&
	       errno == EINTR)
		continue;
}
