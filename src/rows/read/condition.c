/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Whether a condition holds for a row, and the comparison of rows with the rules of --expect; see
 * condition.h. Prints nothing.
 */
#include "config.h"
#include "read/condition.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/axes.h"
#include "row/row.h"
#include "util/err.h"
#include "util/must.h"

#define FOUND_TEXT 640

/* ---- the value of a struct row */

static struct condition_value get_of_row(const void *obj, size_t column)
{
	const struct field *f = &row_table.rows[column];
	struct condition_value value = { .number = NAN, .text = "" };

	if (field_is_text(f))
		value.text = field_text(f, obj);
	else if (field_is_absent(f, obj))
		return value;
	else
		value.number = f->type == FIELD_F64 ? field_real(f, obj) :
						      (double)field_integer(f, obj);
	return value;
}

struct condition_row condition_row(const struct row *row)
{
	return (struct condition_row){ .get = get_of_row, .obj = row };
}

/* ---- one condition */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Whole: "near" is not in "nearest". */
static bool has_word(const char *text, const char *word)
{
	const size_t len = strlen(word);

	for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
		if ((at == text || !is_word(at[-1])) && !is_word(at[len]))
			return true;
	return false;
}

bool condition_compare(enum condition_operator op, double a, double b)
{
	switch (op) {
	case CONDITION_LT:
		return a < b;
	case CONDITION_LE:
		return a <= b;
	case CONDITION_GT:
		return a > b;
	case CONDITION_GE:
		return a >= b;
	case CONDITION_NE:
		return a < b || a > b;
	default:
		return a >= b && a <= b;
	}
}

/* Codes of a row that has warnings, but was written before they had codes. */
static bool codes_unknown(const struct condition *c, const struct condition_row *row)
{
	return c->column == ROWS_warning_codes && row->get(row->obj, ROWS_warnings).text[0];
}

static enum condition_result check_text(const struct condition *c,
					const struct condition_row *row, const char *text)
{
	const bool is_in = c->op == CONDITION_HAS || c->op == CONDITION_LACKS;

	if (!text[0] && (is_in ? codes_unknown(c, row) : !c->none))
		return CONDITION_ABSENT;
	if (is_in)
		return has_word(text, c->text) == (c->op == CONDITION_HAS);
	return (text[0] ? !strcmp(text, c->text) : c->none) == (c->op == CONDITION_EQ);
}

static enum condition_result check(const struct condition *c, const struct condition_row *row)
{
	const struct condition_value value = row->get(row->obj, c->column);

	if (field_is_text(&row_table.rows[c->column]))
		return check_text(c, row, value.text);
	if (c->none)
		return isnan(value.number) == (c->op == CONDITION_EQ);
	if (isnan(value.number))
		return CONDITION_ABSENT;
	return condition_compare(c->op, value.number, c->number);
}

/* ---- several */

bool condition_hold_all(const struct conditions *conditions, const struct condition_row *row)
{
	for (size_t i = 0; i < conditions->n; i++)
		if (check(&conditions->all[i], row) != CONDITION_HOLDS)
			return false;
	return true;
}

void condition_want_all(const struct conditions *conditions, struct rows_query *query)
{
	for (size_t i = 0; i < conditions->n; i++) {
		axes_want(query, (enum rows_column)conditions->all[i].column);
		if (conditions->all[i].column == ROWS_warning_codes)
			axes_want(query, ROWS_warnings);
	}
}

void condition_free_all(struct conditions *conditions)
{
	for (size_t i = 0; i < conditions->n; i++)
		free(conditions->all[i].text);
	free(conditions->all);
	*conditions = (struct conditions){ .n = 0 };
}

void condition_rules_free(struct condition_rules *rules)
{
	for (size_t i = 0; i < rules->n; i++) {
		condition_free_all(&rules->all[i].expect);
		condition_free_all(&rules->all[i].where);
		free(rules->all[i].text);
		free(rules->all[i].wanted);
	}
	free(rules->all);
	*rules = (struct condition_rules){ .n = 0 };
}

void condition_rules_want(const struct condition_rules *rules, struct rows_query *query)
{
	for (size_t i = 0; i < rules->n; i++) {
		condition_want_all(&rules->all[i].expect, query);
		condition_want_all(&rules->all[i].where, query);
	}
}

enum condition_result condition_rule_check(const struct condition_rule *rule,
					   const struct condition_row *row)
{
	return check(&rule->expect.all[0], row);
}

/* ---- --expect */

/* "bandwidth_gbit_s 87.3": what the row has in place of what the rule expects. Returns text. */
static const char *found_of(const struct condition_rule *rule,
			    const struct condition_row *row, char text[FOUND_TEXT])
{
	const struct condition *c = &rule->expect.all[0];
	const struct field *f = &row_table.rows[c->column];
	const struct condition_value value = row->get(row->obj, c->column);

	if (field_is_text(f))
		snprintf(text, FOUND_TEXT, "%s %s", f->name, value.text[0] ? value.text : "none");
	else if (isnan(value.number))
		snprintf(text, FOUND_TEXT, "%s none", f->name);
	else
		snprintf(text, FOUND_TEXT, "%s %.9g", f->name, value.number);
	return text;
}

int expect_open(struct expect *e, const char *rules, bool confident)
{
	int rc;

	*e = (struct expect){ .len = 0 };
	rc = condition_rules_parse(&e->rules, EXPECT_LABEL, rules);
	if (rc)
		return rc;
	e->matched = must_calloc(e->rules.n, sizeof(*e->matched));
	e->repeats = confident ? must_calloc(e->rules.n, sizeof(*e->repeats)) : NULL;
	e->lines = must_memstream(&e->text, &e->len);
	return 0;
}

void expect_close(struct expect *e)
{
	if (e->lines)
		fclose(e->lines);
	free(e->text);
	free(e->all);
	free(e->matched);
	for (size_t i = 0; e->repeats && i < e->rules.n; i++)
		series_free(&e->repeats[i]);
	free(e->repeats);
	condition_rules_free(&e->rules);
	*e = (struct expect){ .len = 0 };
}

/* Ends a line of the text. A name may have '\n', so lines are not found by it. */
static void end_line(struct expect *e, enum expect_result result)
{
	const size_t n = e->n_all, at = n ? e->all[n - 1].at + e->all[n - 1].len + 1 : 0;

	e->all = must_realloc(e->all, n + 1, sizeof(*e->all));
	e->all[e->n_all++] = (struct expect_line){ result, at, (size_t)ftell(e->lines) - at };
	putc('\n', e->lines);
}

static void compare(struct expect *e, const struct condition_rule *rule,
		    const struct expect_row *row)
{
	const enum condition_result result = condition_rule_check(rule, &row->values);
	const bool absent = result == CONDITION_ABSENT, ok = !strcmp(row->status, "ok");
	char found[FOUND_TEXT];

	e->passed += result == CONDITION_HOLDS;
	e->failed += result != CONDITION_HOLDS;
	fprintf(e->lines, "%s %s: %s", result == CONDITION_HOLDS ? "PASS" : "FAIL", row->name,
		found_of(rule, &row->values, found));
	if (result != CONDITION_HOLDS)
		fprintf(e->lines, "%s%s%s%s, expected %s", absent ? " (not measured" : "",
			absent && !ok ? ": the row is " : "", absent && !ok ? row->status : "",
			absent ? ")" : "", rule->wanted);
	end_line(e, result == CONDITION_HOLDS ? EXPECT_PASSED : EXPECT_FAILED);
}

void expect_row(struct expect *e, const struct expect_row *row)
{
	bool known = false;

	for (size_t i = 0; i < e->rules.n; i++) {
		const struct condition_rule *rule = &e->rules.all[i];

		if (!condition_hold_all(&rule->where, &row->values))
			continue;
		if (e->repeats)
			series_add(&e->repeats[i], row->name, confident_value(rule, &row->values));
		else
			compare(e, rule, row);
		e->matched[i]++;
		known = true;
	}
	e->unknown += !known;
}

static void compare_repeats(struct expect *e, const struct condition_rule *rule,
			    const struct series *s)
{
	static const char *const words[] = {
		[EXPECT_PASSED] = "PASS", [EXPECT_FAILED] = "FAIL", [EXPECT_UNSURE] = "UNSURE",
	};
	char found[FOUND_TEXT];
	const enum expect_result result = confident_judge(rule, s, found, sizeof(found));

	e->passed += result == EXPECT_PASSED;
	e->failed += result == EXPECT_FAILED;
	e->unsure += result == EXPECT_UNSURE;
	fprintf(e->lines, "%s %s: %s", words[result], s->name, found);
	if (result != EXPECT_PASSED)
		fprintf(e->lines, ", expected %s", rule->wanted);
	end_line(e, result);
}

enum expect_result expect_end(struct expect *e)
{
	for (size_t i = 0; e->repeats && i < e->rules.n; i++)
		for (size_t k = 0; k < e->repeats[i].n; k++)
			compare_repeats(e, &e->rules.all[i], e->repeats[i].all[k]);
	for (size_t i = 0; i < e->rules.n; i++) {
		if (e->matched[i])
			continue;
		e->failed++;
		fprintf(e->lines, "FAIL no row is selected by \"%s\"", e->rules.all[i].text);
		end_line(e, EXPECT_FAILED);
	}
	if (e->unknown) {
		fprintf(e->lines, "%zu row%s: no rule selects %s", e->unknown,
			e->unknown == 1 ? "" : "s", e->unknown == 1 ? "it" : "them");
		end_line(e, EXPECT_COUNT);
	}
	fprintf(e->lines, "%zu passed, %zu failed", e->passed, e->failed);
	if (e->repeats)
		fprintf(e->lines, ", %zu unsure", e->unsure);
	end_line(e, EXPECT_COUNT);
	must_close(e->lines);
	e->lines = NULL;
	return e->failed ? EXPECT_FAILED : e->unsure ? EXPECT_UNSURE : EXPECT_PASSED;
}
