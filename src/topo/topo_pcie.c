/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Reads a PCIe link from sysfs (Documentation/ABI/testing/sysfs-bus-pci, current_link_speed and
 * others); see topo_pcie.h. Called by topo_xml.c and commands/list_topo.c.
 */
#include "config.h"
#include "topo/topo_pcie.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/kernel_file.h"

#define PATH_TEXT 512

/* "16.0 GT/s PCIe" and "16"; a virtual function has "Unknown" and 0. */
static struct topo_pcie_rate read_rate(const char *dir, const char *which)
{
	char path[PATH_TEXT + 96], speed[64], width[64];
	struct topo_pcie_rate rate = { 0 };

	snprintf(path, sizeof(path), "%s/%s_link_speed", dir, which);
	kernel_file_line(path, speed, sizeof(speed));
	snprintf(path, sizeof(path), "%s/%s_link_width", dir, which);
	kernel_file_line(path, width, sizeof(width));
	rate.gt_s = strtod(speed, NULL);
	rate.width = (uint32_t)strtoul(width, NULL, 10);
	/* sysfs has 255 for an unknown width */
	if (rate.gt_s <= 0 || !rate.width || rate.width > 32)
		rate = (struct topo_pcie_rate){ 0 };
	return rate;
}

void topo_pcie_read_dir(struct topo_pcie *link, const char *dir)
{
	char slot[PATH_TEXT + 8];

	link->now = read_rate(dir, "current");
	link->device = read_rate(dir, "max");
	/* the directory is a link into the tree of buses: the port of the slot is above it */
	snprintf(slot, sizeof(slot), "%s/..", dir);
	link->slot = read_rate(slot, "max");
}

void topo_pcie_read(struct topo_pcie *link, const char *root, const char *pci_address)
{
	char dir[PATH_TEXT];

	snprintf(dir, sizeof(dir), "%s/sys/bus/pci/devices/%s", root, pci_address);
	topo_pcie_read_dir(link, dir);
}

static struct topo_pcie_rate parse_rate(const char *text, const char *before)
{
	const char *at = strstr(text, before);
	struct topo_pcie_rate rate = { 0 };

	if (at && sscanf(at + strlen(before), "%lf GT/s x%u", &rate.gt_s, &rate.width) != 2)
		rate = (struct topo_pcie_rate){ 0 };
	return rate;
}

void topo_pcie_parse(struct topo_pcie *link, const char *text)
{
	link->now = parse_rate(text, "");
	link->device = parse_rate(text, "device ");
	link->slot = parse_rate(text, "slot ");
}

void topo_pcie_text(const struct topo_pcie *link, char *text, size_t size)
{
	snprintf(text, size, "%.1f GT/s x%u; device %.1f GT/s x%u; slot %.1f GT/s x%u",
		 link->now.gt_s, link->now.width, link->device.gt_s, link->device.width,
		 link->slot.gt_s, link->slot.width);
}

/* Transfer rates of the generations: PCI Express Base Specification. */
uint32_t topo_pcie_generation(const struct topo_pcie_rate *rate)
{
	static const double rates[] = { 2.5, 5, 8, 16, 32, 64 };
	uint32_t generation = 0;

	for (uint32_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		if (rate->gt_s >= rates[i])
			generation = i + 1;
	return generation;
}

/*
 * Line code of the generations: 8b/10b in 1 and 2, 128b/130b in 3 to 5; generation 6 sends flits of
 * 256 bytes with 242 bytes of payload and header (PCI Express Base Specification).
 */
double topo_pcie_gbit_s(const struct topo_pcie_rate *rate)
{
	const uint32_t generation = topo_pcie_generation(rate);
	const double code = generation <= 2 ? 0.8 : generation <= 5 ? 128.0 / 130 : 242.0 / 256;

	return rate->gt_s * rate->width * code;
}

struct topo_pcie_rate topo_pcie_best(const struct topo_pcie *link)
{
	struct topo_pcie_rate best = link->device;

	if (!best.width)
		return link->slot;
	if (link->slot.width && link->slot.width < best.width)
		best.width = link->slot.width;
	if (link->slot.width && link->slot.gt_s < best.gt_s)
		best.gt_s = link->slot.gt_s;
	return best;
}
