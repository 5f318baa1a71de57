/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room schedule: many nodes, each measured with others, one process (agent) on each.
 *
 * This header: who measures with whom in which round. Each agent computes it from the same few
 * numbers, so no list of pairs goes to them: what is generated is part of the protocol. Nodes are
 * their ranks, 0..n-1. A round is a set of directed pairs at the same time: a node sends to at most
 * one other and, except in incast, receives from at most one.
 *
 * Nodes may have several rails, their devices. Of R rails each round is R rounds, one after the
 * other: rail i with rail i (RAILS_SAME); or R * R: each with each (RAILS_CROSS). RAILS_EACH is all
 * rounds with rail 0, then all with rail 1, and so on. With RAILS_ALL there are as many rounds as
 * of one rail, and each pair of nodes has R lanes, pairs that measure at the same time: rail i with
 * rail i.
 *
 * Random orders are permutations of the numbers 0..n-1 that need no memory and can be inverted:
 * shuffle.c.
 */
#ifndef SCHEDULE_H
#define SCHEDULE_H

#include <stdint.h>

#include "options/choices.h"
#include "schedule/node_names.h"

#define SCHEDULE_NONE UINT32_MAX       /* no node */
#define SCHEDULE_K_MAX MESH_NODES_MAX  /* of SCHEDULE_RANDOM */

enum schedule_kind {
	/*
	 * All pairs: a tournament by the circle method. m is n, or n + 1 if n is odd. In tournament
	 * round r = 0..m-2 place i < m-1 meets place (2r - i) mod (m-1), or m-1 if that is i
	 * itself; for odd n place m-1 is nobody: a bye. The seed says which node is at which place,
	 * so that a round is not a shift, which a switch may like or not. Each tournament round
	 * makes two rounds: first the lower rank sends, then the higher one.
	 */
	SCHEDULE_ALL,
	SCHEDULE_SAMPLE,    /* k of these tournament rounds, which the seed chooses; k: 1..m-1 */
	SCHEDULE_SHIFT,     /* in round d - 1, d = 1..n-1, node i sends to (i + d) mod n */
	/* Node k (0..n-1) sends to one other node after the other, then receives from each. */
	SCHEDULE_ONE,
	/*
	 * k (1..n-1) nodes send to one. The seed makes groups of k + 1 nodes, which measure at the
	 * same time. In round r = 0..k the receiver is node r of each group. The n mod (k + 1)
	 * nodes that are in no group have byes then; in the rounds after that each of them receives
	 * from the first k nodes of a group. So each node receives in one round, always from k.
	 * spare: there are fewer groups if else fewer nodes than that would have a bye.
	 */
	SCHEDULE_INCAST,
	/* Nodes i and i + n/2, i < n/2; round 0: the lower sends. For odd n the last has byes. */
	SCHEDULE_BISECTION,
	/* k (1..SCHEDULE_K_MAX) times random pairs of all nodes, each in two rounds, as above. */
	SCHEDULE_RANDOM,
	SCHEDULE_SERIAL,    /* one directed pair in each round, by the rank of the sender */
	/*
	 * Lines "ROUND A[:RAIL] B[:RAIL]": A sends to B. Rounds are numbers that do not fall; they
	 * are counted, not used. A and B are ranks or, with names, names. '#' begins a comment. A
	 * node sends once and receives once in a round at most; no pair stands twice. If any line
	 * names a rail, each one is a pair on its rails, 0 where it names none, and there are no
	 * rounds of other rails.
	 */
	SCHEDULE_FILE
};

/* Zero what the kind does not need. */
struct schedule_ask {
	enum schedule_kind kind;
	uint32_t n;                /* nodes, 2..MESH_NODES_MAX */
	uint32_t k;
	uint32_t spare;            /* of SCHEDULE_INCAST, 0..2; n: k + 1 and one more at least */
	uint64_t seed;
	enum rails rails;
	uint32_t n_rails;          /* of each node; RAILS_NONE: one */
	const char *file;          /* borrowed while schedule_open() runs */
	const char *const *names;  /* n of them, as above; NULL: none */
};

struct schedule;

/*
 * -EINVAL: n or k is out of range, or a line of the file is wrong; -errno of the file; -ENOMEM; all
 * with an error message. *s is then NULL.
 */
int schedule_open(struct schedule **s, const struct schedule_ask *ask)
	__attribute__((warn_unused_result));

/* Accepts NULL. */
void schedule_close(struct schedule *s);

uint32_t schedule_rounds(const struct schedule *s);

/*
 * The node to which this one sends in the round; SCHEDULE_NONE: to none, it receives or has a bye.
 * Allocates nothing.
 */
uint32_t schedule_target(const struct schedule *s, uint32_t round, uint32_t node);

/* How many pairs two nodes have at once: 1, or with RAILS_ALL one for each rail. */
uint32_t schedule_lanes(const struct schedule *s);

/* The rails of a pair, from 0. */
struct schedule_rails {
	uint32_t from, to;
};

/* Of a lane in which the node sends in the round; but for a file all nodes have the same. */
struct schedule_rails schedule_rails(const struct schedule *s, uint32_t round, uint32_t node,
				     uint32_t lane);

/*
 * A pair beside an incast with spare nodes: from a node that has a bye, next by rank to one that
 * sends, to another one with a bye, next by rank to one that receives; if there is none, to one
 * that sends.
 */
struct schedule_victim {
	uint32_t from, to;         /* SCHEDULE_NONE: there is no such node */
};

/* schedule_victim.c */
struct schedule_victim schedule_victim(const struct schedule *s, uint32_t round);

uint32_t schedule_nodes(const struct schedule *s);

/* Directed pairs in all rounds together, each lane of two nodes for itself. */
uint64_t schedule_pairs(const struct schedule *s);

#endif
