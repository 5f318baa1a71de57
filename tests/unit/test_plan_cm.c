/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* --cm in options and plans; what iWARP devices run, and the name of what they do not. */
#include "config.h"

#include "plan_ends.h"

#include "endpoint/ep.h"

static struct ends with_cm(void)
{
	struct ends e = ends();

	e.client.rdma_cm = e.server.rdma_cm = true;
	return e;
}

/* As siw: the GID is a MAC, no atomics. */
static struct ends iwarp(void)
{
	struct ends e = with_cm();

	e.client.transport_type = e.server.transport_type = LIMITS_IWARP;
	e.client.max_srqs = e.server.max_srqs = 64;
	e.client.max_srq_wr = e.server.max_srq_wr = 32768;
	e.client.max_srq_sge = e.server.max_srq_sge = 30;
	e.client.atomics = e.server.atomics = false;
	e.client.gids[0] = (struct plan_gid){ .index = 0, .raw = { 0x52, 0x54, 0, 0x77, 0, 1 } };
	e.server.gids[0] = (struct plan_gid){ .index = 0, .raw = { 0x52, 0x54, 0, 0x77, 0, 2 } };
	return e;
}

static void the_plan_says_who_connects(void **state)
{
	struct ends e = with_cm();
	struct plan plan;

	(void)state;
	resolved(&plan, &e, TEST_SEND_BW, "");
	assert_int_equal(plan.path.connect, CONNECT_TCP);
	resolved(&plan, &e, TEST_SEND_BW, "-R");
	assert_int_equal(plan.path.connect, CONNECT_RDMA_CM);
	assert_false(plan.path.iwarp);
	resolved(&plan, &e, TEST_SEND_LAT, "--cm -c UD");
	assert_int_equal(plan.path.connect, CONNECT_RDMA_CM);
}

/* Without --cm nobody asks for rdma_cm. */
static void a_side_without_rdma_cm_is_named(void **state)
{
	struct ends e = with_cm();
	struct plan plan;

	(void)state;
	e.server.rdma_cm = false;
	resolved(&plan, &e, TEST_SEND_BW, "");
	refused(&e, TEST_SEND_BW, "-R",
		"-R (--cm): beta has no rdma_cm: the module rdma_ucm is not loaded, or /dev/infiniband/rdma_cm cannot be opened; see: ls -l /dev/infiniband/rdma_cm; remedy: modprobe rdma_ucm");
}

static void rules(void **state)
{
	static const struct {
		struct cfg cfg;
		const char *text;
	} cases[] = {
		{ { .rdma_cm = true, .transport = TP_UC }, "no port space for UC queue pairs" },
		{ { .rdma_cm = true, .transport = TP_DC }, "-R (--cm) over DC: rdma_cm knows neither" },
		{ { .rdma_cm = true, .given = { .sl = true } }, "-S (--sl) has no effect with -R" },
		{ { .rdma_cm = true, .given = { .hop_limit = true } },
		  "--hop-limit has no effect with -R" },
		{ { .rdma_cm = true, .given = { .pkey_index = true } },
		  "--pkey-index has no effect with -R" },
		{ { .rdma_cm = true, .flow_label = "1" }, "--flow-label has no effect with -R" },
		{ { .rdma_cm = true, .given = { .pkey = true } }, "--pkey has no effect with -R" },
		{ { .rdma_cm = true, .transport = TP_UD, .one_qp = true }, "--one-qp exclude each" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		static char program[] = "prog", host[] = "host";
		char *argv[] = { program, host, NULL };
		struct cfg cfg = { .test = TEST_SEND_BW };

		assert_int_equal(options_parse(&cfg, OPTIONS_TEST, 2, argv), 0);
		assert_int_equal(plan_rules(&cfg), 0);
		cfg.rdma_cm = cases[i].cfg.rdma_cm;
		cfg.transport = cases[i].cfg.transport;
		cfg.one_qp = cases[i].cfg.one_qp;
		cfg.given = cases[i].cfg.given;
		cfg.flow_label = cases[i].cfg.flow_label;
		assert_int_equal(plan_rules(&cfg), -EINVAL);
		if (!strstr(err_text(), cases[i].text))
			fail_msg("%s", err_text());
	}
}

static void iwarp_needs_cm(void **state)
{
	struct ends e = iwarp();
	struct plan plan;

	(void)state;
	refused(&e, TEST_SEND_BW, "",
		"iWARP: needs -R (--cm): dev1 of alpha: QPs of iWARP connect by rdma_cm only; see: verbench list; remedy: -R; iWARP has no UC, UD and atomics");
	for (enum test test = TEST_SEND_BW; test <= TEST_READ_LAT; test++) {
		resolved(&plan, &e, test, "-R");
		assert_true(plan.path.iwarp);
	}
	resolved(&plan, &e, TEST_SEND_BW, "-R -b");
}

static void what_iwarp_has_not_is_named(void **state)
{
	struct ends e = iwarp();

	(void)state;
	refused(&e, TEST_SEND_BW, "-R -c UD",
		"iWARP: dev1 of alpha has no UD; it has RC with send, write and read");
	refused(&e, TEST_SEND_BW, "-c UC",
		"iWARP: dev1 of alpha has no UC; it has RC with send, write and read");
	refused(&e, TEST_WRITE_BW, "-R --imm",
		"iWARP: dev1 of alpha has no immediate data; it has RC with send, write and read");
	refused(&e, TEST_ATOMIC_BW, "-R", "atomic_bw: dev2 of beta, the target, has no atomics");
	refused(&e, TEST_READ_BW, "-R -b",
		"iWARP: -b (--both) of read_bw on dev1 of alpha: the server would have to send before a message of the client has come");
	refused(&e, TEST_SEND_BW, "-R --srq -q 2",
		"iWARP: dev1 of alpha: --srq and --one-qp need credits with immediate data, and those of iWARP are without");
}

/* erdma: QUIRK_IWARP_IMM. Both sides must have it. */
static void immediate_data_of_iwarp(void **state)
{
	struct ends e = iwarp();
	struct plan plan;

	(void)state;
	e.client.iwarp_imm = true;
	refused(&e, TEST_WRITE_BW, "-R --imm",
		"iWARP: dev2 of beta has no immediate data; it has RC with send, write and read");
	e.server.iwarp_imm = true;
	resolved(&plan, &e, TEST_WRITE_BW, "-R --imm");
	resolved(&plan, &e, TEST_SEND_LAT, "-R --imm");
	refused(&e, TEST_WRITE_BW, "--imm",
		"iWARP: needs -R (--cm): dev1 of alpha: QPs of iWARP connect by rdma_cm only; see: verbench list; remedy: -R; iWARP has no UC, UD and atomics");
}

/*
 * A credit message of iWARP is an empty send without a number. The receiver of a stream takes no
 * credit, and its sender nothing else; only with both directions an empty message could be either.
 */
static void empty_messages_of_iwarp_are_no_credit(void **state)
{
	static char program[] = "prog", cm[] = "-Rb", size[] = "-s", none[] = "0", host[] = "host";
	char *argv[] = { program, cm, size, none, host, NULL };
	struct cfg both = { .test = TEST_SEND_BW };
	struct ends e = iwarp();
	struct plan plan;

	(void)state;
	resolved(&plan, &e, TEST_SEND_BW, "-R -s 0");
	assert_false(role_takes_stream(plan.work.role[SIDE_CLIENT]));
	assert_false(role_sends(plan.work.role[SIDE_SERVER]));
	resolved(&plan, &e, TEST_SEND_LAT, "-R -s 0");
	assert_int_equal(options_parse(&both, OPTIONS_TEST, 5, argv), 0);
	assert_int_equal(plan_rules(&both), -EINVAL);
	assert_string_equal(err_text(),
			    "-s (--size) 0 with -b (--both) on send_bw: a message without payload cannot be told from a credit message of the other direction");
}

static void iwarp_and_roce_do_not_meet(void **state)
{
	struct ends e = with_cm();
	struct plan plan;

	(void)state;
	e.server.transport_type = LIMITS_IWARP;
	assert_int_equal(resolve(&plan, &e, TEST_SEND_BW, "-R"), -EINVAL);
	assert_string_equal(
		err_text(),
		"transport of dev1 of alpha: RoCE, of dev2 of beta: iWARP; they cannot reach each other");
}

/* EFA has neither connections nor port numbers that rdma_cm knows. */
static void no_rdma_cm_over_other_transports(void **state)
{
	struct ends e = with_cm();

	(void)state;
	e.client.transport_type = e.server.transport_type = LIMITS_OTHER;
	refused(&e, TEST_SEND_BW, "-R -c UD",
		"-R (--cm): rdma_cm connects InfiniBand, RoCE and iWARP, and dev1 of alpha is none of them (transport unspecified)");
	refused(&e, TEST_SEND_BW, "-c UD --mcast 239.1.2.3 --mcast-join cm",
		"--mcast-join cm: rdma_cm connects InfiniBand, RoCE and iWARP, and dev1 of alpha is none of them (transport unspecified)");
}

/* The answer of a read is a write there, to the side that reads. */
static void a_read_sink_of_iwarp_allows_remote_writes(void **state)
{
	struct ends e = iwarp(), roce = ends();
	struct plan plan;

	(void)state;
	resolved(&plan, &e, TEST_READ_BW, "-R");
	assert_int_equal(ep_access(&plan, SIDE_CLIENT),
			 IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	assert_int_equal(ep_access(&plan, SIDE_SERVER),
			 IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	resolved(&plan, &e, TEST_WRITE_BW, "-R");
	assert_int_equal(ep_access(&plan, SIDE_CLIENT), IBV_ACCESS_LOCAL_WRITE);
	resolved(&plan, &roce, TEST_READ_BW, "");
	assert_int_equal(ep_access(&plan, SIDE_CLIENT), IBV_ACCESS_LOCAL_WRITE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_plan_says_who_connects),
		cmocka_unit_test(a_side_without_rdma_cm_is_named),
		cmocka_unit_test(rules),
		cmocka_unit_test(iwarp_needs_cm),
		cmocka_unit_test(what_iwarp_has_not_is_named),
		cmocka_unit_test(immediate_data_of_iwarp),
		cmocka_unit_test(empty_messages_of_iwarp_are_no_credit),
		cmocka_unit_test(iwarp_and_roce_do_not_meet),
		cmocka_unit_test(no_rdma_cm_over_other_transports),
		cmocka_unit_test(a_read_sink_of_iwarp_allows_remote_writes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
