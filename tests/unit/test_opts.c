/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The table itself (defaults, letters, key names), the rules between options, and the way to the
 * server and back. The sentences of the command line are in tests/cli.
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

#include "util/err.h"
#include "config/opts.h"

/* Words of line are the command line of test. */
static int parse(struct cfg *cfg, enum test test, const char *line)
{
	static char copy[256], program[] = "prog";
	char *argv[32];
	int argc = 0;

	snprintf(copy, sizeof(copy), "%s", line);
	argv[argc++] = program;
	for (char *w = strtok(copy, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	argv[argc] = NULL;
	*cfg = (struct cfg){ .test = test };
	err_clear();
	return opts_parse(cfg, OPTS_TEST, argc, argv);
}

static void test_defaults(void **state)
{
	struct cfg cfg;

	(void)state;
	assert_int_equal(parse(&cfg, TEST_SEND_BW, "host"), 0);
	assert_string_equal(cfg.host, "host");
	assert_null(cfg.device);
	assert_true(cfg.ib_port == CFG_AUTO && cfg.gid_index == CFG_AUTO);
	assert_int_equal(cfg.tcp_port, 18515);
	assert_int_equal(cfg.connect_timeout_ms, 10000);
	assert_int_equal(cfg.stall_timeout_ms, 5000);
	assert_int_equal(cfg.transport, TP_RC);
	assert_int_equal(cfg.completion, CM_POLL);
	assert_true(cfg.size_bytes == CFG_AUTO64 && cfg.messages == CFG_AUTO64);
	assert_true(cfg.duration_s == CFG_AUTO && cfg.depth == CFG_AUTO);
	assert_int_equal(cfg.qps, 1);
	assert_int_equal(cfg.post_list, 1);
	assert_int_equal(cfg.atomic, 1);
	assert_int_equal(cfg.qp_timeout, 14);
	assert_int_equal(cfg.retry, 6);
	assert_int_equal(cfg.rnr_retry, 6);
	assert_int_equal(cfg.min_rnr_timer, 12);
}

static void test_table_is_sound(void **state)
{
	(void)state;
	assert_non_null(opts_table[0].group);
	for (size_t i = 0; i < opts_count; i++) {
		const struct opt *a = &opts_table[i];
		bool number = a->type != OPT_BOOL && a->type != OPT_STR && !a->names;

		assert_true(a->name && a->help && a->help[0]);
		assert_true(!number || (a->min < a->max && a->def && a->arg));
		/* all ones means auto or none, and must not be a value as well */
		assert_true(a->type != OPT_U32 || a->max < UINT32_MAX);
		for (size_t j = 0; j < i; j++) {
			assert_string_not_equal(a->name, opts_table[j].name);
			assert_true(!a->letter || a->letter != opts_table[j].letter);
			assert_int_not_equal(a->off, opts_table[j].off);
		}
	}
}

static void test_kinds(void **state)
{
	struct cfg cfg;
	struct kind k;

	(void)state;
	assert_int_equal(parse(&cfg, TEST_SEND_LAT, "h -c ud --imm -e"), 0);
	k = cfg_kind(&cfg);
	assert_true(k.tp == TP_UD && k.op == OP_SEND_IMM && k.cm == CM_EVENT);
	assert_int_equal(cfg.completion, CM_EVENT);
	assert_int_equal(parse(&cfg, TEST_WRITE_BW, "h -c UC"), 0);
	k = cfg_kind(&cfg);
	assert_true(k.tp == TP_UC && k.op == OP_WRITE && k.cm == CM_POLL);
	assert_int_equal(parse(&cfg, TEST_WRITE_LAT, "h --imm --completion event"), 0);
	assert_int_equal(cfg_kind(&cfg).op, OP_WRITE_IMM);
	assert_int_equal(parse(&cfg, TEST_ATOMIC_LAT, "h -A cmp_swap"), 0);
	assert_int_equal(cfg_kind(&cfg).op, OP_CMP_SWAP);
	assert_int_equal(parse(&cfg, TEST_ATOMIC_BW, "h"), 0);
	assert_int_equal(cfg_kind(&cfg).op, OP_FETCH_ADD);
	assert_int_equal(parse(&cfg, TEST_READ_BW, "h"), 0);
	assert_int_equal(cfg_kind(&cfg).op, OP_READ);
}

static void test_accepted(void **state)
{
	static const struct {
		enum test test;
		const char *line;
	} good[] = {
		{ TEST_SEND_BW, "h -D 3 -a -b -q 64 -t 256 -l 16 -Q 64 -r 1024 --verify" },
		{ TEST_SEND_BW, "h -c UD -m 1024 -s 1k --tclass 96 -S 3 -e" },
		{ TEST_SEND_LAT, "h -D 3 -r 16 -I 64 -s 64 --rnr-retry 7" },
		{ TEST_WRITE_BW, "h --imm -r 64 --min-rnr-timer 1" },
		{ TEST_WRITE_BW, "h -l 12 -Q 4" }, { TEST_WRITE_BW, "h -l 4 -Q 12" },
		{ TEST_WRITE_BW, "h -l 300" }, { TEST_SEND_BW, "h -I 64 -a" },
		{ TEST_READ_BW, "h -o 16 -a" }, { TEST_READ_LAT, "h -e -u 0 --retry 7" },
		{ TEST_ATOMIC_BW, "h -b -o 255 -t 1" }, { TEST_SEND_BW, "h --completion poll" },
	};
	struct cfg cfg;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		int rc = parse(&cfg, good[i].test, good[i].line);

		if (rc)
			fail_msg("%s: %s", good[i].line, err_text());
	}
}

/* Each option that is bound to some tests is refused on every other, by name. */
static void test_no_effect(void **state)
{
	struct cfg cfg = { 0 };
	char start[64];

	(void)state;
	for (uint32_t test = 0; test < TEST_COUNT; test++) {
		for (size_t i = 0; i < opts_count; i++) {
			const struct opt *o = &opts_table[i];
			char label[OPT_TEXT_MAX];

			if (!o->tests || o->tests >> test & 1)
				continue;
			assert_int_equal(parse(&cfg, test, "h"), 0);
			assert_int_equal(opts_rules(&cfg, (opt_set)1 << i), -EINVAL);
			snprintf(start, sizeof(start), "%s has no effect on %s: it is for ",
				 opt_label(o, label, sizeof(label)), kind_test_names[test]);
			assert_memory_equal(err_text(), start, strlen(start));
		}
	}
}

static void test_round_trip(void **state)
{
	static const char *const lines[] = {
		"h",
		("h -c UC -e --imm -s 3M -D 7 -t 64 -r 99 -q 3 -l 8 -Q 16 -I 0 -m 4096 -b --verify "
		 "-S 5 --tclass 255"),
		"h --stall-timeout 700ms -a -n 1000000000000 -u 3 --retry 0 --rnr-retry 1",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct cfg sent, got;
		json_t *json, *again;

		assert_int_equal(parse(&sent, TEST_SEND_BW, lines[i]), 0);
		assert_int_equal(parse(&got, TEST_READ_LAT, "-d mlx5_0 -p 7 --stall-timeout 9"), 0);
		json = opts_to_json(&sent);
		assert_non_null(json);
		json_object_set_new(json, "type", json_string("plan"));
		json_object_set_new(json, "unknown_option", json_integer(1));
		assert_int_equal(opts_from_json(&got, json), 0);
		assert_int_equal(got.test, TEST_SEND_BW);
		assert_string_equal(got.device, "mlx5_0");
		assert_int_equal(got.tcp_port, 7);
		/* the plans of both sides must agree on it */
		assert_int_equal(got.stall_timeout_ms, sent.stall_timeout_ms);
		assert_null(got.host);
		assert_memory_equal(&(struct kind[]){ cfg_kind(&got) },
				    &(struct kind[]){ cfg_kind(&sent) }, sizeof(struct kind));
		json_object_del(json, "type");
		json_object_del(json, "unknown_option");
		again = opts_to_json(&got);
		assert_true(json_equal(json, again));
		json_decref(json);
		json_decref(again);
	}
}

static void bad_json(const char *text, int rc, const char *sentence)
{
	json_t *json = json_loads(text, 0, NULL);
	struct cfg cfg, before;

	assert_non_null(json);
	assert_int_equal(parse(&cfg, TEST_SEND_BW, "-p 7"), 0);
	before = cfg;
	assert_int_equal(opts_from_json(&cfg, json), rc);
	assert_string_equal(err_text(), sentence);
	assert_memory_equal(&cfg, &before, sizeof(cfg));
	json_decref(json);
}

static void test_json_refused(void **state)
{
	(void)state;
	bad_json("{}", -EBADMSG, "the plan message names no test");
	bad_json("{\"test\":1}", -EBADMSG, "the plan message names no test");
	bad_json("{\"test\":\"send_bww\"}", -EINVAL,
		 "the plan message asks for \"send_bww\", a test that is not known here");
	bad_json("{\"test\":\"send_bw\",\"qps\":0}", -EINVAL,
		 "-q (--qps) \"0\": out of range; allowed: 1..16384");
	bad_json("{\"test\":\"send_bw\",\"qps\":\"1\"}", -EBADMSG,
		 "--qps in the message has a wrong JSON type");
	bad_json("{\"test\":\"read_bw\",\"transport\":\"UC\"}", -EINVAL,
		 "read over UC: UC has no responses, which would bring the data; use RC");
	bad_json("{\"test\":\"read_bw\",\"imm\":true}", -EINVAL,
		 "--imm has no effect on read_bw: it is for send_bw, send_lat, write_bw, "
		 "write_lat");
	bad_json("{\"test\":\"send_bw\",\"post_list\":3,\"signal_interval\":4}", -EINVAL,
		 "-l (--post-list) 3 and -Q (--signal-interval) 4: one must be a multiple of the "
		 "other");
	bad_json("{\"test\":\"write_lat\",\"transport\":\"UC\",\"qps\":2}", -EINVAL,
		 "-q (--qps) 2 for write_lat over UC: after a lost write the two sides would wait "
		 "on different QPs; use --imm, or 1");
}

/* Every row is in the man page, once. */
static void test_man(void **state)
{
	char *text = NULL, word[64];
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_non_null(out);
	opts_man(out);
	fclose(out);
	for (size_t i = 0; i < opts_count; i++) {
		const char *at;

		snprintf(word, sizeof(word), "Fl \\-%s%s", opts_table[i].name,
			 opts_table[i].type == OPT_BOOL ? "\n" : " Ar ");
		at = strstr(text, word);
		assert_non_null(at);
		assert_null(strstr(at + 1, word));
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_table_is_sound),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_accepted),
		cmocka_unit_test(test_no_effect),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_json_refused),
		cmocka_unit_test(test_man),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
