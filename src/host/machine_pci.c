/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The registers of linux/pci_regs.h: the list of capabilities of PCI, and the extended ones of PCI
 * Express, which begin at 256. Called by machine.c. Both lists come from a device: each step is
 * bounded.
 */
#include "config.h"
#include "host/machine_pci.h"

#include <stdio.h>
#include <string.h>
#include <linux/pci_regs.h>

#define SPACE_BYTES 4096
#define MOST_STEPS 96 /* capabilities that can be in it */

struct space {
	const uint8_t *bytes;
	size_t len;
};

/* 0 behind the end. Little-endian, as on the bus. */
static uint32_t read_le(const struct space *s, size_t at, size_t n)
{
	uint32_t value = 0;

	if (at + n > s->len)
		return 0;
	for (size_t i = n; i; i--)
		value = value << 8 | s->bytes[at + i - 1];
	return value;
}

/* Where a capability is; 0: none. */
static size_t find(const struct space *s, uint32_t id)
{
	size_t at = read_le(s, PCI_CAPABILITY_LIST, 1) & 0xfc;

	for (int i = 0; i < MOST_STEPS && at >= PCI_STD_HEADER_SIZEOF; i++) {
		if (read_le(s, at + PCI_CAP_LIST_ID, 1) == id)
			return at;
		at = read_le(s, at + PCI_CAP_LIST_NEXT, 1) & 0xfc;
	}
	return 0;
}

static size_t find_extended(const struct space *s, uint32_t id)
{
	size_t at = PCI_CFG_SPACE_SIZE;

	for (int i = 0; i < MOST_STEPS && at >= PCI_CFG_SPACE_SIZE; i++) {
		const uint32_t head = read_le(s, at, 4);

		if (!head)
			return 0;
		if (PCI_EXT_CAP_ID(head) == id)
			return at;
		at = PCI_EXT_CAP_NEXT(head);
	}
	return 0;
}

void machine_pci_parse(struct machine_pci *m, const uint8_t *bytes, size_t len)
{
	const struct space s = { bytes, len };
	size_t express, ats;
	uint32_t control;

	*m = (struct machine_pci){ .read_request_bytes = UINT32_MAX };
	if (len <= PCI_STD_HEADER_SIZEOF)
		return;
	express = find(&s, PCI_CAP_ID_EXP);
	if (!express)
		return;
	control = read_le(&s, express + PCI_EXP_DEVCTL, 2);
	/*
	 * A virtual function has no link of its own. There both are reserved and read 0, and those
	 * of the physical function hold (Device Control of a VF in the SR-IOV specification; Linux,
	 * pci_configure_relaxed_ordering()).
	 */
	if (read_le(&s, express + PCI_EXP_LNKSTA, 2) & PCI_EXP_LNKSTA_NLW) {
		m->relaxed_ordering = control & PCI_EXP_DEVCTL_RELAX_EN ? MACHINE_ON : MACHINE_OFF;
		m->read_request_bytes = 128u << ((control & PCI_EXP_DEVCTL_READRQ) >> 12);
	}
	if (len <= PCI_CFG_SPACE_SIZE)
		return;
	ats = find_extended(&s, PCI_EXT_CAP_ID_ATS);
	if (!ats)
		m->ats = MACHINE_NONE;
	else
		m->ats = read_le(&s, ats + PCI_ATS_CTRL, 2) & PCI_ATS_CTRL_ENABLE ? MACHINE_ON :
										     MACHINE_OFF;
}

void machine_pci_read(struct machine_pci *pci, const char *root, const char *address)
{
	uint8_t bytes[SPACE_BYTES];
	char path[512];
	size_t len = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/sys/bus/pci/devices/%s/config", root, address);
	f = fopen(path, "re");
	if (f) {
		len = fread(bytes, 1, sizeof(bytes), f);
		fclose(f);
	}
	machine_pci_parse(pci, bytes, len);
}
