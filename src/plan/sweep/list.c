/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The syntax of lists and ranges. */
#include "config.h"
#include "sweep/cells.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/label.h"
#include "util/err.h"
#include "util/must.h"

/* The input: an option as it was typed. */
struct reader {
	struct list *list;
	struct options_word word;
	struct field row;         /* its label is the option as typed */
	char label[LABEL_MAX];
};

static bool is_number(const struct field *f)
{
	return (f->type == FIELD_U32 || f->type == FIELD_U64) && !f->names;
}

static bool is_tests(const struct field *f)
{
	return f == &options_table.rows[CFG_ROW_tests];
}

/* A text with commas in it: the place of threads or memory, flow labels. */
static bool has_commas(const struct field *f)
{
	const size_t row = (size_t)(f - options_table.rows);

	return row == CFG_ROW_pin || row == CFG_ROW_mem || row == CFG_ROW_peer_pin ||
	       row == CFG_ROW_peer_mem || row == CFG_ROW_flow_label;
}

/*
 * "near,far" are two places, as words always are. "0,2" and "pu:1,pu:3" are one place each, for two
 * threads, and "1,0x2" are labels for two QPs; such values are separated by a semicolon.
 */
static const char *end_of_place(const char *text)
{
	static const char words[] = "abcdefghijklmnopqrstuvwxyz,";
	const char *end = text + strcspn(text, ";");

	return *end || text[strspn(text, words)] ? end : text + strcspn(text, ",");
}

bool list_is_switch(const char *text)
{
	while (true) {
		const size_t len = strcspn(text, ",");

		if (!(len == 2 && !strncmp(text, "on", 2)) && !(len == 3 && !strncmp(text, "off", 3)))
			return false;
		if (!text[len])
			return true;
		text += len + 1;
	}
}

bool list_is(const struct field *row, const char *text)
{
	if (has_commas(row))
		return *end_of_place(text);
	if (is_tests(row) || row->names || row->type == FIELD_BOOL)
		return strchr(text, ',');
	/* a percentage needs the cell that it is of */
	return is_number(row) && strpbrk(text, row->flags & FIELD_RATE ? ",:%" : ",:");
}

/* ---- words */

void list_add(struct list *list, const char *word, uint64_t number)
{
	const size_t room = list->n ? 2 * (size_t)list->n : 1;

	/* grows in powers of two; the words are argv of a parser, so a NULL is behind them */
	if (!(list->n & (list->n - 1))) {
		list->words = must_realloc(list->words, room + 1, sizeof(*list->words));
		list->numbers = must_realloc(list->numbers, room, sizeof(*list->numbers));
	}
	list->numbers[list->n] = number;
	list->words[list->n++] = must_strdup(word);
	list->words[list->n] = NULL;
}

void list_free(struct list *list)
{
	for (uint32_t i = 0; i < list->n; i++)
		free(list->words[i]);
	free(list->words);
	free(list->numbers);
	*list = (struct list){ .n = 0 };
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A duplicate value would be measured twice under the same name. */
static int refuse_twice(const struct reader *r)
{
	const struct list *list = r->list;
	char **sorted = must_calloc(list->n, sizeof(*sorted));
	int rc = 0;

	memcpy(sorted, list->words, list->n * sizeof(*sorted));
	qsort(sorted, list->n, sizeof(*sorted), compare);
	for (uint32_t i = 1; i < list->n && !rc; i++)
		if (!strcmp(sorted[i - 1], sorted[i]))
			rc = err_set(-EINVAL, "%s: \"%s\" is in the list twice", r->label, sorted[i]);
	free(sorted);
	return rc;
}

static int add(struct reader *r, const char *word, uint64_t number)
{
	if (r->list->n == LIST_MAX)
		return err_set(-EINVAL, "%s: the list has more than %u values", r->label, LIST_MAX);
	list_add(r->list, word, number);
	return 0;
}

/* ---- numbers */

/* One number, as the option accepts it. */
static int read_number(const struct field *row, const char *text, uint64_t *v)
{
	struct cfg scratch = { .test = TEST_SEND_BW };
	int rc = field_parse(row, &scratch, text);

	if (!rc)
		*v = field_integer(row, &scratch);
	return rc;
}

static int add_number(struct reader *r, uint64_t v)
{
	struct cfg scratch = { .test = TEST_SEND_BW };
	char text[FIELD_TEXT_MAX];

	field_set_integer(&r->row, &scratch, v);
	return add(r, options_value(&r->row, &scratch, text, sizeof(text)), v);
}

/* The third part of a range. */
struct step {
	bool times;
	uint64_t by;
};

static int refuse_range(const struct reader *r, const char *text, const char *why)
{
	char range[FIELD_TEXT_MAX];

	return err_set(-EINVAL, "%s \"%s\": %s; allowed: FIRST:LAST, FIRST:LAST:*FACTOR, FIRST:LAST:+STEP, values of %s",
		       r->label, text, why, field_range(&r->row, range, sizeof(range)));
}

static int read_factor(const char *text, uint64_t *factor)
{
	char *end;

	errno = 0;
	*factor = isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : 0;
	return *factor < 2 || *end || errno ? -EINVAL : 0;
}

/* text: after the second colon; NULL: nothing, so a step of 1, in the unit of "1". */
static int read_step(const struct reader *r, const char *range, const char *text, struct step *step)
{
	struct field row = r->row;

	*step = (struct step){ .times = !text && r->row.flags & FIELD_POW2, .by = 2 };
	if (step->times)
		return 0;
	step->times = text && *text == '*';
	if (step->times && read_factor(text + 1, &step->by))
		return refuse_range(r, range, "the factor must be a whole number of 2 or more");
	if (step->times)
		return 0;
	if (text && *text != '+')
		return refuse_range(r, range, "a step begins with \"+\", a factor with \"*\"");
	row.min = 1;
	row.flags &= ~(unsigned)(FIELD_POW2 | FIELD_AUTO | FIELD_NONE);
	if (read_number(&row, text ? text + 1 : "1", &step->by) || !step->by)
		return refuse_range(r, range, "the step must be a number of 1 or more");
	return 0;
}

static int add_range(struct reader *r, const char *text, uint64_t first, uint64_t last,
		     const struct step *step)
{
	int rc = 0;

	if (last < first)
		return refuse_range(r, text, "LAST is less than FIRST");
	if (step->times && !first)
		return refuse_range(r, text, "0 times a factor is 0: begin with 1 or more");
	while (!rc) {
		rc = add_number(r, first);
		if (step->times ? first > last / step->by : step->by > last - first)
			break;
		first = step->times ? first * step->by : first + step->by;
	}
	return rc;
}

/* "A:B", "A:B:*F" or "A:B:+S"; copy is split into its parts. */
static int read_range(struct reader *r, const char *text, char *copy)
{
	char *second = strchr(copy, ':'), *third = strchr(second + 1, ':');
	struct field row = r->row;
	uint64_t first, last;
	struct step step;
	int rc;

	*second++ = '\0';
	if (third)
		*third++ = '\0';
	/* the end of a range cannot be automatic */
	row.flags &= ~(unsigned)(FIELD_AUTO | FIELD_NONE);
	rc = read_number(&row, copy, &first);
	if (!rc)
		rc = read_number(&row, second, &last);
	if (!rc && row.flags & FIELD_RATE && (first | last) & FIELD_RATE_SHARE)
		return refuse_range(r, text, "percentages have no ranges");
	if (!rc)
		rc = read_step(r, text, third, &step);
	return rc ? rc : add_range(r, text, first, last, &step);
}

/* ---- one item of the list */

static int read_test(struct reader *r, const char *text)
{
	char list[FIELD_TEXT_MAX] = "";
	size_t len = 0;

	for (int i = 0; kind_test_names[i]; i++) {
		if (!strcmp(kind_test_names[i], text))
			return add(r, text, (uint64_t)i);
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s", i ? ", " : "",
					kind_test_names[i]);
	}
	return err_set(-EINVAL, "%s \"%s\": unknown; allowed: %s", r->label, text, list);
}

/* A value that is neither a number nor a test; a text is unchanged. */
static int read_word(struct reader *r, const char *text)
{
	struct options_word word = r->word;
	char value[FIELD_TEXT_MAX];
	struct cfg scratch = { .test = TEST_SEND_BW };
	int rc;

	word.value = text;
	rc = field_parse(&r->row, &scratch, options_word_value(&word));
	if (rc)
		return rc;
	if (r->row.type == FIELD_STRING)
		return add(r, text, 0);
	return add(r, options_value(&r->row, &scratch, value, sizeof(value)),
		   field_integer(&r->row, &scratch));
}

static int read_item(struct reader *r, char *text)
{
	char *copy;
	int rc;

	if (r->row.type == FIELD_BOOL)
		return add(r, text, !strcmp(text, "on"));
	if (is_tests(r->word.row))
		return read_test(r, text);
	if (!is_number(&r->row) || !strchr(text, ':'))
		return read_word(r, text);
	copy = must_strdup(text);
	rc = read_range(r, text, copy);
	free(copy);
	return rc;
}

static char *end_of_item(const struct field *row, char *text)
{
	if (has_commas(row))
		return text + (end_of_place(text) - text);
	return row->type == FIELD_STRING && !is_tests(row) ? text + strlen(text) :
							     text + strcspn(text, ",");
}

static int read_items(struct reader *r, char *text)
{
	int rc = 0;

	for (bool more = true; more && !rc;) {
		char *end = end_of_item(r->word.row, text);

		more = *end;
		*end = '\0';
		if (!*text)
			rc = err_set(-EINVAL, "%s: a value of the list is empty", r->label);
		else
			rc = read_item(r, text);
		text = end + 1;
	}
	return rc;
}

int list_read(struct list *list, const struct options_word *word, const char *text)
{
	struct reader r = { .list = list, .word = *word, .row = *word->row };
	char *copy = must_strdup(text);
	int rc;

	*list = (struct list){ .n = 0 };
	r.row.label = label_typed(&word->typed, r.label);
	rc = read_items(&r, copy);
	free(copy);
	if (!rc && list->n > 1)
		rc = refuse_twice(&r);
	if (rc)
		list_free(list);
	return rc;
}
