/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The command mesh: one process on each node, the agent. Beside that of rank 0 is the root, the top
 * of a tree of all agents: it says which cell of which round is measured, lets all pairs of a round
 * begin at the same time, and takes their rows. Agents measure pairs by sessions of their own,
 * which the root does not see.
 *
 * This header: what all parts of an agent share, and the messages between agent and root.
 */
#ifndef MESH_H
#define MESH_H

#include <stdbool.h>
#include <stdint.h>
#include <jansson.h>

#include "access/access.h"
#include "mesh/mesh_rank.h"
#include "schedule/node_list.h"
#include "schedule/schedule.h"
#include "options/cfg.h"
#include "options/hosts.h"
#include "place/affinity.h"
#include "row/row.h"
#include "sweep/cells.h"
#include "topo/topo.h"
#include "tree/links.h"
#include "wire/ctl.h"

#define MESH_RAILS_MAX 16u

/* The devices of each node that measure. */
struct mesh_rails {
	uint32_t n;
	char names[MESH_RAILS_MAX][ROW_NAME]; /* without --rails "" */
};

/* Everything that the command line and the launcher say. Read only once agents run. */
struct mesh {
	struct cfg cfg;            /* of the whole run */
	struct cfg server;         /* of the sessions that this agent serves */
	struct axes axes;          /* until they are of cells; owned */
	struct cells cells;
	char **words;              /* of the command line, owned; cfg and cells borrow them */
	struct mesh_rank rank;
	struct hosts_one root;     /* where rank 0 listens; without a host: in the file of --join */
	struct mesh_rails rails;
	struct schedule_ask ask;   /* how the schedule was made */
	struct schedule *schedule; /* owned */
	struct mesh_resume *resume; /* of rank 0, with --resume; owned */
	struct wiring *wiring;     /* at rank 0; NULL: not known. Owned */
	struct ctl_tls *tls;       /* the key of the run; NULL: none. Owned */
	struct topo machine;       /* the same for all sessions; owned */
	bool described;            /* machine is valid */
	char *key;                 /* its text for agents that --via starts; NULL: none. Owned */
	struct node_list nodes;    /* of --hosts, rank 0 first; owned */
	struct ranges allow;
	bool limited;              /* allow says who may connect */
	bool only_here;            /* neither key nor allow: only this host */
};

struct command;
struct command_line;

/* ---- mesh_read.c: the command line */

/* False: *status is the exit status, and what was wrong is printed. mesh_free() is due. */
bool mesh_read(struct mesh *mesh, const struct command *cmd, const struct command_line *line,
	       int *status) __attribute__((warn_unused_result));
void mesh_free(struct mesh *mesh);

/* Cell i of mesh->cells, without a host; free its text. -EINVAL with an error message. */
int mesh_cell(const struct mesh *mesh, uint32_t i, struct cell *cell)
	__attribute__((warn_unused_result));

/* How long all rounds take, about. */
double mesh_time_ns(const struct mesh *mesh);

/* How long a cell takes at most. */
uint64_t mesh_longest_ns(const struct mesh *mesh, const struct cfg *cell);

/* The same number on each agent that measures the same: of schedule, seed and cells. */
uint64_t mesh_fingerprint(const struct mesh *mesh);

/* The column mesh_run. mesh_resume.c */
void mesh_run_name(const struct mesh *mesh, char text[ROW_RUN]);

/* Of this node in the results: --name, else as the launcher or the host calls it. */
void mesh_name(const struct mesh *mesh, char *name, size_t size);

/* ---- mesh_rails.c */

/* The rails of --rails and -d, else one. -EINVAL, -errno with an error message. */
int mesh_rails_read(struct mesh *mesh) __attribute__((warn_unused_result));

/* The devices of client and server; borrowed. */
void mesh_rails_choose(const struct mesh *mesh, struct cfg *cfg, const struct schedule_rails *of);

/* The other lanes that are measured at the same time; cfg borrows text. */
void mesh_rails_beside(const struct mesh *mesh, struct cfg *cfg, uint32_t lane,
		       char text[NEIGHBOURS_TEXT]);

/* ---- mesh_access.c: who may take part */

/* Key and addresses. -EINVAL, or as ctl_tls_open(), with an error message. */
int mesh_access_read(struct mesh *mesh) __attribute__((warn_unused_result));

/* May this address connect? */
bool mesh_allows(const struct mesh *mesh, const uint8_t address[16]);

/* ---- mesh_launch.c: --via starts the agents of other hosts */

struct mesh_launch;

/*
 * Starts what --via says, once rank 0 listens; a thread notes those that fail. NULL: nothing is to
 * be started. Overwrites mesh->key. -errno with an error message.
 */
int mesh_launch_open(struct mesh_launch **launch, struct mesh *mesh)
	__attribute__((warn_unused_result));
/* The run is over: what does not end by itself within LINKS_SILENT_NS is told to. Accepts NULL. */
void mesh_launch_close(struct mesh_launch *launch);

/* ---- mesh_wire.c: what agents tell the root, and the root tells them */

/* An agent. */
struct mesh_join {
	uint32_t rank, size;
	uint32_t port;             /* where it serves sessions */
	uint32_t tree_port;        /* where its children connect; 0: it never has any */
	uint32_t lost;             /* the parent that it has lost; LINKS_NONE: it joins first */
	uint64_t fingerprint;
	char name[ROW_NAME];       /* of its host */
};

/* Where an agent is. */
struct mesh_node {
	char host[HOSTS_NAME];     /* "": on the host of the root */
	uint32_t port;             /* of sessions; 0: it is not there */
	uint32_t tree_port;
	char name[ROW_NAME];       /* differs from those of all others */
};

/* Where an agent belongs. */
struct mesh_parent {
	uint32_t rank;
	char host[HOSTS_NAME];     /* as in struct mesh_node */
	uint32_t port;             /* 0: the root itself, by this connection */
};

#define MESH_ALONE UINT32_MAX /* a round of one pair, beside the schedule */

/*
 * A cell that is measured by some agents at the same time. Each lane (schedule_lanes()) has an
 * order of its own: lane i that of the cell, plus i.
 */
struct mesh_what {
	uint64_t order;            /* counts them, from 1 */
	uint32_t round, cell;
};

/* What an agent measures next as a client, in a lane. */
struct mesh_order {
	struct mesh_what what;     /* order: of the lane */
	uint32_t lane;
	uint32_t to;               /* rank */
	struct schedule_rails rails; /* from: its own */
	char host[HOSTS_NAME];     /* its, as in struct mesh_node */
	uint32_t port;
	uint32_t flow_label;       /* in place of those of the options; 0: none */
};

/* What an agent measures of a cell. */
struct mesh_orders {
	struct mesh_what what;
	uint32_t n;                /* 0: nothing */
	struct mesh_order of[MESH_RAILS_MAX];
};

/* A start of the pairs of a cell. */
struct mesh_start {
	uint64_t order;            /* of a lane */
	uint32_t number;           /* from 1: of the cell */
};

/* How an agent ended a lane of a cell. */
struct mesh_done {
	enum result_status status; /* of a cell without rows */
	char reason[ROW_TEXT];
};

/* Why agents end. */
struct mesh_end {
	bool interrupted;
	char reason[ROW_TEXT];     /* "": as they should */
};

json_t *mesh_wire_join(const struct mesh_join *join);
json_t *mesh_wire_parent(const struct mesh_parent *parent);
json_t *mesh_wire_child(uint32_t rank);
json_t *mesh_wire_here(uint32_t rank, uint64_t order);
/* by: the rank that says it. */
json_t *mesh_wire_gone(uint32_t rank, uint32_t by, const char *reason);
json_t *mesh_wire_cell(const struct mesh_what *what);
/* The agent of this rank measures order->to. */
void mesh_wire_add_pair(json_t *cell, uint32_t rank, const struct mesh_order *order);
json_t *mesh_wire_ready(uint32_t rank, const struct mesh_start *start);
/* For all lanes of all, by the order of the cell; mesh_wire_add_rank(): for a lane of these. */
json_t *mesh_wire_go(const struct mesh_start *start);
json_t *mesh_wire_end(const struct mesh_end *end);
void mesh_wire_add_rank(json_t *msg, uint32_t rank);
json_t *mesh_wire_row(const struct row *row);
/* Says whose row it is, the number-th of the cell, from 0. */
void mesh_wire_sign_row(json_t *msg, uint32_t rank, const struct mesh_start *number);
json_t *mesh_wire_done(const struct mesh_done *done);
void mesh_wire_sign_done(json_t *msg, uint32_t rank, uint64_t order);
json_t *mesh_wire_time(const char *type, uint64_t ns);

/* -EBADMSG with an error message. */
int mesh_wire_read_join(struct mesh_join *join, const json_t *msg)
	__attribute__((warn_unused_result));
int mesh_wire_read_parent(struct mesh_parent *parent, const json_t *msg)
	__attribute__((warn_unused_result));
int mesh_wire_read_rank(uint32_t *rank, const json_t *msg) __attribute__((warn_unused_result));
/* order of a message that has one. */
int mesh_wire_read_start(struct mesh_start *start, const json_t *msg)
	__attribute__((warn_unused_result));
int mesh_wire_read_gone(uint32_t *rank, uint32_t *by, char reason[ROW_TEXT], const json_t *msg)
	__attribute__((warn_unused_result));
/* What rank measures of it. */
int mesh_wire_read_cell(struct mesh_orders *orders, uint32_t rank, const json_t *msg)
	__attribute__((warn_unused_result));
/* Is the message for rank: for all, or for it? */
bool mesh_wire_is_for(uint32_t rank, const json_t *msg);
int mesh_wire_read_end(struct mesh_end *end, const json_t *msg)
	__attribute__((warn_unused_result));
int mesh_wire_read_row(struct row *row, const json_t *msg) __attribute__((warn_unused_result));
int mesh_wire_read_done(struct mesh_done *done, const json_t *msg)
	__attribute__((warn_unused_result));
int mesh_wire_read_time(uint64_t *ns, const json_t *msg) __attribute__((warn_unused_result));

#define MESH_PINGS 8         /* that an agent sends when it joins, to know the root's clock */
#define MESH_SEND_MS 5000u   /* the other side takes a message within this time, or is gone */
#define MESH_AGAIN_MS 3000u  /* for each step of an agent that joins again */
#define MESH_AWAY_NS 10000000000u /* an agent whose parent is gone is back by then, or gone */

/* ---- mesh_agent.c */

/*
 * The agent of this process, until the root ends it. 0: it was told so. -errno with an error
 * message.
 */
int mesh_agent(const struct mesh *mesh) __attribute__((warn_unused_result));

/* ---- mesh_join.c: the form of the tree, and the agent's half of joining */

/* 0: the root, also of rank 0 itself. */
uint32_t mesh_parent_of(const struct mesh *mesh, uint32_t rank);
bool mesh_has_children(const struct mesh *mesh, uint32_t rank);

/* Where an agent has found its place. */
struct mesh_found {
	struct ctl up;             /* to its parent */
	uint32_t parent;           /* rank; 0: the root */
	int64_t ahead_ns;          /* the root's clock less this one: clock_ns() */
	struct hosts_one root;     /* set it to that of struct mesh at first */
};

/*
 * Asks the root for a parent, and connects to it; the caller closes place->up. own: without name
 * and fingerprint. Learns place->root if it has no host. -errno with an error message.
 */
int mesh_join(const struct mesh *mesh, const struct mesh_join *own, struct mesh_found *place)
	__attribute__((warn_unused_result));

/* The parent's half: who connects? -errno with an error message. */
int mesh_join_child(const struct mesh *mesh, struct ctl *ctl, uint32_t *rank)
	__attribute__((warn_unused_result));

/* ---- mesh_serve.c: connections that others make to this process */

struct mesh_serve;

/* Called on a thread of its own for each, with the key proved; the caller closes ctl. */
struct mesh_server {
	void (*serve)(void *arg, struct ctl *ctl);
	void *arg;
	bool brief;                /* serve soon ends; few of them at the same time */
};

/*
 * Takes connections of those who may take part. *port: where, 0: any; then which. -errno with an
 * error message.
 */
int mesh_serve_open(struct mesh_serve **serve, const struct mesh *mesh,
		    const struct mesh_server *server, uint32_t *port)
	__attribute__((warn_unused_result));
/* Readable once it is to stop: the signals_fd of its connections. */
int mesh_serve_stop_fd(const struct mesh_serve *serve);
void mesh_serve_stop(struct mesh_serve *serve);
/* Stops, and waits for all of its threads. Accepts NULL. */
void mesh_serve_close(struct mesh_serve *serve);

/* ---- mesh_root.c */

struct mesh_root;

/* Says which nodes and pairs are slow, once all rounds are measured. */
typedef void mesh_judge(struct mesh_root *root, uint32_t cell, uint64_t size_bytes, bool latency);

/*
 * Listens, and waits for agents on a thread of its own; judge is called there. -errno with an error
 * message.
 */
int mesh_root_open(struct mesh_root **root, const struct mesh *mesh, mesh_judge *judge)
	__attribute__((warn_unused_result));
/* Waits until it has ended, and frees it. Returns the exit status. */
int mesh_root_close(struct mesh_root *root);

#endif
