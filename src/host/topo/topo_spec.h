/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The values of --pin and --mem: their syntax, and the objects of a machine that a SPEC names.
 *
 *   SPEC  := ITEM ["," ITEM]...
 *   ITEM  := TYPE ":" RANGE | RANGE          a RANGE without TYPE has the TYPE before it; of --pin
 *                                            the first one is of cpus, as in "taskset -c"
 *   RANGE := N | N "-" N | "nic"             nic: the objects near the HCA
 *   TYPE  := name of hwloc (core, pu, numa, package, l2, l3, group, ...), or cpu for pu
 *
 * A SPEC is an ordered list: thread i gets object i, and the list repeats for more threads.
 */
#ifndef TOPO_SPEC_H
#define TOPO_SPEC_H

#include "topo/topo.h"
#include "topo/topo_hca.h"

#define TOPO_SPEC_MAX 63 /* characters of a --pin or --mem value */

/* The words of --pin; TOPO_PIN_SPEC: the value is a SPEC. */
enum topo_pin { TOPO_PIN_AUTO, TOPO_PIN_NEAR, TOPO_PIN_FAR, TOPO_PIN_NONE, TOPO_PIN_SPEC };

/* The cpus and NUMA nodes of one object; the topology owns them. */
struct topo_set {
	char text[32];               /* "pu:3", for messages */
	hwloc_const_bitmap_t cpus, nodes;
};

struct topo_sets {
	uint32_t n;
	struct topo_set *sets;       /* owned: topo_spec_free() */
};

/* Check the syntax without a machine. 0; -EINVAL with a message that names label, the option. */
int topo_spec_check_pin(const char *text, const char *label) __attribute__((warn_unused_result));
int topo_spec_check_mem(const char *text, const char *label) __attribute__((warn_unused_result));

/* The word of a valid --pin value. */
enum topo_pin topo_spec_pin(const char *text);

/*
 * Finds the objects of a SPEC. 0; -EINVAL with a message that names label and value: the type or
 * object does not exist, the cpu is offline, or nic with an HCA of unknown location.
 * topo_spec_free() accepts a zeroed struct.
 */
int topo_spec_resolve(struct topo_sets *sets, const struct topo *t, const struct topo_hca *hca,
		      const char *label, const char *spec) __attribute__((warn_unused_result));
void topo_spec_free(struct topo_sets *sets);

#endif
