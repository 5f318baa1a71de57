/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The parts of the root: agents that join, the pairs of a round, their rows. */
#ifndef MESH_ROOT_H
#define MESH_ROOT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "agree/session.h"
#include "frame/results.h"
#include "mesh/mesh.h"

enum mesh_state {
	MESH_AWAITED, /* it has not joined */
	MESH_IDLE,    /* it measures nothing as a client */
	MESH_WORKS,   /* it prepares or measures the cell */
	MESH_WAITS,   /* it is ready for the others of the round */
	MESH_GONE     /* reason says why */
};

struct mesh_member {
	enum mesh_state state;
	struct ctl ctl;
	struct mesh_node node;
	uint64_t heard_ns;         /* clock_ns() of its last message */
	uint32_t n_rows;           /* of the cell */
	char reason[ROW_TEXT];
};

/* The rows of one cell, until all pairs of the round have theirs. */
struct mesh_rows {
	struct row *rows;          /* owned, as the next */
	struct mesh_where *where;
	uint32_t n, room;
};

/* Which pair a row is of. */
struct mesh_where {
	uint32_t round;            /* MESH_ALONE: in none */
	uint32_t attempt;          /* 0; from 1: measured again, alone */
	uint32_t client, server;   /* ranks */
};

/* A figure of a pair. */
struct mesh_figure {
	double value;              /* Gbit/s, or p50 of a latency in us; NAN: it has none */
	bool failed;               /* so it has none */
	bool to_client;            /* the payload goes to the client */
	uint64_t size_bytes;
	uint32_t cell;
	struct mesh_where where;
	double lost;               /* share of the time for which a thread waited for a CPU, 0..1 */
};

struct mesh_root {
	const struct mesh *mesh;
	struct mesh_serve *serve;  /* whoever joins; NULL: nobody joins any more */
	pthread_t thread;
	pthread_mutex_t lock;      /* of members and joined, as long as there is serve */
	uint32_t joined;
	struct mesh_member *members; /* by rank; owned */
	uint32_t n;
	struct results results;
	struct mesh_rows rows;
	uint64_t origin_ns;        /* of mesh_start_ns: the first start of the run; 0: none yet */
	struct mesh_figure *figures; /* owned */
	size_t n_figures, figures_room;
	uint32_t n_ok, n_bad;      /* rows that are ok; pairs that failed, in rounds */
	uint32_t n_verdicts;
	char *verdicts;            /* lines for people; owned */
	json_t *found;             /* the same for the JSON document; owned */
	bool stopped;              /* no more rounds: the user asked, or rows are lost */
	bool lost_rows;            /* they cannot be written */
	int status;                /* the exit status */
};

/* ---- mesh_join.c */

/*
 * Waits for all agents, --connect-timeout at most, and tells them of each other. -errno with an
 * error message: the run cannot begin. Those who did not come are MESH_GONE.
 */
int mesh_join_all(struct mesh_root *root) __attribute__((warn_unused_result));

/* A connection of an agent; arg: the root. */
void mesh_join_serve(void *arg, struct ctl *ctl);

/* ---- mesh_round.c */

/* Measures a cell in a round, or of one pair; its rows are written. */
void mesh_round_cell(struct mesh_root *root, uint32_t round, uint32_t cell);
void mesh_round_alone(struct mesh_root *root, const struct mesh_where *pair, uint32_t cell);

/* Nobody waits for it any more. reason: why; copied. */
void mesh_round_lose(struct mesh_member *m, const char *reason);

/* ---- mesh_rows.c */

/* A row of a pair, and what the root knows of it. */
void mesh_rows_add(struct mesh_root *root, const struct row *row, const struct mesh_where *where);

/* A pair has none. */
void mesh_rows_missing(struct mesh_root *root, const struct mesh_done *why,
		       const struct mesh_where *where, const struct cell *cell);

/* All pairs of the round have theirs: writes them. */
void mesh_rows_flush(struct mesh_root *root, uint32_t cell);

/* After all rounds: calls for each cell and size that has figures. */
void mesh_rows_each(struct mesh_root *root, void (*call)(struct mesh_root *root, uint32_t cell,
							 uint64_t size_bytes, bool latency));

/* A verdict on pairs of a cell and size. */
void mesh_rows_verdict(struct mesh_root *root, uint32_t cell, uint64_t size_bytes,
		       const char *text);

/* Prints what came of all pairs, for people. */
void mesh_rows_tell(struct mesh_root *root, FILE *out);

/* ---- mesh_verdict.c */

/* Which nodes and pairs are slow: what is low is measured again, alone. */
void mesh_verdict(struct mesh_root *root, uint32_t cell, uint64_t size_bytes, bool latency);

#endif
