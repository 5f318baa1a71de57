/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room options: what can be asked for: kinds, tests, options, and their spellings. It knows no
 * verbs and no host, and decides nothing.
 *
 * This header: the user's request, before a device is opened: the fields of options.def, filled
 * from the command line (client) or from the plan message (server). CFG_AUTO lets the program
 * choose; struct plan and the result hold the choice.
 */
#ifndef CFG_H
#define CFG_H

#include <stdbool.h>
#include <stdint.h>

#include "options/choices.h"
#include "options/kind.h"

#define CFG_AUTO UINT32_MAX
#define CFG_AUTO64 UINT64_MAX
#define CFG_FOREVER (UINT32_MAX - 1) /* duration_ms: until the user of one side ends it */

/* Which options the user has set: one per row of options.def, in its order. */
union cfg_given {
	struct {
#define FIELD(type, name, ...) bool name;
#define ALIAS(name, field, ...) bool name;
#include "options/options.def"
	};
	bool rows[0
#define FIELD(type, name, ...) + 1
#define ALIAS(name, field, ...) + 1
#include "options/options.def"
	];
};

#define CFG_OPTIONS sizeof(union cfg_given) /* rows of options.def */

/* The rows of options.def by name: CFG_ROW_recv_depth indexes given.rows and options_table.rows. */
enum cfg_row {
#define FIELD(type, name, ...) CFG_ROW_##name,
#define ALIAS(name, field, ...) CFG_ROW_##name,
#include "options/options.def"
};

/* How the user typed an option: the label of "--tx-depth=5" is "--tx-depth", of "-bt5" "-t". */
struct cfg_typed {
	const char *word; /* in argv, borrowed; NULL: not typed on this command line */
	char letter;      /* 0: a long name */
	const char *set;  /* the value that it implies: "-e" for "event"; NULL: its own, or none */
};

struct cfg {
	enum test test;         /* from the name of the program, or its first word */
	const char *host;       /* NULL: server */
	char *const *hosts;     /* all hosts: the receivers of a multicast group; borrowed */
	uint32_t n_hosts;
	const char *copy_from;  /* "copy FILE HOST:FILE": what to copy; NULL: server */
	const char *copy_name;  /* the second operand */
	const char *const *files; /* "report FILE...", "key FILE": n_files; borrowed */
	size_t n_files;
	bool topology_xml;      /* "list --topology xml" */
	const struct format_rows *rows; /* of the command; NULL: those of tests */
	bool pingpong;          /* "pingpong": prints its lines instead of the table */
	bool one_test;          /* a server: only this test */
	bool adds;              /* set by serve.c: several sessions share the files */
	bool lines;             /* set by serve.c: a line for each session instead of its table */
	bool sweep;             /* set by room run: the plans are cells of a sweep */
	bool no_table;          /* set by room run: standard output is for its own output */
	/* by enum side: devices of concurrent sessions (affinity_neighbours_parse()); NULL: none */
	const char *neighbours[2];
	union cfg_given given;
	struct cfg_typed typed[CFG_OPTIONS]; /* at the row of the option, not of an alias */
#define FIELD(type, name, ...) type name;
#define ALIAS(name, field, ...)
#include "options/options.def"
};

/*
 * The kind selected by the options, with the completion of the client; valid once the options are
 * parsed.
 */
struct kind cfg_kind(const struct cfg *cfg);

/* How the threads of a side wait for completions. */
enum completion cfg_completion(const struct cfg *cfg, enum side side);

/* NULL if both sides can run the test with their kinds, else kind_refusal(). */
const char *cfg_refusal(const struct cfg *cfg);

/* The API that posts requests; never auto. */
enum apis_post cfg_post_api(const struct cfg *cfg);

/*
 * Where the buffers of a side are: --gpu alone is of --buffers cuda, --peer-gpu alone of
 * --peer-buffers cuda.
 */
enum buffers_kind cfg_buffers(const struct cfg *cfg, enum side side);

/* The GPU of a side; CFG_AUTO: the nearest to the device, or none. */
uint32_t cfg_gpu(const struct cfg *cfg, enum side side);

#endif
