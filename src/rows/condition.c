/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns whether a condition holds for a row; see condition.h. Pure. */
#include "config.h"
#include "rows/condition.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/row.h"
#include "rows/condition_own.h"

/* ---- the value of a struct row */

static struct condition_value get_of_row(const void *obj, size_t column)
{
	const struct field *f = &row_table.rows[column];
	struct condition_value value = { .number = NAN, .text = "" };

	if (f->type == FIELD_TEXT)
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

static bool compare_numbers(enum condition_operator op, double a, double b)
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
	const struct field *codes = field_find(&row_table, "warning_codes");
	const struct field *warnings = field_find(&row_table, "warnings");

	return codes && (size_t)(codes - row_table.rows) == c->column &&
	       row->get(row->obj, (size_t)(warnings - row_table.rows)).text[0];
}

static enum condition_result check_text(const struct condition *c,
					const struct condition_row *row, const char *text)
{
	bool holds;

	switch (c->op) {
	case CONDITION_HAS:
	case CONDITION_LACKS:
		if (!text[0] && codes_unknown(c, row))
			return CONDITION_ABSENT;
		holds = has_word(text, c->text) == (c->op == CONDITION_HAS);
		break;
	default:
		if (!text[0])
			return c->none && c->op == CONDITION_EQ ? CONDITION_HOLDS :
			       c->none ? CONDITION_FAILS : CONDITION_ABSENT;
		holds = !strcmp(text, c->text) == (c->op == CONDITION_EQ);
	}
	return holds ? CONDITION_HOLDS : CONDITION_FAILS;
}

static enum condition_result check(const struct condition *c, const struct condition_row *row)
{
	const struct condition_value value = row->get(row->obj, c->column);

	if (row_table.rows[c->column].type == FIELD_TEXT)
		return check_text(c, row, value.text);
	if (c->none)
		return isnan(value.number) == (c->op == CONDITION_EQ) ? CONDITION_HOLDS :
									 CONDITION_FAILS;
	if (isnan(value.number))
		return CONDITION_ABSENT;
	return compare_numbers(c->op, value.number, c->number) ? CONDITION_HOLDS : CONDITION_FAILS;
}

/* ---- several */

bool condition_hold_all(const struct conditions *conditions, const struct condition_row *row)
{
	for (size_t i = 0; i < conditions->n; i++)
		if (check(&conditions->all[i], row) != CONDITION_HOLDS)
			return false;
	return true;
}

void condition_columns_all(const struct conditions *conditions,
			void (*take)(void *arg, size_t column), void *arg)
{
	const struct field *warnings = field_find(&row_table, "warnings");

	for (size_t i = 0; i < conditions->n; i++) {
		const struct condition *c = &conditions->all[i];

		take(arg, c->column);
		if (c->op == CONDITION_HAS || c->op == CONDITION_LACKS)
			take(arg, (size_t)(warnings - row_table.rows));
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

void condition_rules_columns(const struct condition_rules *rules,
			     void (*take)(void *arg, size_t column), void *arg)
{
	for (size_t i = 0; i < rules->n; i++) {
		condition_columns_all(&rules->all[i].expect, take, arg);
		condition_columns_all(&rules->all[i].where, take, arg);
	}
}

enum condition_result condition_rule_check(const struct condition_rule *rule,
					   const struct condition_row *row)
{
	return check(&rule->expect.all[0], row);
}

const char *condition_rule_found(const struct condition_rule *rule,
				 const struct condition_row *row, char *text, size_t size)
{
	const struct condition *c = &rule->expect.all[0];
	const struct field *f = &row_table.rows[c->column];
	const struct condition_value value = row->get(row->obj, c->column);

	if (f->type == FIELD_TEXT)
		snprintf(text, size, "%s %s", f->name, value.text[0] ? value.text : "none");
	else if (isnan(value.number))
		snprintf(text, size, "%s none", f->name);
	else
		snprintf(text, size, "%s %.9g", f->name, value.number);
	return text;
}
