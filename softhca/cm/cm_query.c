/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Addresses, paths and attributes of QPs; see cm_query.h. */
#include "config.h"
#include "cm/cm_query.h"

#include <endian.h>
#include <errno.h>
#include <infiniband/ib.h>
#include <string.h>

#include "base/gid.h"
#include "base/hca.h"
#include "config/newer.h"
#include "cm/cm_addr.h"

#define UDP_QKEY 0x01234567u /* RDMA_UDP_QKEY of rdma/rdma_cma.h */
#define HOP_LIMIT 64 /* IPV6_DEFAULT_HOPLIMIT, cma_resolve_iboe_route() */
#define EXACTLY 2 /* IB_SA_EQ */
/* CMA_IBOE_PACKET_LIFETIME, and the timeout that cm_ack_timeout() makes of it: 0.5 s */
#define LIFETIME 16
#define ACK_TIMEOUT 17

uint32_t cm_query_qkey(struct cm_id *id)
{
	if (!id->qkey)
		id->qkey = UDP_QKEY;
	return id->qkey;
}

/* Of the path: the first of the table, as that of an interface of IPoIB. */
static __be16 pkey_of(const struct cm_id *id)
{
	const struct profile *p = hca_profile(id->at.dev);

	return htobe16(p->n_pkeys ? p->pkey[0] : 0xffff);
}

bool cm_query_is_iwarp(const struct cm_id *id)
{
	return id->has_dev && hca_profile(id->at.dev)->transport_type == IBV_TRANSPORT_IWARP;
}

void cm_query_ah(const struct cm_id *id, const union ibv_gid *dgid, struct ib_uverbs_ah_attr *ah)
{
	const struct profile *p = hca_profile(id->at.dev);

	*ah = (struct ib_uverbs_ah_attr) {
		/* on InfiniBand the subnet manager's path has a GRH only if the port wants it */
		.is_global = p->link_layer != IBV_LINK_LAYER_INFINIBAND || p->grh_required,
		.dlid = gid_table(id->to).lid,
		.port_num = 1,
		.grh = {
			.sgid_index = (uint8_t)gid_address_index(id->at),
			.hop_limit = HOP_LIMIT,
			.traffic_class = id->tos,
		},
	};
	memcpy(ah->grh.dgid, dgid->raw, 16);
}

static union ibv_gid gid_at(struct profile_of of)
{
	const struct shm_address all = gid_table(of);
	union ibv_gid gid;

	memcpy(gid.raw, all.gid[gid_address_index(of)].raw, sizeof(gid.raw));
	return gid;
}

union ibv_gid cm_query_dgid(const struct cm_id *id)
{
	return gid_at(id->to);
}

static void fill_path(const struct cm_id *id, struct ib_user_path_rec *path)
{
	union ibv_gid sgid = gid_at(id->at), dgid = cm_query_dgid(id);

	memcpy(path->sgid, sgid.raw, 16);
	if (id->has_dst)
		memcpy(path->dgid, dgid.raw, 16);
	path->pkey = pkey_of(id);
	if (!id->has_route)
		return;
	path->reversible = 1;
	path->numb_path = 1;
	path->mtu_selector = path->rate_selector = path->packet_life_time_selector = EXACTLY;
	path->mtu = (uint8_t)hca_profile(id->at.dev)->active_mtu;
	path->packet_life_time = LIFETIME;
	path->hop_limit = HOP_LIMIT;
	path->traffic_class = id->tos;
}

void cm_query_route(const struct cm_id *id, struct rdma_ucm_query_route_resp *resp)
{
	/* an IPv4 address fits, too */
	memcpy(&resp->src_addr, &id->src, sizeof(resp->src_addr));
	memcpy(&resp->dst_addr, &id->dst, sizeof(resp->dst_addr));
	if (!id->has_dev)
		return;
	resp->node_guid = gid_guid(id->at.dev);
	resp->port_num = 1;
	resp->ibdev_index = UINT32_MAX; /* not known: by the GUID */
	resp->num_paths = id->has_route;
	fill_path(id, &resp->ib_route[0]);
}

static void fill_device(const struct cm_id *id, struct rdma_ucm_query_addr_resp *resp)
{
	resp->ibdev_index = UINT32_MAX;
	if (!id->has_dev)
		return;
	resp->node_guid = gid_guid(id->at.dev);
	resp->port_num = 1;
	resp->pkey = pkey_of(id);
}

void cm_query_addr(const struct cm_id *id, struct rdma_ucm_query_addr_resp *resp)
{
	resp->src_size = cm_addr_size(&id->src);
	memcpy(&resp->src_addr, &id->src, resp->src_size);
	resp->dst_size = cm_addr_size(&id->dst);
	memcpy(&resp->dst_addr, &id->dst, resp->dst_size);
	fill_device(id, resp);
}

static uint16_t fill_ib(void *to, const union ibv_gid *gid, __be16 pkey, uint64_t service)
{
	struct sockaddr_ib sib = {
		.sib_family = AF_IB,
		.sib_pkey = pkey,
		.sib_sid = htobe64(service),
		.sib_sid_mask = UINT64_MAX,
	};

	memcpy(&sib.sib_addr, gid, 16);
	memcpy(to, &sib, sizeof(sib));
	return sizeof(sib);
}

void cm_query_gid(const struct cm_id *id, struct rdma_ucm_query_addr_resp *resp)
{
	union ibv_gid sgid = { .raw = { 0 } }, dgid = { .raw = { 0 } };
	uint64_t ps = (uint64_t)id->ps << 16;

	if (id->has_dev)
		sgid = gid_at(id->at);
	if (id->has_dst)
		dgid = cm_query_dgid(id);
	resp->src_size = fill_ib(&resp->src_addr, &sgid, pkey_of(id),
				 ps | cm_addr_port(&id->src));
	resp->dst_size = fill_ib(&resp->dst_addr, &dgid, pkey_of(id),
				 ps | cm_addr_port(&id->dst));
	fill_device(id, resp);
}

/* struct ibv_path_record of infiniband/sa.h */
void cm_query_path(const struct cm_id *id, struct cm_query_paths *resp)
{
	struct ib_user_path_rec path = { .numb_path = 0 };
	uint8_t *packed = (uint8_t *)resp->path[0].path_rec;
	uint32_t hops = htobe32(HOP_LIMIT);

	resp->num_paths = id->has_dev && id->has_route;
	if (!resp->num_paths)
		return;
	fill_path(id, &path);
	resp->path[0].flags = IB_PATH_GMP | IB_PATH_PRIMARY | IB_PATH_BIDIRECTIONAL;
	memcpy(packed + 8, path.dgid, 16);
	memcpy(packed + 24, path.sgid, 16);
	memcpy(packed + 44, &hops, 4);
	packed[48] = path.traffic_class;
	packed[49] = 0x80 | 1; /* reversible, one path */
	memcpy(packed + 50, &path.pkey, 2);
	packed[54] = (uint8_t)(EXACTLY << 6 | path.mtu);
	packed[55] = EXACTLY << 6;
	packed[56] = EXACTLY << 6 | LIFETIME;
}

/* cma_ib_init_qp_attr(): there is no connection yet, or never is. */
static void fill_unconnected(struct cm_id *id, struct ib_uverbs_qp_attr *attr)
{
	attr->port_num = 1;
	attr->qp_attr_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
	if (cm_id_is_ud(id)) {
		attr->qkey = cm_query_qkey(id);
		attr->qp_attr_mask |= IBV_QP_QKEY;
	} else {
		attr->qp_attr_mask |= IBV_QP_ACCESS_FLAGS;
	}
}

/* cm_init_qp_init_attr() */
static void fill_init(const struct cm_id *id, struct ib_uverbs_qp_attr *attr)
{
	attr->qp_attr_mask = IBV_QP_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
	attr->port_num = 1;
	attr->qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
	if (id->own.responder_resources)
		attr->qp_access_flags |= IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |
					 IBV_ACCESS_FLUSH_GLOBAL | IBV_ACCESS_FLUSH_PERSISTENT;
}

/* cm_init_qp_rtr_attr(); min_rnr_timer 0 is 655.36 ms */
static void fill_rtr(const struct cm_id *id, struct ib_uverbs_qp_attr *attr)
{
	union ibv_gid dgid = cm_query_dgid(id);

	attr->qp_attr_mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			     IBV_QP_RQ_PSN;
	cm_query_ah(id, &dgid, &attr->ah_attr);
	attr->path_mtu = (uint32_t)hca_profile(id->at.dev)->active_mtu;
	attr->dest_qp_num = id->peer.qpn;
	attr->rq_psn = id->own.psn;
	if (id->qp_type == IBV_QPT_RC) {
		attr->qp_attr_mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
		attr->max_dest_rd_atomic = id->own.responder_resources;
	}
}

/* cm_init_qp_rts_attr() */
static void fill_rts(const struct cm_id *id, struct ib_uverbs_qp_attr *attr)
{
	attr->qp_attr_mask = IBV_QP_STATE | IBV_QP_SQ_PSN;
	attr->sq_psn = id->peer.psn;
	if (id->qp_type != IBV_QPT_RC)
		return;
	attr->qp_attr_mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			      IBV_QP_MAX_QP_RD_ATOMIC;
	attr->timeout = id->ack_timeout_set ? id->ack_timeout : ACK_TIMEOUT;
	attr->retry_cnt = id->own.retry_count;
	attr->rnr_retry = id->own.rnr_retry_count;
	attr->max_rd_atomic = id->own.initiator_depth;
}

/*
 * iw_cm_init_qp_attr() of drivers/infiniband/core/iwcm.c, and rdma_init_qp_attr(): for RTS nothing,
 * the driver makes the QP ready itself when the connection is there.
 */
static void fill_iwarp(enum ibv_qp_state state, struct ib_uverbs_qp_attr *attr)
{
	attr->port_num = 1;
	attr->qp_attr_mask = IBV_QP_PORT;
	if (state != IBV_QPS_INIT && state != IBV_QPS_RTR)
		return;
	attr->qp_attr_mask |= IBV_QP_STATE | IBV_QP_ACCESS_FLAGS;
	attr->qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
}

int cm_query_connect_qp(const struct cm_id *id)
{
	const union ibv_gid dgid = cm_query_dgid(id);
	struct ibv_qp_attr attr = {
		.dest_qp_num = id->peer.qpn,
		.ah_attr = {
			.is_global = 1, .port_num = 1, .grh = {
				.dgid = dgid, .hop_limit = HOP_LIMIT,
				.sgid_index = (uint8_t)gid_address_index(id->at),
			},
		},
		.path_mtu = (enum ibv_mtu)hca_profile(id->at.dev)->active_mtu,
		.max_rd_atomic = id->own.initiator_depth,
		.max_dest_rd_atomic = id->own.responder_resources,
	};

	return hca.cm.connect_qp ? hca.cm.connect_qp(id->own.qpn, &attr) : -EINVAL;
}

int cm_query_qp_attr(struct cm_id *id, enum ibv_qp_state state, struct ib_uverbs_qp_attr *attr)
{
	/* the passive side knows all from the request on, the active side from the reply on */
	bool sent = id->link == CM_LINK_REQ_SENT || id->link == CM_LINK_CONNECTING;
	bool known = id->link >= CM_LINK_REQ_RCVD && id->link <= CM_LINK_ESTABLISHED;

	attr->qp_state = state;
	if (cm_query_is_iwarp(id)) {
		fill_iwarp(state, attr);
		return 0;
	}
	if (cm_id_is_ud(id) || !id->started) {
		fill_unconnected(id, attr);
		return 0;
	}
	if (state == IBV_QPS_INIT && (sent || known))
		fill_init(id, attr);
	else if (state == IBV_QPS_RTR && known)
		fill_rtr(id, attr);
	else if (state == IBV_QPS_RTS && known)
		fill_rts(id, attr);
	else
		return -EINVAL;
	return 0;
}
