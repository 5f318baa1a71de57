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
	char device[ROW_NAME];     /* with which it measures; "": not known yet */
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
	bool victim;               /* beside an incast, or, with attempt 1, alone */
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
	char *counted[2];          /* errors that client and server counted; NULL: none; owned */
};

/* A receiver of an incast, or a victim. */
struct mesh_incast {
	uint32_t cell, round;
	uint64_t size_bytes;
	bool victim;
	double beside, alone;      /* of a victim, as the value of a figure */
	char name[ROW_NAME];       /* of the receiver; of a victim the pair */
	char *text;                /* for people, what follows; NULL: nothing. Owned */
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
	struct mesh_incast *incasts; /* owned */
	size_t n_incasts, incasts_room;
	char run[ROW_RUN];         /* mesh_run of all rows */
	uint32_t n_ok, n_bad;      /* results of rounds that are ok; pairs that failed in them */
	uint32_t n_verdicts;
	char *verdicts;            /* lines for people; owned */
	json_t *found;             /* the same for the JSON document; owned */
	bool told_leaves;          /* which nodes have none */
	bool stopped;              /* no more rounds: the user asked, or rows are lost */
	bool lost_rows;            /* they cannot be written */
	struct live_page *page;    /* of --html; NULL: none */
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
/* All of the round again: rows have this attempt. */
void mesh_round_again(struct mesh_root *root, uint32_t round, uint32_t attempt, uint32_t cell);
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

void mesh_rows_free(struct mesh_root *root);

/* After all rounds: calls for each cell and size that has figures. */
void mesh_rows_each(struct mesh_root *root, void (*call)(struct mesh_root *root, uint32_t cell,
							 uint64_t size_bytes, bool latency));

/* A verdict on pairs of a cell and size. */
void mesh_rows_verdict(struct mesh_root *root, uint32_t cell, uint64_t size_bytes,
		       const char *text);

/* A row that an earlier run has written. */
struct mesh_place;
void mesh_rows_taken(struct mesh_root *root, const struct row *row,
		     const struct mesh_place *place);

/* The value of its figure. */
double mesh_rows_figure(const struct row *row);

/* Prints what came of all pairs, for people. */
void mesh_rows_tell(struct mesh_root *root, FILE *out);

/* ---- mesh_resume.c */

/*
 * With --resume, when the names of all nodes are known: takes rows over, and takes the others out
 * of the file if rows are added to it. -EINVAL with an error message: they are of other nodes;
 * -errno.
 */
int mesh_resume_take(struct mesh_root *root) __attribute__((warn_unused_result));

/* ---- mesh_incast.c */

/* -EINVAL with an error message: --victim is not possible. */
int mesh_incast_options(const struct mesh *mesh) __attribute__((warn_unused_result));

/* With --victim; SCHEDULE_NONE: none. */
struct schedule_victim mesh_incast_victim(const struct mesh *mesh, uint32_t round);

/* How many rows a round has for each cell and size: pairs, totals, a victim beside and alone. */
uint32_t mesh_incast_parts(const struct mesh *mesh, uint32_t round);

/* All rows of a round are there: writes a total for each receiver. */
void mesh_incast_flush(struct mesh_root *root, uint32_t cell);

/* A total, or a row of a victim, for mesh_incast_text(). */
void mesh_incast_keep(struct mesh_root *root, const struct row *row, uint32_t cell);
/* Of all of them, for people; NULL: there are none. Free it. */
char *mesh_incast_text(struct mesh_root *root);
void mesh_incast_free(struct mesh_root *root);

/* ---- mesh_counters.c */

/* Those of a list of counters (device/counters.h) that are of errors; NULL: none. Owned. */
char *mesh_counters_errors(const char *list) __attribute__((warn_unused_result));

/* Appends what the node counted in its rows of a cell and size, "" if nothing. */
struct mesh_counters_of {
	uint32_t node, cell;
	uint64_t size_bytes;
};
void mesh_counters_tell(const struct mesh_root *root, const struct mesh_counters_of *of,
			char *text, size_t size);

/* ---- mesh_verdict.c */

/* Which nodes and pairs are slow: what is low is measured again, alone. */
void mesh_verdict(struct mesh_root *root, uint32_t cell, uint64_t size_bytes, bool latency);

#endif
