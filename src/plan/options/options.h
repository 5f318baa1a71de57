/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The table of options.def, and what is generated from it: struct cfg, help, man pages, plan
 * message.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdio.h>
#include <jansson.h>

#include "options/cfg.h"
#include "util/field.h"
#include "causes/nearest.h"

struct options_scan;
struct options_word;

/*
 * Bits of the commands that accept a row. A test with a host is a client, as is a copy with a file;
 * otherwise they are servers.
 */
enum options_command {
	OPTIONS_TEST, OPTIONS_COPY, OPTIONS_SERVE, OPTIONS_LIST, OPTIONS_PLACE, OPTIONS_SETUP,
	OPTIONS_PERFTEST_PATH, OPTIONS_REPORT, OPTIONS_RUN, OPTIONS_CHECK, OPTIONS_KEY,
	OPTIONS_SELFTEST, OPTIONS_MESH
};

/* In error messages: tests copy serve list place setup perftest-path report run check key */
extern const char *const options_command_names[];

/* The CFG_OPTIONS rows of options.def, in the order of cfg->given.rows. */
extern const struct field_table options_table;

/* The row of the option that an alias stands for, or its own. */
enum cfg_row options_target(const struct field *option);

/* Does the command accept the option? run also accepts those of the tests. */
bool options_takes(const struct field *option, enum options_command command);

/* Messages about a command line, in order, none of them twice. */
struct options_texts {
	size_t n, len;   /* number of messages in text; their length */
	char text[4096]; /* each ends with '\0' */
};

/* Adds a message, unless it is there already or there is no room. */
void options_add_text(struct options_texts *to, const char *text);

struct options_faults {
	struct options_texts wrong;    /* the errors: a message for each wrong option */
	struct options_texts needless; /* of perftest, without effect here: nothing is lost */
};

/*
 * Does the option belong to the test, so that a server compares it with that of its client
 * (agree/agree.h)? The server's other options concern the server itself.
 */
bool options_are_expected(const struct field *option);

/* The value of an option as written on a command line; yes or no for a bool. Returns text. */
const char *options_value(const struct field *option, const struct cfg *cfg, char *text,
			  size_t size);

/* What takes each option before the parser does: the lists of a sweep (sweep/cells.h). */
struct options_lists {
	/*
	 * May change *word: the first value in place of a list. Returns 1: the parser ignores the
	 * word; 0: it goes on; -EINVAL with an error message.
	 */
	int (*take)(void *arg, struct options_scan *scan, struct options_word *word);
	void *arg;
};

struct options_line {
	int argc;
	char **argv;
	const struct options_lists *lists; /* NULL: none */
};

/*
 * Parses argv[1..] of line; the caller has set cfg->test. Fills cfg, its given, typed and host;
 * strings point into argv, which is reordered: options first. In long names '_' and '-' are the
 * same, and an option of perftest is accepted or refused as perftest.def says. 0, or -EINVAL with
 * the first error message of faults->wrong: unknown or abbreviated option, option given twice,
 * missing or extra value, value out of range, option or operand that the command does not accept,
 * option without effect on the test. With cfg->help or cfg->version operands and commands are not
 * checked: the caller prints. The rules between options are in plan_rules().
 */
int options_parse_all(struct cfg *cfg, enum options_command command,
		      const struct options_line *line, struct options_faults *faults)
	__attribute__((warn_unused_result));

/* The same, without lists and the other messages. */
int options_parse(struct cfg *cfg, enum options_command command, int argc, char **argv)
	__attribute__((warn_unused_result));

/* Sets the hosts of a test that was not typed. -EINVAL with an error message: as above. */
int options_take_hosts(struct cfg *cfg, int n, char *const *hosts)
	__attribute__((warn_unused_result));

/* -EINVAL with an error message if the option has no effect on the test or over the transport. */
int options_check_effect(const struct cfg *cfg, enum cfg_row row)
	__attribute__((warn_unused_result));

/* Tries the long names of all options that the command accepts. */
void options_nearest(struct nearest *n, enum options_command command);

/* ---- text for people: options_help.c */

#define OPTIONS_TEXT 1024 /* enough for the description of an option */

/* Does the command accept the option, and does it have an effect? test: only for OPTIONS_TEST. */
bool options_concern(const struct field *option, enum options_command command, enum test test);

/* "BYTES", "RC|UC|UD": the placeholder of the value; "" for an option without one. Returns text. */
const char *options_value_name(const struct field *option, char *text, size_t size);

/* The help with range and default. Returns text, which has OPTIONS_TEXT characters. */
const char *options_describe(const struct field *option, char *text, size_t size);

/* The first clause of the help; if the program can choose the value, also how. Returns text. */
const char *options_describe_short(const struct field *option, char *text, size_t size);

/*
 * Prints the options of the command as help, with a heading for each group; for a test, those that
 * have an effect on it. all: with ranges; else the common options, and the names of the others.
 * defaults: by enum cfg_row, those that the command has instead of that of the option; NULL: none.
 * Lines have 80 columns at most.
 */
void options_help(FILE *out, enum options_command command, enum test test, bool all,
		  char *const defaults[]);

/*
 * The test and the FIELD_WIRE options: for the plan message and the results. New reference; NULL:
 * no memory.
 */
json_t *options_to_json(const struct cfg *cfg);

/*
 * Reads them on the server, with the checks of the command line. Fills test and FIELD_WIRE options,
 * and keeps the others; given: values that are not the default. A missing key means the default
 * (the peer does not know the option), an unknown key is ignored. Strings are borrowed from json.
 * -EINVAL or -EBADMSG with an error message; cfg is then unchanged. The rules between options are
 * in plan_rules().
 */
int options_from_json(struct cfg *cfg, const json_t *json) __attribute__((warn_unused_result));

/* Are the names equal, with '_' the same as '-'? name has len characters. */
bool options_same_name(const char *option, const char *name, size_t len);

#endif
