/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The devices; see device.h. All their attributes say that they are emulated. */
#include "config.h"
#include "objects/device.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/gid.h"
#include "objects/mode.h"
#include "objects/mr.h"
#include "transport/object.h"

static void fill(void)
{
	for (uint32_t i = 0; i < SHM_DEVS; i++) {
		struct ibv_device *d = &hca.fixed.dev[i];

		d->node_type = IBV_NODE_CA;
		d->transport_type = IBV_TRANSPORT_IB;
		snprintf(d->name, sizeof(d->name), "softhca%u", i);
		snprintf(d->dev_name, sizeof(d->dev_name), "softhca%u", i);
	}
}

bool device_is_emulated(const struct ibv_device *dev)
{
	return dev >= hca.fixed.dev && dev < hca.fixed.dev + SHM_DEVS;
}

uint32_t device_ports(void)
{
	return hca_settings()->ports;
}

struct ibv_device *device_at(uint32_t i)
{
	pthread_once(&hca.fixed.device_once, fill);
	return &hca.fixed.dev[i];
}

int device_gid_entry(uint32_t dev, uint32_t port, uint32_t index, struct ibv_gid_entry *entry)
{
	if (!port || port > device_ports() || index >= GID_COUNT)
		return EINVAL;
	*entry = (struct ibv_gid_entry) {
		.gid = gid_of_port(dev, port, index),
		.gid_index = index,
		.port_num = port,
		.gid_type = IBV_GID_TYPE_ROCE_V2,
	};
	return 0;
}

int device_query(struct ibv_context *ctx, struct ibv_device_attr *attr)
{
	uint32_t dev = ctx_of(ctx)->dev;

	*attr = (struct ibv_device_attr) {
		.node_guid = gid_guid(dev),
		.sys_image_guid = gid_guid(dev),
		.max_mr_size = UINT64_C(1) << 40,
		.page_size_cap = 4096,
		.vendor_id = 0, /* of no vendor */
		/*
		 * perftest sends inline data, and posts by ibv_wr_*(), only on devices that it
		 * knows; this is one of them. It is of no vendor, so it is no ConnectX.
		 */
		.vendor_part_id = 4129,
		.max_qp = SHM_QPS,
		.max_qp_wr = HCA_MAX_WR,
		.device_cap_flags = IBV_DEVICE_BAD_QKEY_CNTR | IBV_DEVICE_CURR_QP_STATE_MOD |
				    IBV_DEVICE_PORT_ACTIVE_EVENT | IBV_DEVICE_SYS_IMAGE_GUID |
				    IBV_DEVICE_RC_RNR_NAK_GEN | IBV_DEVICE_SRQ_RESIZE |
				    IBV_DEVICE_MEM_WINDOW | IBV_DEVICE_MEM_WINDOW_TYPE_2B |
				    IBV_DEVICE_MEM_MGT_EXTENSIONS,
		.max_sge = SHM_MAX_SGE,
		.max_sge_rd = SHM_MAX_SGE,
		.max_cq = SHM_CQS,
		.max_cqe = HCA_MAX_CQE,
		.max_mr = SHM_MRS - 1,
		.max_pd = INT16_MAX,
		.max_qp_rd_atom = HCA_MAX_RD_ATOMIC,
		.max_res_rd_atom = HCA_MAX_RD_ATOMIC * SHM_QPS,
		.max_qp_init_rd_atom = HCA_MAX_RD_ATOMIC,
		.atomic_cap = IBV_ATOMIC_GLOB,
		.max_mw = SHM_MRS - 1,
		.max_mcast_grp = SHM_GROUPS,
		.max_mcast_qp_attach = SHM_MEMBERS,
		.max_total_mcast_qp_attach = SHM_GROUPS * SHM_MEMBERS,
		.max_ah = INT16_MAX,
		.max_srq = SHM_SRQS,
		.max_srq_wr = HCA_MAX_WR,
		.max_srq_sge = SHM_MAX_SGE,
		.max_pkeys = 1,
		.phys_port_cnt = (uint8_t)device_ports(),
	};
	if (ctx_of(ctx)->mode->has_xrc)
		attr->device_cap_flags |= IBV_DEVICE_XRC;
	if (ctx_of(ctx)->mode->has_apm)
		attr->device_cap_flags |= IBV_DEVICE_AUTO_PATH_MIG;
	settings_text(hca_settings(), dev, attr->fw_ver);
	return 0;
}

int device_query_ex(struct ibv_context *ctx, const struct ibv_query_device_ex_input *input,
		    struct ibv_device_attr_ex *attr, size_t size)
{
	const uint32_t datagrams = IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV;
	const uint32_t writes = datagrams | IBV_ODP_SUPPORT_WRITE;
	struct ibv_device_attr_ex full = {
		/* memory of a process is paged on demand, whatever a region asks for */
		.odp_caps = {
			.general_caps = IBV_ODP_SUPPORT,
			.per_transport_caps = {
				.rc_odp_caps = writes | IBV_ODP_SUPPORT_READ |
					       IBV_ODP_SUPPORT_ATOMIC,
				.uc_odp_caps = writes,
				.ud_odp_caps = datagrams,
			},
		},
		.phys_port_cnt_ex = (uint8_t)device_ports(),
		.max_dm_size = ctx_of(ctx)->mode->has_dm ? DM_MAX_BYTES : 0,
	};

	(void)input;
	device_query(ctx, &full.orig_attr);
	full.device_cap_flags_ex = full.orig_attr.device_cap_flags;
	memset(attr, 0, size);
	memcpy(attr, &full, size < sizeof(full) ? size : sizeof(full));
	return 0;
}

/* The slowest link with a code that is not slower than the setting; no setting: 4X NDR. */
static void fill_rate(struct ibv_port_attr *attr, uint64_t bit_s)
{
	static const struct {
		uint8_t width, speed;
		uint32_t mbit_s;
	} links[] = {
		{ 1, 1, 2500 }, { 1, 2, 5000 }, { 1, 4, 10000 }, { 1, 16, 14000 }, { 2, 2, 20000 },
		{ 1, 32, 25000 }, { 2, 4, 40000 }, { 1, 64, 50000 }, { 2, 16, 56000 },
		{ 2, 32, 100000 }, { 2, 64, 200000 }, { 2, 128, 400000 }, { 4, 128, 800000 },
	};
	size_t i = 0, last = sizeof(links) / sizeof(links[0]) - 1;

	while (i < last && links[i].mbit_s * UINT64_C(1000000) < bit_s)
		i++;
	if (!bit_s)
		i = last - 1;
	attr->active_width = links[i].width;
	attr->active_speed = links[i].speed;
}

int device_query_port(struct ibv_context *ctx, uint8_t port, struct ibv_port_attr *attr,
		      size_t size)
{
	uint32_t dev = ctx_of(ctx)->dev;
	struct shm_port *p = hca_port(hca.slot, dev, port);
	bool down = atomic_load(&p->down);
	struct ibv_port_attr full = {
		.state = down ? IBV_PORT_DOWN : IBV_PORT_ACTIVE,
		.max_mtu = IBV_MTU_4096,
		.active_mtu = IBV_MTU_4096,
		.gid_tbl_len = GID_COUNT,
		.port_cap_flags = IBV_PORT_CM_SUP | IBV_PORT_IP_BASED_GIDS,
		.max_msg_sz = HCA_MAX_MSG,
		.qkey_viol_cntr = atomic_load(&p->qkey_violations),
		.pkey_tbl_len = 1,
		.max_vl_num = 1,
		.phys_state = down ? 3 : 5, /* IBA PortPhysicalState: Disabled, LinkUp */
		.link_layer = IBV_LINK_LAYER_ETHERNET,
		.flags = IBV_QPF_GRH_REQUIRED,
	};

	if (!port || port > device_ports())
		return EINVAL;
	fill_rate(&full, ctx_of(ctx)->settings.bit_s);
	memcpy(attr, &full, size < sizeof(full) ? size : sizeof(full));
	return 0;
}
