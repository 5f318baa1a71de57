/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * perftest.def against perftest's own lists of options, and what the parser answers to each row.
 * What whole command lines are told is in tests/cli.
 */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "decide/plan.h"
#include "options/label.h"
#include "options/options.h"
#include "options/options_scan.h"
#include "options/perftest.h"
#include "perftest/dropin.h"
#include "perftest_names.h"
#include "util/err.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))
#define COLUMNS 65 /* of 80, less "vb_atomic_lat: " */

static void test_help_of_debian(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(names_help); i++) {
		const struct names_option *n = &names_help[i];
		const struct perftest_option *o = perftest_find(n->name, strlen(n->name));

		assert_non_null(o);
		assert_int_equal(o->letter, strcmp(n->name, "source_ip") ? n->letter : 'j');
		/* 4.5 has no write with immediate data, and takes what it does not list */
		if (o->tests && strcmp(n->name, "rx-depth") && strcmp(n->name, "report_gbits") &&
		    strcmp(n->name, "events"))
			assert_int_equal(o->tests, n->n);
	}
}

/* Every option of the parser has a row, and every row is an option of it. */
static void check_version(const struct names_option *names, size_t n, unsigned version)
{
	size_t rows = 0;

	for (size_t i = 0; i < n; i++) {
		const struct perftest_option *o = perftest_find(names[i].name,
								strlen(names[i].name));

		assert_non_null(o);
		assert_true(perftest_versions(o) & version);
		assert_int_equal(o->letter, names[i].letter);
		assert_int_equal(o->value != PERFTEST_FLAG, names[i].n);
	}
	for (size_t i = 0; i < perftest_n_options; i++)
		rows += !!(perftest_versions(&perftest_options[i]) & version);
	assert_int_equal(rows, n);
}

static void test_parsers(void **state)
{
	(void)state;
	check_version(names_4_5, N(names_4_5), PERFTEST_4_5);
	check_version(names_6_29, N(names_6_29), PERFTEST_6_29);
}

/* A name that both have is the same option; where a letter is another one here, it is known. */
static void test_own_names(void **state)
{
	/* --wide, --verbose: limit_bw, mac_fwd of raw Ethernet */
	static const char others[] = "wv";

	(void)state;
	for (size_t i = 0; i < options_table.n; i++) {
		const struct field *f = &options_table.rows[i];
		const struct perftest_option *o;
		char name[LABEL_MAX];

		field_option(f, name, sizeof(name));
		o = perftest_find(name, strlen(name));
		if (o) {
			assert_int_equal(o->answer, PERFTEST_TAKEN);
			assert_int_equal(options_table.rows[o->row].off, f->off);
		}
		o = f->letter ? perftest_find_letter(f->letter) : NULL;
		if (o && !strchr(others, f->letter)) {
			assert_int_equal(o->answer, PERFTEST_TAKEN);
			assert_int_equal(options_table.rows[o->row].off, f->off);
		}
	}
}

/* One of the tests on which the option has an effect. */
static enum test test_of(const struct perftest_option *o)
{
	uint32_t test = 0;

	while (o->tests && !(o->tests >> test & 1))
		test++;
	return (enum test)test;
}

/* A value that perftest takes. */
static const char *value_of(const struct perftest_option *o)
{
	switch (o->value) {
	case PERFTEST_FLAG:
		return NULL;
	case PERFTEST_SIZE:
		return "64K";
	case PERFTEST_WORD:
		return o->words[0].theirs;
	case PERFTEST_TEXT:
		return "text";
	default:
		return !strcmp(o->name, "mtu") ? "1024" : "5";
	}
}

static int parse_of(struct cfg *cfg, enum test test, const char *label, const char *value,
		    struct options_faults *faults)
{
	static char words[4][64] = { "vb" }; /* cfg keeps them */
	char *argv[] = { words[0], words[1], words[2], words[3], NULL };
	const bool name = label[1] == '-';
	int argc = 2;

	snprintf(words[1], sizeof(words[1]), "%s%s%s", label, value && name ? "=" : "",
		 value && name ? value : "");
	if (value && !name)
		snprintf(words[argc++], sizeof(words[0]), "%s", value);
	snprintf(words[argc++], sizeof(words[0]), "host");
	argv[argc] = NULL;
	*cfg = (struct cfg){ .test = test };
	err_clear();
	return options_parse_all(cfg, OPTIONS_TEST, &(struct options_line){ argc, argv, NULL },
				 faults);
}

static int parse(struct cfg *cfg, const struct perftest_option *o, const char *label,
		 const char *value, struct options_faults *faults)
{
	return parse_of(cfg, test_of(o), label, value, faults);
}

static void check_taken(const struct perftest_option *o, const char *label)
{
	const struct field *row = &options_table.rows[o->row];
	const char *value = value_of(o), *ours = perftest_value(o, value);
	struct cfg cfg, want = { 0 };
	char got[FIELD_TEXT_MAX], wanted[FIELD_TEXT_MAX];
	struct options_faults faults;

	assert_int_equal(field_defaults(&options_table, &want), 0);
	assert_int_equal(field_parse(row, &want, ours), 0);
	assert_int_equal(parse(&cfg, o, label, value, &faults), 0);
	assert_true(cfg.given.rows[o->row]);
	assert_string_equal(label_row(&cfg, o->row, got), label);
	if (row->type == FIELD_STRING) {
		assert_string_equal(field_text(row, &cfg), ours);
		return;
	}
	assert_string_equal(field_format(row, &cfg, got, sizeof(got)),
			    field_format(row, &want, wanted, sizeof(wanted)));
}

/* With a note if nothing is lost, else with an error message: the same sentence. */
static void check_told(const struct perftest_option *o, const char *label)
{
	static const char iperf3[] = "; for iperf3's: "; /* it has that letter or name, too */
	const bool needless = o->answer == PERFTEST_NEEDLESS;
	const char *told;
	char want[128];
	struct options_faults faults;
	struct cfg cfg;

	snprintf(want, sizeof(want), "%s: %s", label, o->help);
	assert_true(strlen(want) <= COLUMNS);
	assert_int_equal(parse(&cfg, o, label, value_of(o), &faults), needless ? 0 : -EINVAL);
	assert_int_equal(faults.needless.n, needless);
	assert_int_equal(faults.wrong.n, !needless);
	told = needless ? faults.needless.text : faults.wrong.text;
	assert_memory_equal(told, want, strlen(want));
	told += strlen(want);
	assert_true(!told[0] || (!needless && !strncmp(told, iperf3, strlen(iperf3))));
}

static void check_label(const struct perftest_option *o, const char *label)
{
	if (o->answer == PERFTEST_TAKEN)
		check_taken(o, label);
	else
		check_told(o, label);
}

/* By its name, by its name with the other of '-' and '_', and by its letter. */
static void test_answers(void **state)
{
	char label[LABEL_MAX];

	(void)state;
	for (size_t i = 0; i < perftest_n_options; i++) {
		const struct perftest_option *o = &perftest_options[i];
		bool letter = o->letter;

		assert_true(o->answer == PERFTEST_TAKEN || (o->help && o->help[0]));
		assert_int_equal(o->answer == PERFTEST_REFUSED, o->why != PERFTEST_NOT_REFUSED);
		assert_int_equal(o->raw, !o->tests);
		if (!strcmp(o->name, "help") || !strcmp(o->name, "version"))
			continue;
		snprintf(label, sizeof(label), "--%s", o->name);
		check_label(o, label);
		for (char *p = label + 2; *p; p++)
			*p = *p == '-' ? '_' : *p == '_' ? '-' : *p;
		check_label(o, label);
		for (size_t j = 0; j < options_table.n; j++)
			if (options_table.rows[j].letter == o->letter)
				letter &= o->answer == PERFTEST_TAKEN;
		snprintf(label, sizeof(label), "-%c", o->letter);
		if (letter)
			check_label(o, label);
	}
}

/* Sizes, counts and words as perftest writes them. */
static void test_values(void **state)
{
	const struct perftest_option *size = perftest_find("size", 4);
	const struct perftest_option *atomic = perftest_find("atomic_type", 11);
	struct options_faults faults;
	struct cfg cfg;

	(void)state;
	assert_int_equal(parse(&cfg, size, "-s", "64K", &faults), 0);
	assert_int_equal(cfg.size_bytes, 65536);
	assert_int_equal(parse(&cfg, size, "--size", "8M", &faults), 0);
	assert_int_equal(cfg.size_bytes, 8 << 20);
	assert_int_equal(parse(&cfg, atomic, "--atomic_type", "CMP_AND_SWAP", &faults), 0);
	assert_int_equal(cfg.atomic, ATOMIC_CMP_SWAP);
	assert_int_equal(parse(&cfg, atomic, "-A", "FETCH_AND_ADD", &faults), 0);
	assert_int_equal(cfg.atomic, ATOMIC_FETCH_ADD);
	assert_int_equal(parse(&cfg, atomic, "--atomic_type", "ADD", &faults), -EINVAL);
	assert_string_equal(err_text(),
			    "--atomic_type \"ADD\": unknown; allowed: cmp_swap, fetch_add, write");
}

/* What the document says about the drop-in programs is so. */
static void test_own_of_dropin(void **state)
{
	(void)state;
	for (size_t i = 0; i < perftest_n_options; i++)
		assert_true(dropin_own_known(&perftest_options[i]));
}

/* Reads "ib_TEST --option value host", with imm behind immediate data. */
static int parse_dropin(const struct perftest_option *o, enum test test, bool imm)
{
	const char *value = value_of(o);
	char words[5][64];
	char *argv[] = { words[0], words[1], words[2], NULL, NULL, NULL };
	struct dropin d = { .program = words[0], .cfg = { .test = test } };
	int argc = 1;

	snprintf(words[0], sizeof(words[0]), "ib_%s", kind_test_names[test]);
	snprintf(words[argc++], sizeof(words[0]), "--%s%s%s", o->name, value ? "=" : "",
		 value ? value : "");
	if (imm)
		snprintf(words[argc++], sizeof(words[0]), "--write_with_imm");
	argv[argc] = words[4];
	snprintf(words[4], sizeof(words[4]), "host");
	return dropin_options(&d, argc + 1, argv);
}

/*
 * Where a test program takes an option, the drop-in of that test does what the document says: the
 * same, nothing, or a refusal.
 */
static void test_dropins_of_tests(void **state)
{
	struct options_faults faults;
	struct cfg cfg;
	char label[LABEL_MAX];

	(void)state;
	for (size_t i = 0; i < perftest_n_options; i++) {
		const struct perftest_option *o = &perftest_options[i];

		snprintf(label, sizeof(label), "--%s", o->name);
		for (enum test t = 0; t < TEST_COUNT && o->drop == PERFTEST_SETS; t++) {
			const bool takes = perftest_has_effect(o, t) || perftest_idles(o);
			const bool needs_imm = o->with_imm >> t & 1;

			if (parse_of(&cfg, t, label, value_of(o), &faults) || cfg.help ||
			    cfg.version || plan_rules(&cfg))
				continue;
			assert_int_equal(parse_dropin(o, t, false),
					 takes && !needs_imm ? 0 : -EINVAL);
			if (needs_imm)
				assert_int_equal(parse_dropin(o, t, true), 0);
		}
	}
}

/* A message names its option as it was typed, but not by a word that implies a value. */
static void test_label_error(void **state)
{
	static const struct {
		const char *option, *message, *want;
	} cases[] = {
		{ "-t (--depth)", "5 on 3 QPs", "--tx_depth 5 on 3 QPs" },
		{ "-q (--qps)", "2: lower --depth", "-q 2: lower --depth" },
		{ "-r (--recv-depth)", "1", "-r (--recv-depth) 1" },
		{ "--srq", ": none", "--srq: none" },
		{ "--srq", "none", "--srq none" },
		{ "--buffers", "odp: none", "--buffers odp: none" },
	};
	char words[][16] = { "vb", "-beq5", "--tx_depth=5", "--odp", "host" };
	char *argv[] = { words[0], words[1], words[2], words[3], words[4], NULL };
	struct cfg cfg = { .test = TEST_SEND_BW };

	(void)state;
	assert_int_equal(options_parse(&cfg, OPTIONS_TEST, 5, argv), 0);
	for (size_t i = 0; i < N(cases); i++) {
		err_option(-EINVAL, cases[i].option, "%s", cases[i].message);
		assert_string_equal(label_error(&cfg), cases[i].want);
		assert_string_equal(label_error(&cfg), cases[i].want);
	}
	err_refuse("-q (--qps)", "allowed: 1", "%d", 5);
	err_wrap(-EINVAL, "dev0");
	assert_string_equal(label_error(&cfg), "dev0: -q 5; allowed: 1");
	err_set(-EINVAL, "-q (--qps) 5");
	assert_string_equal(label_error(&cfg), "-q (--qps) 5");
}

/* docs/from-perftest.md has the tables that are made of the rows: "make docs" writes it. */
static void test_document(void **state)
{
	const char *top = getenv("srcdir");
	char path[4096], *made = NULL, *kept;
	size_t size = 0, len;
	FILE *out = open_memstream(&made, &size), *doc;

	(void)state;
	snprintf(path, sizeof(path), "%s/docs/from-perftest.md", top ? top : ".");
	doc = fopen(path, "r");
	assert_true(out && doc);
	assert_int_equal(perftest_doc(out, doc), 0);
	fclose(out);
	rewind(doc);
	kept = calloc(1, size + 2);
	assert_non_null(kept);
	len = fread(kept, 1, size + 1, doc);
	fclose(doc);
	assert_int_equal(len, size);
	assert_string_equal(kept, made);
	free(kept);
	free(made);
}

/* A document with wrong marks is refused. */
static void test_bad_documents(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "a\n", "no place for a table" },
		{ "a\n<!-- other -->\nb\n<!-- end -->\n", "other" },
		{ "a\n<!-- letters -->\nb\n", "no end of the table \"letters\"" },
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		FILE *out = fopen("/dev/null", "w"), *in;
		char copy[128];

		snprintf(copy, sizeof(copy), "%s", cases[i].text);
		in = fmemopen(copy, strlen(copy), "r");
		assert_true(out && in);
		assert_int_equal(perftest_doc(out, in), -EBADMSG);
		assert_non_null(strstr(err_text(), cases[i].says));
		fclose(in);
		fclose(out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_help_of_debian),
		cmocka_unit_test(test_parsers),
		cmocka_unit_test(test_own_names),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_own_of_dropin),
		cmocka_unit_test(test_dropins_of_tests),
		cmocka_unit_test(test_label_error),
		cmocka_unit_test(test_document),
		cmocka_unit_test(test_bad_documents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
