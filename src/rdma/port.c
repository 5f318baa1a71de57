/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Queries an open device and one of its ports, and fills struct limits. Called by dev_open.c and
 * the list command. Must not choose, and must not create objects.
 */
#include "config.h"

#include "rdma/port.h"

#include <endian.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/err.h"
#include "host/hugepages.h"

_Static_assert(PORT_NETDEV_MAX >= IF_NAMESIZE, "netdev names fit");

static void copy_text(char dst[PLAN_NAME], const char *src)
{
	size_t len = strnlen(src, PLAN_NAME - 1);

	memcpy(dst, src, len);
	dst[len] = '\0';
}

static void read_line(const char *path, char *text, size_t size)
{
	FILE *f = fopen(path, "re");

	text[0] = '\0';
	if (!f)
		return;
	if (!fgets(text, (int)size, f))
		text[0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	fclose(f);
}

const char *port_sysfs(const struct ibv_device *device, const char *file, char *text, size_t size)
{
	char path[IBV_SYSFS_PATH_MAX + PLAN_NAME + 64];

	text[0] = '\0';
	if (!device->ibdev_path[0])
		return text;
	snprintf(path, sizeof(path), "%s/%s", device->ibdev_path, file);
	read_line(path, text, size);
	return text;
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

/* The emulated HCA has no vendor, and "emulated" in its firmware version. */
static bool is_emulated(const struct ibv_device_attr *attr)
{
	return !attr->vendor_id && strstr(attr->fw_ver, "emulated");
}

/*
 * Mbit/s of data, as in the kernel's rate file: lanes (IBA vol. 1, PortInfo LinkWidthActive) times
 * the speed of a lane (LinkSpeedActive, LinkSpeedExtActive).
 */
static uint64_t link_rate(const struct ibv_port_attr *attr)
{
	static const struct {
		uint8_t code;
		uint32_t value;
	} widths[] = { { 1, 1 }, { 2, 4 }, { 4, 8 }, { 8, 12 }, { 16, 2 } },
	speeds[] = { { 1, 2500 }, { 2, 5000 }, { 4, 10000 }, { 8, 10000 }, { 16, 14000 },
		     { 32, 25000 }, { 64, 50000 }, { 128, 100000 } };
	uint64_t lanes = 0, lane = 0;

	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
		if (widths[i].code == attr->active_width)
			lanes = widths[i].value;
	for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++)
		if (speeds[i].code == attr->active_speed)
			lane = speeds[i].value;
	return lanes * lane;
}

/*
 * On Ethernet ib_get_eth_speed() of the kernel (drivers/infiniband/core/verbs.c) gives 1X SDR for 1
 * Gbit/s and for "unknown": then the speed of the netdev is used, 0 if it has none. XDR (200 Gbit/s
 * per lane, code 256) does not fit active_speed: the kernel's rate file has it ("800 Gb/sec (4X
 * XDR)").
 */
static uint64_t ask_rate(const struct dev *dev, const struct limits *l)
{
	char path[PLAN_NAME + 32], text[PLAN_NAME];
	uint64_t rate = link_rate(&dev->port_attr);

	if (!rate) {
		snprintf(path, sizeof(path), "ports/%u/rate", l->port);
		port_sysfs(dev->ctx->device, path, text, sizeof(text));
		return (uint64_t)(strtod(text, NULL) * 1000);
	}
	if (!l->ethernet || rate != 2500 || !l->netdev[0])
		return rate;
	snprintf(path, sizeof(path), "/sys/class/net/%s/speed", l->netdev);
	read_line(path, text, sizeof(text));
	return strtol(text, NULL, 10) > 0 ? strtoul(text, NULL, 10) : 0;
}

static bool gid_wanted(const struct ibv_gid_entry *e, const struct dev_wish *wish)
{
	return wish && (e->gid_index == wish->cfg->gid_index ||
			(wish->local_gid && !memcmp(e->gid.raw, wish->local_gid, 16)));
}

/* An address vector has 8 bits for the index of its GID (ibv_global_route.sgid_index). */
static void add_gid(struct limits *l, const struct ibv_gid_entry *e)
{
	static const uint8_t zero[16];
	struct plan_gid *gid = &l->gids[l->n_gids];

	if (e->port_num != l->port || e->gid_type >= GID_TYPE_COUNT || e->gid_index > UINT8_MAX ||
	    l->n_gids == PLAN_MAX_GIDS || !memcmp(e->gid.raw, zero, 16))
		return;
	gid->index = e->gid_index;
	gid->type = (enum gid_type)e->gid_type;
	memcpy(gid->raw, e->gid.raw, 16);
	l->n_gids++;
	if (!l->netdev[0] && e->ndev_ifindex && !if_indextoname(e->ndev_ifindex, l->netdev))
		l->netdev[0] = '\0';
}

/* The wanted GIDs first: a table may be longer than limits can hold. They decide the netdev too. */
static int ask_gids(struct dev *dev, struct limits *l, const struct dev_wish *wish)
{
	size_t max = (size_t)dev->port_attr.gid_tbl_len * dev->attr.phys_port_cnt;
	struct ibv_gid_entry *entries = calloc(max ? max : 1, sizeof(*entries));
	ssize_t n;

	if (!entries)
		return err_set(-ENOMEM, "no memory for a GID table of %zu entries", max);
	n = ibv_query_gid_table(dev->ctx, entries, max, 0);
	if (n < 0) {
		free(entries);
		return err_set((int)n, "cannot query GID table of %s: %s", l->device,
			       strerror((int)-n));
	}
	for (ssize_t i = 0; i < n; i++)
		if (gid_wanted(&entries[i], wish))
			add_gid(l, &entries[i]);
	for (ssize_t i = 0; i < n; i++)
		if (!gid_wanted(&entries[i], wish))
			add_gid(l, &entries[i]);
	free(entries);
	return 0;
}

/* 0 is no valid P_Key (IBA vol. 1, 10.9.2): unknown. Verbs have P_Keys in network order. */
static uint32_t ask_pkey(const struct dev *dev, const struct limits *l, uint32_t index)
{
	__be16 pkey;

	if (ibv_query_pkey(dev->ctx, (uint8_t)l->port, (int)index, &pkey))
		return 0;
	return be16toh(pkey);
}

/* The table lists a partition once or twice: as full member, as limited member. */
static int find_pkey(struct dev *dev, uint32_t wanted)
{
	struct limits *l = &dev->limits;
	char table[128] = "";
	size_t len = 0;

	for (uint32_t i = 0; i < dev->port_attr.pkey_tbl_len; i++) {
		const uint32_t pkey = ask_pkey(dev, l, i);

		if (pkey && len < sizeof(table))
			len += (size_t)snprintf(table + len, sizeof(table) - len, "%s0x%04x",
						len ? ", " : "", pkey);
		if (!pkey || (pkey ^ wanted) & ~LIMITS_PKEY_FULL || l->pkey & LIMITS_PKEY_FULL)
			continue;
		if (!l->pkey || pkey & LIMITS_PKEY_FULL) {
			l->pkey = pkey;
			l->pkey_index = i;
		}
	}
	if (l->pkey)
		return 0;
	return err_set(
		-EINVAL,
		"--pkey 0x%04x: port %u of %s has no entry of this partition; its P_Key table: %s",
		wanted, l->port, l->device, table);
}

static int choose_pkey(struct dev *dev, const struct dev_wish *wish)
{
	struct limits *l = &dev->limits;

	if (wish && wish->cfg->pkey != CFG_AUTO)
		return find_pkey(dev, wish->cfg->pkey);
	l->pkey = ask_pkey(dev, l, l->pkey_index);
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

static void fill_limits(struct limits *l, const struct dev *dev)
{
	const struct ibv_device_attr *attr = &dev->attr;
	const struct ibv_port_attr *port = &dev->port_attr;
	struct hugepages huge;

	copy_text(l->device, ibv_get_device_name(dev->ctx->device));
	copy_text(l->firmware, attr->fw_ver);
	ask_driver(dev->ctx->device, l->driver);
	if (gethostname(l->host, sizeof(l->host) - 1))
		l->host[0] = '\0';
	l->transport_type = transport_type_of(dev->ctx->device);
	l->emulated = is_emulated(attr);
	l->ethernet = port->link_layer == IBV_LINK_LAYER_ETHERNET;
	l->lid = port->lid;
	l->active_mtu_bytes = mtu_bytes(port->active_mtu);
	l->max_mtu_bytes = mtu_bytes(port->max_mtu);
	l->max_msg_bytes = port->max_msg_sz;
	l->max_qps = (uint32_t)attr->max_qp;
	l->max_wr = (uint32_t)attr->max_qp_wr;
	l->max_sge = (uint32_t)attr->max_sge;
	l->max_sge_rd = attr->max_sge_rd ? (uint32_t)attr->max_sge_rd : l->max_sge;
	l->sge_setters = strcmp(l->driver, "rxe") != 0;
	/* Linux 6.1, drivers/infiniband/sw/rxe/rxe_qp.c: rxe_qp_from_attr() starts no task */
	l->resumes_sq = strcmp(l->driver, "rxe") != 0;
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
	l->apm = attr->device_cap_flags & IBV_DEVICE_AUTO_PATH_MIG;
	l->xrc = attr->device_cap_flags & IBV_DEVICE_XRC;
	l->atomics = attr->atomic_cap != IBV_ATOMIC_NONE;
	l->max_total_bytes = UINT64_MAX;
	l->max_threads = UINT32_MAX;
	l->max_seconds = UINT32_MAX;
	hugepages_read(&huge);
	l->hugepage_bytes = huge.page_bytes;
	l->hugepages_free = huge.free;
}

int port_ask(struct dev *dev, uint32_t port, const struct dev_wish *wish)
{
	struct limits *l = &dev->limits;
	int err = ibv_query_port(dev->ctx, (uint8_t)port, &dev->port_attr);
	int rc;

	if (err)
		return err_set(-err, "cannot query port %u of %s: %s", port,
			       ibv_get_device_name(dev->ctx->device), strerror(err));
	*l = (struct limits) {
		.port = port,
		.gid_index = wish ? wish->cfg->gid_index : CFG_AUTO,
	};
	fill_limits(l, dev);
	rc = ask_gids(dev, l, wish);
	if (rc)
		return rc;
	rc = choose_pkey(dev, wish);
	if (rc)
		return rc;
	l->rate_mbit_s = ask_rate(dev, l);
	return 0;
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
