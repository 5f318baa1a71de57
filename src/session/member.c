/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the way between a struct's fields and JSON values. Called by proto with the tables of the
 * messages. Must not use a value before its type and range were checked: it comes from anybody.
 */
#include "config.h"
#include "session/member.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/ctl.h"
#include "util/err.h"

static json_t *encode_integer(uint64_t value, uint64_t none)
{
	return value == none || value > INT64_MAX ? json_null() : json_integer((json_int_t)value);
}

static json_t *encode_one(const struct member *m, const uint8_t *from)
{
	const void *field = from + m->off;
	uint32_t u32;
	uint64_t u64;
	double real;
	bool flag;

	switch (m->type) {
	case MEMBER_BOOL:
		memcpy(&flag, field, sizeof(flag));
		return json_boolean(flag);
	case MEMBER_U32:
		memcpy(&u32, field, sizeof(u32));
		if (m->names)
			return u32 < m->n_names ? json_string(m->names[u32]) : NULL;
		return encode_integer(u32, UINT32_MAX);
	case MEMBER_U64:
		memcpy(&u64, field, sizeof(u64));
		return encode_integer(u64, UINT64_MAX);
	case MEMBER_DOUBLE:
		memcpy(&real, field, sizeof(real));
		return isfinite(real) ? json_real(real) : json_null();
	case MEMBER_TEXT:
		return ctl_text(field);
	}
	return NULL;
}

json_t *member_encode(json_t *obj, const struct member_table *table, const void *from)
{
	for (size_t i = 0; obj && i < table->n; i++) {
		const struct member *m = &table->members[i];

		if (json_object_set_new(obj, m->name, encode_one(m, from))) {
			json_decref(obj);
			obj = NULL;
		}
	}
	return obj;
}

static int wrong(const struct member_table *table, const struct member *m, const char *what)
{
	return err_set(-EBADMSG, "the peer's %s message: member \"%s\" is %s", table->message,
		       m->name, what);
}

static int decode_integer(uint64_t *value, uint64_t none, const struct member *m,
			  const json_t *json)
{
	const uint64_t max = m->max ? m->max : none;

	if (json_is_null(json))
		*value = none;
	else if (json_is_integer(json) && json_integer_value(json) >= 0)
		*value = (uint64_t)json_integer_value(json);
	else
		return -EBADMSG;
	return *value <= max ? 0 : -EBADMSG;
}

static int decode_name(uint32_t *value, const struct member *m, const json_t *json)
{
	const char *name = json_string_value(json);

	for (uint32_t i = 0; name && i < m->n_names; i++)
		if (!strcmp(name, m->names[i])) {
			*value = i;
			return 0;
		}
	return -EBADMSG;
}

static int decode_double(double *value, const json_t *json)
{
	*value = json_is_null(json) ? NAN : json_number_value(json);
	if (json_is_null(json))
		return 0;
	return json_is_number(json) && *value >= 0 ? 0 : -EBADMSG;
}

static int decode_text(char *field, size_t size, const json_t *json)
{
	if (!json_is_string(json) || json_string_length(json) >= size)
		return -EBADMSG;
	ctl_clean(field, size, json_string_value(json));
	return 0;
}

static int decode_one(uint8_t *to, const struct member *m, const json_t *json)
{
	void *field = to + m->off;
	uint64_t u64 = 0;
	uint32_t u32 = 0;
	double real;
	bool flag;
	int rc;

	switch (m->type) {
	case MEMBER_BOOL:
		flag = json_is_true(json);
		memcpy(field, &flag, sizeof(flag));
		return json_is_boolean(json) ? 0 : -EBADMSG;
	case MEMBER_U32:
		rc = m->names ? decode_name(&u32, m, json)
			      : decode_integer(&u64, UINT32_MAX, m, json);
		u32 |= (uint32_t)u64;
		memcpy(field, &u32, sizeof(u32));
		return rc;
	case MEMBER_U64:
		rc = decode_integer(&u64, UINT64_MAX, m, json);
		memcpy(field, &u64, sizeof(u64));
		return rc;
	case MEMBER_DOUBLE:
		rc = decode_double(&real, json);
		memcpy(field, &real, sizeof(real));
		return rc;
	case MEMBER_TEXT:
		return decode_text(field, m->size, json);
	}
	return -EBADMSG;
}

/* What a member must be, for the sentence. */
static void describe(char *text, size_t size, const struct member *m)
{
	if (m->names)
		snprintf(text, size, "not one of the known spellings");
	else if (m->type == MEMBER_BOOL)
		snprintf(text, size, "neither true nor false");
	else if (m->type == MEMBER_TEXT)
		snprintf(text, size, "not a text of at most %zu bytes", m->size - 1);
	else if (m->type == MEMBER_DOUBLE)
		snprintf(text, size, "neither a number from 0 on nor null");
	else if (m->max)
		snprintf(text, size, "not an integer of 0 to %" PRIu64, m->max);
	else
		snprintf(text, size, "neither an integer of %s bits without sign nor null",
			 m->type == MEMBER_U32 ? "32" : "63");
}

int member_decode(void *to, const struct member_table *table, const json_t *obj)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct member *m = &table->members[i];
		const json_t *json = json_object_get(obj, m->name);
		char what[96];

		if (!json)
			return wrong(table, m, "missing");
		if (decode_one(to, m, json)) {
			describe(what, sizeof(what), m);
			return wrong(table, m, what);
		}
	}
	return 0;
}

/* A JSON value as it is written, cut at size; "missing" for NULL. */
static void value_text(char *text, size_t size, const json_t *json)
{
	char *dump = json ? json_dumps(json, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;

	ctl_clean(text, size, dump ? dump : "missing");
	free(dump);
}

int member_compare(const struct member_table *table, const json_t *own, const json_t *peers)
{
	for (size_t i = 0; i < table->n; i++) {
		const char *name = table->members[i].name;
		const json_t *a = json_object_get(own, name), *b = json_object_get(peers, name);
		char a_text[64], b_text[64];

		if (a && b && json_equal(a, b))
			continue;
		value_text(a_text, sizeof(a_text), a);
		value_text(b_text, sizeof(b_text), b);
		return err_set(-EPROTO, "the two sides disagree on the %s: %s is %s here, %s at "
			       "the peer", table->message, name, a_text, b_text);
	}
	return 0;
}
