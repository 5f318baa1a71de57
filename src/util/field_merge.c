/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns how the values of two threads become one, and what is left of a sum without its first part.
 * Called by result.c and affinity_assess.c.
 */
#include "config.h"
#include "util/field.h"

static uint64_t merged_integer(enum field_merge merge, uint64_t sum, uint64_t one)
{
	switch (merge) {
	case FIELD_SUM:
		return sum + one;
	case FIELD_MIN:
		return one < sum ? one : sum;
	case FIELD_MAX:
		return one > sum ? one : sum;
	case FIELD_AND:
		return one & sum;
	case FIELD_KEEP:
	case FIELD_FIRST:
		break;
	}
	return sum;
}

static double merged_real(enum field_merge merge, double sum, double one)
{
	switch (merge) {
	case FIELD_SUM:
		return sum + one;
	case FIELD_MIN:
		return one < sum ? one : sum;
	case FIELD_MAX:
		return one > sum ? one : sum;
	case FIELD_AND:
	case FIELD_KEEP:
	case FIELD_FIRST:
		break;
	}
	return sum;
}

static void merge_value(const struct field *f, void *sum, const void *one)
{
	const bool first = field_is_absent(f, sum);

	if (f->merge == FIELD_KEEP || field_is_absent(f, one))
		return;
	switch (f->type) {
	case FIELD_BOOL:
	case FIELD_U32:
	case FIELD_U64:
		field_set_integer(f, sum, first ? field_integer(f, one) :
				  merged_integer(f->merge, field_integer(f, sum),
						 field_integer(f, one)));
		break;
	case FIELD_F64:
		field_set_real(f, sum, first ? field_real(f, one) :
			       merged_real(f->merge, field_real(f, sum), field_real(f, one)));
		break;
	case FIELD_TEXT:
	case FIELD_STRING:
		if (first)
			field_set_text(f, sum, field_text(f, one));
		break;
	case FIELD_STRUCT:
		break;
	}
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
