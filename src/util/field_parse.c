/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Text that a person writes, as the value of a field: its label, its range, its defaults, and the
 * error message for each value that is not allowed. Called by config/options*.c. Must not know
 * which options there are.
 */
#include "config.h"
#include "util/field.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/err.h"

static bool is_number(const struct field *f)
{
	return (f->type == FIELD_U32 || f->type == FIELD_U64) && !f->names;
}

/* "auto" and "none" are stored as all ones. */
static uint64_t all_ones(const struct field *f)
{
	return f->type == FIELD_U32 ? UINT32_MAX : UINT64_MAX;
}

/* All ones is no value of a field that has "auto" or "none". */
static uint64_t max_of(const struct field *f)
{
	if (f->max)
		return f->max;
	return all_ones(f) - !!(f->flags & (FIELD_AUTO | FIELD_NONE));
}

const char *field_option(const struct field *f, char *text, size_t size)
{
	snprintf(text, size, "%s", f->option ? f->option : f->name);
	for (char *p = text; !f->option && *p; p++)
		if (*p == '_')
			*p = '-';
	return text;
}

const char *field_label(const struct field *f, char *text, size_t size)
{
	char option[FIELD_TEXT_MAX];

	field_option(f, option, sizeof(option));
	if (f->label)
		snprintf(text, size, "%s", f->label);
	else if (f->letter)
		snprintf(text, size, "-%c (--%s)", f->letter, option);
	else
		snprintf(text, size, "--%s", option);
	return text;
}

/* A number as a person writes it: 2147483648 of a size is 2G, 500 ms are 0.5. */
static const char *number_text(const struct field *f, uint64_t v, char *text, size_t size)
{
	static const char unit[] = { 'k', 'M', 'G' };
	int i = -1;

	if (f->flags & FIELD_TIME) {
		snprintf(text, size, "%g", (double)v / 1000);
		return text;
	}
	while (f->flags & FIELD_SIZE && i < 2 && v >= 1024 && v % 1024 == 0) {
		v /= 1024;
		i++;
	}
	if (f->flags & FIELD_HEX)
		snprintf(text, size, "0x%" PRIx64, v);
	else if (i < 0)
		snprintf(text, size, "%" PRIu64, v);
	else
		snprintf(text, size, "%" PRIu64 "%c", v, unit[i]);
	return text;
}

const char *field_range(const struct field *f, char *text, size_t size)
{
	char min[32], max[32];
	size_t len = 0;

	text[0] = '\0';
	for (int i = 0; f->names && f->names[i] && len < size; i++)
		len += (size_t)snprintf(text + len, size - len, "%s%s", i ? ", " : "", f->names[i]);
	if (!is_number(f))
		return text;
	snprintf(text, size, "%s%s..%s%s%s%s", f->flags & FIELD_POW2 ? "powers of two in " : "",
		 number_text(f, f->min, min, sizeof(min)),
		 number_text(f, max_of(f), max, sizeof(max)), f->flags & FIELD_TIME ? " s" : "",
		 f->flags & FIELD_AUTO ? " or auto" : "", f->flags & FIELD_NONE ? " or none" : "");
	return text;
}

static int refuse(const struct field *f, const char *text, const char *reason)
{
	char label[FIELD_TEXT_MAX], range[FIELD_TEXT_MAX];

	return err_set(-EINVAL, "%s \"%s\": %s; allowed: %s", field_label(f, label, sizeof(label)),
		       text, reason, field_range(f, range, sizeof(range)));
}

/* strtoull() also takes blanks and signs. */
static int parse_digits(const char *text, uint64_t *v, char **end)
{
	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	*v = strtoull(text, end, 10);
	return -errno;
}

static int parse_time(const char *text, uint64_t *ms)
{
	unsigned weight = 100;
	char *end;
	int rc = parse_digits(text, ms, &end);

	if (rc || !strcmp(end, "ms"))
		return rc;
	if (*ms >= UINT64_MAX / 1000)
		return -ERANGE;
	*ms *= 1000;
	if (*end == '.') {
		if (!isdigit((unsigned char)*++end))
			return -EINVAL;
		for (; isdigit((unsigned char)*end); end++, weight /= 10) {
			if (!weight)
				return -EINVAL;
			*ms += weight * (unsigned)(*end - '0');
		}
	}
	return *end && strcmp(end, "s") ? -EINVAL : 0;
}

static int parse_hex(const char *text, uint64_t *v)
{
	char *end;

	if (!isxdigit((unsigned char)text[2]))
		return -EINVAL;
	errno = 0;
	*v = strtoull(text, &end, 16);
	return *end ? -EINVAL : -errno;
}

static int parse_count(const struct field *f, const char *text, uint64_t *v)
{
	static const char units[] = "kmg";
	const char *unit;
	char *end;
	int rc;

	if (f->flags & FIELD_HEX && !strncasecmp(text, "0x", 2))
		return parse_hex(text, v);
	rc = parse_digits(text, v, &end);
	if (rc || !*end)
		return rc;
	unit = strchr(units, tolower((unsigned char)*end));
	if (!(f->flags & FIELD_SIZE) || !unit || end[1])
		return -EINVAL;
	for (const char *u = units; u <= unit; u++) {
		if (*v > UINT64_MAX / 1024)
			return -ERANGE;
		*v *= 1024;
	}
	return 0;
}

static int parse_name(const struct field *f, void *obj, const char *text)
{
	for (unsigned i = 0; f->names[i]; i++) {
		if (!strcasecmp(f->names[i], text)) {
			field_set_integer(f, obj, i);
			return 0;
		}
	}
	return refuse(f, text, "unknown");
}

static int parse_number(const struct field *f, void *obj, const char *text)
{
	uint64_t v;
	int rc;

	if ((f->flags & FIELD_AUTO && !strcmp(text, "auto")) ||
	    (f->flags & FIELD_NONE && !strcmp(text, "none"))) {
		field_set_integer(f, obj, all_ones(f));
		return 0;
	}
	rc = f->flags & FIELD_TIME ? parse_time(text, &v) : parse_count(f, text, &v);
	if (rc == -EINVAL)
		return refuse(f, text, f->flags & FIELD_TIME ? "not a time" : "not a number");
	if (rc || v < f->min || v > max_of(f))
		return refuse(f, text, "out of range");
	if (f->flags & FIELD_POW2 && v & (v - 1))
		return refuse(f, text, "not a power of two");
	field_set_integer(f, obj, v);
	return 0;
}

int field_parse(const struct field *f, void *obj, const char *text)
{
	char label[FIELD_TEXT_MAX];

	if (f->type == FIELD_BOOL) {
		field_set_integer(f, obj, 1);
		return 0;
	}
	field_label(f, label, sizeof(label));
	if (!text[0])
		return err_set(-EINVAL, "%s \"\": the value is empty", label);
	if (f->type == FIELD_STRING) {
		field_set_text(f, obj, text);
		return 0;
	}
	if (f->names)
		return parse_name(f, obj, text);
	if (is_number(f))
		return parse_number(f, obj, text);
	return err_set(-EINVAL, "%s: a field of this type is not read from text", label);
}

int field_defaults(const struct field_table *table, void *obj)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct field *f = &table->rows[i];
		int rc = 0;

		if (f->flags & FIELD_ALIAS)
			continue;
		if (f->def)
			rc = field_parse(f, obj, f->def);
		else if (f->type == FIELD_STRING)
			field_set_text(f, obj, NULL);
		else
			field_set_integer(f, obj, 0);
		if (rc)
			return rc;
	}
	return 0;
}
