/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The parts of the command list. */
#ifndef LIST_H
#define LIST_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Prints where each RDMA device is in the machine, or the machine as XML. With HWLOC_XMLFILE it is
 * the machine of that file, and verbs is not asked. Returns the exit status; an error is logged.
 */
int list_topology(FILE *out, bool as_xml);

#endif
