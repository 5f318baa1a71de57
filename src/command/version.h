/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The versions of verbench, rdma-core and hwloc, and the providers that are installed. */
#ifndef VERSION_H
#define VERSION_H

/* What --version and "verbench version" print. */
void version_print(void);

#endif
