/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Conditions on the columns of a row, as the user writes them in --where and --expect:
 *
 *	size_bytes >= 64k and completion == poll
 *	bandwidth_gbit_s >= 90 where size_bytes >= 64k; lat_p99_ns <= 5us; warnings lacks displaced
 *
 * A condition is COLUMN OPERATOR VALUE, the columns are those of row.def, the operators are
 *
 *	< <= > >=    a number
 *	== != (or =) a number or a text; "none": the row does not have it, of a text also "none" itself
 *	has, lacks   a word in a text; of warnings: one of the codes of warning_codes
 *
 * A number may end in k, M, G: binary if the unit of the column is bytes, else decimal. In columns
 * of ns and us it may end in ns, us, ms, s; where the unit is %, in %. A value with blanks or ';'
 * stands in double quotes. For what a row does not have, no condition but "== none" holds.
 */
#ifndef CONDITION_H
#define CONDITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "stats/series.h"

struct row;
struct rows_query;

enum condition_result { CONDITION_FAILS, CONDITION_HOLDS, CONDITION_ABSENT };

/* A value of a row: a number (NAN: absent), or a text ("": absent). */
struct condition_value {
	double number;
	const char *text;
};

/* Where the values are: a row in some form. get: the value of a column, an index of row_table. */
struct condition_row {
	struct condition_value (*get)(const void *obj, size_t column);
	const void *obj;
};

/* A struct row as such a row. */
struct condition_row condition_row(const struct row *row);

enum condition_operator {
	CONDITION_LT, CONDITION_LE, CONDITION_GT, CONDITION_GE, CONDITION_EQ, CONDITION_NE,
	CONDITION_HAS, CONDITION_LACKS
};

struct condition {
	size_t column;       /* an index of row_table */
	enum condition_operator op;
	double number;       /* NAN: the value is a text, or none */
	char *text;          /* owned; of a text column */
	bool none;           /* the value is "none" */
};

/* ---- --where: conditions with "and" between them */

struct conditions {
	size_t n;
	struct condition *all; /* owned */
};

/*
 * label: the option, for messages. -EINVAL with an error message that names the character, from 1.
 * condition_free_all() is due after success only.
 */
int condition_parse_all(struct conditions *conditions, const char *label, const char *text)
	__attribute__((warn_unused_result));
void condition_free_all(struct conditions *conditions);

/* Do all of them hold? */
bool condition_hold_all(const struct conditions *conditions, const struct condition_row *row);

/* The query keeps also the columns that they look at. */
void condition_want_all(const struct conditions *conditions, struct rows_query *query);

/* ---- --expect: rules with ';' between them, each a condition, and "where" conditions */

struct condition_rule {
	struct conditions expect; /* one */
	struct conditions where;  /* the rows that it is about; none: all rows */
	char *text;               /* as it was written, owned */
	char *wanted;             /* of it the operator and the value, owned */
};

struct condition_rules {
	size_t n;
	struct condition_rule *all; /* owned */
};

/* As condition_parse_all(). */
int condition_rules_parse(struct condition_rules *rules, const char *label, const char *text)
	__attribute__((warn_unused_result));
void condition_rules_free(struct condition_rules *rules);
void condition_rules_want(const struct condition_rules *rules, struct rows_query *query);

/* Does "a operator b" hold of two numbers? */
bool condition_compare(enum condition_operator op, double a, double b);

/* The condition of a rule that is about the row. */
enum condition_result condition_rule_check(const struct condition_rule *rule,
					   const struct condition_row *row);

/* ---- confident.c: what several rows of one name, which are repeats, show of a rule */

enum expect_result {
	EXPECT_PASSED, EXPECT_FAILED,
	EXPECT_UNSURE, /* the repeats show neither */
	EXPECT_COUNT   /* of what was compared */
};

/* What is kept of a row that the rule is about: its number, NAN: none; of a text: does it hold? */
double confident_value(const struct condition_rule *rule, const struct condition_row *row);

/*
 * A number: the rule is met if all of the 95 % interval of the median (repeats_median_interval())
 * meets it, not met if nothing of it does, or if a row has no number. A text, and "none": every row
 * meets it. Sorts the values. text: what was found.
 */
enum expect_result confident_judge(const struct condition_rule *rule, const struct series *s,
				   char *text, size_t size);

/* ---- the rows that rules were compared with, and a line of text for each of both */

#define EXPECT_LABEL "--expect"

/* A line of the text, without its end. */
struct expect_line {
	enum expect_result result;
	size_t at, len;
};

/* Zeroed: not open. */
struct expect {
	struct condition_rules rules;
	size_t *matched;         /* by rule: rows that it is about; owned */
	struct series_set *repeats; /* by rule, by the name of the row; NULL: not confident */
	size_t passed, failed, unsure; /* comparisons */
	size_t unknown;          /* rows that no rule selects */
	FILE *lines;             /* writes to text */
	char *text;              /* owned */
	size_t len;
	struct expect_line *all; /* the lines of text, owned */
	size_t n_all;
};

/*
 * confident: rows of one name are repeats, and are compared after the last one. -EINVAL with an
 * error message: wrong rules. expect_close() is due after success.
 */
int expect_open(struct expect *e, const char *rules, bool confident)
	__attribute__((warn_unused_result));
void expect_close(struct expect *e);

/* name: the row in words. status: of the row, "ok" or another one. */
struct expect_row {
	const char *name, *status;
	struct condition_row values;
};

/* Compares a row with all rules. */
void expect_row(struct expect *e, const struct expect_row *row);

/*
 * After the last row: EXPECT_PASSED: every rule had a row, and all of them meet it. EXPECT_UNSURE:
 * none fails. The text is complete then.
 */
enum expect_result expect_end(struct expect *e);

#endif
