/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * XRC domains. A domain belongs to a process: the file that ibv_open_xrcd(3) names joins the
 * domains of this process, and not those of others.
 */
#ifndef XRCD_H
#define XRCD_H

#include <infiniband/verbs.h>

struct ibv_xrcd *xrcd_open(struct ibv_context *ctx, struct ibv_xrcd_init_attr *attr);
int xrcd_close(struct ibv_xrcd *xrcd);

#endif
