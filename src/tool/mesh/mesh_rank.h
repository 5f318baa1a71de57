/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Which of the nodes of a mesh this process is, of how many, and where rank 0 is: from what the
 * launcher has put into the environment. A launcher is a row of the table in mesh_rank.c.
 */
#ifndef MESH_RANK_H
#define MESH_RANK_H

#include <stdint.h>

#include "schedule/node_list.h"
#include "options/hosts.h"

struct mesh_rank {
	uint32_t rank, size;   /* rank < size, size 2..MESH_NODES_MAX */
	char root[HOSTS_TEXT]; /* HOST or HOST:PORT of rank 0; "": in the file of --join */
	const char *launcher;  /* "slurm", ... as --ranks names it; "hand": RANK/SIZE */
};

/*
 * ranks: the value of --ranks: "auto", "openmpi", "pmi", "slurm", "k8s:SIZE", or "RANK/SIZE" by
 * hand. auto takes the innermost launcher: mpirun inside a job of Slurm has the variables of both.
 * join: the value of --join, which wins over what the launcher says, or NULL; with a '/' it is the
 * name of a file. look: getenv(3).
 * -EINVAL: no launcher, a value out of range, or it is not known where rank 0 is; with an error
 * message.
 */
int mesh_rank_read(struct mesh_rank *r, const char *ranks, const char *join,
		   const char *(*look)(const char *name)) __attribute__((warn_unused_result));

/*
 * The same from a list of nodes: rank 0 is the first one, and this process the one that has the
 * name own, or the same name without or with a domain.
 */
int mesh_rank_hosts(struct mesh_rank *r, const struct node_list *hosts, const char *own,
		    const char *join) __attribute__((warn_unused_result));

/* The index of the node that has this name, as above; hosts->n: none. */
uint32_t mesh_rank_find(const struct node_list *hosts, const char *own);

#endif
