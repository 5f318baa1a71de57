/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * proto.c: the tables of messages are well formed, docs/dev/protocol.md is made from them, and a
 * document with wrong marks is refused.
 */
#include "config.h"
#include "place/machine.h"
#include "wire/proto.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/err.h"

/* Names are unique, a struct has a table, and every field that travels is explained. */
static void check_table(const struct field_table *table)
{
	assert_true(table->what[0] && table->n);
	for (size_t i = 0; i < table->n; i++) {
		const struct field *f = &table->rows[i];

		assert_true(f->name[0] && f->size);
		assert_int_equal(f->type == FIELD_STRUCT, f->table != NULL);
		assert_true((f->help && f->help[0]) || f->flags & FIELD_FLAT);
		assert_null(f->help ? strchr(f->help, '|') : NULL); /* breaks the document */
		assert_true(!f->names || f->type == FIELD_U32);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(f->name, table->rows[j].name);
		if (f->table)
			check_table(f->table);
	}
}

static void test_tables(void **state)
{
	(void)state;
	for (const struct proto_part *part = proto_parts; part->name; part++)
		check_table(part->table);
	/* the document names their files, or verbench-check(1) */
	check_table(&limits_table);
	check_table(&machine_table);
	check_table(&plan_table);
	check_table(&plan_point_table);
	check_table(&result_table);
}

/* The tables of docs/dev/protocol.md are those of the program: "make docs" writes them. */
static void test_document(void **state)
{
	const char *top = getenv("srcdir");
	char path[4096], *made = NULL, *kept;
	size_t size = 0;
	FILE *doc, *out = open_memstream(&made, &size);

	(void)state;
	snprintf(path, sizeof(path), "%s/docs/dev/protocol.md", top ? top : ".");
	doc = fopen(path, "r");
	assert_true(out && doc);
	assert_int_equal(proto_doc(out, doc), 0);
	fclose(out);
	for (const struct proto_part *part = proto_parts; part->name; part++) {
		char begin[64];

		snprintf(begin, sizeof(begin), "\n<!-- fields: %s -->\n", part->name);
		assert_non_null(strstr(made, begin));
	}
	rewind(doc);
	kept = calloc(1, size + 2);
	assert_non_null(kept);
	assert_int_equal(fread(kept, 1, size + 1, doc), size);
	fclose(doc);
	assert_string_equal(kept, made);
	free(kept);
	free(made);
}

static void check_bad_document(const char *text, const char *says)
{
	char copy[128], *made = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&made, &size), *in;

	snprintf(copy, sizeof(copy), "%s", text);
	in = fmemopen(copy, strlen(copy), "r");
	assert_true(out && in);
	assert_int_equal(proto_doc(out, in), -EBADMSG);
	assert_non_null(strstr(err_text(), says));
	fclose(in);
	fclose(out);
	free(made);
}

static void test_bad_documents(void **state)
{
	(void)state;
	check_bad_document("a\n<!-- fields: other -->\nb\n<!-- end -->\n", "other");
	check_bad_document("a\n", "no place for a table");
	check_bad_document("a\n<!-- fields: hello -->\nb\n", "no end of the table \"fields: hello\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_document),
		cmocka_unit_test(test_bad_documents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
