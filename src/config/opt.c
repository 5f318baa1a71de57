/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The parser of option tables: text to values of a struct, with the sentence for everything that is
 * not allowed. Called by opts.c. Must know nothing of RDMA and of which options there are.
 */
#include "config.h"
#include "config/opt.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/err.h"

#define LONG_BASE 256 /* what getopt_long() returns for row i by its long name, less i */

static uint64_t all_ones(const struct opt *o)
{
	return o->type == OPT_U32 ? UINT32_MAX : UINT64_MAX;
}

static void store(const struct opt *o, void *obj, uint64_t v)
{
	void *field = (char *)obj + o->off;

	switch (o->type) {
	case OPT_BOOL:
		*(bool *)field = v != 0;
		break;
	case OPT_U32:
		*(uint32_t *)field = (uint32_t)v;
		break;
	case OPT_U64:
		*(uint64_t *)field = v;
		break;
	case OPT_STR:
		*(const char **)field = NULL;
		break;
	}
}

uint64_t opt_value(const struct opt *o, const void *obj)
{
	const void *field = (const char *)obj + o->off;

	switch (o->type) {
	case OPT_BOOL:
		return *(const bool *)field;
	case OPT_U32:
		return *(const uint32_t *)field;
	case OPT_U64:
		return *(const uint64_t *)field;
	case OPT_STR:
		break;
	}
	return 0;
}

const char *opt_label(const struct opt *o, char *text, size_t size)
{
	if (o->letter)
		snprintf(text, size, "-%c (--%s)", o->letter, o->name);
	else
		snprintf(text, size, "--%s", o->name);
	return text;
}

/* A number as it would be typed: 2147483648 of a size is 2G, 500 ms are 0.5. */
static const char *number_text(const struct opt *o, uint64_t v, char *text, size_t size)
{
	static const char unit[] = { 'k', 'M', 'G' };
	int i = -1;

	if (o->flags & OPT_TIME) {
		snprintf(text, size, "%g", (double)v / 1000);
		return text;
	}
	while (o->flags & OPT_SIZE && i < 2 && v >= 1024 && v % 1024 == 0) {
		v /= 1024;
		i++;
	}
	if (i < 0)
		snprintf(text, size, "%" PRIu64, v);
	else
		snprintf(text, size, "%" PRIu64 "%c", v, unit[i]);
	return text;
}

const char *opt_range(const struct opt *o, char *text, size_t size)
{
	char min[32], max[32];
	size_t len = 0;

	text[0] = '\0';
	if (o->type == OPT_BOOL || o->type == OPT_STR)
		return text;
	for (int i = 0; o->names && o->names[i] && len < size; i++)
		len += (size_t)snprintf(text + len, size - len, "%s%s", i ? ", " : "", o->names[i]);
	if (o->names)
		return text;
	snprintf(text, size, "%s%s..%s%s%s%s", o->flags & OPT_POW2 ? "powers of two in " : "",
		 number_text(o, o->min, min, sizeof(min)), number_text(o, o->max, max, sizeof(max)),
		 o->flags & OPT_TIME ? " s" : "", o->flags & OPT_AUTO ? " or auto" : "",
		 o->flags & OPT_NONE ? " or none" : "");
	return text;
}

static int refuse_value(const struct opt *o, const char *text, const char *why)
{
	char label[OPT_TEXT_MAX], range[OPT_TEXT_MAX];

	return err_set(-EINVAL, "%s \"%s\": %s; allowed: %s",
		       opt_label(o, label, sizeof(label)), text, why,
		       opt_range(o, range, sizeof(range)));
}

/* strtoull() would also take blanks and signs. */
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

static int parse_number(const struct opt *o, const char *text, uint64_t *v)
{
	static const char units[] = "kmg";
	const char *unit;
	char *end;
	int rc;

	if (o->flags & OPT_TIME)
		return parse_time(text, v);
	rc = parse_digits(text, v, &end);
	if (rc || !*end)
		return rc;
	unit = strchr(units, tolower((unsigned char)*end));
	if (!(o->flags & OPT_SIZE) || !unit || end[1])
		return -EINVAL;
	for (const char *u = units; u <= unit; u++) {
		if (*v > UINT64_MAX / 1024)
			return -ERANGE;
		*v *= 1024;
	}
	return 0;
}

static int read_name(const struct opt *o, void *obj, const char *text)
{
	for (unsigned i = 0; o->names[i]; i++) {
		if (!strcasecmp(o->names[i], text)) {
			store(o, obj, i);
			return 0;
		}
	}
	return refuse_value(o, text, "not known");
}

static int read_number(const struct opt *o, void *obj, const char *text)
{
	uint64_t v;
	int rc;

	if ((o->flags & OPT_AUTO && !strcmp(text, "auto")) ||
	    (o->flags & OPT_NONE && !strcmp(text, "none"))) {
		store(o, obj, all_ones(o));
		return 0;
	}
	rc = parse_number(o, text, &v);
	if (rc == -EINVAL)
		return refuse_value(o, text, o->flags & OPT_TIME ? "not a time" : "not a number");
	if (rc || v < o->min || v > o->max)
		return refuse_value(o, text, "out of range");
	if (o->flags & OPT_POW2 && v & (v - 1))
		return refuse_value(o, text, "not a power of two");
	store(o, obj, v);
	return 0;
}

int opt_read(const struct opt *o, void *obj, const char *text)
{
	char label[OPT_TEXT_MAX];

	if (o->type == OPT_BOOL) {
		store(o, obj, 1);
		return 0;
	}
	if (!text[0])
		return err_set(-EINVAL, "%s \"\": the value is empty",
			       opt_label(o, label, sizeof(label)));
	if (o->type == OPT_STR) {
		*(const char **)(void *)((char *)obj + o->off) = text;
		return 0;
	}
	return o->names ? read_name(o, obj, text) : read_number(o, obj, text);
}

int opt_defaults(const struct opt_table *t, void *obj)
{
	for (size_t i = 0; i < t->n; i++) {
		int rc = 0;

		if (t->rows[i].def)
			rc = opt_read(&t->rows[i], obj, t->rows[i].def);
		else
			store(&t->rows[i], obj, 0);
		if (rc)
			return rc;
	}
	return 0;
}

/* getopt's own tables, made of the rows. */
struct tables {
	struct option longs[OPT_MAX_ROWS + 1];
	char letters[2 * OPT_MAX_ROWS + 2];
};

static void make_tables(struct tables *m, const struct opt_table *t)
{
	char *p = m->letters;

	memset(m, 0, sizeof(*m));
	*p++ = ':'; /* a missing value is told from an unknown option */
	for (size_t i = 0; i < t->n; i++) {
		const struct opt *o = &t->rows[i];

		m->longs[i] = (struct option) {
			.name = o->name,
			.has_arg = o->type == OPT_BOOL ? no_argument : required_argument,
			.val = LONG_BASE + (int)i,
		};
		if (!o->letter)
			continue;
		*p++ = o->letter;
		if (o->type != OPT_BOOL)
			*p++ = ':';
	}
}

/* The row for what getopt_long() returned or left in optopt; NULL for an unknown one. */
static const struct opt *row_of(const struct opt_table *t, int code)
{
	if (code >= LONG_BASE)
		return &t->rows[code - LONG_BASE];
	for (size_t i = 0; code && i < t->n; i++) {
		if (t->rows[i].letter == code)
			return &t->rows[i];
	}
	return NULL;
}

/* getopt_long() takes any unique beginning of a name; scripts must not come to depend on that. */
static int refuse_abbreviation(const struct opt *o, char **argv)
{
	const char *word = argv[optind - 1];
	size_t len;

	if (optarg == word)
		word = argv[optind - 2];
	len = strcspn(word + 2, "=");
	if (!strncmp(word + 2, o->name, len) && !o->name[len])
		return 0;
	return err_set(-EINVAL, "\"--%.*s\" is not an option; did you mean --%s?", (int)len,
		       word + 2, o->name);
}

static int refuse_syntax(const struct opt_table *t, int code, char **argv)
{
	const struct opt *o = row_of(t, optopt);
	char label[OPT_TEXT_MAX], range[OPT_TEXT_MAX];

	if (o && code == ':') {
		opt_range(o, range, sizeof(range));
		return err_set(-EINVAL, "%s needs a value%s%s", opt_label(o, label, sizeof(label)),
			       range[0] ? ": " : "", range);
	}
	if (o)
		return err_set(-EINVAL, "%s takes no value", opt_label(o, label, sizeof(label)));
	if (optopt)
		return err_set(-EINVAL, "\"-%c\" is not an option", optopt);
	return err_set(-EINVAL, "\"%s\" is not an option", argv[optind - 1]);
}

static int take(const struct opt_table *t, void *obj, struct opt_args *args, int code)
{
	const struct opt *o = row_of(t, code);
	char label[OPT_TEXT_MAX];
	opt_set bit;
	int rc;

	if (code == '?' || code == ':' || !o)
		return refuse_syntax(t, code, args->argv);
	rc = code >= LONG_BASE ? refuse_abbreviation(o, args->argv) : 0;
	if (rc)
		return rc;
	bit = (opt_set)1 << (o - t->rows);
	if (args->given & bit)
		return err_set(-EINVAL, "%s is given twice", opt_label(o, label, sizeof(label)));
	args->given |= bit;
	return opt_read(o, obj, optarg);
}

int opt_parse(const struct opt_table *t, void *obj, struct opt_args *args)
{
	struct tables m;
	int code, rc = 0;

	make_tables(&m, t);
	args->given = 0;
	optind = 0; /* glibc: forget what an earlier call has left */
	opterr = 0;
	while (!rc) {
		code = getopt_long(args->argc, args->argv, m.letters, m.longs, NULL);
		if (code == -1)
			break;
		rc = take(t, obj, args, code);
	}
	args->first_operand = optind;
	return rc;
}
