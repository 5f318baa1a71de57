/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* One item of a list of nodes: "n[0-3,7]"; see node_list.h. */
#ifndef NODE_LIST_ITEM_H
#define NODE_LIST_ITEM_H

#include "mesh/node_list.h"

/*
 * Adds the names that the item makes. -EINVAL, -ENOMEM with an error message: some of them may have
 * been added.
 */
int node_list_add(struct node_list *list, const char *item) __attribute__((warn_unused_result));

#endif
