/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* verbench place: which cpus and memory the measuring threads would get, and why. */
#ifndef PLACE_H
#define PLACE_H

#include <stdio.h>

#include "config/cfg.h"

/*
 * Prints the placement that cfg's device, threads, pin and mem give on this machine, or on the one
 * of HWLOC_XMLFILE; opens no device. Exit status: 0, 1 no topology, 2 a placement that cannot be
 * had, printed on standard error.
 */
int place_run(const struct cfg *cfg, FILE *out);

#endif
