/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The interrupts of a PCI device: which completion vector each one has and which cpus serve it. */
#ifndef TOPO_IRQ_H
#define TOPO_IRQ_H

#include <stdint.h>
#include <hwloc.h>

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
 * Reads the interrupts of a PCI device (0000:81:00.0) from /sys and /proc below root ("": those of
 * the system). n is 0 when they cannot be read.
 */
void topo_irq_read(struct topo_irqs *irqs, const char *root, const char *pci_address);
/* The same of an RDMA device by its name: hwloc may not know where it is. */
void topo_irq_read_device(struct topo_irqs *irqs, const char *root, const char *device);
/*
 * Text for XML ("24:0:3 25:-:4-5": number, vector, cpus) and back. The caller frees the text; NULL
 * without memory. Words that are not of this form are skipped.
 */
char *topo_irq_text(const struct topo_irqs *irqs);
void topo_irq_parse(struct topo_irqs *irqs, const char *text);
void topo_irq_free(struct topo_irqs *irqs);

#endif
