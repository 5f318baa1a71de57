/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What an agent sends up in the control tree: what it says of its own cell, which it keeps, since
 * its parent may lose it, and what those below say, gathered.
 */
#ifndef MESH_UP_H
#define MESH_UP_H

#include "mesh/mesh.h"
#include "tree/gather.h"

/* What this agent has said of a lane of its cell. */
struct mesh_said {
	json_t **rows;             /* n_rows of them; owned, as each */
	uint32_t n_rows;
	uint32_t ready;            /* the start that it is ready for; 0: none */
	json_t *done;              /* owned; NULL: it still measures, or has no such lane */
};

/* Set the first fields, zero the others. */
struct mesh_up {
	struct links *links;       /* borrowed */
	uint32_t rank;
	uint64_t said_order;       /* of its cell, 0: it had none */
	struct mesh_said said[MESH_RAILS_MAX]; /* by lane */
	struct gather gather;
	uint64_t order;            /* the cell of these two */
	uint32_t n_working;        /* below, and this agent */
	uint32_t n_ready;
};

/* Without a parent it is lost: all say it again to the next one. Steals msg. */
void mesh_up_send(struct mesh_up *up, json_t *msg);

/* To a new parent, own or of one above; those below say theirs. */
void mesh_up_again(struct mesh_up *up);

/* The parent is gone, with what was gathered for it. */
void mesh_up_lost(struct mesh_up *up);

/* Sends what is due; clock_ns() when that is. */
void mesh_up_look(struct mesh_up *up);
uint64_t mesh_up_due_ns(const struct mesh_up *up);

void mesh_up_free(struct mesh_up *up);

/* ---- what comes down */

/* n more lanes of this agent and those below measure the cell. */
void mesh_up_count(struct mesh_up *up, uint64_t order, uint32_t n);
/* n of them have got their start. */
void mesh_up_went(struct mesh_up *up, uint32_t n);
/* This agent has a cell. False: it has had it. */
bool mesh_up_begin(struct mesh_up *up, uint64_t order);
/* Did this agent wait for the start? */
bool mesh_up_go(struct mesh_up *up, const struct mesh_start *start);

/* ---- what this agent says of a lane, by its order, unless that is over; steals msg */

void mesh_up_row(struct mesh_up *up, uint64_t order, json_t *msg);
void mesh_up_ready(struct mesh_up *up, const struct mesh_start *start);
void mesh_up_done(struct mesh_up *up, uint64_t order, json_t *msg);

#endif
