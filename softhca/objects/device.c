/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The devices; see device.h. All their attributes say that they are emulated. */
#include "config.h"
#include "objects/device.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/gid.h"
#include "objects/mode.h"
#include "objects/mr.h"
#include "transport/fault.h"
#include "transport/object.h"
#include "way/way.h"

static void fill(void)
{
	for (uint32_t i = 0; i < SHM_DEVS; i++) {
		struct ibv_device *d = &hca.fixed.dev[i];

		d->node_type = (enum ibv_node_type)hca_profile(i)->node_type;
		d->transport_type = (enum ibv_transport_type)hca_profile(i)->transport_type;
		snprintf(d->name, sizeof(d->name), "softhca%u", i);
		snprintf(d->dev_name, sizeof(d->dev_name), "softhca%u", i);
		/* programs read the files of a device that is described: api/api_sysfs.c */
		if (profile_is_set(hca_profile(i)))
			snprintf(d->ibdev_path, sizeof(d->ibdev_path), DEVICE_SYSFS "%u", i);
	}
}

bool device_is_emulated(const struct ibv_device *dev)
{
	return dev >= hca.fixed.dev && dev < hca.fixed.dev + SHM_DEVS;
}

struct ibv_device *device_at(uint32_t i)
{
	pthread_once(&hca.fixed.device_once, fill);
	return &hca.fixed.dev[i];
}

int device_gid_entry(uint32_t dev, uint32_t port, uint32_t index, struct ibv_gid_entry *entry)
{
	if (!port || port > gid_ports(dev) || index >= device_gids(dev))
		return EINVAL;
	if (index >= gid_count(dev))
		return ENODATA;
	*entry = (struct ibv_gid_entry) {
		.gid = gid_of_port(dev, port, index),
		.gid_index = index,
		.port_num = port,
		.gid_type = hca_profile(dev)->gid[index].type,
	};
	return 0;
}

uint32_t device_gids(uint32_t dev)
{
	const struct profile *p = hca_profile(dev);

	return p->gid_tbl_len > p->n_gids ? (uint32_t)p->gid_tbl_len : p->n_gids;
}

uint32_t device_pkeys(uint32_t dev)
{
	const struct profile *p = hca_profile(dev);

	return p->pkey_tbl_len > p->n_pkeys ? (uint32_t)p->pkey_tbl_len : p->n_pkeys;
}

int device_pkey(uint32_t dev, uint32_t port, uint32_t index, uint16_t *pkey)
{
	const struct profile *p = hca_profile(dev);

	if (!port || port > gid_ports(dev) || index >= device_pkeys(dev))
		return EINVAL;
	*pkey = index < p->n_pkeys ? p->pkey[index] : 0;
	return 0;
}

static unsigned int capabilities(const struct ctx *ctx)
{
	const struct profile *p = ctx->profile;
	unsigned int flags = IBV_DEVICE_BAD_QKEY_CNTR | IBV_DEVICE_CURR_QP_STATE_MOD |
			     IBV_DEVICE_PORT_ACTIVE_EVENT | IBV_DEVICE_SYS_IMAGE_GUID |
			     IBV_DEVICE_RC_RNR_NAK_GEN;

	if (p->srq)
		flags |= IBV_DEVICE_SRQ_RESIZE;
	if (p->mw)
		flags |= IBV_DEVICE_MEM_WINDOW | IBV_DEVICE_MEM_WINDOW_TYPE_2B |
			 IBV_DEVICE_MEM_MGT_EXTENSIONS;
	if (ctx->mode->has_xrc && p->xrc)
		flags |= IBV_DEVICE_XRC;
	if (ctx->mode->has_apm && p->path_migration)
		flags |= IBV_DEVICE_AUTO_PATH_MIG;
	return flags;
}

static void fill_limits(struct ibv_device_attr *attr, const struct profile *p)
{
	attr->max_mr_size = p->max_mr_size;
	attr->max_qp = (int)p->max_qp;
	attr->max_qp_wr = (int)p->max_qp_wr;
	attr->max_sge = (int)p->max_sge;
	attr->max_sge_rd = (int)p->max_sge_rd;
	attr->max_cq = (int)p->max_cq;
	attr->max_cqe = (int)p->max_cqe;
	attr->max_mr = (int)p->max_mr;
	attr->max_pd = (int)p->max_pd;
	attr->max_ah = (int)p->max_ah;
	attr->max_qp_rd_atom = (int)p->max_rd_atomic;
	attr->max_res_rd_atom = (int)p->max_rd_atomic * SHM_QPS;
	attr->max_qp_init_rd_atom = (int)p->max_init_rd_atomic;
	attr->atomic_cap = (enum ibv_atomic_cap)p->atomics;
	attr->max_mw = p->mw ? (int)p->max_mw : 0;
	attr->max_mcast_grp = (int)p->max_mcast_grp;
	attr->max_mcast_qp_attach = p->max_mcast_grp ? SHM_MEMBERS : 0;
	attr->max_total_mcast_qp_attach = attr->max_mcast_grp * attr->max_mcast_qp_attach;
	attr->max_srq = p->srq ? (int)p->max_srq : 0;
	attr->max_srq_wr = p->srq ? (int)p->max_srq_wr : 0;
	attr->max_srq_sge = p->srq ? (int)p->max_srq_sge : 0;
}

int device_query(struct ibv_context *ctx, struct ibv_device_attr *attr)
{
	const uint32_t dev = ctx_of(ctx)->dev;
	const struct profile *p = hca_profile(dev);

	*attr = (struct ibv_device_attr) {
		.node_guid = gid_guid(dev),
		.sys_image_guid = gid_guid(dev),
		.page_size_cap = 4096,
		.vendor_id = (uint32_t)p->vendor_id,
		.vendor_part_id = (uint32_t)p->vendor_part_id,
		.hw_ver = (uint32_t)p->hw_ver,
		.device_cap_flags = capabilities(ctx_of(ctx)),
		.max_pkeys = (uint16_t)device_pkeys(dev),
		.phys_port_cnt = (uint8_t)gid_ports(dev),
	};
	fill_limits(attr, p);
	settings_text(hca_settings(), dev, attr->fw_ver);
	return 0;
}

struct newer_caps {
	uint64_t device;
	uint32_t odp;
};

/* The operations of annex A19. */
static struct newer_caps newer_caps(const struct profile *p)
{
	static const struct {
		uint64_t op;
		struct newer_caps caps;
	} all[] = {
		{ PROFILE_FLUSH_GLOBAL, { NEWER_DEVICE_FLUSH_GLOBAL, NEWER_ODP_FLUSH } },
		{ PROFILE_FLUSH_PERSISTENT, { NEWER_DEVICE_FLUSH_PERSISTENT, NEWER_ODP_FLUSH } },
		{ PROFILE_ATOMIC_WRITE, { NEWER_DEVICE_ATOMIC_WRITE, NEWER_ODP_ATOMIC_WRITE } },
	};
	struct newer_caps caps = { 0, 0 };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		caps.device |= p->rc & all[i].op ? all[i].caps.device : 0;
		caps.odp |= p->rc & all[i].op ? all[i].caps.odp : 0;
	}
	return caps;
}

int device_query_ex(struct ibv_context *ctx, const struct ibv_query_device_ex_input *input,
		    struct ibv_device_attr_ex *attr, size_t size)
{
	const uint32_t datagrams = IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV |
				   IBV_ODP_SUPPORT_SRQ_RECV;
	const uint32_t writes = datagrams | IBV_ODP_SUPPORT_WRITE;
	const uint32_t all = writes | IBV_ODP_SUPPORT_READ | IBV_ODP_SUPPORT_ATOMIC;
	const struct newer_caps newer = newer_caps(ctx_of(ctx)->profile);
	struct ibv_device_attr_ex full = {
		/* memory of a process is paged on demand, whatever a region asks for */
		.odp_caps = {
			.general_caps = IBV_ODP_SUPPORT,
			.per_transport_caps = {
				.rc_odp_caps = all | newer.odp,
				.uc_odp_caps = writes,
				.ud_odp_caps = datagrams,
			},
		},
		.xrc_odp_caps = all,
		.phys_port_cnt_ex = (uint8_t)gid_ports(ctx_of(ctx)->dev),
		.max_dm_size = ctx_of(ctx)->mode->has_dm && ctx_of(ctx)->profile->device_memory ?
			       DM_MAX_BYTES : 0,
	};

	(void)input;
	if (ctx_of(ctx)->mode->has_pacing && ctx_of(ctx)->profile->paced)
		full.packet_pacing_caps = (struct ibv_packet_pacing_caps) {
			.qp_rate_limit_min = 1,
			.qp_rate_limit_max = UINT32_MAX,
			.supported_qpts = (uint32_t)ctx_of(ctx)->profile->paced,
		};
	if (!ctx_of(ctx)->profile->odp) {
		memset(&full.odp_caps, 0, sizeof(full.odp_caps));
		full.xrc_odp_caps = 0;
	}
	device_query(ctx, &full.orig_attr);
	full.device_cap_flags_ex = full.orig_attr.device_cap_flags | newer.device;
	memset(attr, 0, size);
	memcpy(attr, &full, size < sizeof(full) ? size : sizeof(full));
	return 0;
}

/* Codes of a link: IBA vol. 1, PortInfo LinkWidthActive, LinkSpeedActive, LinkSpeedExtActive. */
struct link_code {
	uint8_t width;
	uint32_t speed;
};

static uint8_t lanes_of(uint64_t width)
{
	return width == 1 ? 1 : width == 2 ? 4 : width == 4 ? 8 : width == 8 ? 12 :
	       width == 16 ? 2 : 0;
}

/* Mbit/s of these codes; speed: of active_speed_ex. */
static uint64_t rate_of(uint64_t width, uint64_t speed)
{
	static const struct { uint32_t code, value; } speeds[] = {
		{ 1, 2500 }, { 2, 5000 }, { 4, 10000 }, { 8, 10000 }, { 16, 14000 }, { 32, 25000 },
		{ 64, 50000 }, { 128, 100000 }, { 256, 200000 },
	};

	for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++)
		if (speeds[i].code == speed)
			return lanes_of(width) * (uint64_t)speeds[i].value;
	return 0;
}

/* The slowest link with a code that is not slower than the setting; no setting: 4X NDR. */
static const struct link_code *link_of(uint64_t bit_s)
{
	static const struct link_code links[] = {
		{ 1, 1 }, { 1, 2 }, { 1, 4 }, { 1, 16 }, { 2, 2 }, { 1, 32 }, { 2, 4 }, { 1, 64 },
		{ 2, 16 }, { 2, 32 }, { 2, 64 }, { 2, 128 }, { 4, 128 },
	};
	size_t i = 0, last = sizeof(links) / sizeof(links[0]) - 1;

	while (i < last && rate_of(links[i].width, links[i].speed) * 1000000 < bit_s)
		i++;
	return &links[bit_s ? i : last - 1];
}

/* Most bandwidths have no code: the file in sysfs and ibv_query_port_speed() have theirs. */
static void put_exact(struct device_speed *s, uint64_t bit_s)
{
	const uint64_t mbit_s = (bit_s + 999999) / 1000000;

	if (!bit_s || mbit_s == s->mbit_s)
		return;
	s->mbit_s = mbit_s;
	s->lanes = 0;
}

struct device_speed device_speed(uint32_t dev)
{
	const struct profile *p = hca_profile(dev);
	const struct link_code *link = link_of(hca_settings()->dev[dev].bit_s);
	struct device_speed s = {
		.width = p->active_width ? (uint8_t)p->active_width : link->width,
		.speed_ex = p->active_speed_ex ? (uint32_t)p->active_speed_ex :
			    p->active_speed    ? (uint32_t)p->active_speed :
						 link->speed,
	};

	/* the kernel gives old programs NDR for XDR (ib_uverbs_query_port of uverbs_cmd.c) */
	s.speed = s.speed_ex < 128 ? (uint8_t)s.speed_ex : 128;
	if (p->active_speed)
		s.speed = (uint8_t)p->active_speed;
	s.lanes = lanes_of(s.width);
	s.mbit_s = rate_of(s.width, s.speed_ex);
	if (!p->active_width && !p->active_speed && !p->active_speed_ex)
		put_exact(&s, hca_settings()->dev[dev].bit_s);
	s.lag_mbit_s = p->lag_rate ? p->lag_rate : s.mbit_s;
	return s;
}

enum ibv_port_state device_port_state(uint32_t dev, uint32_t port)
{
	const enum ibv_port_state state = (enum ibv_port_state)hca_profile(dev)->port_state;

	if (state == IBV_PORT_ACTIVE && hca.joined &&
	    (atomic_load(&hca_port(hca.slot, dev, port)->down) ||
	     way_is_down(dev, clock_now())))
		return IBV_PORT_DOWN;
	return state;
}

/* struct ibv_port_attr, with the field that newer headers have behind the last of older ones. */
union port_attr_any {
	struct ibv_port_attr attr;
	struct {
		uint8_t older[offsetof(struct ibv_port_attr, port_cap_flags2) + sizeof(uint16_t)];
		uint32_t active_speed_ex;
	} wide;
};

uint32_t device_port_capabilities(uint32_t dev)
{
	const struct profile *p = hca_profile(dev);

	return IBV_PORT_CM_SUP |
	       (p->link_layer == IBV_LINK_LAYER_ETHERNET && p->ip_based_gids ?
		IBV_PORT_IP_BASED_GIDS : 0);
}

int device_query_port(struct ibv_context *ctx, uint8_t port, struct ibv_port_attr *attr,
		      size_t size)
{
	const uint32_t dev = ctx_of(ctx)->dev;
	const struct profile *p = hca_profile(dev);
	const struct shm_port *shm = hca_port(hca.slot, dev, port);
	const struct device_speed speed = device_speed(dev);
	const enum ibv_port_state state = device_port_state(dev, port);
	union port_attr_any full = {
		.attr = {
			.state = state,
			.max_mtu = (enum ibv_mtu)p->max_mtu,
			.active_mtu = (enum ibv_mtu)p->active_mtu,
			.gid_tbl_len = (int)device_gids(dev),
			.port_cap_flags = device_port_capabilities(dev),
			.max_msg_sz = (uint32_t)p->max_msg_bytes,
			.bad_pkey_cntr = atomic_load(&shm->pkey_violations),
			.qkey_viol_cntr = atomic_load(&shm->qkey_violations),
			.pkey_tbl_len = (uint16_t)device_pkeys(dev),
			.lid = gid_lid(dev, port),
			.sm_lid = gid_sm_lid(dev),
			.max_vl_num = 1,
			.active_width = speed.width,
			.active_speed = speed.speed,
			/* IBA PortPhysicalState: Disabled, LinkUp */
			.phys_state = state == IBV_PORT_DOWN ? 3 : 5,
			.link_layer = (uint8_t)p->link_layer,
			.flags = p->grh_required ? IBV_QPF_GRH_REQUIRED : 0,
		},
	};
	int rc;

	full.wide.active_speed_ex = speed.speed_ex;
	if (!port || port > gid_ports(dev))
		return EINVAL;
	rc = fault_query(ctx_of(ctx), port);
	if (rc)
		return rc;
	memcpy(attr, &full, size < sizeof(full) ? size : sizeof(full));
	return 0;
}
