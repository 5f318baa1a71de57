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
	MESH_THERE,
	MESH_GONE     /* reason says why */
};

enum mesh_work {
	MESH_IDLE,    /* it measures nothing */
	MESH_WORKS,   /* it prepares or measures the cell */
	MESH_WAITS    /* it is ready for the others of the round */
};

/* A member as a client, in a lane. */
struct mesh_client {
	enum mesh_work work;
	uint32_t go;               /* the last start of its cell */
	uint32_t n_rows;           /* of its cell */
};

struct mesh_member {
	enum mesh_state state;
	struct mesh_node node;
	char device[ROW_NAME];     /* with which it measures; "": not known yet */
	/* its place in the tree */
	struct ctl ctl;            /* while it asks for a parent that has not come yet */
	bool asks;
	uint32_t lost;             /* the parent that it could not reach; LINKS_NONE: none */
	uint32_t parent;           /* 0: the root; LINKS_NONE: it never had one */
	bool attached;             /* else it is on its way to parent, since: */
	uint64_t away_ns;          /* clock_ns() */
	uint64_t order;            /* of the last cell that it was given */
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
	struct schedule_rails rails; /* from: of the client */
	uint32_t flow_label;       /* measured again with it; 0: as the options say */
	bool together;             /* of MESH_ALONE: all lanes, rail i with rail i */
};

/* A figure of a pair. */
struct mesh_figure {
	double value;              /* Gbit/s, or p50 of a latency in us; NAN: it has none */
	bool failed;               /* so it has none */
	bool total;                /* of all rails: not judged */
	bool to_client;            /* the payload goes to the client */
	bool labelled;             /* its packets have a flow label */
	double limit;              /* of --expect, as the value; 0: none */
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
	mesh_judge *judge;         /* of what is measured */
	uint64_t fingerprint;      /* mesh_fingerprint() */
	struct mesh_serve *serve;  /* whoever joins, also again */
	char *join_line;           /* in the file of --join; NULL: none. Owned */
	struct links *links;       /* its children in the tree */
	pthread_t thread;          /* all that follows is of this thread alone */
	uint32_t joined;           /* members that have ever been there */
	uint32_t n_attached, n_gone;
	bool complete;             /* others are not awaited any more */
	uint64_t away_ns;          /* who is away for longer is gone */
	uint64_t looked_ns;        /* for them, clock_ns() */
	struct mesh_member *members; /* by rank; owned */
	uint32_t n;
	struct mesh_client *clients; /* by rank * lanes + lane; owned */
	uint32_t lanes;            /* schedule_lanes() */
	struct measuring *measuring; /* NULL: nothing */
	bool over;                 /* agents are told that they end */
	uint64_t order;            /* the last one that was given */
	uint32_t n_works, n_waits; /* clients that do so */
	struct results results;
	struct condition_rules expected; /* those of --expect; owned */
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

/* A connection of an agent, on a thread of its own; arg: the root. */
void mesh_join_serve(void *arg, struct ctl *ctl);

/* ---- mesh_members.c */

/*
 * Waits for all agents, --connect-timeout at most. -errno with an error message: the run cannot
 * begin. Those who did not come are MESH_GONE.
 */
int mesh_members_all(struct mesh_root *root) __attribute__((warn_unused_result));

/* What links of the root have: an agent that joins, a message of a child, a child that is lost. */
void mesh_members_join(struct mesh_root *root, struct links_mail *mail);
void mesh_members_message(struct mesh_root *root, uint32_t id, const json_t *msg);
void mesh_members_lost(struct mesh_root *root, uint32_t id);

/* Those who are away for too long are gone. */
void mesh_members_look(struct mesh_root *root);

/* Nobody waits for it any more. reason: why; copied. */
void mesh_members_lose(struct mesh_root *root, uint32_t rank, const char *reason);

/* ---- mesh_round.c */

/* Measures a cell in a round, or of one pair; its rows are written. */
void mesh_round_cell(struct mesh_root *root, uint32_t round, uint32_t cell);
/* All of the round again: rows have this attempt. */
void mesh_round_again(struct mesh_root *root, uint32_t round, uint32_t attempt, uint32_t cell);
void mesh_round_alone(struct mesh_root *root, const struct mesh_where *pair, uint32_t cell);

/* What an agent says of its cell. */
void mesh_round_message(struct mesh_root *root, const json_t *msg);

/* Its reason is set: no row of it comes any more. */
void mesh_round_gone(struct mesh_root *root, uint32_t rank);

/* It is in the tree; order: of the last cell that it has got. */
void mesh_round_back(struct mesh_root *root, uint32_t rank, uint64_t order);

/* ---- mesh_rows.c */

/* A row of a pair, and what the root knows of it. */
void mesh_rows_add(struct mesh_root *root, const struct row *row, const struct mesh_where *where);

/* A pair has none. */
void mesh_rows_missing(struct mesh_root *root, const struct mesh_done *why,
		       const struct mesh_where *where, const struct cell *cell);

/* Keeps the figure of a row: of a pair, or of all rails of two nodes. */
void mesh_rows_keep(struct mesh_root *root, const struct row *row, const struct mesh_where *where,
		    uint32_t cell);

/* All pairs of the round have theirs: writes them. */
void mesh_rows_flush(struct mesh_root *root, uint32_t cell);

void mesh_rows_free(struct mesh_root *root);

/* After all rounds: calls for each cell and size that has figures. */
void mesh_rows_each(struct mesh_root *root, mesh_judge *call);

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

/* -EINVAL with an error message: --victim, or an incast on these rails, is not possible. */
int mesh_incast_options(const struct mesh *mesh) __attribute__((warn_unused_result));

/* With --victim; SCHEDULE_NONE: none. */
struct schedule_victim mesh_incast_victim(const struct mesh *mesh, uint32_t round);

/*
 * How many rows belong together for each cell and size: of an incast all of a round, pairs, totals,
 * a victim beside and alone; else those of two nodes, rails and their total.
 */
uint32_t mesh_incast_parts(const struct mesh *mesh, uint32_t round);

/* All rows of a round are there: writes a total for each receiver. */
void mesh_incast_flush(struct mesh_root *root, uint32_t cell);

/* A total, or a row of a victim, for mesh_incast_text(). */
void mesh_incast_keep(struct mesh_root *root, const struct row *row, uint32_t cell);
/* Of all of them, for people; NULL: there are none. Free it. */
char *mesh_incast_text(struct mesh_root *root);
void mesh_incast_free(struct mesh_root *root);

/* ---- mesh_total.c */

/*
 * The total of rows of one round, which it changes: of the senders of an incast, or of the rails of
 * two nodes. apart: counters of the peer, too, are of ports that differ.
 */
void mesh_total(struct row *total, struct row *rows, uint32_t n, bool apart);

/* ---- mesh_rails.c */

/* All rows of a round are there: with several lanes writes a total for each two nodes. */
void mesh_rails_flush(struct mesh_root *root, uint32_t cell);

/* ---- mesh_counters.c */

/* Those of a list of counters (device/counters.h) that are of errors; NULL: none. Owned. */
char *mesh_counters_errors(const char *list) __attribute__((warn_unused_result));

/* Appends what a rail of the node counted in its rows of a cell and size, "" if nothing. */
struct mesh_counters_of {
	uint32_t node, rail, cell;
	uint64_t size_bytes;
};
void mesh_counters_tell(const struct mesh_root *root, const struct mesh_counters_of *of,
			char *text, size_t size);

#endif
