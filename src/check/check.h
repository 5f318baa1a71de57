/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder check: the command check: what a pair of devices can do and what works, in many short
 * points over one session; what their machines are like; what costs performance. Without a host,
 * this machine alone.
 *
 * This header: the result of a check, and its steps.
 */
#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "check/causes.h"
#include "check/findings.h"
#include "command/command.h"
#include "session/session.h"
#include "util/err.h"

#define CHECK_SCHEMA 1       /* of its JSON document */
#define CHECK_SMALL_BYTES 8  /* the small size; the large one is that of a bandwidth test */

enum check_status { CHECK_OK, CHECK_FAILED, CHECK_NOT_OFFERED, CHECK_NOT_TRIED };
extern const char *const check_status_names[]; /* ok failed not_offered not_tried */

/* One way to use the pair of devices. */
struct check_cell {
	struct kind kind;
	bool by_cm;              /* connected by rdma_cm */
	bool large;              /* the size: of atomics it is always 8 */
	enum side by;            /* who posts the requests */
	enum check_status status;
	enum cause cause;        /* of NOT_OFFERED */
	uint64_t size_bytes;     /* UINT64_MAX: not known */
	uint64_t ns;             /* how long it took; 0: not tried */
	char reason[RESULT_REASON]; /* why it is not ok */
};

/* All that a check has found out. check_free() is due. */
struct check {
	const struct cfg *cfg;   /* borrowed */
	struct session_facts facts;
	struct check_cell *cells;
	uint32_t n_cells;
	uint32_t counts[4];      /* by enum check_status */
	struct finding *findings;
	uint32_t n_findings;
	uint64_t ns;             /* of the whole check */
	const char *status;      /* ok refused interrupted failed; NULL until it has ended */
	char error[ERR_TEXT_MAX]; /* what ended the check early, "" nothing */
};

/* The command check. Returns the exit status. check.c */
int check_command(const struct command *cmd, const struct command_line *line);

/* Without a host: this machine. Returns the exit status. check_local.c */
int check_local(const struct cfg *cfg);

/* Fills cells: what a pair of devices could do, and none of it tried. -ENOMEM. check_cells.c */
int check_list(struct check *check) __attribute__((warn_unused_result));

/* What the rows of a cell say. */
struct check_heard {
	uint64_t size_bytes, lost, messages;
	uint32_t rows;
	bool not_ok;
	char reason[RESULT_REASON];
};

/* What came of a cell. rc, end: as of session_run(), with its error message. check_run.c */
void check_judge(struct check_cell *cell, const struct check_heard *h, enum session_end end,
		 int rc);

/* The options of a cell. check_cells.c */
struct cfg check_cfg(const struct check *check, const struct check_cell *cell);

/* The same transport and the same way to connect. check_cells.c */
bool check_same_way(const struct check_cell *a, const struct check_cell *b);

/*
 * Over which of these the facts are asked for, one after the other: a device is opened with a queue
 * pair of a transport, and one without RC has others (EFA: UD). check_cells.c
 */
#define CHECK_ASKED 3
extern const enum transport check_asked[CHECK_ASKED];

/*
 * Connects, asks for the facts, runs the cells. An error that ends the check is in check->error;
 * what was found before is there. check_run.c
 */
void check_run(struct check *check);

/* The table for people. check_print.c */
void check_print(FILE *out, const struct check *check);

/* The lines of findings, also those of a check without a host. check_print.c */
void check_print_findings(FILE *out, const struct finding *findings, uint32_t n);

/* Writes the JSON document of cfg->json. -errno with an error message. check_json.c */
int check_json(const struct check *check) __attribute__((warn_unused_result));

/* An array of the findings. New reference; NULL: no memory. check_json.c */
json_t *check_json_findings(const struct finding *findings, uint32_t n);

/* check_cells.c */
void check_free(struct check *check);

#endif
