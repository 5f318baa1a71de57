/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The command mesh: one process on each node, the agent. The agent of rank 0 is also the root: all
 * agents join it, it says which cell of which round is measured, lets all pairs of a round begin at
 * the same time, and takes their rows. Agents measure pairs by sessions of their own, which the
 * root does not see.
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
#include "row/row.h"
#include "sweep/cells.h"
#include "topo/topo.h"
#include "wire/ctl.h"

/* Everything that the command line and the launcher say. Read only once agents run. */
struct mesh {
	struct cfg cfg;            /* of the whole run */
	struct cfg server;         /* of the sessions that this agent serves */
	struct axes axes;          /* until they are of cells; owned */
	struct cells cells;
	char **words;              /* of the command line, owned; cfg and cells borrow them */
	struct mesh_rank rank;
	struct hosts_one root;     /* where rank 0 listens */
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

/* ---- mesh.c: the command. Returns the exit status. */
int mesh_command(const struct command *cmd, const struct command_line *line);

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

/* The same number on each agent that measures the same: of schedule, seed and cells. */
uint64_t mesh_fingerprint(const struct mesh *mesh);

/* The column mesh_run. mesh_resume.c */
void mesh_run_name(const struct mesh *mesh, char text[ROW_RUN]);

/* Of this node in the results: --name, else as the launcher or the host calls it. */
void mesh_name(const struct mesh *mesh, char *name, size_t size);

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
/* The run is over: what does not end by itself within MESH_SILENT_NS is told to. Accepts NULL. */
void mesh_launch_close(struct mesh_launch *launch);

/* ---- mesh_wire.c: what agents tell the root, and the root tells them */

/* An agent. */
struct mesh_join {
	uint32_t rank, size;
	uint32_t port;             /* where it serves sessions */
	uint64_t fingerprint;
	char name[ROW_NAME];       /* of its host */
};

/* Where an agent serves sessions. */
struct mesh_node {
	char host[HOSTS_NAME];     /* "": on the host of the root */
	uint32_t port;             /* 0: it is not there, and nobody is told to connect */
	char name[ROW_NAME];       /* differs from those of all others */
};

#define MESH_ALONE UINT32_MAX /* a round of one pair, beside the schedule */

/* What an agent measures next as a client. */
struct mesh_order {
	uint32_t round, cell;
	uint32_t to;               /* rank */
};

/* How an agent ended a cell. */
struct mesh_done {
	enum result_status status; /* of a cell without rows */
	char reason[ROW_TEXT];
};

json_t *mesh_wire_join(const struct mesh_join *join);
json_t *mesh_wire_nodes(const struct mesh_node *nodes, uint32_t n);
json_t *mesh_wire_cell(const struct mesh_order *order);
json_t *mesh_wire_row(const struct row *row);
json_t *mesh_wire_done(const struct mesh_done *done);
json_t *mesh_wire_time(const char *type, uint64_t ns);

/* -EBADMSG with an error message. */
int mesh_wire_read_join(struct mesh_join *join, const json_t *msg)
	__attribute__((warn_unused_result));
/* n: as many as there have to be. */
int mesh_wire_read_nodes(struct mesh_node *nodes, uint32_t n, const json_t *msg)
	__attribute__((warn_unused_result));
int mesh_wire_read_cell(struct mesh_order *order, const json_t *msg)
	__attribute__((warn_unused_result));
int mesh_wire_read_row(struct row *row, const json_t *msg) __attribute__((warn_unused_result));
int mesh_wire_read_done(struct mesh_done *done, const json_t *msg)
	__attribute__((warn_unused_result));
int mesh_wire_read_time(uint64_t *ns, const json_t *msg) __attribute__((warn_unused_result));

#define MESH_PINGS 8         /* that an agent sends when it joins, to know the root's clock */
#define MESH_BEAT_NS 1000000000u   /* between two heartbeats of an agent */
#define MESH_SILENT_NS 5000000000u /* an agent that is silent for so long is gone */
#define MESH_SEND_MS 5000u   /* the other side takes a message within this time, or is gone */

/* ---- mesh_agent.c */

/*
 * The agent of this process, until the root ends it. 0: it was told so. -errno with an error
 * message.
 */
int mesh_agent(const struct mesh *mesh) __attribute__((warn_unused_result));

/* ---- mesh_join.c: the agent's half */

/*
 * Connects an agent to the root, which learns where it serves sessions; *root, which the caller
 * closes, nodes by rank, and how far the root's clock is ahead of clock_ns(). -errno with an error
 * message.
 */
int mesh_join(const struct mesh *mesh, uint32_t port, struct ctl *root, struct mesh_node *nodes,
	      int64_t *ahead_ns) __attribute__((warn_unused_result));

/* ---- mesh_serve.c: connections that others make to this process */

struct mesh_serve;

/* Called on a thread of its own for each, with the key proved; the caller closes ctl. */
struct mesh_server {
	void (*serve)(void *arg, struct ctl *ctl);
	void *arg;
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

/* Listens, and waits for agents on a thread of its own. -errno with an error message. */
int mesh_root_open(struct mesh_root **root, const struct mesh *mesh)
	__attribute__((warn_unused_result));
/* Waits until it has ended, and frees it. Returns the exit status. */
int mesh_root_close(struct mesh_root *root);

#endif
