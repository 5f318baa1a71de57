/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * --resume: rows that an earlier run of mesh has written. What is measured in a round and is ok is
 * taken over; an incast, or all rails of two nodes, are measured as a whole, so the rows of that
 * are taken over if all of them are ok. What was measured again, alone, is not.
 */
#ifndef MESH_RESUME_H
#define MESH_RESUME_H

#include "mesh/mesh_root.h"
#include "read/rows.h"

#define MESH_NOT_TAKEN UINT64_MAX

/* What a row is of, in its round and cell. */
enum mesh_slot {
	MESH_SLOT_TOTAL,  /* by receiver of an incast, by client of all rails */
	MESH_SLOT_ALONE,  /* a victim, by client */
	MESH_SLOT_PAIR    /* by client; the first lane, and the others follow */
};

struct mesh_place {
	uint32_t round, cell;
	uint32_t slot;            /* enum mesh_slot, or of another lane */
	uint32_t rank;
};

struct mesh_resume {
	const struct mesh *mesh;
	size_t held;              /* the format that adds to the same file; OUTPUT_N: none does */
	struct rows rows;         /* of the file, and by row: */
	uint64_t *keys;           /* mesh_resume_key(); MESH_NOT_TAKEN; owned */
	char **cells;             /* their texts as in rows, by cell; owned */
	bool cell_has_size;       /* the texts have --size */
	uint64_t *done;           /* n_done keys in rising order; owned */
	size_t n_done;
};

/* Reads the file, and compares its run with that of mesh: -EINVAL with an error message. */
int mesh_resume_open(struct mesh_resume **resume, const struct mesh *mesh)
	__attribute__((warn_unused_result));
/* Accepts NULL. */
void mesh_resume_close(struct mesh_resume *resume);

/* The options beside it. -EINVAL with an error message. */
int mesh_resume_options(struct cfg *cfg) __attribute__((warn_unused_result));

/* Is it taken over? False of NULL. */
bool mesh_resume_has(const struct mesh_resume *resume, const struct mesh_place *place);

/* ---- mesh_resume_place.c */

uint64_t mesh_resume_key(const struct mesh *mesh, const struct mesh_place *place);
struct mesh_place mesh_resume_place(const struct mesh *mesh, uint64_t key);

/* The cell with this text; mesh->cells.n: there is none. */
uint32_t mesh_resume_cell(const struct mesh_resume *resume, const char *text);

/* Sets keys and done. Errors as mesh_resume_take(). */
int mesh_resume_choose(struct mesh_resume *resume, struct mesh_root *root)
	__attribute__((warn_unused_result));

#endif
