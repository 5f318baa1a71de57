/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What the program asks about an identifier: addresses, paths, attributes of QPs. */
#ifndef CM_QUERY_H
#define CM_QUERY_H

#include <rdma/ib_user_verbs.h>

#include "cm/cm.h"

/* The path record as subnet administration packs it (IBA vol. 1, 15.2.5.16), and its flags. */
struct cm_query_paths {
	uint32_t num_paths, reserved;
	struct ib_path_rec_data path[1];
};

/* The Q_Key of a UD identifier, RDMA_UDP_QKEY if it has none yet. */
uint32_t cm_query_qkey(struct cm_id *id);
/* The address of a GID, from the device and with the traffic class of the identifier. */
void cm_query_ah(const struct cm_id *id, const union ibv_gid *dgid, struct ib_uverbs_ah_attr *ah);
/* The GID of the peer. */
union ibv_gid cm_query_dgid(const struct cm_id *id);
void cm_query_route(const struct cm_id *id, struct rdma_ucm_query_route_resp *resp);
void cm_query_addr(const struct cm_id *id, struct rdma_ucm_query_addr_resp *resp);
/* The GIDs, as AF_IB addresses. */
void cm_query_gid(const struct cm_id *id, struct rdma_ucm_query_addr_resp *resp);
void cm_query_path(const struct cm_id *id, struct cm_query_paths *resp);
/* The attributes that bring a QP to the state; 0, or -EINVAL: not now. */
int cm_query_qp_attr(struct cm_id *id, enum ibv_qp_state state, struct ib_uverbs_qp_attr *attr);

/* Whether the device is of iWARP. There the connection manager makes the QP ready. */
bool cm_query_is_iwarp(const struct cm_id *id);
/* iWARP: 0, or -EINVAL: the connection has no such QP, or it is not in the state INIT or RTR. */
int cm_query_connect_qp(const struct cm_id *id);

#endif
