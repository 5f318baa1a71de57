/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Finds an HCA in the machine; see topo_hca.h. It must not call verbs: the machine may be another
 * one than this.
 */
#include "config.h"
#include "topo/topo_hca.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"
#include "util/text.h"

#define PATH_TEXT 512

const char *const topo_near_names[] = {
	[TOPO_UNKNOWN] = "unknown", [TOPO_NEAR] = "near", [TOPO_FAR] = "far", NULL
};

const char *topo_hca_pci_address(hwloc_obj_t pci, char *text, size_t size)
{
	const struct hwloc_pcidev_attr_s *a = &pci->attr->pcidev;

	snprintf(text, size, "%04x:%02x:%02x.%x", (unsigned)a->domain, a->bus, a->dev, a->func);
	return text;
}

static hwloc_obj_t find_osdev(const struct topo *t, const char *name, hwloc_obj_osdev_type_t type)
{
	hwloc_obj_t obj = NULL;

	while (name && name[0] && (obj = hwloc_get_next_osdev(t->hw, obj)))
		if (obj->attr->osdev.type == type && obj->name && !strcmp(obj->name, name))
			return obj;
	return NULL;
}

static hwloc_obj_t pci_of(hwloc_obj_t dev)
{
	while (dev && dev->type != HWLOC_OBJ_PCI_DEVICE)
		dev = dev->parent;
	return dev;
}

/* The topology may have a software device without a bus: its netdev may have a bus. */
static hwloc_obj_t find_dev(const struct topo *t, const char *name, const char *netdev)
{
	hwloc_obj_t dev = find_osdev(t, name, HWLOC_OBJ_OSDEV_OPENFABRICS), by_netdev;

	if (dev && pci_of(dev))
		return dev;
	by_netdev = find_osdev(t, netdev, HWLOC_OBJ_OSDEV_NETWORK);
	if (!by_netdev && !dev)
		by_netdev = find_osdev(t, name, HWLOC_OBJ_OSDEV_NETWORK);
	return by_netdev ? by_netdev : dev;
}

/*
 * When the firmware has no locality tables, hwloc attaches the buses to the whole machine. This
 * gives the location only if the machine has one NUMA node.
 */
static void locate(struct topo_hca *hca, const struct topo *t)
{
	hwloc_obj_t at;

	if (!hca->dev) {
		snprintf(hca->reason, sizeof(hca->reason),
			 "%s is not in the topology of the machine", hca->name);
		return;
	}
	hca->pci = pci_of(hca->dev);
	at = hwloc_get_non_io_ancestor_obj(t->hw, hca->dev);
	if (!hca->pci) {
		snprintf(hca->reason, sizeof(hca->reason),
			 "%s is a virtual device without a PCI bus", hca->name);
	} else if (!at || hwloc_bitmap_iszero(at->nodeset)) {
		snprintf(hca->reason, sizeof(hca->reason),
			 "%s has no NUMA node near it", hca->name);
	} else if (at->type == HWLOC_OBJ_MACHINE &&
		   hwloc_get_nbobjs_by_type(t->hw, HWLOC_OBJ_NUMANODE) > 1) {
		snprintf(hca->reason, sizeof(hca->reason),
			 "the firmware does not report which of %d NUMA nodes is near %s",
			 hwloc_get_nbobjs_by_type(t->hw, HWLOC_OBJ_NUMANODE), hca->name);
	} else {
		hca->known = true;
		hca->cpus = at->cpuset;
		hca->nodes = at->nodeset;
		hca->node = (uint32_t)hwloc_bitmap_first(at->nodeset);
	}
}

void topo_hca_find(struct topo_hca *hca, const struct topo *t, const char *name,
		   const char *netdev)
{
	const char *irqs;
	char pci[32];

	*hca = (struct topo_hca){ .node = TOPO_NONE };
	snprintf(hca->name, sizeof(hca->name), "%s", name);
	hca->dev = find_dev(t, name, netdev);
	locate(hca, t);
	irqs = hca->dev ? hwloc_obj_get_info_by_name(hca->dev, TOPO_INFO_IRQS) : NULL;
	if (irqs && !(t->this_host && hca->pci))
		topo_irq_parse(&hca->irqs, irqs);
	else if (t->this_host)
		topo_irq_read(&hca->irqs, "", hca->pci ?
			      topo_hca_pci_address(hca->pci, pci, sizeof(pci)) : NULL, hca->name);
}

const char *topo_hca_netdev(const struct topo *t, const char *device, char *text, size_t size)
{
	char path[256];

	text[0] = '\0';
	snprintf(path, sizeof(path), "/sys/class/infiniband/%.64s/ports/1/gid_attrs/ndevs/0",
		 device);
	return t->this_host ? text_read_line(path, text, size) : text;
}

void topo_hca_close(struct topo_hca *hca)
{
	topo_irq_free(&hca->irqs);
	*hca = (struct topo_hca){ .node = TOPO_NONE };
}

uint32_t topo_hca_distance(const struct topo_hca *hca, const struct topo *t, uint32_t node)
{
	uint32_t least = TOPO_NONE;
	unsigned near;

	if (!hca->known)
		return TOPO_NONE;
	hwloc_bitmap_foreach_begin(near, hca->nodes)
		uint32_t d = topo_distance(t, node, near);

		least = d < least ? d : least;
	hwloc_bitmap_foreach_end();
	return least;
}

enum topo_near topo_hca_near(const struct topo_hca *hca, uint32_t node, uint32_t mem_node)
{
	if (!hca->known || (node == TOPO_NONE && mem_node == TOPO_NONE))
		return TOPO_UNKNOWN;
	if (node != TOPO_NONE && !hwloc_bitmap_isset(hca->nodes, node))
		return TOPO_FAR;
	if (mem_node != TOPO_NONE && !hwloc_bitmap_isset(hca->nodes, mem_node))
		return TOPO_FAR;
	return TOPO_NEAR;
}

/*
 * ---- the PCIe link (Documentation/ABI/testing/sysfs-bus-pci, current_link_speed and others)
 */

/* "16.0 GT/s PCIe" and "16"; a virtual function has "Unknown" and 0. */
static struct topo_pcie_rate read_rate(const char *dir, const char *which)
{
	char path[PATH_TEXT + 96], speed[64], width[64];
	struct topo_pcie_rate rate = { 0 };

	snprintf(path, sizeof(path), "%s/%s_link_speed", dir, which);
	text_read_line(path, speed, sizeof(speed));
	snprintf(path, sizeof(path), "%s/%s_link_width", dir, which);
	text_read_line(path, width, sizeof(width));
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

/*
 * ---- the machine as XML: it must have every fact that the choice of a placement reads, so that it
 * gives the same placement elsewhere
 */

static void add_list(hwloc_obj_t obj, const char *name, hwloc_const_bitmap_t set)
{
	char *text = NULL;

	if (!hwloc_bitmap_iszero(set) && hwloc_bitmap_list_asprintf(&text, set) > 0)
		hwloc_obj_add_info(obj, name, text);
	free(text);
}

static void add_device(hwloc_obj_t dev, hwloc_obj_t pci)
{
	char address[32], link_text[128], *irqs_text;
	struct topo_irqs irqs;
	struct topo_pcie link;

	topo_hca_pci_address(pci, address, sizeof(address));
	topo_irq_read(&irqs, "", address, NULL);
	irqs_text = topo_irq_text(&irqs);
	if (irqs.n && irqs_text)
		hwloc_obj_add_info(dev, TOPO_INFO_IRQS, irqs_text);
	free(irqs_text);
	topo_irq_free(&irqs);
	topo_pcie_read(&link, "", address);
	if (link.now.width) {
		topo_pcie_text(&link, link_text, sizeof(link_text));
		hwloc_obj_add_info(dev, TOPO_INFO_LINK, link_text);
	}
}

static void add_facts(struct topo *t)
{
	hwloc_obj_t root = hwloc_get_root_obj(t->hw), dev = NULL;

	add_list(root, TOPO_INFO_AFFINITY, t->affinity);
	add_list(root, TOPO_INFO_ISOLATED, t->isolated);
	while ((dev = hwloc_get_next_osdev(t->hw, dev))) {
		const hwloc_obj_osdev_type_t type = dev->attr->osdev.type;

		if ((type == HWLOC_OBJ_OSDEV_OPENFABRICS || type == HWLOC_OBJ_OSDEV_NETWORK) &&
		    dev->parent && dev->parent->type == HWLOC_OBJ_PCI_DEVICE)
			add_device(dev, dev->parent);
	}
}

int topo_xml_write(struct topo *t, char **xml)
{
	char *text;
	int len;

	if (t->this_host)
		add_facts(t);
	if (hwloc_topology_export_xmlbuffer(t->hw, &text, &len, 0))
		return err_set(-EIO, "cannot write the topology of the machine as XML: %s", strerror(errno));
	*xml = strdup(text);
	hwloc_free_xmlbuffer(t->hw, text);
	return *xml ? 0 : err_set(-ENOMEM, "cannot write the topology of the machine as XML: no memory");
}
