/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The table of options.def, and what is made of it: struct cfg, help, man pages, plan message. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdio.h>
#include <jansson.h>

#include "config/cfg.h"
#include "util/field.h"

/*
 * A bit of the commands of a row. A test is a client with a host, a copy with a file; without it
 * they are servers.
 */
enum options_command {
	OPTIONS_TEST, OPTIONS_COPY, OPTIONS_SERVE, OPTIONS_LIST, OPTIONS_PLACE, OPTIONS_SETUP,
	OPTIONS_PERFTEST_PATH, OPTIONS_REPORT, OPTIONS_RUN, OPTIONS_CHECK, OPTIONS_KEY
};

/* In error messages: tests copy serve list place setup perftest-path report run check key */
extern const char *const options_command_names[];

/* The CFG_OPTIONS rows of options.def, in the order of cfg->given.rows. */
extern const struct field_table options_table;

/* Does the command take the option? run takes those of the tests, too. */
bool options_takes(const struct field *option, enum options_command command);

/* What is wrong with a command line: a message for each wrong option, in their order. */
struct options_faults {
	size_t n, len;   /* messages that are in text; their length */
	char text[4096]; /* each ends with '\0' */
};

/*
 * Is it an option of the test, which a server compares with that of its client (expect.h)? The
 * others that a server takes are about the server itself.
 */
bool options_are_expected(const struct field *option);

/* The value of an option as it is written on a command line; yes or no of a bool. Returns text. */
const char *options_value(const struct field *option, const struct cfg *cfg, char *text,
			  size_t size);

/*
 * Parses argv[1..]; the caller has set cfg->test. Fills cfg, its given, typed and host; strings
 * point into argv, which is reordered: options first. In long names '_' and '-' are the same, and
 * an option of perftest is taken or refused as perftest.def says. 0, or -EINVAL with an error
 * message, the first of *faults: unknown or abbreviated option, option given twice, missing or
 * extra value, value out of range, option or operand that the command does not take, option
 * without effect on the test. With cfg->help or cfg->version operands and commands are not
 * checked: the caller prints. The rules between options are plan_rules().
 */
int options_parse_all(struct cfg *cfg, enum options_command command, int argc, char **argv,
		      struct options_faults *faults) __attribute__((warn_unused_result));

/* The same, without the other messages. */
int options_parse(struct cfg *cfg, enum options_command command, int argc, char **argv)
	__attribute__((warn_unused_result));

/* -EINVAL with an error message if the option has no effect on the test or over the transport. */
int options_check_effect(const struct cfg *cfg, enum cfg_row row)
	__attribute__((warn_unused_result));

/*
 * The long name of the nearest option that the command takes, for a misspelled one of len
 * characters; NULL: none, or several are as near. text has LABEL_MAX characters.
 */
const char *options_nearest(const char *name, size_t len, enum options_command command,
			    char *text);

/* ---- text for people: options_help.c */

#define OPTIONS_TEXT 1024 /* enough for what describes an option */

/* Does the command take the option, and has it an effect on it? test: of OPTIONS_TEST only. */
bool options_concern(const struct field *option, enum options_command command, enum test test);

/* "BYTES", "RC|UC|UD": what stands for the value; "" for an option without one. Returns text. */
const char *options_value_name(const struct field *option, char *text, size_t size);

/* The help with range and default. Returns text, which has OPTIONS_TEXT characters. */
const char *options_describe(const struct field *option, char *text, size_t size);

/*
 * The first clause of the help. Of a value that the program chooses, also how: what follows "auto:"
 * or "default:" in the help. Returns text.
 */
const char *options_describe_short(const struct field *option, char *text, size_t size);

/*
 * The options of the command as help, with a heading for each group; of a test those that have an
 * effect on it. all: with ranges; else the everyday options, and the names of the others. Lines
 * have 80 columns at most.
 */
void options_help(FILE *out, enum options_command command, enum test test, bool all);

/*
 * The test and the FIELD_WIRE options: options of the plan message, echo in results. New
 * reference; NULL: no memory.
 */
json_t *options_to_json(const struct cfg *cfg);

/*
 * Reads them on the server, with the checks of the command line. Fills test and FIELD_WIRE options,
 * and keeps the others; given: values that are not the default. A missing key means the default
 * (the peer does not know the option), an unknown key is ignored. Strings are borrowed from json.
 * -EINVAL or -EBADMSG with an error message; cfg is then as before. The rules between options are
 * plan_rules().
 */
int options_from_json(struct cfg *cfg, const json_t *json) __attribute__((warn_unused_result));

#endif
