/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * verbench list: devices, ports, state, link layer and rate, MTU, netdev, NUMA node, GIDs with
 * types.
 */
#ifndef LIST_H
#define LIST_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Returns the exit status: 0, or 1 with a message when devices cannot be asked; no device is a
 * plain line.
 */
int list_run(FILE *out);

/*
 * Where each RDMA device is in the machine, or the machine itself as XML; HWLOC_XMLFILE is
 * honoured, then verbs are not asked. Exit status as above.
 */
int list_topology(FILE *out, bool as_xml);

#endif
