/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the form of a value in a file: the text of a CSV cell, and back. Called by the formats and
 * the reader of rows. Must not quote: that is the format's. What it reads may come from anybody.
 */
#include "config.h"
#include "util/field.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"
#include "util/text.h"

/* FIELD_DIGITS significant digits, positional, without trailing zeros after the point. */
static void format_real(double value, char *text, size_t size)
{
	char rounded[64];
	int decimals;
	char *end;

	snprintf(rounded, sizeof(rounded), "%.*e", FIELD_DIGITS - 1, value);
	decimals = FIELD_DIGITS - 1 - atoi(strchr(rounded, 'e') + 1);
	snprintf(text, size, "%.*f", decimals > 0 ? decimals : 0, value);
	if (!strchr(text, '.'))
		return;
	end = text + strlen(text);
	while (end[-1] == '0')
		*--end = '\0';
	if (end[-1] == '.')
		end[-1] = '\0';
}

/* NULL: no spelling. */
static const char *spelling(const struct field *f, uint64_t value)
{
	for (uint64_t i = 0; f->names[i]; i++)
		if (i == value)
			return f->names[i];
	return NULL;
}

static void format_integer(const struct field *f, uint64_t value, char *text, size_t size)
{
	if (f->names)
		snprintf(text, size, "%s", spelling(f, value) ? spelling(f, value) : "");
	else
		snprintf(text, size, "%" PRIu64, value);
}

const char *field_format(const struct field *f, const void *obj, char *text, size_t size)
{
	text[0] = '\0';
	if (field_is_absent(f, obj))
		return text;
	switch (f->type) {
	case FIELD_BOOL:
	case FIELD_U32:
	case FIELD_U64:
		format_integer(f, field_integer(f, obj), text, size);
		break;
	case FIELD_F64:
		if (isfinite(field_real(f, obj)))
			format_real(field_real(f, obj), text, size);
		break;
	case FIELD_TEXT:
		text_clean(field_text(f, obj), text, size < f->size ? size : f->size);
		break;
	case FIELD_STRING:
		text_clean(field_text(f, obj), text, size);
		break;
	case FIELD_STRUCT:
		break;
	}
	return text;
}

static int wrong(const struct field *f, const char *text, const char *expected)
{
	char clean[64];

	return err_set(-EBADMSG, "%s is \"%s\", not %s", f->name,
		       text_clean(text, clean, sizeof(clean)), expected);
}

static int scan_name(const struct field *f, void *obj, const char *text)
{
	for (uint64_t i = 0; f->names[i]; i++)
		if (!strcmp(f->names[i], text)) {
			field_set_integer(f, obj, i);
			return 0;
		}
	return wrong(f, text, "one of the known spellings");
}

static int scan_integer(const struct field *f, void *obj, const char *text)
{
	const uint64_t type_max = f->type == FIELD_BOOL ? 1 :
				  f->type == FIELD_U32 ? UINT32_MAX : UINT64_MAX;
	const uint64_t max = f->max ? f->max : type_max;
	unsigned long long value;
	char expected[80], *end;

	if (f->names)
		return scan_name(f, obj, text);
	errno = 0;
	value = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || errno || value < f->min || value > max) {
		snprintf(expected, sizeof(expected), "an integer of %" PRIu64 " to %" PRIu64,
			 f->min, max);
		return wrong(f, text, expected);
	}
	field_set_integer(f, obj, value);
	return 0;
}

static int scan_real(const struct field *f, void *obj, const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (text[strspn(text, "0123456789.")] || *end || end == text || !isfinite(value))
		return wrong(f, text, "a number without sign and exponent");
	field_set_real(f, obj, value);
	return 0;
}

static int scan_text(const struct field *f, void *obj, const char *text)
{
	char expected[64];

	if (strlen(text) >= f->size) {
		snprintf(expected, sizeof(expected), "a text of at most %zu bytes", f->size - 1);
		return wrong(f, text, expected);
	}
	text_clean(text, (char *)obj + f->off, f->size);
	return 0;
}

int field_scan(const struct field *f, void *obj, const char *text)
{
	const struct field_table one = { .rows = f, .n = 1 };

	if (!text[0] && f->type != FIELD_STRUCT && f->type != FIELD_STRING) {
		field_clear(&one, obj);
		return field_is_absent(f, obj) || f->type == FIELD_TEXT ? 0 :
		       err_set(-EBADMSG, "%s is empty", f->name);
	}
	switch (f->type) {
	case FIELD_BOOL:
	case FIELD_U32:
	case FIELD_U64:
		return scan_integer(f, obj, text);
	case FIELD_F64:
		return scan_real(f, obj, text);
	case FIELD_TEXT:
		return scan_text(f, obj, text);
	case FIELD_STRING:
	case FIELD_STRUCT:
		break;
	}
	return wrong(f, text, "a single value");
}
