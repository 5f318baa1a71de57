/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A typed table of options: parser (getopt_long underneath), help, man page section, JSON echo
 * and its reader come from the rows. Knows nothing of RDMA.
 */
#ifndef OPT_H
#define OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <jansson.h>

enum opt_type { OPT_BOOL, OPT_U32, OPT_U64, OPT_STR };

/* Name a struct and a field of it: offset and type come from the field and cannot contradict it. */
#define OPT_FIELD(s, f) .off = offsetof(s, f), .type = _Generic(((s *)0)->f, bool : OPT_BOOL, \
	uint32_t : OPT_U32, uint64_t : OPT_U64, const char * : OPT_STR)

#define OPT_LOCAL 1u      /* stays on this side; others are the test's and travel to the server */
#define OPT_AUTO 2u       /* "auto" is a value: all ones */
#define OPT_SIZE 4u       /* takes k, M, G (binary) */
#define OPT_NONE 8u       /* "none" is a value: all ones */
#define OPT_TIME 16u      /* field in ms; text in seconds ("5", "0.5", "5s") or "500ms" */
#define OPT_POW2 32u      /* only powers of two */
#define OPT_SHORTHAND 64u /* stands for a value of another row: not part of the JSON */
#define OPT_SHARED 128u   /* with OPT_LOCAL: travels all the same */
#define OPT_ASIDE 256u    /* of a command beside the others: opts.c says which takes it */

#define OPT_MAX_ROWS 64   /* bits of an opt_set */
#define OPT_TEXT_MAX 128  /* enough for opt_label() and opt_range() */

struct opt {
	const char *name;          /* long option; JSON key, with '_' for '-' */
	char letter;               /* 0: none */
	enum opt_type type;
	size_t off;
	unsigned flags;
	const char *def;           /* default, parsed like user input; NULL: 0, false, none */
	uint64_t min, max;         /* of numbers, in the unit of the field */
	const char *const *names;  /* value names, NULL-terminated; the index is the value */
	const char *arg;           /* "BYTES" in help; NULL for OPT_BOOL and for rows with names */
	uint32_t tests;            /* bit per enum test on which it has an effect; 0: all */
	uint32_t transports;       /* bit per enum transport; 0: all */
	const char *group;         /* heading in help, on the first row of a group */
	const char *help;
};

struct opt_table {
	const struct opt *rows;
	size_t n;                  /* <= OPT_MAX_ROWS */
};

/* Which rows were given by the user: bit per row. */
typedef uint64_t opt_set;

/* What opt_parse() reads and what it found. */
struct opt_args {
	int argc;
	char **argv;               /* reordered: operands last; strings point into it */
	opt_set given;
	int first_operand;         /* argv[first_operand..argc-1] are not options */
};

/*
 * Every field of obj named by the table gets its default. -EINVAL: a default that is not
 * allowed.
 */
int opt_defaults(const struct opt_table *t, void *obj) __attribute__((warn_unused_result));

/*
 * argv[1..] into obj, on top of what is there. -EINVAL with a sentence: unknown option, abbreviated
 * long option, missing or superfluous value, no number, trailing garbage, out of range (with the
 * range), the same row twice.
 */
int opt_parse(const struct opt_table *t, void *obj, struct opt_args *args)
	__attribute__((warn_unused_result));

/* One value as text, with the same sentences. */
int opt_read(const struct opt *o, void *obj, const char *text) __attribute__((warn_unused_result));

/* The value of a number, name or bool; not for OPT_STR. */
uint64_t opt_value(const struct opt *o, const void *obj);

/* "-s (--size)", "--retry": how a row is called in sentences. Returns text. */
const char *opt_label(const struct opt *o, char *text, size_t size);

/* What a row allows: "1..2G or auto", "RC, UC, UD", "" for strings and switches. Returns text. */
const char *opt_range(const struct opt *o, char *text, size_t size);

/* The option lines of --help for the rows in shown, wrapped to 100 columns. */
void opt_help(FILE *out, const struct opt_table *t, opt_set shown);

/* The same, all rows, as mdoc lists under subsections. */
void opt_help_man(FILE *out, const struct opt_table *t);

/* The rows that travel (all but OPT_LOCAL and OPT_SHORTHAND) as a JSON object; NULL: no memory. */
json_t *opt_json(const struct opt_table *t, const void *obj);

/*
 * The reverse: members missing in json get their default, unknown ones are ignored; strings are
 * borrowed from json. *differs: rows whose value is not the default. -EBADMSG with a sentence for a
 * wrong JSON type, -EINVAL for a value that is not allowed.
 */
int opt_json_read(const struct opt_table *t, void *obj, const json_t *json, opt_set *differs)
	__attribute__((warn_unused_result));

#endif
