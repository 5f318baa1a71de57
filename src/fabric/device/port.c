/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Queries an open device and one of its ports, and fills struct limits. Must not choose, and must
 * not create objects.
 */
#include "config.h"

#include "device/dev.h"

#include <endian.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "causes/remedy.h"
#include "util/err.h"
#include "place/busy.h"
#include "place/hugepages.h"
#include "place/machine.h"
#include "verbs/api.h"
#include "verbs/verbs_error.h"
#include "util/text.h"

_Static_assert(PORT_NETDEV_MAX >= IF_NAMESIZE, "netdev names fit");

static void copy_text(char dst[PLAN_NAME], const char *src)
{
	size_t len = strnlen(src, PLAN_NAME - 1);

	memcpy(dst, src, len);
	dst[len] = '\0';
}

const char *port_sysfs(const struct ibv_device *device, const char *file, char *text, size_t size)
{
	char path[IBV_SYSFS_PATH_MAX + PLAN_NAME + 64];

	text[0] = '\0';
	if (!device->ibdev_path[0])
		return text;
	snprintf(path, sizeof(path), "%s/%s", device->ibdev_path, file);
	return text_read_line(path, text, size);
}

/*
 * The driver of the bus device. A device without one is software (rxe): its node description is the
 * name of the driver unless somebody changed it.
 */
static void ask_driver(const struct ibv_device *device, char driver[PLAN_NAME])
{
	char path[IBV_SYSFS_PATH_MAX + 16], link[256];
	const char *slash;
	ssize_t n;

	driver[0] = '\0';
	if (!device->ibdev_path[0])
		return;
	snprintf(path, sizeof(path), "%s/device/driver", device->ibdev_path);
	n = readlink(path, link, sizeof(link) - 1);
	if (n < 0) {
		port_sysfs(device, "node_desc", driver, PLAN_NAME);
		return;
	}
	link[n] = '\0';
	slash = strrchr(link, '/');
	copy_text(driver, slash ? slash + 1 : link);
}

/* The emulated HCA says so in its firmware version; its profile may have any vendor. */
static bool is_emulated(const struct ibv_device_attr *attr)
{
	return !strncmp(attr->fw_ver, "emulated", strlen("emulated"));
}

/* It is as fast as memory if no bandwidth is there, and its port tells a rate all the same. */
static bool rate_is_limit(const struct limits *l)
{
	if (l->emulated)
		return strstr(l->firmware, " bandwidth=") != NULL;
	return !verbs_quirk(l->driver, QUIRK_SOFTWARE) && !verbs_quirk(l->driver, QUIRK_RATE_FIXED);
}

/* Verbs have P_Keys in network order. */
uint32_t port_pkey(const struct dev *dev, uint32_t index)
{
	__be16 pkey;

	if (ibv_query_pkey(dev->ctx, (uint8_t)dev->limits.port, (int)index, &pkey))
		return 0;
	return be16toh(pkey);
}

/* The table lists a partition once or twice: as full member, as limited member. */
static int find_pkey(struct dev *dev, uint32_t wanted)
{
	struct limits *l = &dev->limits;
	char table[128] = "";

	for (uint32_t i = 0; i < dev->port_attr.pkey_tbl_len; i++) {
		const uint32_t pkey = port_pkey(dev, i);

		if (pkey)
			text_add(table, sizeof(table), ", ", "0x%04x", pkey);
		if (!pkey || (pkey ^ wanted) & ~LIMITS_PKEY_FULL || l->pkey & LIMITS_PKEY_FULL)
			continue;
		if (!l->pkey || pkey & LIMITS_PKEY_FULL) {
			l->pkey = pkey;
			l->pkey_index = i;
		}
	}
	if (l->pkey)
		return 0;
	return remedy_advise(
		err_set(-EINVAL,
			"--pkey 0x%04x: port %u of %s has no entry of this partition; its P_Key table: %s",
			wanted, l->port, l->device, table), REMEDY_NO_PKEY, NULL);
}

static int take_pkey(struct dev *dev, uint32_t index)
{
	struct limits *l = &dev->limits;

	l->pkey = index < dev->port_attr.pkey_tbl_len ? port_pkey(dev, index) : 0;
	l->pkey_index = index;
	return l->pkey ? 0 : err_set(-EINVAL, "--pkey-index %u: port %u of %s has no P_Key there, of %u entries",
				     index, l->port, l->device, dev->port_attr.pkey_tbl_len);
}

/* A peer that has chosen is followed: to its partition, where one of both is a full member. */
static uint32_t worth(uint32_t pkey, const struct limits *peer)
{
	if (!pkey)
		return 0;
	if (!peer || !peer->pkey)
		return pkey & LIMITS_PKEY_FULL ? 2 : 1;
	if ((pkey ^ peer->pkey) & ~LIMITS_PKEY_FULL)
		return 1;
	return (pkey | peer->pkey) & LIMITS_PKEY_FULL ? 2 : 1;
}

/*
 * auto: the first full membership, or the first entry. A port in several partitions is often a
 * limited member of the default one, which is entry 0. rdma_cm takes the partition of the netdev,
 * which is entry 0 unless IP over InfiniBand has a child for another.
 */
static int choose_pkey(struct dev *dev, const struct dev_request *request)
{
	const struct limits *peer = request ? request->peer : NULL;
	struct limits *l = &dev->limits;
	uint32_t best = 0;

	if (request && request->cfg->pkey != CFG_AUTO)
		return find_pkey(dev, request->cfg->pkey);
	if (request && request->cfg->pkey_index != CFG_AUTO)
		return take_pkey(dev, request->cfg->pkey_index);
	for (uint32_t i = 0; best < 2 && i < dev->port_attr.pkey_tbl_len; i++) {
		const uint32_t pkey = port_pkey(dev, i);

		if (worth(pkey, peer) <= best)
			continue;
		best = request && request->cfg->rdma_cm ? 2 : worth(pkey, peer);
		l->pkey = pkey;
		l->pkey_index = i;
	}
	return 0;
}

/* A driver that does not set a limit leaves it at 0. */
static uint32_t known(int n)
{
	return n > 0 ? (uint32_t)n : UINT32_MAX;
}

static enum limits_transport transport_type_of(const struct ibv_device *device)
{
	switch (device->transport_type) {
	case IBV_TRANSPORT_IB:
		return LIMITS_IB;
	case IBV_TRANSPORT_IWARP:
		return LIMITS_IWARP;
	default:
		return LIMITS_OTHER;
	}
}

/* 0: no code of verbs. */
static uint32_t mtu_bytes(enum ibv_mtu mtu)
{
	return mtu >= IBV_MTU_256 && mtu <= IBV_MTU_4096 ? 128u << mtu : 0;
}

/* As they were when the device was opened: later tests must not judge the one before them. */
static void keep_machine(struct limits *l, const struct limits *before)
{
	memcpy(l->cpus, before->cpus, sizeof(l->cpus));
	l->n_cpus = before->n_cpus;
	l->host_cpus = before->host_cpus;
	l->load = before->load;
	memcpy(l->governor, before->governor, sizeof(l->governor));
	memcpy(l->cpu_model, before->cpu_model, sizeof(l->cpu_model));
}

static void fill_machine(struct limits *l)
{
	struct busy busy;

	busy_read(&busy, "");
	snprintf(l->cpus, sizeof(l->cpus), "%s", busy.cpus);
	l->n_cpus = busy.n_cpus;
	l->host_cpus = busy.host_cpus;
	l->load = busy.load;
	copy_text(l->governor, busy.governor);
	machine_cpu_model(l->cpu_model, "");
}

/* device_cap_flags_ex; packet_pacing_caps of QPs that send: ibv_query_device_ex(3). */
static void ask_extended(struct limits *l, struct ibv_context *ctx)
{
	struct ibv_device_attr_ex attr = { .comp_mask = 0 };
	const struct ibv_packet_pacing_caps *caps = &attr.packet_pacing_caps;

	if (ibv_query_device_ex(ctx, NULL, &attr))
		return;
	l->device_caps = attr.device_cap_flags_ex;
	l->min_pace_kbit_s = caps->qp_rate_limit_min;
	l->max_pace_kbit_s = caps->qp_rate_limit_max;
	for (uint32_t tp = 0; tp < TP_COUNT; tp++) {
		const uint32_t type = api_code_qp_type((enum transport)tp);

		if (type < 32 && caps->supported_qpts >> type & 1)
			l->paced_transports |= 1u << tp;
	}
}

static void fill_limits(struct limits *l, const struct dev *dev)
{
	const struct ibv_device_attr *attr = &dev->attr;
	const struct ibv_port_attr *port = &dev->port_attr;
	struct hugepages huge;
	struct utsname name;

	copy_text(l->device, ibv_get_device_name(dev->ctx->device));
	copy_text(l->firmware, attr->fw_ver);
	ask_driver(dev->ctx->device, l->driver);
	if (gethostname(l->host, sizeof(l->host) - 1))
		l->host[0] = '\0';
	l->transport_type = transport_type_of(dev->ctx->device);
	l->emulated = is_emulated(attr);
	l->rate_is_limit = rate_is_limit(l);
	text_read_line("/proc/sys/kernel/random/boot_id", l->boot_id, sizeof(l->boot_id));
	if (!uname(&name))
		copy_text(l->kernel, name.release);
	l->ethernet = port->link_layer == IBV_LINK_LAYER_ETHERNET;
	/* old kernels call InfiniBand unspecified, too: it has a LID */
	l->link_unspecified = port->link_layer == IBV_LINK_LAYER_UNSPECIFIED && !port->lid;
	l->grh_required = port->flags & IBV_QPF_GRH_REQUIRED;
	l->lid = port->lid;
	l->active_mtu_bytes = mtu_bytes(port->active_mtu);
	l->max_mtu_bytes = mtu_bytes(port->max_mtu);
	/* mana_ib_query_port() of Linux left it 0 until 2026 */
	l->max_msg_bytes = port->max_msg_sz ? port->max_msg_sz : UINT32_MAX;
	l->max_qps = (uint32_t)attr->max_qp;
	l->max_wr = l->max_send_wr = l->max_recv_wr = (uint32_t)attr->max_qp_wr;
	l->max_sge = (uint32_t)attr->max_sge;
	l->max_sge_rd = attr->max_sge_rd ? (uint32_t)attr->max_sge_rd : l->max_sge;
	l->sge_setters = !verbs_quirk(l->driver, QUIRK_WR_LISTS);
	l->resumes_sq = !verbs_quirk(l->driver, QUIRK_SQ_STAYS_DRAINED);
	l->signals_all = verbs_quirk(l->driver, QUIRK_SIGNAL_ALL);
	l->iwarp_imm = verbs_quirk(l->driver, QUIRK_IWARP_IMM);
	l->max_cqe = (uint32_t)attr->max_cqe;
	l->max_cqs = known(attr->max_cq);
	l->max_srqs = attr->max_srq > 0 ? (uint32_t)attr->max_srq : 0;
	l->max_srq_wr = attr->max_srq_wr > 0 ? (uint32_t)attr->max_srq_wr : 0;
	l->max_srq_sge = attr->max_srq_sge > 0 ? (uint32_t)attr->max_srq_sge : 0;
	l->max_mrs = known(attr->max_mr);
	l->max_mws = attr->max_mw > 0 ? (uint32_t)attr->max_mw : 0;
	l->mw_type_1 = attr->device_cap_flags & IBV_DEVICE_MEM_WINDOW;
	l->mw_type_2 = attr->device_cap_flags &
		       (IBV_DEVICE_MEM_WINDOW_TYPE_2A | IBV_DEVICE_MEM_WINDOW_TYPE_2B);
	l->max_pds = known(attr->max_pd);
	l->max_rd_atomic = (uint32_t)attr->max_qp_rd_atom;
	l->max_init_rd_atomic = (uint32_t)attr->max_qp_init_rd_atom;
	l->max_mcast_grps = attr->max_mcast_grp > 0 ? (uint32_t)attr->max_mcast_grp : 0;
	l->apm = attr->device_cap_flags & IBV_DEVICE_AUTO_PATH_MIG;
	l->apm_stored = verbs_quirk(l->driver, QUIRK_APM_STORED);
	ask_extended(l, dev->ctx);
	l->xrc = attr->device_cap_flags & IBV_DEVICE_XRC;
	l->atomics = attr->atomic_cap != IBV_ATOMIC_NONE;
	l->max_total_bytes = UINT64_MAX;
	l->max_threads = UINT32_MAX;
	l->allowed_qps = UINT32_MAX;
	l->max_point_ms = UINT32_MAX;
	hugepages_read(&huge);
	l->hugepage_bytes = huge.page_bytes;
	l->hugepages_free = huge.free;
	l->memlock_bytes = l->emulated ? UINT64_MAX : machine_memlock();
}

int port_ask(struct dev *dev, uint32_t port, const struct dev_request *request)
{
	struct limits *l = &dev->limits;
	const struct limits before = *l;
	int err = ibv_query_port(dev->ctx, (uint8_t)port, &dev->port_attr);
	struct port_rate rate;
	int rc;

	if (err)
		return verbs_failed(-err, "cannot query port %u of %s", port,
				    ibv_get_device_name(dev->ctx->device));
	*l = (struct limits) {
		.port = port,
		.gid_index = request ? request->cfg->gid_index : CFG_AUTO,
	};
	fill_limits(l, dev);
	if (before.device[0])
		keep_machine(l, &before);
	else
		fill_machine(l);
	rc = port_gids_ask(dev, request);
	if (rc)
		return rc;
	rc = choose_pkey(dev, request);
	if (rc)
		return rc;
	port_rate_ask(&rate, dev);
	l->rate_mbit_s = rate.mbit_s;
	return 0;
}

/* INIT of a link that is up: iw_query_port() of Linux, drivers/infiniband/core/device.c. */
enum remedy port_inactive_cause(const struct ibv_port_attr *attr)
{
	if (attr->state != IBV_PORT_INIT)
		return REMEDY_PORT_DOWN;
	switch (attr->link_layer) {
	case IBV_LINK_LAYER_INFINIBAND:
		return REMEDY_NO_SM;
	case IBV_LINK_LAYER_ETHERNET:
		return REMEDY_NO_GID;
	default:
		return REMEDY_PORT_DOWN;
	}
}

const char *port_netdev(const struct dev *dev, uint32_t gid_index, char name[PORT_NETDEV_MAX])
{
	struct ibv_gid_entry entry = { 0 };

	name[0] = '\0';
	if (!ibv_query_gid_ex(dev->ctx, dev->limits.port, gid_index, &entry, 0) &&
	    entry.ndev_ifindex && !if_indextoname(entry.ndev_ifindex, name))
		name[0] = '\0';
	return name;
}

uint32_t port_alternate(const struct dev *dev, uint32_t wanted)
{
	for (uint32_t port = 1; port <= dev->attr.phys_port_cnt; port++) {
		struct ibv_port_attr attr;

		if (port == dev->limits.port || (wanted != CFG_AUTO && wanted != port))
			continue;
		if (!ibv_query_port(dev->ctx, (uint8_t)port, &attr) &&
		    attr.state == IBV_PORT_ACTIVE &&
		    (attr.link_layer == IBV_LINK_LAYER_ETHERNET) == dev->limits.ethernet)
			return port;
	}
	return 0;
}
