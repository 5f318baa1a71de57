/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Which attributes a QP of each type is made with; see qp_attrs.h. */
#include "config.h"
#include "limits/qp_attrs.h"

#include <errno.h>
#include <string.h>

#include "config/newer.h"

#define SEND_OPS                                                                            \
	(IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_SEND | \
	 IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ |                           \
	 IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD |           \
	 IBV_QP_EX_WITH_LOCAL_INV | IBV_QP_EX_WITH_BIND_MW | IBV_QP_EX_WITH_SEND_WITH_INV)
#define RC_OPS (SEND_OPS | IBV_QP_EX_WITH_ATOMIC_WRITE | IBV_QP_EX_WITH_FLUSH)
#define UD_OPS (IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM)
#define UC_OPS                                                                              \
	(UD_OPS | IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM |          \
	 IBV_QP_EX_WITH_LOCAL_INV | IBV_QP_EX_WITH_BIND_MW | IBV_QP_EX_WITH_SEND_WITH_INV)

static uint64_t ops_of(enum ibv_qp_type type)
{
	return type == IBV_QPT_UD ? UD_OPS : type == IBV_QPT_UC ? UC_OPS :
	       type == IBV_QPT_RC ? RC_OPS : SEND_OPS;
}

/*
 * Which objects the QP needs: an XRC_RECV QP has only a domain, an XRC_SEND QP has no receive queue
 * (create_qp() of drivers/infiniband/core/uverbs_cmd.c).
 */
static int check_objects(const struct ibv_qp_init_attr_ex *a)
{
	if (a->qp_type == IBV_QPT_XRC_RECV)
		return a->comp_mask & IBV_QP_INIT_ATTR_XRCD && a->xrcd ? 0 : EINVAL;
	if (!(a->comp_mask & IBV_QP_INIT_ATTR_PD))
		return EOPNOTSUPP;
	if (a->qp_type == IBV_QPT_XRC_SEND)
		return a->pd && a->send_cq && !a->srq ? 0 : EINVAL;
	return a->pd && a->send_cq && a->recv_cq ? 0 : EINVAL;
}

/*
 * mlx5_create_qp() and create_dct() of providers/mlx5/verbs.c, create_dct() of
 * drivers/infiniband/hw/mlx5/qp.c: a DCT is made with a PD, CQs and an SRQ, and nothing else.
 */
static int check_dc(const struct ibv_qp_init_attr_ex *a, enum qp_dc dc)
{
	const uint32_t dci = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;

	if (a->qp_type != IBV_QPT_DRIVER)
		return EINVAL;
	if (dc == QP_DCI)
		return a->comp_mask & ~dci ? EINVAL : 0;
	return a->comp_mask == IBV_QP_INIT_ATTR_PD && a->srq && a->recv_cq ? 0 : EINVAL;
}

int qp_attrs_check(const struct ibv_qp_init_attr_ex *a, enum qp_dc dc, bool has_xrc)
{
	const uint32_t known = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS |
			       IBV_QP_INIT_ATTR_CREATE_FLAGS | IBV_QP_INIT_ATTR_XRCD;

	if (a->comp_mask & ~known)
		return EOPNOTSUPP;
	if (a->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS && a->create_flags)
		return EOPNOTSUPP;
	if (dc != QP_NO_DC && check_dc(a, dc))
		return check_dc(a, dc);
	if (dc == QP_NO_DC &&
	    a->qp_type != IBV_QPT_RC && a->qp_type != IBV_QPT_UC && a->qp_type != IBV_QPT_UD &&
	    !(qp_type_is_xrc(a->qp_type) && has_xrc))
		return EOPNOTSUPP;
	if (a->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS &&
	    (a->qp_type == IBV_QPT_XRC_RECV || a->send_ops_flags & ~ops_of(a->qp_type)))
		return EOPNOTSUPP;
	return check_objects(a);
}

/* As rdma_is_multicast_addr() of the kernel (include/rdma/ib_addr.h): also a mapped IPv4 group. */
static bool is_group(const union ibv_gid *gid)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return gid->raw[0] == 0xff ||
	       (!memcmp(gid->raw, mapped, sizeof(mapped)) && gid->raw[12] >> 4 == 0xe);
}

bool qp_attrs_join(enum ibv_qp_type type, const union ibv_gid *gid)
{
	return type == IBV_QPT_UD && is_group(gid);
}
