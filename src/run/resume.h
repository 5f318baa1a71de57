/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A sweep that goes on where an earlier run of it ended (--resume), and the file FILE.run.json
 * beside its CSV file that says which sweep the rows are of: version, command line, cells, and the
 * facts of both hosts. It is written before the first row, and again when the hosts are known.
 */
#ifndef RESUME_H
#define RESUME_H

#include <stdbool.h>
#include <stdint.h>
#include <jansson.h>

#include "format/format.h"
#include "run/run_sweep.h"

/* Zeroed: no file. */
struct resume {
	const struct run *run; /* borrowed */
	char *path;            /* of the file beside the rows; NULL: there is none. Owned */
	json_t *doc;           /* what it says, or will say. Owned */
	bool *done;            /* by cell; NULL: none is. Owned */
	uint32_t n_done, n_ok; /* cells with rows; of these with a row that is ok */
	bool dirty;            /* doc is not written yet */
	bool other_hosts;      /* resume_approve() said no */
	int fd;                /* of the file, with its lock; -1: none */
};

/*
 * Before anything runs. With --resume: is the file of this sweep? Takes out the rows of cells that
 * are not complete, but for --dry-run, which changes nothing. -errno with an error message: the
 * file is as before. resume_close() is due in both cases. resume.c
 */
int resume_open(struct resume *r, const struct run *run) __attribute__((warn_unused_result));
void resume_close(struct resume *r);

/* Has the cell all of its rows? */
bool resume_has(const struct resume *r, uint32_t cell);

/*
 * A plan is agreed: are these the hosts and devices of the rows? -ECANCELED with an error message:
 * no. arg: struct resume.
 */
int resume_approve(void *arg, const struct format_run *run) __attribute__((warn_unused_result));

/* Before rows are written. -errno with an error message: they must not be. */
int resume_write(struct resume *r) __attribute__((warn_unused_result));

/* ---- within --resume */

/* The document of a run without hosts; NULL with an error message. resume_plan.c */
json_t *resume_plan(const struct run *run);

/* Do both describe the same sweep? -EINVAL with an error message: the first difference. */
int resume_plan_compare(const json_t *is, const json_t *want, const char *path)
	__attribute__((warn_unused_result));

/* Both sides of a plan. New reference, NULL: no memory. */
json_t *resume_pair(const struct format_run *run);

/* -ECANCELED with an error message: the first difference. */
int resume_pair_compare(const json_t *is, const json_t *want, const char *path)
	__attribute__((warn_unused_result));

/*
 * Reads the rows of the CSV file, sets r->done, and takes out the rows of other measurements of
 * these cells. resume_rows.c
 */
int resume_rows(struct resume *r) __attribute__((warn_unused_result));

#endif
