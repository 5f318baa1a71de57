/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The text of a value in a CSV cell, and back, and the tables of documents. Does not quote: the
 * format does. Input is untrusted.
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

const char *field_format(const struct field *f, const void *obj, char *text, size_t size)
{
	text[0] = '\0';
	if (field_is_absent(f, obj))
		return text;
	switch (f->type) {
	case FIELD_BOOL:
	case FIELD_U32:
	case FIELD_U64:
		if (f->names)
			snprintf(text, size, "%s", field_text(f, obj));
		else
			snprintf(text, size, "%" PRIu64, field_integer(f, obj));
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

static uint64_t max_of(const struct field *f)
{
	return f->max ? f->max : field_all_ones(f);
}

static bool scan_integer(const struct field *f, void *obj, const char *text)
{
	unsigned long long value;
	char *end;

	if (f->names)
		return field_set_name(f, obj, text, strcmp);
	errno = 0;
	value = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || errno || value < f->min || value > max_of(f))
		return false;
	field_set_integer(f, obj, value);
	return true;
}

static bool scan_real(const struct field *f, void *obj, const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (text[strspn(text, "0123456789.")] || *end || end == text || !isfinite(value))
		return false;
	field_set_real(f, obj, value);
	return true;
}

static bool scan(const struct field *f, void *obj, const char *text)
{
	if (f->type == FIELD_STRING || f->type == FIELD_STRUCT)
		return false;
	if (f->type == FIELD_F64)
		return scan_real(f, obj, text);
	if (f->type != FIELD_TEXT)
		return scan_integer(f, obj, text);
	if (strlen(text) >= f->size)
		return false;
	text_clean(text, (char *)obj + f->off, f->size);
	return true;
}

/* The allowed texts, for the error message. */
static void expect(const struct field *f, char *text, size_t size)
{
	if (f->type == FIELD_STRING || f->type == FIELD_STRUCT)
		snprintf(text, size, "a single value");
	else if (f->names)
		snprintf(text, size, "one of the known spellings");
	else if (f->type == FIELD_F64)
		snprintf(text, size, "a number without sign and exponent");
	else if (f->type == FIELD_TEXT)
		snprintf(text, size, "a text of at most %zu bytes", f->size - 1);
	else
		snprintf(text, size, "an integer of %" PRIu64 " to %" PRIu64, f->min, max_of(f));
}

int field_scan(const struct field *f, void *obj, const char *text)
{
	const struct field_table one = { .rows = f, .n = 1 };
	char clean[64], expected[80];

	if (!text[0] && f->type != FIELD_STRUCT && f->type != FIELD_STRING) {
		field_clear(&one, obj);
		return field_is_absent(f, obj) || f->type == FIELD_TEXT ? 0 :
		       err_set(-EBADMSG, "%s is empty", f->name);
	}
	if (scan(f, obj, text))
		return 0;
	expect(f, expected, sizeof(expected));
	return err_set(-EBADMSG, "%s is \"%s\", not %s", f->name,
		       text_clean(text, clean, sizeof(clean)), expected);
}

/* ---- documents */

#define DOCUMENT_LINE 4096

const char *field_type_name(const struct field *f)
{
	static const char *const names[] = {
		[FIELD_BOOL] = "boolean", [FIELD_U32] = "integer", [FIELD_U64] = "integer",
		[FIELD_F64] = "number", [FIELD_TEXT] = "string", [FIELD_STRING] = "string",
		[FIELD_STRUCT] = "object",
	};

	return f->pairs ? "object" : f->names ? "string" : names[f->type];
}

int field_document(FILE *out, FILE *in, bool (*table)(FILE *out, const char *name))
{
	char line[DOCUMENT_LINE], name[64] = "";
	bool inside = false;

	while (fgets(line, sizeof(line), in)) {
		if (inside && strcmp(line, "<!-- end -->\n"))
			continue;
		fputs(line, out);
		inside = !inside && sscanf(line, "<!-- %63[a-z_: ]-->", name) == 1;
		if (!inside)
			continue;
		name[strlen(name) - 1] = '\0';
		if (!table(out, name))
			return err_set(-EBADMSG, "the document has a table that is not known: %s", name);
	}
	if (inside)
		return err_set(-EBADMSG, "the document has no end of the table \"%s\"", name);
	if (!name[0])
		return err_set(-EBADMSG, "the document has no place for a table: <!-- NAME -->");
	return fflush(out) ? -errno : 0;
}
