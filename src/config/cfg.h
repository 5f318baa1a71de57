/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder config: what can be asked for: kinds, tests, options, and their spellings. It knows no
 * verbs and no host, and decides nothing.
 *
 * This header: what the user asks for, before a device is opened: the fields of options.def, filled
 * from the command line (client) or from the plan message (server). CFG_AUTO means that the program
 * chooses; struct plan and the result have what it chose.
 */
#ifndef CFG_H
#define CFG_H

#include <stdbool.h>
#include <stdint.h>

#include "config/choices.h"
#include "config/kind.h"

#define CFG_AUTO UINT32_MAX
#define CFG_AUTO64 UINT64_MAX
#define CFG_FOREVER (UINT32_MAX - 1) /* duration_ms: until the user of one side ends it */

/* Which options the user has set: one per row of options.def, in its order. */
union cfg_given {
	struct {
#define FIELD(type, name, ...) bool name;
#define ALIAS(name, field, ...) bool name;
#include "config/options.def"
	};
	bool rows[0
#define FIELD(type, name, ...) + 1
#define ALIAS(name, field, ...) + 1
#include "config/options.def"
	];
};

#define CFG_OPTIONS sizeof(union cfg_given) /* rows of options.def */

/* The rows of options.def by name: CFG_ROW_recv_depth indexes given.rows and options_table.rows. */
enum cfg_row {
#define FIELD(type, name, ...) CFG_ROW_##name,
#define ALIAS(name, field, ...) CFG_ROW_##name,
#include "config/options.def"
};

/* How the user wrote an option: the label of "--tx-depth=5" is "--tx-depth", of "-bt5" "-t". */
struct cfg_typed {
	const char *word; /* of argv, borrowed; NULL: it was not written here */
	char letter;      /* 0: a long name */
	const char *set;  /* the value that it stands for: "-e" for "event"; NULL: its own, or none */
};

struct cfg {
	enum test test;         /* from the name of the program, or from its first word */
	const char *host;       /* NULL: server */
	char *const *hosts;     /* all of them: the receivers of a multicast group; borrowed */
	uint32_t n_hosts;
	const char *copy_from;  /* "copy FILE HOST:FILE": what to copy; NULL: server */
	const char *copy_name;  /* the second operand */
	const char *const *files; /* "report FILE...", "key FILE": n_files; borrowed */
	size_t n_files;
	bool topology_xml;      /* "list --topology xml" */
	bool pingpong;          /* "pingpong": its lines in place of the table */
	bool one_test;          /* a server: no other test than this one */
	bool adds;              /* set by serve.c: several sessions share the files */
	bool lines;             /* set by serve.c: a line for each session in place of its table */
	bool sweep;             /* set by folder run: the plans are cells of a sweep */
	bool no_table;          /* the same: standard output is for what is made of the rows */
	/* by enum side: devices of the sessions at the same time (host/neighbours.h); NULL: none */
	const char *neighbours[2];
	union cfg_given given;
	struct cfg_typed typed[CFG_OPTIONS]; /* at the row of the option, not of an alias */
#define FIELD(type, name, ...) type name;
#define ALIAS(name, field, ...)
#include "config/options.def"
};

/* The kind that the options name; valid once the options are parsed. */
struct kind cfg_kind(const struct cfg *cfg);

/* How requests are posted; never auto. */
enum apis_post cfg_post_api(const struct cfg *cfg);

/* ---- --like: defaults as another tool has them. like.c */

/*
 * Replaces each auto for which the other tool has a fixed default. Does nothing with --like none.
 * Does not change given. The two below have no such place in struct cfg.
 */
void like_defaults(struct cfg *cfg);

/* Bytes of buffers that messages of a QP walk over; one buffer if that is more. 0: --like none. */
uint64_t like_qp_bytes(enum like like);

/* The most that a latency test sends inline; UINT32_MAX: --like none. */
uint32_t like_inline_bytes(enum like like, enum family family, enum transport tp);

#endif
