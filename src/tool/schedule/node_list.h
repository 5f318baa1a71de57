/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Lists of nodes as people and launchers write them: "node[001-200]", "n[0-3,7],m1",
 * "rack[1-2]-n[01-16]:18600". Commas or newlines are between the items; a range has the width of
 * its first number. An IPv6 address in brackets is one node: "[fe80::1]:18600". A port stays a part
 * of the text. The number of nodes is known before the first name is made.
 */
#ifndef NODE_LIST_H
#define NODE_LIST_H

#include "schedule/node_names.h"

#define NODE_LIST_FILE_MAX (32u << 20) /* bytes */

/*
 * Reads a list, whose names are all different; zeroed it is empty.
 * label: what the list is, for error messages: an option, a variable. -EINVAL: not such a list,
 * empty, a name twice, or more than MESH_NODES_MAX nodes; -ENOMEM; with an error message, and the
 * list is empty.
 */
int node_list_parse(struct node_list *list, const char *label, const char *text)
	__attribute__((warn_unused_result));

/*
 * The same from a file, whose lines are such lists; '#' begins a comment. Error messages name file
 * and line. Also -errno of the file.
 */
int node_list_read(struct node_list *list, const char *path) __attribute__((warn_unused_result));

void node_list_free(struct node_list *list);

#endif
