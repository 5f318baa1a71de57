/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The command line of a drop-in program, as perftest's programs take it on both sides. */
#ifndef DROPIN_OPTIONS_H
#define DROPIN_OPTIONS_H

#include "perftest/dropin.h"

/*
 * Reads argv[1..] into d, whose program and cfg.test are set; argv is reordered. 0: d is complete,
 * with perftest's defaults; 1: --help or --version was printed; -EINVAL with an error message.
 */
int dropin_options(struct dropin *d, int argc, char **argv) __attribute__((warn_unused_result));

/*
 * What perftest does where its command line says nothing, as with --like perftest: counts, depths,
 * buffers. Values that the user has given stay. After the options are read.
 */
void dropin_defaults(struct dropin *d);

#endif
