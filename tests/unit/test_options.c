/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The table of options, what the rules accept, and the way to the server and back. The refusals
 * of the command line are in tests/cli.
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
#include "options/label.h"
#include "options/options.h"
#include "decide/plan.h"

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
	return options_parse(cfg, OPTIONS_TEST, argc, argv) || plan_rules(cfg) ? -EINVAL : 0;
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
	assert_true(cfg.duration_ms == CFG_AUTO && cfg.depth == CFG_AUTO);
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
	assert_non_null(options_table.rows[0].group);
	for (size_t i = 0; i < options_table.n; i++) {
		const struct field *a = &options_table.rows[i];
		const bool number = (a->type == FIELD_U32 || a->type == FIELD_U64) && !a->names;
		char name[FIELD_TEXT_MAX], other[FIELD_TEXT_MAX];

		field_option(a, name, sizeof(name));
		assert_true(strlen(name) < 32 && !strchr(name, '_'));
		assert_true(a->help && a->help[0]);
		assert_true(!number || (a->min < a->max && a->arg));
		assert_true(!number || a->def || a->flags & FIELD_ALIAS);
		/* all ones is auto or none, and not a number as well */
		assert_true(a->type != FIELD_U32 || a->max < UINT32_MAX);
		/* what travels is an option of the client */
		assert_true(!(a->flags & FIELD_WIRE) || options_takes(a, OPTIONS_TEST) ||
			    a->flags & FIELD_INTERNAL);
		/* what the program sets is no option of any command */
		for (enum options_command c = OPTIONS_TEST; c <= OPTIONS_CHECK; c++)
			assert_true(!(a->flags & FIELD_INTERNAL) || !options_takes(a, c));
		for (size_t j = 0; j < i; j++) {
			const struct field *b = &options_table.rows[j];

			assert_string_not_equal(name, field_option(b, other, sizeof(other)));
			assert_true(!a->letter || a->letter != b->letter);
			/* an alias comes after its option */
			assert_true(a->off != b->off || a->flags & FIELD_ALIAS);
		}
	}
}

/* Operands may stand anywhere, and after "--" a word is no option. */
static void test_words(void **state)
{
	struct cfg cfg;

	(void)state;
	assert_int_equal(parse(&cfg, TEST_SEND_BW, "-bn3 host --size=1M -c ud -m 1024 -d rxe0"), 0);
	assert_string_equal(cfg.host, "host");
	assert_true(cfg.bidir && cfg.messages == 3 && cfg.size_bytes == 1 << 20);
	assert_string_equal(cfg.device, "rxe0");
	assert_true(cfg.given.bidir && cfg.given.messages && cfg.given.size_bytes);
	assert_true(cfg.given.transport && cfg.given.mtu_bytes && cfg.given.device);
	assert_false(cfg.given.qps || cfg.given.depth || cfg.given.events);
	assert_int_equal(parse(&cfg, TEST_SEND_BW, "-n3 -- -b"), 0);
	assert_string_equal(cfg.host, "-b");
	assert_false(cfg.bidir);
}

/* The operands of a line that is taken, or the first error of one that is not. */
static void test_syntax(void **state)
{
	static const struct {
		const char *line, *host, *error;
	} cases[] = {
		{ "-", "-", NULL },
		{ "--", NULL, NULL },
		{ "-b - --", "-", NULL },
		{ "-- --size", "--size", NULL },
		{ "-n 3 -- -- ", "--", NULL },
		{ "host -bn3", "host", NULL },
		{ "--rdma-cm host --cq_mod=4 -l4", "host", NULL },
		{ "-n=3 host", NULL, "-n \"=3\": not a number; allowed: 1..1000G or auto" },
		{ "--=3 host", NULL, "\"--\" is not an option" },
		{ "---both host", NULL, "\"---both\" is not an option; did you mean --both?" },
		{ "-= host", NULL, "\"-=\" is not an option" },
		{ "host -n", NULL, "-n needs a value: 1..1000G or auto" },
		{ "host --tx_depth", NULL, "--tx_depth needs a value: 1..16384 or auto" },
		{ "-b=1 host", NULL, "\"-=\" is not an option" },
		{ "--rdma_cm=1 host", NULL, "--rdma_cm takes no value" },
		{ "--report_gbits -F host", "host", NULL },
		{ "--report_gbits=1 host", NULL, "--report_gbits takes no value" },
		{ "host -f", NULL, "-f needs a value" },
		{ "--an-option-whose-name-is-longer-than-all-that-any-program-has-ever-had=1 host", NULL,
		  "\"--an-option-whose-name-is-longer-than-all-that-any-program-has-\" is not an option" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cfg cfg;

		assert_int_equal(parse(&cfg, TEST_SEND_BW, cases[i].line),
				 cases[i].error ? -EINVAL : 0);
		assert_string_equal(err_text(), cases[i].error ? cases[i].error : "");
		if (cases[i].host)
			assert_string_equal(cfg.host, cases[i].host);
		else
			assert_true(cases[i].error || !cfg.host);
	}
}

/* An alias sets the option, and counts as it. */
static void test_alias(void **state)
{
	struct cfg cfg;

	(void)state;
	assert_int_equal(parse(&cfg, TEST_SEND_LAT, "h -e"), 0);
	assert_int_equal(cfg.completion, CM_EVENT);
	assert_true(cfg.given.events && cfg.given.completion);
	assert_int_equal(parse(&cfg, TEST_SEND_LAT, "h --events"), 0);
	assert_int_equal(cfg.completion, CM_EVENT);
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
	assert_int_equal(parse(&cfg, TEST_WRITE_LAT, "h --flush global_mr -e"), 0);
	assert_int_equal(cfg_kind(&cfg).op, OP_WRITE_FLUSH);
	assert_int_equal(cfg_post_api(&cfg), APIS_POST_WR);
	assert_int_equal(parse(&cfg, TEST_ATOMIC_LAT, "h -A cmp_swap"), 0);
	assert_int_equal(cfg_kind(&cfg).op, OP_CMP_SWAP);
	assert_int_equal(parse(&cfg, TEST_ATOMIC_LAT, "h -A write"), 0);
	assert_int_equal(cfg_kind(&cfg).op, OP_ATOMIC_WRITE);
	assert_int_equal(cfg_post_api(&cfg), APIS_POST_WR);
	assert_int_equal(parse(&cfg, TEST_ATOMIC_BW, "h"), 0);
	assert_int_equal(cfg_kind(&cfg).op, OP_FETCH_ADD);
	assert_int_equal(parse(&cfg, TEST_READ_BW, "h"), 0);
	assert_int_equal(cfg_kind(&cfg).op, OP_READ);
	assert_int_equal(parse(&cfg, TEST_SEND_BW, "h"), 0);
	assert_int_equal(cfg_kind(&cfg).op, OP_SEND);
	/* whatever the options are, the opcode is one of the test */
	for (uint32_t n = 0; n < TEST_COUNT * 2 * ATOMIC_COUNT; n++) {
		cfg.test = (enum test)(n / 2 / ATOMIC_COUNT);
		cfg.imm = n & 1;
		cfg.atomic = n / 2 % ATOMIC_COUNT;
		assert_int_equal(kind_opcodes[cfg_kind(&cfg).op].family, kind_family(cfg.test));
	}
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

/* Each option that is for some tests is refused on the others. */
static void test_no_effect(void **state)
{
	struct cfg cfg = { 0 };
	char start[128], label[LABEL_MAX];

	(void)state;
	for (uint32_t test = 0; test < TEST_COUNT; test++) {
		for (size_t i = 0; i < options_table.n; i++) {
			const struct field *f = &options_table.rows[i];

			if (!f->tests || f->tests >> test & 1)
				continue;
			assert_int_equal(parse(&cfg, test, "h"), 0);
			cfg.given.rows[i] = true;
			assert_int_equal(plan_rules(&cfg), -EINVAL);
			snprintf(start, sizeof(start), "%s has no effect on %s, only on ",
				 label_row(&cfg, (enum cfg_row)i, label), kind_test_names[test]);
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
		json = options_to_json(&sent);
		assert_non_null(json);
		json_object_set_new(json, "type", json_string("plan"));
		json_object_set_new(json, "unknown_option", json_integer(1));
		assert_int_equal(options_from_json(&got, json), 0);
		assert_int_equal(plan_rules(&got), 0);
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
		again = options_to_json(&got);
		assert_true(json_equal(json, again));
		json_decref(json);
		json_decref(again);
	}
}

/* The values that are not the default are the given ones; a missing key is the default. */
static void test_given(void **state)
{
	json_t *json = json_pack("{s:s,s:i,s:i,s:s,s:s}", "test", "send_bw", "qps", 1, "messages",
				 9, "pin", "auto", "mem", "local");
	struct cfg cfg;

	(void)state;
	assert_int_equal(parse(&cfg, TEST_SEND_BW, "h -q 7 -e -p 7"), 0);
	assert_int_equal(options_from_json(&cfg, json), 0);
	assert_true(cfg.qps == 1 && cfg.messages == 9 && cfg.completion == CM_POLL);
	assert_string_equal(cfg.mem, "local");
	assert_true(cfg.given.messages && cfg.given.mem);
	assert_false(cfg.given.qps || cfg.given.pin || cfg.given.completion || cfg.given.events);
	assert_false(cfg.given.tcp_port);
	json_decref(json);
}

/* The server refuses what options_from_json() or the rules refuse. */
static void bad_json(const char *text, int code, const char *message)
{
	json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
	struct cfg cfg, before;
	int rc;

	assert_non_null(json);
	assert_int_equal(parse(&cfg, TEST_SEND_BW, "-p 7"), 0);
	before = cfg;
	rc = options_from_json(&cfg, json);
	if (rc)
		assert_memory_equal(&cfg, &before, sizeof(cfg));
	else
		rc = plan_rules(&cfg);
	assert_int_equal(rc, code);
	assert_string_equal(err_text(), message);
	json_decref(json);
}

static void bad_value(const char *member, int code, const char *message)
{
	char text[128];

	snprintf(text, sizeof(text), "{\"test\":\"send_bw\",%s}", member);
	bad_json(text, code, message);
}

static void test_json_refused(void **state)
{
	static const char *const wrong[] = { "\"qps\":\"1\"", "\"qps\":1.5", "\"qps\":null",
					     "\"imm\":1", "\"transport\":1", "\"pin\":1" };
	char message[128];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(message, sizeof(message),
			 "option %.*s in the plan message has a wrong JSON type",
			 (int)strcspn(wrong[i], ":"), wrong[i]);
		bad_value(wrong[i], -EBADMSG, message);
	}
	bad_json("[]", -EBADMSG, "the plan message names no test");
	bad_json("{}", -EBADMSG, "the plan message names no test");
	bad_json("{\"test\":1}", -EBADMSG, "the plan message names no test");
	bad_json("{\"test\":\"send_bww\"}", -EINVAL,
		 "the plan message names the test \"send_bww\", which this side does not know");
	bad_value("\"qps\":0", -EINVAL, "-q (--qps) \"0\": out of range; allowed: 1..16384");
	bad_value("\"qps\":-1", -EINVAL, "-q (--qps) \"-1\": not a number; allowed: 1..16384");
	bad_value("\"stall_timeout_ms\":1", -EINVAL,
		  "--stall-timeout \"1ms\": out of range; allowed: 100ms..1h");
	bad_value("\"duration_ms\":1", -EINVAL,
		  "-D (--duration) \"1ms\": out of range; allowed: 100ms..720h or auto or forever");
	bad_value("\"spin_us\":2000000", -EINVAL,
		  "--spin \"2000000us\": out of range; allowed: 0..1s");
	bad_value("\"transport\":\"\"", -EINVAL, "-c (--transport) \"\": the value is empty");
	bad_value("\"size\":\"none\"", -EINVAL,
		  "-s (--size) \"none\": not a size such as 512, 64k, 1M or 64KiB; allowed: 0..2G or auto");
	bad_json("{\"test\":\"read_bw\",\"transport\":\"UC\"}", -EINVAL,
		 "read over UC: UC has no responses; use RC");
	bad_json("{\"test\":\"read_bw\",\"imm\":true}", -EINVAL,
		 "--imm has no effect on read_bw, only on send_bw, send_lat, write_bw, write_lat");
	bad_value("\"inline\":63,\"size\":64", -EINVAL,
		  "-I (--inline) 63 has no effect on messages of 64 bytes: all messages are larger");
	bad_value("\"post_list\":3,\"signal_interval\":4", -EINVAL,
		  "-l (--post-list) 3 and -Q (--signal-interval) 4: one must be a multiple of the other");
	bad_json("{\"test\":\"write_lat\",\"transport\":\"UC\",\"qps\":2}", -EINVAL,
		 "-q (--qps) 2 for write_lat over UC: after a lost write the two sides would wait on different QPs; use --imm, or 1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_table_is_sound),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_syntax),
		cmocka_unit_test(test_alias),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_accepted),
		cmocka_unit_test(test_no_effect),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_given),
		cmocka_unit_test(test_json_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
