/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What the files of one port share. For port*.c alone. */
#ifndef PORT_OWN_H
#define PORT_OWN_H

#include "rdma/dev.h"

/*
 * port_gids.c: fills the GIDs and the netdev of dev->limits, whose port is set: first those that
 * the wish (NULL: none) names, last those of other network namespaces. Errors of verbs, with an
 * error message.
 */
int port_gids_ask(struct dev *dev, const struct dev_wish *wish) __attribute__((warn_unused_result));

#endif
