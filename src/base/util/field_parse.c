/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Parses user input as the value of a field: its label, range and defaults, and the error message
 * for each value that is not allowed. Does not know which options exist.
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
#include "util/text.h"

/* A suffix of a number, and its factor in the smallest unit. */
struct suffix {
	const char *text;
	uint64_t weight;
};

/* Largest first: a time is shown in the largest unit of which it is a multiple. */
static const struct suffix times[] = {
	{ "h", 3600000000u }, { "m", 60000000 }, { "s", 1000000 }, { "ms", 1000 }, { "us", 1 },
};

static const struct suffix sizes[] = {
	{ "g", 1u << 30 }, { "m", 1 << 20 }, { "k", 1 << 10 },
	{ "gib", 1u << 30 }, { "mib", 1 << 20 }, { "kib", 1 << 10 },
};

static const struct suffix counts[] = { { "g", 1000000000 }, { "m", 1000000 }, { "k", 1000 } };

#define N(array) (sizeof(array) / sizeof((array)[0]))

static bool is_number(const struct field *f)
{
	return (f->type == FIELD_U32 || f->type == FIELD_U64) && !f->names;
}

/* All ones is not a value of a field that has "auto" or "none". */
static uint64_t max_of(const struct field *f)
{
	if (f->max)
		return f->max;
	return field_all_ones(f) - !!(f->flags & (FIELD_AUTO | FIELD_NONE));
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

/* Microseconds per unit of a time. */
static uint64_t time_unit(const struct field *f)
{
	for (size_t i = 0; i < N(times); i++)
		if (!strcmp(f->unit, times[i].text))
			return times[i].weight;
	return 1;
}

/* Thousandths, without zeros at the end. */
static const char *decimal_text(uint64_t v, char *text, size_t size)
{
	snprintf(text, size, "%" PRIu64 ".%03" PRIu64, v / 1000, v % 1000);
	for (size_t len = strlen(text); len && text[len - 1] == '0'; len--)
		text[len - 1] = '\0';
	return text;
}

/* 2147483648 of a size is 2G, 90000 ms are 90s, 2000000 thousandths are 2k. */
const char *field_number(const struct field *f, uint64_t v, char *text, size_t size)
{
	static const char unit[] = { 'k', 'M', 'G' };
	const bool suffix = f->flags & (FIELD_SIZE | FIELD_COUNT | FIELD_RATE);
	const uint64_t base = f->flags & FIELD_SIZE ? 1024 : 1000;
	int i = -1;

	if (f->flags & FIELD_TIME) {
		size_t k = 0;

		v *= time_unit(f);
		while (k + 1 < N(times) && v % times[k].weight)
			k++;
		snprintf(text, size, "%" PRIu64 "%s", v / times[k].weight,
			 v ? times[k].text : "");
		return text;
	}
	if (f->flags & FIELD_RATE && v & FIELD_RATE_SHARE) {
		v &= ~FIELD_RATE_SHARE;
		if (v % 1000)
			decimal_text(v, text, size);
		else
			snprintf(text, size, "%" PRIu64, v / 1000);
		snprintf(text + strlen(text), size - strlen(text), "%%");
		return text;
	}
	if (f->flags & FIELD_RATE && v % 1000)
		return decimal_text(v, text, size);
	v /= f->flags & FIELD_RATE ? 1000 : 1;
	while (suffix && i < 2 && v >= base && v % base == 0) {
		v /= base;
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

	text[0] = '\0';
	for (int i = 0; f->names && f->names[i]; i++)
		text_add(text, size, ", ", "%s", f->names[i]);
	if (!is_number(f))
		return text;
	snprintf(text, size, "%s%s..%s%s%s%s", f->flags & FIELD_POW2 ? "powers of two in " : "",
		 field_number(f, f->min, min, sizeof(min)),
		 field_number(f, max_of(f), max, sizeof(max)),
		 f->flags & FIELD_AUTO ? " or auto" : "", f->flags & FIELD_NONE ? " or none" : "",
		 f->flags & FIELD_FOREVER ? " or forever" :
		 f->flags & FIELD_RATE ? " or up to 200%" : "");
	return text;
}

static int refuse(const struct field *f, const char *text, const char *reason)
{
	char label[FIELD_TEXT_MAX], range[FIELD_TEXT_MAX];

	return err_set(-EINVAL, "%s \"%s\": %s; allowed: %s", field_label(f, label, sizeof(label)),
		       text, reason, field_range(f, range, sizeof(range)));
}

/* strtoull() also accepts blanks and signs. */
static int parse_digits(const char *text, uint64_t *v, char **end)
{
	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	*v = strtoull(text, end, 10);
	return -errno;
}

/*
 * Adds the digits after the point of a decimal to *v, scaled by weight. -EDOM: a part of it is less
 * than the smallest unit.
 */
static int parse_fraction(const char *text, uint64_t weight, uint64_t *v, char **end)
{
	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	for (; isdigit((unsigned char)*text); text++) {
		const uint64_t digit = (uint64_t)(*text - '0');

		if (digit && (!weight || weight % 10))
			return -EDOM;
		weight /= 10;
		*v += digit * weight;
	}
	*end = (char *)text;
	return 0;
}

/* The unit of a time: the suffix, or the default one. */
static const struct suffix *time_suffix(const struct field *f, const char *text)
{
	const struct suffix *plain = NULL;

	text += strspn(text, "0123456789.");
	for (size_t i = 0; i < N(times); i++) {
		if (!strcmp(text, times[i].text))
			return &times[i];
		if (!strcmp(times[i].text, f->flags & FIELD_PLAIN ? f->unit : "s"))
			plain = &times[i];
	}
	return *text ? NULL : plain;
}

/* In the unit of the field. -EDOM: the time is not a multiple of it. */
static int parse_time(const struct field *f, const char *text, uint64_t *v)
{
	const struct suffix *suffix = time_suffix(f, text);
	char *end;
	int rc = suffix ? parse_digits(text, v, &end) : -EINVAL;

	if (rc)
		return rc;
	if (*v >= UINT64_MAX / suffix->weight)
		return -ERANGE;
	*v *= suffix->weight;
	if (*end == '.')
		rc = parse_fraction(end + 1, suffix->weight, v, &end);
	if (!rc && strcmp(end, suffix->text) && *end)
		return -EINVAL;
	if (!rc && *v % time_unit(f))
		rc = *v < f->min * time_unit(f) ? -ERANGE : -EDOM;
	*v /= time_unit(f);
	return rc;
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

static int parse_suffix(const struct suffix *suffixes, size_t n, const char *text, uint64_t *v)
{
	for (size_t i = 0; i < n; i++) {
		if (strcasecmp(text, suffixes[i].text))
			continue;
		if (*v > UINT64_MAX / suffixes[i].weight)
			return -ERANGE;
		*v *= suffixes[i].weight;
		return 0;
	}
	return -EINVAL;
}

static int parse_count(const struct field *f, const char *text, uint64_t *v)
{
	char *end;
	int rc;

	if (f->flags & FIELD_HEX && !strncasecmp(text, "0x", 2))
		return parse_hex(text, v);
	rc = parse_digits(text, v, &end);
	if (rc || !*end)
		return rc;
	if (f->flags & FIELD_SIZE)
		return parse_suffix(sizes, N(sizes), end, v);
	return f->flags & FIELD_COUNT ? parse_suffix(counts, N(counts), end, v) : -EINVAL;
}

/* "50%": above 0, and a part of what is possible, or somewhat more. */
static int check_share(uint64_t *v)
{
	if (!*v || *v > FIELD_RATE_SHARE_MAX)
		return -ERANGE;
	*v |= FIELD_RATE_SHARE;
	return 0;
}

static int parse_rate(const char *text, uint64_t *v)
{
	const char *suffix = text + strspn(text, "0123456789.");
	const bool share = !strcmp(suffix, "%");
	uint64_t weight = 1;
	char *end;
	int rc = *suffix && !share ? parse_suffix(counts, N(counts), suffix, &weight) : 0;

	if (!rc)
		rc = parse_digits(text, v, &end);
	weight *= 1000;
	if (rc)
		return rc;
	if (*v >= UINT64_MAX / weight)
		return -ERANGE;
	*v *= weight;
	if (*end == '.')
		rc = parse_fraction(end + 1, weight, v, &end);
	if (!rc && end != suffix)
		return -EINVAL;
	return !rc && share ? check_share(v) : rc;
}

static const char *not_what(const struct field *f)
{
	if (f->flags & FIELD_TIME)
		return "not a time such as 60, 1.5s, 500ms, 20us, 1m or 1h";
	if (f->flags & FIELD_RATE)
		return "not a rate such as 1000, 0.5, 20k, 1.5M or 50%";
	return f->flags & FIELD_SIZE ? "not a size such as 512, 64k, 1M or 64KiB" : "not a number";
}

static const char *finest(const struct field *f)
{
	if (f->flags & FIELD_RATE)
		return "finer than 0.001";
	return time_unit(f) == 1 ? "finer than 1us" : "finer than 1ms";
}

static int parse_number(const struct field *f, void *obj, const char *text)
{
	uint64_t v;
	int rc;

	if ((f->flags & FIELD_AUTO && !strcmp(text, "auto")) ||
	    (f->flags & FIELD_NONE && !strcmp(text, "none"))) {
		field_set_integer(f, obj, field_all_ones(f));
		return 0;
	}
	if (f->flags & FIELD_FOREVER && !strcmp(text, "forever")) {
		field_set_integer(f, obj, FIELD_FOREVER_VALUE);
		return 0;
	}
	rc = f->flags & FIELD_TIME ? parse_time(f, text, &v) :
	     f->flags & FIELD_RATE ? parse_rate(text, &v) : parse_count(f, text, &v);
	if (rc == -EINVAL)
		return refuse(f, text, not_what(f));
	if (rc == -EDOM)
		return refuse(f, text, finest(f));
	if (!rc && f->flags & FIELD_RATE && v & FIELD_RATE_SHARE) {
		field_set_integer(f, obj, v);
		return 0;
	}
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
		return field_set_name(f, obj, text, strcasecmp) ? 0 : refuse(f, text, "unknown");
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
