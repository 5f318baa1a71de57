/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the way to one value of a struct: find its row, read it, set it, clear it. Called by the
 * other field_*.c and by who has a table. Must not know a text or JSON form of a value.
 */
#include "config.h"
#include "util/field.h"

#include <math.h>
#include <string.h>

static const void *place(const struct field *f, const void *obj)
{
	return (const char *)obj + f->off;
}

static void *own_place(const struct field *f, void *obj)
{
	return (char *)obj + f->off;
}

const struct field *field_find(const struct field_table *table, const char *name)
{
	for (size_t i = 0; i < table->n; i++)
		if (!strcmp(table->rows[i].name, name))
			return &table->rows[i];
	return NULL;
}

const struct field *field_at(const struct field_table *table, size_t off, size_t *base)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct field *f = &table->rows[i];
		const struct field *found = f;

		if (off < f->off || off - f->off >= f->size)
			continue;
		*base = 0;
		if (f->type == FIELD_STRUCT) {
			found = field_at(f->table, off - f->off, base);
			*base += f->off;
		}
		return found && *base + found->off == off ? found : NULL;
	}
	return NULL;
}

uint64_t field_integer(const struct field *f, const void *obj)
{
	const void *at = place(f, obj);
	uint64_t u64 = 0;
	uint32_t u32;
	bool flag;

	switch (f->type) {
	case FIELD_BOOL:
		memcpy(&flag, at, sizeof(flag));
		return flag;
	case FIELD_U32:
		memcpy(&u32, at, sizeof(u32));
		return u32;
	case FIELD_U64:
		memcpy(&u64, at, sizeof(u64));
		return u64;
	case FIELD_F64:
	case FIELD_TEXT:
	case FIELD_STRING:
	case FIELD_STRUCT:
		break;
	}
	return u64;
}

double field_real(const struct field *f, const void *obj)
{
	double real = NAN;

	if (f->type == FIELD_F64)
		memcpy(&real, place(f, obj), sizeof(real));
	return real;
}

const char *field_text(const struct field *f, const void *obj)
{
	const char *string = NULL;

	if (f->type == FIELD_STRING)
		memcpy(&string, place(f, obj), sizeof(string));
	else if (f->type == FIELD_TEXT)
		string = place(f, obj);
	return string;
}

void field_set_integer(const struct field *f, void *obj, uint64_t value)
{
	const uint32_t u32 = (uint32_t)value;
	const bool flag = value;

	if (f->type == FIELD_BOOL)
		memcpy(own_place(f, obj), &flag, sizeof(flag));
	else if (f->type == FIELD_U32)
		memcpy(own_place(f, obj), &u32, sizeof(u32));
	else if (f->type == FIELD_U64)
		memcpy(own_place(f, obj), &value, sizeof(value));
}

void field_set_real(const struct field *f, void *obj, double value)
{
	if (f->type == FIELD_F64)
		memcpy(own_place(f, obj), &value, sizeof(value));
}

void field_set_text(const struct field *f, void *obj, const char *text)
{
	char *to = own_place(f, obj);

	if (f->type == FIELD_STRING) {
		memcpy(to, &text, sizeof(text));
	} else if (f->type == FIELD_TEXT) {
		const size_t len = strnlen(text, f->size - 1);

		memmove(to, text, len);
		to[len] = '\0';
	}
}

static uint64_t mark(const struct field *f)
{
	return f->type == FIELD_U32 ? UINT32_MAX : UINT64_MAX;
}

bool field_is_absent(const struct field *f, const void *obj)
{
	switch (f->type) {
	case FIELD_BOOL:
	case FIELD_STRUCT:
		return false;
	case FIELD_STRING:
		return !field_text(f, obj);
	case FIELD_TEXT:
		return f->absent != FIELD_NEVER && !field_text(f, obj)[0];
	case FIELD_F64:
		if (f->absent == FIELD_ZERO)
			return field_real(f, obj) == 0;
		return !isfinite(field_real(f, obj));
	case FIELD_U32:
	case FIELD_U64:
		if (f->absent == FIELD_ZERO)
			return !field_integer(f, obj);
		return f->absent == FIELD_MARK && field_integer(f, obj) == mark(f);
	}
	return false;
}

static void clear_one(const struct field *f, void *obj)
{
	switch (f->type) {
	case FIELD_BOOL:
	case FIELD_U32:
	case FIELD_U64:
		field_set_integer(f, obj, f->absent == FIELD_MARK && f->type != FIELD_BOOL ?
					  mark(f) : 0);
		break;
	case FIELD_F64:
		field_set_real(f, obj, f->absent == FIELD_MARK ? NAN : 0);
		break;
	case FIELD_TEXT:
		field_set_text(f, obj, "");
		break;
	case FIELD_STRING:
		field_set_text(f, obj, NULL);
		break;
	case FIELD_STRUCT:
		field_clear(f->table, own_place(f, obj));
		break;
	}
}

void field_clear(const struct field_table *table, void *obj)
{
	for (size_t i = 0; i < table->n; i++)
		clear_one(&table->rows[i], obj);
}
