/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What struct machine has from the PCI configuration space of the device. */
#ifndef MACHINE_PCI_H
#define MACHINE_PCI_H

#include <stddef.h>

#include "host/machine.h"

/*
 * Reads the configuration space of m->pci below root. Only root may read more than its first 64
 * bytes: without, nothing of m changes.
 */
void machine_pci_read(struct machine *m, const char *root);

/* The same from its bytes. */
void machine_pci_parse(struct machine *m, const uint8_t *space, size_t len);

#endif
