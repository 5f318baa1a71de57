/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Where an HCA is in the machine, and what is near it. */
#ifndef TOPO_HCA_H
#define TOPO_HCA_H

#include "topo/topo.h"
#include "topo/topo_irq.h"

struct topo_hca {
	char name[64];
	hwloc_obj_t dev;             /* its OS device, or the netdev of its port; NULL: not found */
	hwloc_obj_t pci;             /* its PCI device; NULL: none */
	bool known;                  /* the location is known: cpus, nodes and node are valid */
	hwloc_const_cpuset_t cpus;   /* cpus near it; the topology owns the set */
	hwloc_const_nodeset_t nodes; /* NUMA nodes near it; the topology owns the set */
	uint32_t node;               /* the first of these nodes */
	char reason[TOPO_TEXT_MAX];  /* why the location is unknown */
	struct topo_irqs irqs;
};

enum topo_near { TOPO_UNKNOWN, TOPO_NEAR, TOPO_FAR };
extern const char *const topo_near_names[]; /* unknown near far, NULL */

/*
 * Finds a device by its name (an RDMA device, else a netdev), else by the netdev of its port (NULL
 * or "": none). Always fills *hca; hca->known and hca->reason say whether the location is known.
 * The caller calls topo_hca_close().
 */
void topo_hca_find(struct topo_hca *hca, const struct topo *t, const char *name,
		   const char *netdev);
void topo_hca_close(struct topo_hca *hca);

/* The first netdev of a device's port 1 on this machine, from sysfs; "": none. Returns text. */
const char *topo_hca_netdev(const struct topo *t, const char *device, char *text, size_t size);

/* The PCI address of a PCI device as in /sys/bus/pci/devices (0000:81:00.0). Returns text. */
const char *topo_hca_pci_address(hwloc_obj_t pci, char *text, size_t size);

/* Distance from a NUMA node to the nearest node of the HCA, as topo_distance(), or TOPO_NONE. */
uint32_t topo_hca_distance(const struct topo_hca *hca, const struct topo *t, uint32_t node);

/* Whether a cpu's node and a memory node (TOPO_NONE: any) are both near the HCA. */
enum topo_near topo_hca_near(const struct topo_hca *hca, uint32_t node, uint32_t mem_node);

#endif
