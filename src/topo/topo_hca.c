/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Finds an HCA in the machine; see topo_hca.h. Called by affinity.c, commands/place.c and
 * commands/list_topo.c. It must not call verbs: the machine may be another one than this.
 */
#include "config.h"
#include "topo/topo_hca.h"

#include <stdio.h>
#include <string.h>

#include "util/kernel_file.h"

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
	if (t->this_host && hca->pci)
		topo_irq_read(&hca->irqs, "", topo_hca_pci_address(hca->pci, pci, sizeof(pci)));
	else if (irqs)
		topo_irq_parse(&hca->irqs, irqs);
	else if (t->this_host)
		topo_irq_read_device(&hca->irqs, "", hca->name);
}

const char *topo_hca_netdev(const struct topo *t, const char *device, char *text, size_t size)
{
	char path[256];

	text[0] = '\0';
	snprintf(path, sizeof(path), "/sys/class/infiniband/%.64s/ports/1/gid_attrs/ndevs/0",
		 device);
	return t->this_host ? kernel_file_line(path, text, size) : text;
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
