/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What is set on a machine, outside its RDMA device, and costs performance or forbids something:
 * PCIe, IOMMU, frequencies, NUMA, locked memory. "verbench check" reads it on both sides, and
 * judges it in check/findings.c.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <jansson.h>

#include "topo/topo.h"
#include "util/field.h"

#define MACHINE_TEXT 64

enum machine_switch { MACHINE_UNKNOWN, MACHINE_NONE, MACHINE_OFF, MACHINE_ON };
extern const char *const machine_switch_names[]; /* unknown none off on */

enum machine_access { MACHINE_ABSENT, MACHINE_DENIED, MACHINE_OPEN };
extern const char *const machine_access_names[]; /* absent denied open */

#define FIELD FIELD_DECLARE
#define FIELD_TEXT_ROW FIELD_DECLARE_TEXT

struct machine {
#include "place/machine.def"
};

extern const struct field_table machine_table;

/*
 * This machine, as the device (and its netdev, "" none) sees it. What cannot be read is unknown.
 * Takes as long as hwloc needs to describe a machine, some milliseconds.
 */
void machine_read(struct machine *m, const char *device, const char *netdev);

/* How many bytes this process may lock (RLIMIT_MEMLOCK); UINT64_MAX: no limit applies to it. */
uint64_t machine_memlock(void);

/*
 * The frequency governor of these CPUs, NULL of all; one that is not performance stands for all,
 * because a thread may run there. "": the kernel does not scale frequencies.
 */
void machine_governor(char governor[MACHINE_TEXT], const char *root, hwloc_const_cpuset_t cpus);

/* The model of the first CPU; "": unknown, as on most Arm machines. */
void machine_cpu_model(char model[MACHINE_TEXT], const char *root);

/*
 * The part of it that is in files below root ("": those of the system). m->pci names the device, ""
 * none. cpus: whose governor counts; NULL: of all.
 */
void machine_read_files(struct machine *m, const char *root, const char *netdev,
			hwloc_const_cpuset_t cpus);

/*
 * What the bytes of the device's PCI configuration space say: relaxed ordering, ATS, the longest
 * read request. Only root may read more than its first 64 bytes: without, nothing is known.
 */
void machine_parse_pci(struct machine *m, const uint8_t *space, size_t len);

#endif
