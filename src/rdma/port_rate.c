/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Asks the rate of a port; see port.h. Called by port.c and the list command. */
#include "config.h"

#include "rdma/port.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rdma/port_own.h"
#include "util/kernel_file.h"

#define PATH_TEXT (PLAN_NAME + 64)

/* IBA vol. 1, PortInfo: LinkWidthActive */
static const struct {
	uint8_t code;
	uint32_t lanes;
} widths[] = { { 1, 1 }, { 2, 4 }, { 4, 8 }, { 8, 12 }, { 16, 2 } };

/* LinkSpeedActive, LinkSpeedExtActive; Mbit/s of data of a lane. XDR: enum ib_port_speed */
static const struct {
	uint32_t code, mbit_s;
	const char *name;
} speeds[] = {
	{ 1, 2500, "SDR" }, { 2, 5000, "DDR" }, { 4, 10000, "QDR" }, { 8, 10000, "FDR10" },
	{ 16, 14000, "FDR" }, { 32, 25000, "EDR" }, { 64, 50000, "HDR" }, { 128, 100000, "NDR" },
	{ 256, 200000, "XDR" },
};

static void from_codes(struct port_rate *rate, const struct ibv_port_attr *attr)
{
	const uint32_t code = port_speed_code(attr);

	for (size_t w = 0; w < sizeof(widths) / sizeof(widths[0]); w++) {
		for (size_t s = 0; s < sizeof(speeds) / sizeof(speeds[0]); s++) {
			if (widths[w].code != attr->active_width || speeds[s].code != code)
				continue;
			rate->link_mbit_s = (uint64_t)widths[w].lanes * speeds[s].mbit_s;
			snprintf(rate->lanes, sizeof(rate->lanes), "%uX %s", widths[w].lanes,
				 speeds[s].name);
		}
	}
}

/* "400 Gb/sec (4X NDR)": rate_show() of drivers/infiniband/core/sysfs.c. */
static void from_sysfs(struct port_rate *rate, const struct dev *dev)
{
	char file[32], text[PLAN_NAME], *end;
	double gbit_s;

	snprintf(file, sizeof(file), "ports/%u/rate", dev->limits.port);
	port_sysfs(dev->ctx->device, file, text, sizeof(text));
	gbit_s = strtod(text, &end);
	if (!(gbit_s > 0) || gbit_s > 1e6 || strncmp(end, " Gb/sec", 7) != 0)
		return;
	rate->link_mbit_s = (uint64_t)(gbit_s * 1000 + 0.5);
	if (sscanf(end, " Gb/sec (%15[^)])", rate->lanes) != 1)
		rate->lanes[0] = '\0';
}

static uint64_t netdev_mbit_s(const char *netdev)
{
	char path[PATH_TEXT], text[32];
	long long mbit_s;

	if (!netdev[0])
		return 0;
	snprintf(path, sizeof(path), "/sys/class/net/%s/speed", netdev);
	mbit_s = strtoll(kernel_file_line(path, text, sizeof(text)), NULL, 10);
	return mbit_s > 0 ? (uint64_t)mbit_s : 0;
}

static bool is_bond(const char *netdev)
{
	char path[PATH_TEXT];

	snprintf(path, sizeof(path), "/sys/class/net/%s/bonding", netdev);
	return netdev[0] && !access(path, F_OK);
}

/*
 * 0: unknown. ibv_query_port_speed(3) has steps of 100 Mbit/s. It is of rdma-core 62 and later; one
 * program serves all versions. Without it the speed of a bond is that of its active links.
 */
static uint64_t effective_mbit_s(const struct dev *dev)
{
	int (*query)(struct ibv_context *ctx, uint32_t port, uint64_t *speed);
	uint64_t speed = 0;

	/* ISO C has no conversion of void * to a pointer to a function */
	*(void **)&query = dlsym(RTLD_DEFAULT, "ibv_query_port_speed");
	if (query && !query(dev->ctx, dev->limits.port, &speed) && speed)
		return speed * 100;
	return is_bond(dev->limits.netdev) ? netdev_mbit_s(dev->limits.netdev) : 0;
}

/*
 * ib_get_eth_speed() of Linux (drivers/infiniband/core/verbs.c) gives 1X SDR for 1 Gbit/s and for
 * "unknown", and that of older kernels 4X EDR for all that is faster than 40 Gbit/s; mana and older
 * EFA always tell 4X EDR.
 */
uint64_t port_rate_ethernet(uint64_t link_mbit_s, uint64_t netdev_mbit_s, bool bond)
{
	if (netdev_mbit_s && !bond)
		return netdev_mbit_s;
	return link_mbit_s == 2500 ? netdev_mbit_s : link_mbit_s;
}

/*
 * The file first: it has XDR where the attributes have not. What the kernel does not know is SDR
 * there, and the attributes have the code.
 */
void port_rate_ask(struct port_rate *rate, const struct dev *dev)
{
	const char *netdev = dev->limits.netdev;
	uint64_t effective;

	*rate = (struct port_rate){ 0 };
	from_sysfs(rate, dev);
	if (!rate->link_mbit_s || strstr(rate->lanes, "SDR"))
		from_codes(rate, &dev->port_attr);
	if (dev->limits.ethernet && netdev[0]) {
		const uint64_t mbit_s = port_rate_ethernet(rate->link_mbit_s, netdev_mbit_s(netdev),
							   is_bond(netdev));

		if (mbit_s != rate->link_mbit_s)
			rate->lanes[0] = '\0';
		rate->link_mbit_s = mbit_s;
	}
	effective = effective_mbit_s(dev);
	rate->mbit_s = effective ? effective : rate->link_mbit_s;
}
