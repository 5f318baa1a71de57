/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room check: the command check: what a pair of devices can do and what works, in many short
 * points over one session; what their machines are like; what costs performance. Without a host,
 * this machine alone.
 *
 * This header: the result of a check, and its steps. No memory ends the program (util/must.h).
 */
#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "frame/command.h"
#include "write/output.h"
#include "agree/session.h"
#include "place/machine.h"
#include "limits/limits.h"
#include "util/err.h"

#define CHECK_SCHEMA 1       /* of its JSON document */
#define CHECK_SMALL_BYTES 8  /* the small size; the large one is that of a bandwidth test */

/* ---- findings: settings of a machine that cost performance or forbid something: findings.c */

#define FINDING_TEXT 256

struct finding {
	const char *code;    /* "pcie_narrow", static */
	char side[16];       /* client or server; "": this machine alone */
	char host[PLAN_NAME], device[PLAN_NAME];
	char text[FINDING_TEXT], remedy[FINDING_TEXT];
};

/* A zeroed one is empty. */
struct findings {
	struct finding *list; /* owned */
	uint32_t n;
};

/* A new one at the end of the list, without texts. Valid until the next one. */
struct finding *findings_new(struct findings *to, const char *code);

/* What is judged, and where the warnings go. Borrowed. */
struct findings_in {
	struct findings *to;
	const char *side;
	const struct limits *limits;
	const struct machine *machine;
};

/* Adds the warnings of a side. A fact that is not known gives no warning. */
void findings_judge(const struct findings_in *in);

/*
 * Adds what makes the figures of polling threads, one a side, those of the machines: other programs
 * or too few CPUs. server NULL: one side alone.
 */
void findings_judge_load(struct findings *to, const struct limits *client,
			 const struct limits *server);

/* The codes, in the order of the table; NULL behind the last. */
const char *findings_code(uint32_t i);

/* ---- cells: check_run.c */

enum check_status { CHECK_OK, CHECK_FAILED, CHECK_NOT_OFFERED, CHECK_NOT_TRIED, CHECK_STATUSES };
extern const char *const check_status_names[]; /* ok failed not_offered not_tried */

/* The reason why something is not offered: from the cause of its error (err_cause()). */
enum check_cause {
	CAUSE_NONE,    /* it is offered */
	CAUSE_DEVICE,
	CAUSE_DRIVER,  /* kernel module or library of the machine */
	CAUSE_RIGHTS,
	CAUSE_MEMLOCK,
	CAUSE_PATH,    /* the two ports cannot reach each other in this way */
	CAUSE_OWNER,   /* options of the server */
	CAUSE_OPTIONS, /* options of this check */
	CAUSE_COUNT
};

/* name: of a row of remedy.def, or one of the names above; "" and others: the device. */
enum check_cause check_cause_of(const char *name);

enum check_size { CHECK_SMALL, CHECK_LARGE };

/* One way to use the pair of devices: a row of the check. */
struct check_cell {
	struct kind kind;
	enum connect_by connect;
	enum check_size size;    /* of atomics it is always 8 bytes */
	enum side by;            /* who posts the requests */
	enum check_status status;
	enum check_cause cause;  /* of NOT_OFFERED */
	uint64_t size_bytes;     /* UINT64_MAX: not known */
	double seconds;          /* 0: not tried */
	char reason[RESULT_REASON]; /* why it is not ok */
	char failure[ERR_CAUSE_MAX]; /* completion status: "RETRY_EXC_ERR"; "": another failure */
};

extern const struct field_table check_cell_table;

/* The result of a check. */
struct check {
	const struct cfg *cfg;   /* borrowed */
	struct output output;
	struct session_facts facts;
	struct check_cell *cells;
	uint32_t n_cells;
	uint32_t counts[CHECK_STATUSES];
	struct findings warnings;
	double seconds;          /* of the whole check */
	const char *status;      /* ok refused interrupted failed; NULL until it has ended */
	char error[ERR_TEXT_MAX]; /* what ended the check early, "" nothing */
};

/* Fills cells: what a pair of devices could do, and none of it tried. */
void check_list(struct check *check);

/* What the rows of a cell say. */
struct check_outcome {
	uint64_t size_bytes, lost, messages;
	uint32_t rows;
	bool not_ok;
	char reason[RESULT_REASON];
	char failure[ERR_CAUSE_MAX];
};

/* What came of a cell. rc, end: as of session_run(), with its error message. */
void check_judge(struct check_cell *cell, const struct check_outcome *h, enum session_end end,
		 int rc);

/* The options of a cell. */
struct cfg check_cfg(const struct check *check, const struct check_cell *cell);

/* The same transport and the same way to connect. */
bool check_same_way(const struct check_cell *a, const struct check_cell *b);

/*
 * Over which of these the facts are asked for, one after the other: a device is opened with a queue
 * pair of a transport, and one without RC has others (EFA: UD).
 */
#define CHECK_ASKED 3
extern const enum transport check_asked[CHECK_ASKED];

/*
 * Connects, asks for the facts, runs the cells. An error that ends the check is in check->error;
 * what was found before is there.
 */
void check_run(struct check *check);

/* ---- the command: check.c */

int check_command(const struct command *cmd, const struct command_line *line);

/* An error ends the check, its options as they were typed. */
void check_stop(struct check *check, const char *status);

/* A key of the JSON document. Takes the reference. */
void check_tell(struct check *check, const char *key, json_t *value);
void check_tell_findings(struct check *check, const char *key, const struct findings *findings);

/* Without a host: this machine. check_local.c */
void check_local(struct check *check);

/* ---- what people read, in lines of the width of the screen: check_print.c */

void check_print(FILE *out, const struct check *check);
/* One that both sides have is said once. How many are said. */
uint32_t check_print_findings(FILE *out, const struct findings *findings);

/* Whether memory of a GPU can be used, and by which link not; from column col on. */
void check_print_gpu(FILE *out, const struct limits *l, int col);

/* A text from column col on, behind a label. */
void check_say(FILE *out, int col, const char *label, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* "400 Gbit/s", "rate unknown". Returns text. */
#define CHECK_RATE_TEXT 48
const char *check_rate_text(char text[CHECK_RATE_TEXT], const struct limits *limits);

#endif
