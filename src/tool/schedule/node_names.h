/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The names of the nodes of a list, and what one item of it ("n[0-3,7]") adds; see node_list.h. */
#ifndef NODE_NAMES_H
#define NODE_NAMES_H

#include <stdint.h>

#define MESH_NODES_MAX 65536u

/* Zeroed: empty. */
struct node_list {
	char **names; /* n of them, owned */
	uint32_t n;
};

/* -EINVAL, -ENOMEM with an error message: some of the names may have been added. */
int node_names_add(struct node_list *list, const char *item) __attribute__((warn_unused_result));

#endif
