/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The syntax of conditions; see condition.h. It does not look at rows. */
#include "config.h"
#include "read/condition.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "read/rows.h"
#include "row/row.h"
#include "util/err.h"
#include "util/must.h"

#define WORD_MAX 256

/* A text that is read. */
struct parser {
	const char *label, *text, *at;
	const char *begin;   /* of the word that was read last */
	char word[WORD_MAX]; /* without its quotes */
	bool quoted;
};

/* Names the place of the word that was read last. */
__attribute__((format(printf, 2, 3)))
static int refuse(const struct parser *p, const char *fmt, ...)
{
	char reason[ERR_TEXT_MAX / 2];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(reason, sizeof(reason), fmt, ap);
	va_end(ap);
	return err_set(-EINVAL, "%s, character %zu: %s", p->label,
		       (size_t)(p->begin - p->text) + 1, reason);
}

static void skip_blanks(struct parser *p)
{
	while (isspace((unsigned char)*p->at))
		p->at++;
	p->begin = p->at;
}

/* len characters of the text are the word. */
static int take(struct parser *p, size_t len)
{
	if (len >= sizeof(p->word))
		return refuse(p, "longer than %d characters", WORD_MAX - 1);
	memcpy(p->word, p->at, len);
	p->word[len] = '\0';
	p->at += len;
	return 0;
}

/* A name: "size_bytes"; "" if something else is there. */
static int read_name(struct parser *p)
{
	size_t len = 0;

	skip_blanks(p);
	while (isalnum((unsigned char)p->at[len]) || p->at[len] == '_')
		len++;
	return take(p, len);
}

/* Up to a blank or ';', or in quotes. */
static int read_value(struct parser *p)
{
	size_t len;
	int rc;

	skip_blanks(p);
	p->quoted = *p->at == '"';
	if (!p->quoted) {
		rc = take(p, strcspn(p->at, " \t\n;\""));
		return rc || p->word[0] ? rc : refuse(p, "a value is missing");
	}
	p->at++;
	len = strcspn(p->at, "\"");
	if (!p->at[len])
		return refuse(p, "the quote is not closed");
	rc = take(p, len);
	p->at++;
	return rc;
}

/* Is the next word this one? Then it is taken. */
static bool take_word(struct parser *p, const char *word)
{
	const char *before = p->at;

	if (!read_name(p) && !strcmp(p->word, word))
		return true;
	p->at = before;
	skip_blanks(p);
	return false;
}

static int read_column(struct parser *p, struct condition *c)
{
	const struct field *f;
	struct nearest n;
	int rc = read_name(p);

	if (rc)
		return rc;
	if (!p->word[0])
		return refuse(p, "the name of a column is missing");
	f = field_find(&row_table, p->word);
	if (!f)
		return refuse(p, "\"%s\" is not a column of a row%s", p->word,
			      rows_meant(&n, p->word));
	c->column = (size_t)(f - row_table.rows);
	return 0;
}

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static int read_operator(struct parser *p, struct condition *c)
{
	/* the longer one first */
	static const struct { const char *text; enum condition_operator op; } all[] = {
		{ "<=", CONDITION_LE }, { "<", CONDITION_LT }, { ">=", CONDITION_GE },
		{ ">", CONDITION_GT }, { "==", CONDITION_EQ }, { "=", CONDITION_EQ },
		{ "!=", CONDITION_NE }, { "has", CONDITION_HAS }, { "lacks", CONDITION_LACKS },
	};
	const struct field *f = &row_table.rows[c->column];
	const bool is_text = field_is_text(f);

	skip_blanks(p);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const size_t len = strlen(all[i].text);

		if (strncmp(p->at, all[i].text, len) ||
		    (all[i].op >= CONDITION_HAS && in_word(p->at[len])))
			continue;
		c->op = all[i].op;
		if (is_text && c->op < CONDITION_EQ)
			return refuse(p, "%s is a text: ==, !=, has or lacks", f->name);
		if (!is_text && c->op >= CONDITION_HAS)
			return refuse(p, "%s is a number: < <= > >= == or !=", f->name);
		p->at += len;
		return 0;
	}
	return refuse(p, "after %s: one of %s is missing", f->name,
		      is_text ? "== != has lacks" : "< <= > >= == !=");
}

/* How much of the unit of the column a suffix stands for; NAN: not allowed there. */
static double weight_of(const char *suffix, const char *unit)
{
	static const struct { const char *unit, *suffix; double weight; } all[] = {
		{ "bytes", "k", 1 << 10 }, { "bytes", "M", 1 << 20 }, { "bytes", "G", 1 << 30 },
		{ "bytes", "KiB", 1 << 10 }, { "bytes", "MiB", 1 << 20 }, { "bytes", "GiB", 1 << 30 },
		{ "ns", "ns", 1 }, { "ns", "us", 1e3 }, { "ns", "ms", 1e6 }, { "ns", "s", 1e9 },
		{ "us", "us", 1 }, { "us", "ms", 1e3 }, { "us", "s", 1e6 },
		{ "%", "%", 1 },
		{ "1/s", "k", 1e3 }, { "1/s", "M", 1e6 }, { "1/s", "G", 1e9 },
		{ "", "k", 1e3 }, { "", "M", 1e6 }, { "", "G", 1e9 },
	};

	if (!suffix[0])
		return 1;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(all[i].suffix, suffix) && !strcmp(all[i].unit, unit ? unit : ""))
			return all[i].weight;
	return NAN;
}

static int take_number(struct parser *p, struct condition *c)
{
	const struct field *f = &row_table.rows[c->column];
	const size_t len = strspn(p->word, "0123456789.");
	char *end;

	c->number = strtod(p->word, &end);
	/* strtod() also takes signs, exponents and hexadecimal digits */
	if (!len || end != p->word + len)
		return refuse(p, "\"%s\": %s is a number: digits, at most one point, no sign, no exponent",
			      p->word, f->name);
	c->number *= weight_of(end, f->unit);
	if (isnan(c->number) && !f->unit)
		return refuse(p, "\"%s\": %s has no unit; write only the number", p->word, f->name);
	if (isnan(c->number))
		return refuse(p, "\"%s\": \"%s\" is no unit for %s, which is in %s", p->word, end,
			      f->name, f->unit);
	return 0;
}

/* The codes of warnings are in a column of their own. */
static int take_code(struct parser *p, struct condition *c)
{
	char codes[WARNING_CODES_TEXT];

	if (c->column != ROWS_warnings && c->column != ROWS_warning_codes)
		return 0;
	if (!row_is_warning_code(p->word))
		return refuse(p, "\"%s\" is not the code of a warning: %s", p->word,
			      row_warning_codes(WARNING_CODES_ALL, codes, sizeof(codes)));
	c->column = ROWS_warning_codes;
	return 0;
}

static int read_condition(struct parser *p, struct condition *c)
{
	int rc = read_column(p, c);

	if (!rc)
		rc = read_operator(p, c);
	if (!rc)
		rc = read_value(p);
	if (rc)
		return rc;
	c->none = !p->quoted && !strcmp(p->word, "none") &&
		  (c->op == CONDITION_EQ || c->op == CONDITION_NE);
	if (!field_is_text(&row_table.rows[c->column]))
		return c->none ? 0 : take_number(p, c);
	if (c->op >= CONDITION_HAS && take_code(p, c))
		return -EINVAL;
	if (!p->word[0])
		return refuse(p, "the text is empty; \"none\" means an absent value");
	c->text = must_strdup(p->word);
	return 0;
}

/* Adds one. What was parsed is there also after a failure. */
static int add_condition(struct parser *p, struct conditions *list)
{
	list->all = must_realloc(list->all, list->n + 1, sizeof(*list->all));
	list->all[list->n] = (struct condition){ .number = NAN };
	return read_condition(p, &list->all[list->n++]);
}

/* With "and" between them. */
static int read_conditions(struct parser *p, struct conditions *list)
{
	int rc;

	do
		rc = add_condition(p, list);
	while (!rc && take_word(p, "and"));
	return rc;
}

int condition_parse_all(struct conditions *conditions, const char *label, const char *text)
{
	struct parser p = { .label = label, .text = text, .at = text, .begin = text };
	int rc;

	*conditions = (struct conditions){ .n = 0 };
	rc = read_conditions(&p, conditions);
	skip_blanks(&p);
	if (!rc && *p.at)
		rc = refuse(&p, "\"and\" or the end is missing before \"%.20s\"", p.at);
	if (rc)
		condition_free_all(conditions);
	return rc;
}

/* ---- rules */

/* What was read since begin, without the blanks behind it. */
static char *copy_since(const struct parser *p, const char *begin)
{
	const char *end = p->at;
	char *text = NULL;

	while (end > begin && isspace((unsigned char)end[-1]))
		end--;
	must_appendf(&text, "%.*s", (int)(end - begin), begin);
	return text;
}

static int read_rule(struct parser *p, struct condition_rule *rule)
{
	const char *begin, *wanted;
	int rc;

	skip_blanks(p);
	begin = p->at;
	wanted = begin + strspn(begin, "abcdefghijklmnopqrstuvwxyz0123456789_");
	wanted += strspn(wanted, " \t\n");
	rc = add_condition(p, &rule->expect);
	if (!rc)
		rule->wanted = copy_since(p, wanted);
	if (!rc && take_word(p, "where"))
		rc = read_conditions(p, &rule->where);
	if (rc)
		return rc;
	rule->text = copy_since(p, begin);
	skip_blanks(p);
	if (*p->at && *p->at != ';')
		return refuse(p, "%s or \";\" is missing before \"%.20s\"",
			      rule->where.n ? "\"and\"" : "\"where\"", p->at);
	p->at += *p->at == ';';
	skip_blanks(p);
	return 0;
}

int condition_rules_parse(struct condition_rules *rules, const char *label, const char *text)
{
	struct parser p = { .label = label, .text = text, .at = text, .begin = text };
	int rc = 0;

	*rules = (struct condition_rules){ .n = 0 };
	do {
		rules->all = must_realloc(rules->all, rules->n + 1, sizeof(*rules->all));
		rules->all[rules->n] = (struct condition_rule){ .text = NULL };
		rc = read_rule(&p, &rules->all[rules->n++]);
	} while (!rc && *p.at);
	if (rc)
		condition_rules_free(rules);
	return rc;
}
