/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * row: the table of columns covers the struct, sources fit their columns, absent is not zero, and
 * the printed rates are those of the integers in the row, to the last digit.
 */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "worker/result.h"
#include "decide/plan.h"
#include "row/row_build.h"
#include "objects/setup_row.h"

static const char *cell(const struct row *row, const char *name)
{
	static char text[FIELD_TEXT_MAX];
	const struct field *column = field_find(&row_table, name);

	assert_non_null(column);
	return field_format(column, row, text, sizeof(text));
}

/* Every byte of the struct but padding belongs to exactly one column. */
static void columns_cover_the_struct(void **state)
{
	static unsigned char seen[sizeof(struct row)];

	(void)state;
	for (size_t i = 0; i < row_table.n; i++) {
		const struct field *c = &row_table.rows[i];

		assert_true(c->name[0] && c->help[0] && c->flags & FIELD_COLUMN);
		assert_true(c->type == FIELD_TEXT || c->size == (c->names ? 4 : 8));
		assert_null(strchr(c->help, '|')); /* would break the table of the schema */
		for (size_t b = 0; b < c->size; b++)
			assert_int_equal(seen[c->off + b]++, 0);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(c->name, row_table.rows[j].name);
	}
	for (size_t b = 0, gap = 0; b < sizeof(struct row); b++) {
		gap = seen[b] ? 0 : gap + 1;
		assert_true(gap < 8);
	}
}

/* Each source is a field of a table, of a type that fits its column. */
static void sources_fit_the_columns(void **state)
{
	size_t copied = 0;

	(void)state;
	for (size_t i = 0; i < row_table.n; i++) {
		const struct row_source *source = &row_source_table[i];
		const struct field *to = &row_table.rows[i], *from;
		size_t base;

		if (source->from == ROW_COMPUTED)
			continue;
		copied++;
		from = row_source_field(source, &base);
		if (!from || from->type == FIELD_STRUCT)
			fail_msg("%s has no source", to->name);
		if (to->names != from->names ||
		    (to->type == FIELD_TEXT) != (from->type == FIELD_TEXT) ||
		    (to->type == FIELD_U64 && from->type == FIELD_F64) ||
		    (to->type == FIELD_TEXT && from->type == FIELD_TEXT && to->size < from->size))
			fail_msg("%s does not fit its source %s", to->name, from->name);
		/* a column that keeps the name of its source keeps its unit */
		if (!strcmp(to->name, from->name) && to->unit)
			assert_string_equal(to->unit, from->unit ? from->unit : "none");
	}
	assert_in_range(copied, 1, row_table.n - 1);
}

static void sources_are_copied(void **state)
{
	const struct result own = { .cpu_ns = 7, .polls = 3, .locks = LOCKS_OFF_CQ, .affinity = {
		.cpus = "0-3", .hca_node = UINT32_MAX, .distance = 10,
		.placement = TOPO_FAR } };
	const struct plan plan = { .work = { .threads = 2, .bidir = true, .inline_bytes = 5,
					     .kind.op = OP_WRITE }, .path.retry = 6 };
	const struct result_lat lat = { .samples = 9, .p50_ns = 1.5, .p99_ns = NAN };
	const struct limits here = { .kernel = "6.1.0", .cpu_model = "Some CPU" };
	const struct limits there = { .kernel = "6.6.0", .governor = "powersave" };
	struct row_sources sources = { .obj = { [ROW_OWN] = &own, [ROW_PLAN] = &plan,
						[ROW_OWN_LIMITS] = &here,
						[ROW_PEER_LIMITS] = &there,
						[ROW_LATENCY] = &lat } };
	struct row row;

	(void)state;
	row_init(&row);
	row_source_fill(&row, &sources);
	assert_string_equal(cell(&row, "opcode"), "write");
	assert_string_equal(cell(&row, "threads"), "2");
	assert_string_equal(cell(&row, "bidir"), "1");
	assert_string_equal(cell(&row, "cpus"), "0-3");
	assert_string_equal(cell(&row, "hca_node"), "");
	assert_string_equal(cell(&row, "distance"), "10");
	assert_string_equal(cell(&row, "placement"), "far");
	assert_string_equal(cell(&row, "page_bytes"), "");
	assert_string_equal(cell(&row, "lat_p50_ns"), "1.5");
	assert_string_equal(cell(&row, "lat_p99_ns"), "");
	assert_string_equal(cell(&row, "kernel"), "6.1.0");
	assert_string_equal(cell(&row, "peer_kernel"), "6.6.0");
	assert_string_equal(cell(&row, "cpu_model"), "Some CPU");
	assert_string_equal(cell(&row, "peer_cpu_model"), "");
	assert_string_equal(cell(&row, "governor"), "");
	assert_string_equal(cell(&row, "peer_governor"), "powersave");
	/* the other side is not known, and no condition holds */
	assert_string_equal(cell(&row, "peer_placement"), "");
	assert_string_equal(cell(&row, "host"), "");
	assert_string_equal(cell(&row, "cpu_ns"), "");
	assert_string_equal(cell(&row, "locks"), "");
	assert_string_equal(cell(&row, "retry"), "");
	assert_string_equal(cell(&row, "inline_bytes"), "");
	sources.holds = ROW_OWN_HAS_LOOP | ROW_RELIABLE;
	row_source_fill(&row, &sources);
	assert_string_equal(cell(&row, "cpu_ns"), "7");
	assert_string_equal(cell(&row, "locks"), "off_cq");
	assert_string_equal(cell(&row, "retry"), "6");
	assert_string_equal(cell(&row, "credit_stalls"), "");
}

static void empty_is_absent(void **state)
{
	struct row row;

	(void)state;
	row_init(&row);
	assert_string_equal(cell(&row, "schema"), "1");
	assert_string_equal(cell(&row, "tool_version"), PACKAGE_VERSION);
	for (size_t i = 0; i < row_table.n; i++) {
		const char *name = row_table.rows[i].name;

		if (strcmp(name, "schema") && strcmp(name, "tool_version"))
			assert_string_equal(cell(&row, name), "");
	}
	row.lost = 0;
	row.lat_stdev_ns = 0;
	assert_string_equal(cell(&row, "lost"), "0");
	assert_string_equal(cell(&row, "lat_stdev_ns"), "0");
}

static void rates_need_a_window(void **state)
{
	struct row row;

	(void)state;
	row_init(&row);
	row.size_bytes = 64;
	row.messages = 1001;
	row.window_messages = 1000;
	row_rates(&row);
	assert_true(isnan(row.bandwidth_gbit_s) && isnan(row.message_rate_per_s));
	row.window_ns = 0;
	row_rates(&row);
	assert_true(isnan(row.bandwidth_gbit_s) && isnan(row.bandwidth_mib_s));
	row.window_ns = 1000000;
	row_rates(&row);
	assert_string_equal(cell(&row, "bandwidth_gbit_s"), "0.512");
	assert_string_equal(cell(&row, "bandwidth_mib_s"), "61.0351562"); /* tie: to even */
	assert_string_equal(cell(&row, "message_rate_per_s"), "1000000");
	row.size_bytes = ROW_NONE;
	row_rates(&row);
	assert_true(isnan(row.bandwidth_gbit_s) && !isnan(row.message_rate_per_s));
	row.window_messages = ROW_NONE;
	row_rates(&row);
	assert_true(isnan(row.message_rate_per_s));
}

/* |text - num/den| is at most half a unit of the ninth digit. */
static void check_quotient(const char *text, long double want)
{
	long double ninth = powl(10, floorl(log10l(want)) - (FIELD_DIGITS - 1));
	const char *point = strchr(text, '.');
	size_t digits = strlen(text) - (point ? 1 : 0);

	assert_null(strpbrk(text, "eE+-"));
	assert_true(fabsl(strtold(text, NULL) - want) <= ninth * 0.500001L);
	if (want > 0.1L) /* and no more digits are printed than are right */
		assert_true(digits <= FIELD_DIGITS + 1 || !point);
}

static void rates_are_those_of_the_integers(void **state)
{
	uint64_t s = 88172645463325252u;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		long double bytes;
		struct row row;

		row_init(&row);
		s ^= s << 13;
		s ^= s >> 7;
		s ^= s << 17;
		row.size_bytes = 1 + (s >> (40 + s % 20));
		row.messages = row.window_messages = 1 + (s >> (30 + s % 30));
		row.window_ns = 1 + (s * 2654435761u >> (24 + s % 32));
		row_rates(&row);
		bytes = (long double)row.window_messages * row.size_bytes;
		check_quotient(cell(&row, "bandwidth_gbit_s"),
			       bytes * 8 / row.window_ns);
		check_quotient(cell(&row, "bandwidth_mib_s"),
			       bytes / 1048576 / row.window_ns * 1e9L);
		check_quotient(cell(&row, "message_rate_per_s"),
			       (long double)row.messages / row.window_ns * 1e9L);
	}
}

/* What a peer says can neither break the line nor reach beyond the field. */
static void strings_are_cleaned(void **state)
{
	struct row row;

	(void)state;
	row_init(&row);
	snprintf(row.reason, sizeof(row.reason), "a\nb\tc\033[31m\x7f\xc3\xa9");
	assert_string_equal(cell(&row, "reason"), "a b c [31m ??");
	memset(row.host, 'h', sizeof(row.host)); /* not terminated */
	assert_int_equal(strlen(cell(&row, "host")), ROW_NAME - 1);
}

static void reasons_say_the_status_once(void **state)
{
	struct row row = { .status = RESULT_INTERRUPTED, .reason = "interrupted on the client" };
	char why[ROW_WHY];

	(void)state;
	assert_string_equal(row_why(&row, why), "interrupted on the client");
	strcpy(row.reason, "the peer has gone");
	assert_string_equal(row_why(&row, why), "interrupted: the peer has gone");
}

/* Of a write of ten messages, by one thread. */
static struct plan ten_writes(void)
{
	return (struct plan){ .work = { .test = TEST_WRITE_BW, .pattern = PATTERN_STREAM,
					.kind = { .tp = TP_RC, .op = OP_WRITE }, .qps = 1,
					.threads = 1, .depth = 8, .post_list = 1,
					.signal_interval = 1,
					.role = { ROLE_STREAM_TX, ROLE_PASSIVE } },
			      .n_points = 1 };
}

static struct row_build_in in_of(const struct plan *plan, const struct result *client,
				 const struct result *server)
{
	static const struct point point = { .size_bytes = 64, .messages = 10,
					    .footprint_bytes = 8192 };
	static const struct limits limits = { .host = "a" };

	return (struct row_build_in){ .plan = plan, .point = &point, .side = SIDE_CLIENT,
				      .limits = { &limits, &limits },
				      .result = { client, server },
				      .clock = "", .pin = { "", "" }, .mem = { "", "" } };
}

/* Each warning is told apart from the one before it, and none begins with a separator. */
static void warnings_are_joined(void **state)
{
	const struct plan plan = ten_writes();
	static struct result client, server;
	static struct row rows[ROW_BUILD_MAX];
	const struct row_build_in in = in_of(&plan, &client, &server);

	(void)state;
	result_clear(&client);
	result_clear(&server);
	client.sent = 10;
	client.tx_window_ns = ROW_SHORT_NS;
	snprintf(server.affinity.warnings, sizeof(server.affinity.warnings), "it moved");
	assert_int_equal(row_build(rows, &in), 1);
	assert_string_equal(rows[0].warnings, "server: it moved");
	snprintf(client.affinity.warnings, sizeof(client.affinity.warnings), "it waited");
	row_build(rows, &in);
	assert_string_equal(rows[0].warnings, "client: it waited; server: it moved");
	client.lost_events = 2;
	row_build(rows, &in);
	assert_string_equal(rows[0].warnings,
			    "missing completion events: 2 (a poll every 20 ms found them); client: it waited; server: it moved");
	client.tx_window_ns = ROW_SHORT_NS - 10000000;
	row_build(rows, &in);
	assert_string_equal(rows[0].warnings,
			    "missing completion events: 2 (a poll every 20 ms found them); measured for 40 ms, less than 50 ms: the start counts; -D 1 measures for a second; client: it waited; server: it moved");
	client.lost_events = 0;
	row_build(rows, &in);
	assert_string_equal(rows[0].warnings,
			    "measured for 40 ms, less than 50 ms: the start counts; -D 1 measures for a second; client: it waited; server: it moved");
}

/* How long a thread polls before it sleeps is of those that do both. */
static void columns_of_a_kind(void **state)
{
	static struct result client, server;
	static struct row rows[ROW_BUILD_MAX];
	struct plan plan = ten_writes();
	const struct row_build_in in = in_of(&plan, &client, &server);

	(void)state;
	result_clear(&client);
	result_clear(&server);
	plan.work.spin_us = 7;
	assert_int_equal(row_build(rows, &in), 1);
	assert_string_equal(cell(&rows[0], "spin_us"), "");
	plan.work.kind.cm = CM_HYBRID;
	assert_int_equal(row_build(rows, &in), 1);
	assert_string_equal(cell(&rows[0], "spin_us"), "7");
}

static void worst_label(void **state)
{
	static struct result client, server;
	static struct row rows[ROW_BUILD_MAX];
	struct plan plan = ten_writes();
	const struct row_build_in in = in_of(&plan, &client, &server);

	(void)state;
	result_clear(&client);
	result_clear(&server);
	client.qp_sent = (struct fairness){ .min = 9, .max = 10, .index = 0.5, .least = 3 };
	strcpy(plan.path.flow_label, "7");
	assert_int_equal(row_build(rows, &in), 1);
	assert_string_equal(cell(&rows[0], "flow_label_worst"), "");
	strcpy(plan.path.flow_label, "7,0x1f");
	assert_int_equal(row_build(rows, &in), 1);
	assert_string_equal(cell(&rows[0], "flow_label_worst"), "0x1f");
	plan.work.kind.sharing = SHARING_ONE_QP;
	assert_int_equal(row_build(rows, &in), 1);
	assert_string_equal(cell(&rows[0], "flow_label_worst"), "");
}

/* A count was given to each QP: that they sent it says nothing about how they shared the link. */
static void shares_of_qps(void **state)
{
	static struct result client, server;
	static struct row rows[ROW_BUILD_MAX];
	const struct plan plan = ten_writes();
	const struct row_build_in in = in_of(&plan, &client, &server);

	(void)state;
	result_clear(&client);
	result_clear(&server);
	client.qp_sent = (struct fairness){ .min = 10, .max = 10, .index = 1 };
	assert_int_equal(row_build(rows, &in), 1);
	assert_string_equal(cell(&rows[0], "qp_messages_min"), "");
	client.qp_sent = (struct fairness){ .min = 9, .max = 10, .index = 0.5 };
	assert_int_equal(row_build(rows, &in), 1);
	assert_string_equal(cell(&rows[0], "qp_messages_min"), "9");
	assert_string_equal(cell(&rows[0], "qp_messages_max"), "10");
	assert_string_equal(cell(&rows[0], "qp_fairness"), "0.5");
	assert_string_equal(cell(&rows[0], "flow_label_worst"), "");
	client.qp_sent.index = NAN;
	assert_int_equal(row_build(rows, &in), 1);
	assert_string_equal(cell(&rows[0], "qp_messages_min"), "");
}

/* Of a point that was not measured to its end, losses and copies are not known. */
static void what_came_twice(void **state)
{
	static struct result client, server;
	static struct row rows[ROW_BUILD_MAX];
	struct plan plan = ten_writes();
	struct row_build_in in = in_of(&plan, &client, &server);

	(void)state;
	plan.work.test = TEST_SEND_BW;
	plan.work.kind = (struct kind){ .tp = TP_UD, .op = OP_SEND_IMM };
	plan.work.role[SIDE_SERVER] = ROLE_STREAM_RX;
	result_clear(&client);
	result_clear(&server);
	client.sent = 10;
	server.received = 11;
	server.duplicated = 2;
	server.out_of_order = 1;
	assert_int_equal(row_build(rows, &in), 1);
	assert_string_equal(cell(&rows[0], "duplicated"), "2");
	assert_string_equal(cell(&rows[0], "out_of_order"), "1");
	in.status = RESULT_INCOMPLETE;
	assert_int_equal(row_build(rows, &in), 1);
	assert_string_equal(cell(&rows[0], "duplicated"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_cover_the_struct),
		cmocka_unit_test(sources_fit_the_columns),
		cmocka_unit_test(sources_are_copied),
		cmocka_unit_test(empty_is_absent),
		cmocka_unit_test(rates_need_a_window),
		cmocka_unit_test(rates_are_those_of_the_integers),
		cmocka_unit_test(strings_are_cleaned),
		cmocka_unit_test(reasons_say_the_status_once),
		cmocka_unit_test(warnings_are_joined),
		cmocka_unit_test(columns_of_a_kind),
		cmocka_unit_test(worst_label),
		cmocka_unit_test(shares_of_qps), cmocka_unit_test(what_came_twice),
	};

	return cmocka_run_group_tests_name("row", tests, NULL, NULL);
}
