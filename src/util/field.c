/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Reads and writes one field of a struct. Called by the other field_*.c. */
#include "config.h"
#include "util/field.h"

#include <string.h>

static void *place(const struct field *f, void *obj)
{
	return (char *)obj + f->off;
}

static const void *place_const(const struct field *f, const void *obj)
{
	return (const char *)obj + f->off;
}

const struct field *field_find(const struct field_table *table, const char *name)
{
	for (size_t i = 0; i < table->n; i++) {
		if (!strcmp(table->rows[i].name, name))
			return &table->rows[i];
	}
	return NULL;
}

uint64_t field_integer(const struct field *f, const void *obj)
{
	const void *at = place_const(f, obj);

	switch (f->type) {
	case FIELD_BOOL:
		return *(const bool *)at;
	case FIELD_U32:
		return *(const uint32_t *)at;
	case FIELD_U64:
		return *(const uint64_t *)at;
	default:
		return 0;
	}
}

double field_real(const struct field *f, const void *obj)
{
	return *(const double *)place_const(f, obj);
}

const char *field_text(const struct field *f, const void *obj)
{
	const void *at = place_const(f, obj);

	return f->type == FIELD_TEXT ? at : *(const char *const *)at;
}

void field_set_integer(const struct field *f, void *obj, uint64_t value)
{
	void *at = place(f, obj);

	switch (f->type) {
	case FIELD_BOOL:
		*(bool *)at = value != 0;
		break;
	case FIELD_U32:
		*(uint32_t *)at = (uint32_t)value;
		break;
	case FIELD_U64:
		*(uint64_t *)at = value;
		break;
	default:
		break;
	}
}

void field_set_text(const struct field *f, void *obj, const char *text)
{
	void *at = place(f, obj);

	if (f->type == FIELD_TEXT)
		snprintf(at, f->size, "%s", text);
	else
		*(const char **)at = text;
}
