/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Where an HCA is in the machine, and what is near it; its interrupts and its PCIe link. */
#ifndef TOPO_HCA_H
#define TOPO_HCA_H

#include "topo/topo.h"

/* ---- the interrupts: which completion vector each one has, and which cpus serve it */

/* Info attribute of a device in the machine's XML: text of topo_irq_text(). */
#define TOPO_INFO_IRQS "VerbenchInterrupts"

struct topo_irq {
	uint32_t number;
	uint32_t vector;             /* completion vector; TOPO_NONE: none, or unknown */
	hwloc_bitmap_t cpus;         /* cpus that serve it */
};

struct topo_irqs {
	uint32_t n;
	struct topo_irq *irqs;       /* by number; owned: topo_irq_free() */
};

/*
 * Reads the interrupts of a PCI device (0000:81:00.0), or if that is NULL of an RDMA device by its
 * name, from /sys and /proc below root ("": those of the system). n is 0 when they cannot be read.
 */
void topo_irq_read(struct topo_irqs *irqs, const char *root, const char *pci_address,
		   const char *device);
/*
 * Text for XML ("24:0:3 25:-:4-5": number, vector, cpus) and back. The caller frees the text; NULL
 * without memory. Words that are not of this form are skipped.
 */
char *topo_irq_text(const struct topo_irqs *irqs);
void topo_irq_parse(struct topo_irqs *irqs, const char *text);
void topo_irq_free(struct topo_irqs *irqs);

/* ---- the place */

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

/* ---- the PCIe link: its current rate, and the rates that device and slot support */

/* Info attribute of a device in the machine's XML: text of topo_pcie_text(). */
#define TOPO_INFO_LINK "VerbenchPcieLink"

struct topo_pcie_rate {
	double gt_s;                 /* transfers per second of one lane, in 10^9 */
	uint32_t width;              /* lanes; 0: unknown */
};

struct topo_pcie {
	struct topo_pcie_rate now, device, slot; /* current; maximum of the device, of the slot */
};

/* Reads the link of a PCI device (0000:81:00.0) from /sys below root ("": that of the system). */
void topo_pcie_read(struct topo_pcie *link, const char *root, const char *pci_address);
/* The same, from the directory of the PCI device. */
void topo_pcie_read_dir(struct topo_pcie *link, const char *dir);
/* Text for XML, and back. */
void topo_pcie_text(const struct topo_pcie *link, char *text, size_t size);
void topo_pcie_parse(struct topo_pcie *link, const char *text);
/* The best rate that device and slot both support. */
struct topo_pcie_rate topo_pcie_best(const struct topo_pcie *link);
/* PCIe generation, from 1. */
uint32_t topo_pcie_generation(const struct topo_pcie_rate *rate);
/* Bandwidth of one direction in 10^9 bit/s, after the line code, before the packet overhead. */
double topo_pcie_gbit_s(const struct topo_pcie_rate *rate);

/*
 * Writes the machine as XML; on this host with its affinity, isolated cpus, interrupts and PCIe
 * links. The caller frees *xml. 0, or -errno with an error message.
 */
int topo_xml_write(struct topo *t, char **xml) __attribute__((warn_unused_result));

#endif
