/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Finds, reads, sets and clears one value of a struct; merges the values of two threads, and
 * subtracts an earlier sum. Knows no text or JSON form of a value.
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
	uint64_t value = 0;
	uint32_t u32 = 0;
	bool flag = false;

	if (f->type == FIELD_U64)
		memcpy(&value, at, sizeof(value));
	else if (f->type == FIELD_U32)
		memcpy(&u32, at, sizeof(u32));
	else if (f->type == FIELD_BOOL)
		memcpy(&flag, at, sizeof(flag));
	return value + u32 + flag;
}

double field_real(const struct field *f, const void *obj)
{
	double real = NAN;

	if (f->type == FIELD_F64)
		memcpy(&real, place(f, obj), sizeof(real));
	return real;
}

bool field_is_text(const struct field *f)
{
	return f->type == FIELD_TEXT || f->type == FIELD_STRING || f->names;
}

static const char *spelling(const struct field *f, uint64_t value)
{
	for (uint64_t i = 0; f->names[i]; i++)
		if (i == value)
			return f->names[i];
	return "";
}

const char *field_text(const struct field *f, const void *obj)
{
	const char *string = NULL;

	if (f->names)
		string = spelling(f, field_integer(f, obj));
	else if (f->type == FIELD_STRING)
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

bool field_set_name(const struct field *f, void *obj, const char *name,
		    int (*compare)(const char *, const char *))
{
	for (uint64_t i = 0; f->names[i]; i++) {
		if (compare(name, f->names[i]))
			continue;
		field_set_integer(f, obj, i);
		return true;
	}
	return false;
}

uint64_t field_all_ones(const struct field *f)
{
	return f->type == FIELD_BOOL ? 1 : f->type == FIELD_U32 ? UINT32_MAX : UINT64_MAX;
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
		return f->absent == FIELD_MARK && field_integer(f, obj) == field_all_ones(f);
	}
	return false;
}

static void clear_one(const struct field *f, void *obj)
{
	const bool mark = f->absent == FIELD_MARK;

	if (f->type == FIELD_STRUCT)
		field_clear(f->table, own_place(f, obj));
	else if (f->type == FIELD_F64)
		field_set_real(f, obj, mark ? NAN : 0);
	else if (f->type == FIELD_TEXT || f->type == FIELD_STRING)
		field_set_text(f, obj, f->type == FIELD_TEXT ? "" : NULL);
	else
		field_set_integer(f, obj, mark && f->type != FIELD_BOOL ? field_all_ones(f) : 0);
}

void field_clear(const struct field_table *table, void *obj)
{
	for (size_t i = 0; i < table->n; i++)
		clear_one(&table->rows[i], obj);
}

/* ---- threads */

static void merge_integer(const struct field *f, void *sum, const void *one)
{
	const uint64_t a = field_integer(f, sum), b = field_integer(f, one);

	if (f->merge == FIELD_SUM)
		field_set_integer(f, sum, a + b);
	else if (f->merge == FIELD_AND)
		field_set_integer(f, sum, a & b);
	else if ((f->merge == FIELD_MIN && b < a) || (f->merge == FIELD_MAX && b > a))
		field_set_integer(f, sum, b);
}

static void merge_real(const struct field *f, void *sum, const void *one)
{
	const double a = field_real(f, sum), b = field_real(f, one);

	if (f->merge == FIELD_SUM)
		field_set_real(f, sum, a + b);
	else if ((f->merge == FIELD_MIN && b < a) || (f->merge == FIELD_MAX && b > a))
		field_set_real(f, sum, b);
}

static void merge_value(const struct field *f, void *sum, const void *one)
{
	const bool is_text = f->type == FIELD_TEXT || f->type == FIELD_STRING;

	if (f->merge == FIELD_KEEP || field_is_absent(f, one))
		return;
	if (field_is_absent(f, sum) && is_text)
		field_set_text(f, sum, field_text(f, one));
	else if (field_is_absent(f, sum))
		memcpy(own_place(f, sum), place(f, one), f->size);
	else if (f->type == FIELD_F64)
		merge_real(f, sum, one);
	else if (!is_text)
		merge_integer(f, sum, one);
}

void field_merge(const struct field_table *table, void *sum, const void *one)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct field *f = &table->rows[i];

		if (f->type == FIELD_STRUCT)
			field_merge(f->table, (char *)sum + f->off, (const char *)one + f->off);
		else
			merge_value(f, sum, one);
	}
}

void field_since(const struct field_table *table, void *since, const void *now, const void *before)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct field *f = &table->rows[i];
		uint64_t more, less;

		if (f->merge != FIELD_SUM || f->type != FIELD_U64)
			continue;
		more = field_integer(f, now);
		less = field_is_absent(f, before) ? 0 : field_integer(f, before);
		if (!field_is_absent(f, now))
			more = more > less ? more - less : 0;
		field_set_integer(f, since, more);
	}
}
