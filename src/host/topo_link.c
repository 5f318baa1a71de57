/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A device's PCIe link from sysfs (Documentation/ABI/testing/sysfs-bus-pci, current_link_speed and
 * others), and what its slot and the device itself could do. Reads only.
 */
#include "config.h"
#include "host/topo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/topo_own.h"

#define PATH_TEXT 512

/* "16.0 GT/s PCIe" and "16"; a virtual function has "Unknown" and 0. */
static struct topo_lanes read_lanes(const char *dir, const char *which)
{
	char path[PATH_TEXT + 64], speed[64], width[64];
	struct topo_lanes l = { 0 };

	snprintf(path, sizeof(path), "%s/%s_link_speed", dir, which);
	topo_first_line(path, speed, sizeof(speed));
	snprintf(path, sizeof(path), "%s/%s_link_width", dir, which);
	topo_first_line(path, width, sizeof(width));
	l.gt_s = strtod(speed, NULL);
	l.width = (uint32_t)strtoul(width, NULL, 10);
	/* 255 is what sysfs says for unknown */
	if (l.gt_s <= 0 || !l.width || l.width > 32)
		l = (struct topo_lanes){ 0 };
	return l;
}

void topo_link_read(struct topo_link *link, const char *root, const char *busid)
{
	char dir[PATH_TEXT];

	snprintf(dir, sizeof(dir), "%s/sys/bus/pci/devices/%s", root, busid);
	link->now = read_lanes(dir, "current");
	link->device = read_lanes(dir, "max");
	/* the directory is a link into the tree of buses: what is above it is the slot's port */
	snprintf(dir, sizeof(dir), "%s/sys/bus/pci/devices/%s/..", root, busid);
	link->slot = read_lanes(dir, "max");
}

static struct topo_lanes parse_lanes(const char *text, const char *before)
{
	const char *at = strstr(text, before);
	struct topo_lanes l = { 0 };

	if (at && sscanf(at + strlen(before), "%lf GT/s x%u", &l.gt_s, &l.width) != 2)
		l = (struct topo_lanes){ 0 };
	return l;
}

void topo_link_parse(struct topo_link *link, const char *text)
{
	link->now = parse_lanes(text, "");
	link->device = parse_lanes(text, "device ");
	link->slot = parse_lanes(text, "slot ");
}

void topo_link_text(const struct topo_link *link, char *text, size_t size)
{
	snprintf(text, size, "%.1f GT/s x%u; device %.1f GT/s x%u; slot %.1f GT/s x%u",
		 link->now.gt_s, link->now.width, link->device.gt_s, link->device.width,
		 link->slot.gt_s, link->slot.width);
}

/* PCI Express Base Specification: the transfer rates of its generations. */
uint32_t topo_link_generation(const struct topo_lanes *l)
{
	static const double rates[] = { 2.5, 5, 8, 16, 32, 64 };
	uint32_t generation = 0;

	for (uint32_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		if (l->gt_s >= rates[i])
			generation = i + 1;
	return generation;
}

/* Line code 8b/10b to generation 2, 128b/130b to 5, FLITs of 242 in 256 bytes in 6. */
double topo_link_gbit_s(const struct topo_lanes *l)
{
	const uint32_t generation = topo_link_generation(l);
	const double code = generation <= 2 ? 0.8 : generation <= 5 ? 128.0 / 130 : 242.0 / 256;

	return l->gt_s * l->width * code;
}

struct topo_lanes topo_link_best(const struct topo_link *link)
{
	struct topo_lanes best = link->device;

	if (!best.width)
		return link->slot;
	if (link->slot.width && link->slot.width < best.width)
		best.width = link->slot.width;
	if (link->slot.width && link->slot.gt_s < best.gt_s)
		best.gt_s = link->slot.gt_s;
	return best;
}
