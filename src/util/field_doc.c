/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the form of a table in a document. Called by the generators of docs/. */
#include "config.h"
#include "util/field.h"

#include <inttypes.h>
#include <string.h>

#define VALUES_TEXT 512

struct doc {
	FILE *out;
	unsigned flags;
	bool values, unit;    /* which columns there are */
};

const char *field_type_name(const struct field *f)
{
	switch (f->type) {
	case FIELD_BOOL:
		return "boolean";
	case FIELD_U32:
	case FIELD_U64:
		return f->names ? "string" : "integer";
	case FIELD_F64:
		return "number";
	case FIELD_TEXT:
	case FIELD_STRING:
		return "string";
	case FIELD_STRUCT:
		return "object";
	}
	return "";
}

static bool may_be_null(const struct field *f)
{
	return f->type == FIELD_STRING || (f->absent != FIELD_NEVER && f->type != FIELD_BOOL &&
					   f->type != FIELD_STRUCT);
}

/* What it can be beyond its type; "" when the type says it all. */
static void values_text(const struct doc *doc, const struct field *f, char *text, size_t size)
{
	const bool null = may_be_null(f);
	size_t len = 0;

	text[0] = '\0';
	if (!(doc->flags & FIELD_WIRE))
		return;
	for (uint32_t i = 0; f->names && f->names[i] && len < size; i++)
		len += (size_t)snprintf(text + len, size - len, "%s`%s`", i ? ", " : "",
					f->names[i]);
	if (!f->names && f->max)
		len = (size_t)snprintf(text, size, "%" PRIu64 " to %" PRIu64, f->min, f->max);
	else if (f->type == FIELD_TEXT)
		len = (size_t)snprintf(text, size, "at most %zu bytes", f->size - 1);
	if (null && len < size)
		snprintf(text + len, size - len, "%s", len ? ", or null" : "or null");
}

static bool is_shown(const struct doc *doc, const struct field *f)
{
	return f->flags & doc->flags & ~FIELD_FLAT;
}

/* Sets which columns are needed. */
static void measure(struct doc *doc, const struct field_table *table)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct field *f = &table->rows[i];
		char text[VALUES_TEXT];

		if (!is_shown(doc, f))
			continue;
		if (f->type == FIELD_STRUCT)
			measure(doc, f->table);
		values_text(doc, f, text, sizeof(text));
		doc->values |= text[0] != '\0';
		doc->unit |= f->unit != NULL;
	}
}

/* prefix: "affinity." in front of the names of a struct inside. */
static void print_rows(const struct doc *doc, const struct field_table *table, const char *prefix)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct field *f = &table->rows[i];
		const bool flat = f->flags & FIELD_FLAT;
		char text[VALUES_TEXT], inside[128];

		if (!is_shown(doc, f))
			continue;
		if (!flat) {
			values_text(doc, f, text, sizeof(text));
			fprintf(doc->out, "| `%s%s` | %s |", prefix, f->name, field_type_name(f));
			if (doc->values)
				fprintf(doc->out, " %s |", text);
			if (doc->unit)
				fprintf(doc->out, " %s |", f->unit ? f->unit : "");
			fprintf(doc->out, " %s |\n", f->help ? f->help : "");
		}
		if (f->type != FIELD_STRUCT)
			continue;
		snprintf(inside, sizeof(inside), "%s%s.", prefix, f->name);
		print_rows(doc, f->table, flat ? prefix : inside);
	}
}

void field_doc(FILE *out, const struct field_table *table, unsigned flags)
{
	struct doc doc = { .out = out, .flags = flags };

	measure(&doc, table);
	fprintf(out, "| name | type |%s%s meaning |\n", doc.values ? " values |" : "",
		doc.unit ? " unit |" : "");
	fprintf(out, "| --- | --- |%s%s --- |\n", doc.values ? " --- |" : "",
		doc.unit ? " --- |" : "");
	print_rows(&doc, table, "");
}
