/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Converts structs to JSON objects and back, for control messages, results and the echoed options.
 * Checks type and range of every value from JSON before use: the input is untrusted.
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

#define CLEAN_TEXT 4096   /* longer texts are cut */

/* The spelling of an option value stored as all ones, or NULL. */
static const char *mark_name(const struct field *f)
{
	return f->flags & FIELD_AUTO ? "auto" : f->flags & FIELD_NONE ? "none" : NULL;
}

/* ---- struct to JSON */

static json_t *encode_integer(const struct field *f, const void *obj)
{
	const uint64_t value = field_integer(f, obj);

	if (value == field_all_ones(f) && mark_name(f))
		return json_string(mark_name(f));
	if (f->names)
		return field_text(f, obj)[0] ? json_string(field_text(f, obj)) : NULL;
	/* most readers limit JSON integers to 64 bits signed */
	return value > INT64_MAX ? json_null() : json_integer((json_int_t)value);
}

static json_t *encode_text(const char *text, size_t size)
{
	char clean[CLEAN_TEXT];

	return json_string(text_clean(text, clean, size < sizeof(clean) ? size : sizeof(clean)));
}

static json_t *encode_one(const struct field *f, const void *obj, unsigned flags)
{
	if (field_is_absent(f, obj) && !(f->type != FIELD_STRING && mark_name(f)))
		return json_null();
	switch (f->type) {
	case FIELD_BOOL:
		return json_boolean(field_integer(f, obj));
	case FIELD_U32:
	case FIELD_U64:
		return encode_integer(f, obj);
	case FIELD_F64:
		return isfinite(field_real(f, obj)) ? json_real(field_real(f, obj)) : json_null();
	case FIELD_TEXT:
		return encode_text(field_text(f, obj), f->size);
	case FIELD_STRING:
		return encode_text(field_text(f, obj), CLEAN_TEXT);
	case FIELD_STRUCT:
		return field_encode(json_object(), f->table, (const char *)obj + f->off, flags);
	}
	return NULL;
}

json_t *field_json(const struct field *f, const void *obj)
{
	return encode_one(f, obj, ~0u);
}

json_t *field_encode(json_t *json, const struct field_table *table, const void *obj,
		     unsigned flags)
{
	for (size_t i = 0; json && i < table->n; i++) {
		const struct field *f = &table->rows[i];

		if (!(f->flags & flags & ~FIELD_FLAT))
			continue;
		if (f->flags & FIELD_FLAT) {
			json = field_encode(json, f->table, (const char *)obj + f->off, flags);
		} else if (json_object_set_new(json, f->name, encode_one(f, obj, flags))) {
			json_decref(json);
			json = NULL;
		}
	}
	return json;
}

/* ---- JSON to struct */

static bool decode_integer(const struct field *f, void *obj, const json_t *json)
{
	const uint64_t max = f->max ? f->max : field_all_ones(f);
	const json_int_t value = json_integer_value(json);
	const char *name = json_string_value(json);

	if (name && mark_name(f) && !strcmp(name, mark_name(f))) {
		field_set_integer(f, obj, field_all_ones(f));
		return true;
	}
	if (f->names)
		return name && field_set_name(f, obj, name, strcmp);
	if (!json_is_integer(json) || value < 0 || (uint64_t)value < f->min ||
	    (uint64_t)value > max)
		return false;
	field_set_integer(f, obj, (uint64_t)value);
	return true;
}

static bool decode_real(const struct field *f, void *obj, const json_t *json)
{
	const double value = json_number_value(json);

	if (!json_is_number(json) || !(value >= 0) || !isfinite(value))
		return false;
	field_set_real(f, obj, value);
	return true;
}

static bool decode_text(const struct field *f, void *obj, const json_t *json)
{
	if (!json_is_string(json) || json_string_length(json) >= f->size)
		return false;
	text_clean(json_string_value(json), (char *)obj + f->off, f->size);
	return true;
}

static bool decode_one(const struct field *f, void *obj, const json_t *json)
{
	const struct field_table one = { .rows = f, .n = 1 };

	if (json_is_null(json)) {
		field_clear(&one, obj);
		return field_is_absent(f, obj);
	}
	switch (f->type) {
	case FIELD_BOOL:
		field_set_integer(f, obj, json_is_true(json));
		return json_is_boolean(json);
	case FIELD_U32:
	case FIELD_U64:
		return decode_integer(f, obj, json);
	case FIELD_F64:
		return decode_real(f, obj, json);
	case FIELD_TEXT:
		return decode_text(f, obj, json);
	case FIELD_STRING:
		field_set_text(f, obj, json_string_value(json));
		return json_is_string(json);
	case FIELD_STRUCT:
		break;
	}
	return false;
}

/* The allowed values, for the error message. */
static void describe(char *text, size_t size, const struct field *f)
{
	const char *or_null = f->absent == FIELD_NEVER ? "" : " or null";

	if (f->names)
		snprintf(text, size, "one of the known spellings");
	else if (f->type == FIELD_BOOL)
		snprintf(text, size, "true or false");
	else if (f->type == FIELD_TEXT)
		snprintf(text, size, "a text of at most %zu bytes%s", f->size - 1, or_null);
	else if (f->type == FIELD_STRING)
		snprintf(text, size, "a text or null");
	else if (f->type == FIELD_STRUCT)
		snprintf(text, size, "an object");
	else if (f->type == FIELD_F64)
		snprintf(text, size, "a number of at least 0%s", or_null);
	else if (f->max)
		snprintf(text, size, "an integer of %" PRIu64 " to %" PRIu64 "%s", f->min, f->max,
			 or_null);
	else
		snprintf(text, size, "an integer without sign of %s bits%s",
			 f->type == FIELD_U32 ? "32" : "63", or_null);
}

int field_decode(const struct field_table *table, void *obj, const json_t *json)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct field *f = &table->rows[i];
		const json_t *value = json_object_get(json, f->name);
		char *inside = (char *)obj + f->off, expected[96];
		int rc = 0;

		if (!(f->flags & FIELD_WIRE))
			continue;
		if (f->flags & FIELD_FLAT)
			rc = field_decode(f->table, inside, json);
		else if (!value)
			rc = err_set(-EBADMSG, "the peer's %s: field \"%s\" is missing",
				     table->what, f->name);
		else if (f->type == FIELD_STRUCT && json_is_object(value))
			rc = field_decode(f->table, inside, value);
		else if (!decode_one(f, obj, value)) {
			describe(expected, sizeof(expected), f);
			rc = err_set(-EBADMSG, "the peer's %s: field \"%s\" is not %s",
				     table->what, f->name, expected);
		}
		if (rc)
			return rc;
	}
	return 0;
}

/* ---- comparing two of them */

/* A JSON value as written, cut at size; "missing" for NULL. */
static void value_text(char *text, size_t size, const json_t *json)
{
	char *dump = json ? json_dumps(json, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;

	text_clean(dump ? dump : "missing", text, size);
	free(dump);
}

int field_compare(const struct field_table *table, const json_t *own, const json_t *peers)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct field *f = &table->rows[i];
		const json_t *a = json_object_get(own, f->name);
		const json_t *b = json_object_get(peers, f->name);
		char a_text[64], b_text[64];
		int rc;

		if (!(f->flags & FIELD_WIRE) || (a && b && json_equal(a, b)))
			continue;
		if (f->type == FIELD_STRUCT) {
			const bool flat = f->flags & FIELD_FLAT;

			rc = field_compare(f->table, flat ? own : a, flat ? peers : b);
			if (rc)
				return rc;
			continue;
		}
		value_text(a_text, sizeof(a_text), a);
		value_text(b_text, sizeof(b_text), b);
		return err_set(-EPROTO, "the two sides disagree on the %s: %s is %s here, %s at the peer",
			       table->what, f->name, a_text, b_text);
	}
	return 0;
}
