/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The PCIe link of a device: its current rate, and the rates that device and slot support. */
#ifndef TOPO_PCIE_H
#define TOPO_PCIE_H

#include <stddef.h>
#include <stdint.h>

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

#endif
