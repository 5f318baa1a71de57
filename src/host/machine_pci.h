/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What the PCI configuration space of a device says. */
#ifndef MACHINE_PCI_H
#define MACHINE_PCI_H

#include <stddef.h>
#include <stdint.h>

enum machine_switch { MACHINE_UNKNOWN, MACHINE_NONE, MACHINE_OFF, MACHINE_ON };

struct machine_pci {
	enum machine_switch relaxed_ordering, ats;
	uint32_t read_request_bytes; /* UINT32_MAX: unknown */
};

/*
 * Reads the configuration space of a device (0000:81:00.0) below root. Only root may read more than
 * its first 64 bytes: without, nothing is known.
 */
void machine_pci_read(struct machine_pci *pci, const char *root, const char *address);

/* The same from its bytes. */
void machine_pci_parse(struct machine_pci *pci, const uint8_t *space, size_t len);

#endif
