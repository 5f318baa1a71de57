/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * format_table: golden text of the head, the columns of every pattern, and the footnotes, narrow
 * and wide. A change of what people see shows here.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "table_rows.h"
#include "write/output.h"

/* No line has more columns. Of the lines above the heads: at most so many. */
static void assert_fits(const char *text, size_t columns, uint32_t lines)
{
	const char *heads = strstr(text, " bytes ");
	uint32_t above = 0;

	assert_non_null(heads);
	while (heads > text && heads[-1] != '\n')
		heads--;
	for (const char *line = text; *line; line++) {
		const size_t len = strcspn(line, "\n");

		if (len > columns)
			fail_msg("%zu columns: %.*s", len, (int)len, line);
		above += line < heads;
		line += len;
	}
	if (above > lines)
		fail_msg("%u lines above the heads:\n%s", above, text);
}

/* What the table prints of n rows; to be freed. */
static char *table(const struct event_plan *run, const struct row *rows, size_t n)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	const struct format_file file = { .out = out, .screen = screen };
	void *state = NULL;

	assert_non_null(out);
	assert_int_equal(output_begin(&state, &format_table, &file), 0);
	format_table.take(state, &(struct event){ EVENT_PLAN, .plan = run });
	for (size_t i = 0; i < n; i++)
		format_table.take(state, &(struct event){ EVENT_ROW, .row = &rows[i] });
	assert_int_equal(output_end(state, &format_table), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void table_of_bandwidth(void **state)
{
	struct limits both[2];
	struct event_plan run;
	struct plan plan;
	struct row rows[3];
	char *text;

	(void)state;
	fill_run(&run, &plan, both);
	fill_row(&rows[0], 64);
	fill_row(&rows[1], UINT64_C(1) << 21);
	rows[1].window_ns = 1000000000;
	row_rates(&rows[1]);
	rows[1].cpu_ns_per_msg = 1234567.8;
	row_init(&rows[2]);
	rows[2].size_bytes = 4096;
	rows[2].status = RESULT_FAILED;
	snprintf(rows[2].reason, ROW_TEXT, "node2 said: \033[2Jretries exceeded");
	text = table(&run, rows, 3);
	assert_fits(text, 80, 6);
	assert_string_equal(text,
"verbench " PACKAGE_VERSION " write_bw, client: write over RC, completions by poll\n"
"client node1:rxe0 -> server node2.example:rxe0\n"
"link: client Ethernet of unknown rate, server Ethernet 2.5 Gbit/s, MTU 1024\n"
"each row: 5000 messages, 64 KiB of buffers in random order\n"
"\n"
"                                                 link      CPU ns/msg\n"
"  bytes   messages    Gbit/s     MiB/s   Mmsg/s     %     own    peer\n"
"     64       5000    0.6400     76.29  1.25000  12.3  1234.6    78.9\n"
"2097152       5000   83.8861  10000.00  0.00500  12.3 1234568    78.9\n"
"   4096     failed         -         -        -     -       -       - [1]\n"
"\n"
"note: MTU 1024: the server's port has 4096\n"
"[1] failed: node2 said: [2Jretries exceeded\n");
	free(text);
}

/* What changes the figures and is no default is above the table. */
static void table_of_other_means(void **state)
{
	struct limits both[2];
	struct event_plan run;
	struct plan plan;
	struct row row;
	char *text;

	(void)state;
	fill_run(&run, &plan, both);
	fill_row(&row, 64);
	plan.work.post_list = 16;
	plan.work.inline_bytes = 64;
	plan.work.kind.sharing = SHARING_SRQ;
	plan.path.connect = CONNECT_RDMA_CM;
	run.options = json_pack("{s:i}", "inline", 64);
	text = table(&run, &row, 1);
	assert_fits(text, 80, 7);
	assert_non_null(strstr(text, " in random order, post_list 16,\n"
				     "   inline_bytes 64, recv_queue srq, connect rdma_cm\n"));
	free(text);
	json_decref(run.options);
	run.options = json_pack("{s:s}", "inline", "auto");
	text = table(&run, &row, 1);
	assert_null(strstr(text, "inline"));
	free(text);
	json_decref(run.options);
}

/* What differs between the sides is named with the side; of a group, with its first receiver. */
static void table_of_different_links(void **state)
{
	struct limits both[2];
	const struct event_receiver receivers[] = {
		{ .name = "node2", .limits = &both[1] }, { .name = "node3", .limits = &both[1] },
	};
	struct event_plan run;
	struct plan plan;
	struct row row;
	char *text;

	(void)state;
	fill_run(&run, &plan, both);
	fill_row(&row, 64);
	both[0].rate_mbit_s = 100000;
	both[1].rate_mbit_s = 10000;
	both[0].active_mtu_bytes = both[1].active_mtu_bytes = 1024;
	text = table(&run, &row, 1);
	assert_non_null(strstr(text,
"link: client Ethernet 100 Gbit/s, server Ethernet 10 Gbit/s, MTU 1024\n"));
	free(text);

	both[0].active_mtu_bytes = 4096;
	both[1].rate_mbit_s = 100000;
	text = table(&run, &row, 1);
	assert_non_null(strstr(text,
"link: Ethernet 100 Gbit/s, MTU 1024 (ports: client 4096, server 1024)\n"));
	free(text);

	run.n_receivers = 2;
	run.receivers = receivers;
	both[1].rate_mbit_s = 10000;
	text = table(&run, &row, 1);
	assert_fits(text, 80, 6);
	assert_non_null(strstr(text,
"link: client Ethernet 100 Gbit/s, first receiver Ethernet 10 Gbit/s, MTU 1024\n"
"   (ports: client 4096, first receiver 1024)\n"));
	free(text);

	both[0] = both[1];
	text = table(&run, &row, 1);
	assert_non_null(strstr(text, "link: Ethernet 10 Gbit/s, MTU 1024\n"));
	free(text);
}

/* What will spoil the figures is above them, in two lines at most. */
static void table_of_busy_machines(void **state)
{
	struct limits both[2];
	struct event_plan run;
	struct plan plan;
	struct row row;
	char *text;

	(void)state;
	fill_run(&run, &plan, both);
	fill_row(&row, 64);
	plan.work.role[SIDE_CLIENT] = ROLE_STREAM_TX;
	both[0].n_cpus = both[0].host_cpus = both[1].host_cpus = 2;
	both[0].load = both[1].load = 14;
	snprintf(both[0].governor, sizeof(both[0].governor), "powersave");
	text = table(&run, &row, 1);
	assert_non_null(strstr(text, "in random order\n"
"warning: node1: 14 programs, 1 polling thread, 2 CPUs: use -e, --pin, another\n"
"   host\n"
"warning: node2.example: 14 programs, 2 CPUs: use --pin, another host\n"));
	assert_null(strstr(text, "powersave"));
	free(text);

	both[0].load = both[1].load = 0;
	plan.work.threads = 3;
	text = table(&run, &row, 1);
	assert_non_null(strstr(text,
"warning: node1: 3 polling threads, 2 CPUs: use -e or fewer --threads\n"
"warning: node1: governor powersave: cpupower frequency-set -g performance\n"));
	free(text);

	screen.quiet = true;
	text = table(&run, &row, 1);
	assert_null(strstr(text, "warning"));
	free(text);
}

/* Both directions over UD, on the server: rows of the server as it prints them. */
static void fill_bidir(struct event_plan *run, struct plan *plan, struct limits *both,
		       struct row *rows)
{
	fill_run(run, plan, both);
	plan->work.test = TEST_SEND_BW;
	plan->work.kind = (struct kind){ .tp = TP_UD, .op = OP_SEND, .cm = CM_EVENT };
	plan->work.server_completion = CM_EVENT;
	plan->work.bidir = true;
	plan->work.recv_depth = 512;
	both[0].emulated = true;
	run->side = SIDE_SERVER; /* self is then the right column */
	for (int i = 0; i < 2; i++) {
		fill_row(&rows[i], 64);
		rows[i].direction = i ? ROW_TO_CLIENT : ROW_TO_SERVER;
		rows[i].counted_by = ROW_BY_RECEIVER;
		rows[i].sent_messages = 5003;
		rows[i].received_messages = 5000;
		rows[i].lost = 3;
	}
	for (int i = 0; i < 2; i++) {
		rows[i].cpu_wait_pct = 12.5 + 80 * i;
		rows[i].peer_cpu_wait_pct = 2;
		snprintf(rows[i].warning_codes, WARNING_CODES_TEXT, "preempted");
		snprintf(rows[i].warnings, ROW_TEXT,
			 "server: thread 0 waited 12.5 %% for its cpu (40 preemptions); server: thread 1 waited 12.5 %% for its cpu (40 preemptions); missing");
	}
	rows[1].duplicated = 5;
	rows[1].window_ns *= 1000000;
	row_rates(&rows[1]);
}

static void table_of_lossy_bidir(void **state)
{
	struct limits both[2];
	struct event_plan run;
	struct plan plan;
	struct row rows[2];
	char *text;

	(void)state;
	fill_bidir(&run, &plan, both, rows);
	text = table(&run, rows, 2);
	assert_fits(text, 80, 6);
	assert_non_null(strstr(text, "link: client Ethernet 2.5 Gbit/s, server Ethernet of unknown rate, MTU"
				     " 1024,\n   emulated: not results of a real HCA\n"
				     "each row: 5000 messages, 64 KiB of buffers in random order,"
				     " both ways\n"));
	assert_non_null(strstr(text,
"                                                      link      CPU ns/msg\n"
"  bytes  way   messages    Gbit/s     MiB/s   Mmsg/s     %     own    peer\n"
"     64 c->s       5000    0.6400     76.29  1.25000  12.3  1234.6    78.9 [1]\n"
"        sent 5003, received 5000, lost 3\n"
"     64 s->c       5000  6.40e-07  7.63e-05 1.25e-06  12.3  1234.6    78.9 [1,2]\n"
"        sent 5003, received 5000, lost 3\n"
"\n"
"note: MTU 1024: the server's port has 4096\n"
"lost: sent and never received; the rates are of what was received\n"
"[1] 2 of 2 rows: a thread waited 12 to 92 % for a CPU\n"
"[2] messages were received more than once: the column duplicated has how many\n"));
	free(text);

	/* marks without room behind the row are below it: they touch no figure */
	screen = (struct format_screen){ .width = 79 };
	text = table(&run, rows, 2);
	assert_non_null(strstr(text, "  78.9 [1]\n"));
	assert_non_null(strstr(text, "  78.9\n        [1,2]\n        sent 5003"));
	free(text);

	screen = (struct format_screen){ .width = 132 };
	text = table(&run, rows, 2);
	assert_fits(text, 132, 6);
	assert_non_null(strstr(text, " bytes  way   messages "));
	free(text);
}

/* One footnote for a kind, whatever its figures; the third is of all others. */
static void table_of_many_warnings(void **state)
{
	static const char *const codes[] = { "short_window", "short_window preempted",
					     "moved short_window", "sibling_busy", "missed_events",
					     "displaced", "", "moved preempted short_window" };
	struct row rows[sizeof(codes) / sizeof(codes[0])];
	const size_t n = sizeof(codes) / sizeof(codes[0]);
	struct limits both[2];
	struct event_plan run;
	struct plan plan;
	char *text;

	(void)state;
	fill_run(&run, &plan, both);
	for (size_t i = 0; i < n; i++) {
		fill_row(&rows[i], 64);
		rows[i].window_ns = (i + 1) * 4000000;
		snprintf(rows[i].warning_codes, WARNING_CODES_TEXT, "%s", codes[i]);
		snprintf(rows[i].warnings, ROW_TEXT, "of row %zu", i);
	}
	text = table(&run, rows, n);
	assert_fits(text, 80, 6);
	assert_non_null(strstr(text, " [1]\n"));
	assert_non_null(strstr(text, " [1,2]\n"));
	assert_non_null(strstr(text, " [1,3]\n"));
	assert_non_null(strstr(text, " [1-3]\n"));
	assert_non_null(strstr(text,
"\n"
"[1] 4 of 8 rows: measured for 4.0 to 32 ms, less than 50 ms: the start counts;\n"
"    -D 1 measures for a second\n"
"[2] 2 of 8 rows: a thread waited for a CPU\n"
"[3] 2 of 8 rows: a thread moved to another NUMA node (--pin binds it); 1 of 8\n"
"    rows: another program used the SMT sibling of a thread's CPU; 1 of 8 rows:\n"
"    completion events did not come: a poll every 20 ms found the completions; 2\n"
"    more: -v\n"));
	free(text);

	text = table(&run, rows, 1);
	assert_non_null(strstr(text, "\n[1] measured for 4.0 ms, less than 50 ms: "));
	free(text);
}

static void table_with_all_notes(void **state)
{
	struct limits both[2];
	struct event_plan run;
	struct plan plan;
	struct row rows[2];
	char *text;

	(void)state;
	fill_bidir(&run, &plan, both, rows);
	screen = (struct format_screen){ .width = 80, .verbose = true };
	text = table(&run, rows, 2);
	assert_fits(text, 80, 20);
	assert_non_null(strstr(text,
"            client                        server\n"
"host        node2.example                 node1\n"
"device      rxe0 port 1                   rxe0 port 1 (emulated)\n"));
	assert_non_null(strstr(text, "\nemulated    these are not results of a real HCA\n"));
	assert_non_null(strstr(text, "recv_depth 512, "));
	assert_null(strstr(text, "qp_timeout"));
	assert_non_null(strstr(text, "\nnote        depth: 128, by auto\n"
				     "note        MTU 1024: the server's port has 4096\n"));
	assert_null(strstr(text, "\nnote: "));
	assert_non_null(strstr(text,
"[1] server: thread 0 waited 12.5 % for its cpu (40 preemptions); server: thread\n"
"    1 waited 12.5 % for its cpu (40 preemptions); missing\n"));
	free(text);
}

static void table_of_all_columns(void **state)
{
	struct limits both[2];
	struct event_plan run;
	struct plan plan;
	struct row rows[2];
	char *text;

	(void)state;
	fill_bidir(&run, &plan, both, rows);
	screen = (struct format_screen){ .width = 1000, .wide = true };
	text = table(&run, rows, 2);
	assert_non_null(strstr(text,
"      bytes  direction  counted_by    messages        sent    received        lost"
"      Gbit/s       MiB/s      Mmsg/s      %       own      peer\n"
"         64  to_server  receiver          5000        5003        5000           3"
"      0.6400       76.29     1.25000   12.3    1234.6      78.9 [1]\n"));
	free(text);
}

static void table_of_figures_alone(void **state)
{
	struct limits both[2];
	struct event_plan run;
	struct plan plan;
	struct row rows[2];
	char *text;

	(void)state;
	fill_bidir(&run, &plan, both, rows);
	screen = (struct format_screen){ .width = 80, .quiet = true };
	text = table(&run, rows, 2);
	assert_string_equal(text,
"                                                      link      CPU ns/msg\n"
"  bytes  way   messages    Gbit/s     MiB/s   Mmsg/s     %     own    peer\n"
"     64 c->s       5000    0.6400     76.29  1.25000  12.3  1234.6    78.9\n"
"        sent 5003, received 5000, lost 3\n"
"     64 s->c       5000  6.40e-07  7.63e-05 1.25e-06  12.3  1234.6    78.9\n"
"        sent 5003, received 5000, lost 3\n");
	free(text);
}

static void table_of_latency(void **state)
{
	struct limits both[2];
	struct event_plan run;
	struct plan plan;
	struct row rows[2];
	char *text;

	(void)state;
	fill_run(&run, &plan, both);
	plan.work.test = TEST_READ_LAT;
	plan.work.pattern = PATTERN_PROBE;
	plan.work.kind.op = OP_READ;
	plan.work.outstanding = 16;
	for (int i = 0; i < 2; i++) {
		fill_row(&rows[i], 8);
		rows[i].lat_samples = 5000;
		rows[i].lat_min_ns = 1234.25;
		rows[i].lat_p50_ns = 2000;
		rows[i].lat_p90_ns = 3000.5;
		rows[i].lat_p99_ns = 99999;
		rows[i].lat_max_ns = 999999999;
		rows[i].lat_mean_ns = 2400;
		rows[i].lat_stdev_ns = 305;
	}
	for (int i = 0; i < 2; i++) {
		snprintf(rows[i].warning_codes, WARNING_CODES_TEXT, "preempted");
		snprintf(rows[i].reason, ROW_TEXT, "cut");
		rows[i].cpu_wait_pct = 12;
		rows[i].status = RESULT_INCOMPLETE;
	}
	rows[1].lat_p99_9_ns = 1e6;
	rows[1].lat_p99_99_ns = 1e7;
	rows[1].lat_samples = 100000;
	rows[1].cpu_ns_per_msg = 1234567.8;
	text = table(&run, rows, 2);
	assert_fits(text, 80, 6);
	assert_non_null(strstr(text,
"                               from post to completion, in us  CPU ns/msg\n"
"  bytes samples    min     p50     p99   p99.9     max   mean   own  peer\n"
"      8    5000  1.234   2.000  99.999       - 1000000  2.400  1235    79 [1,2]\n"
"      8  100000  1.234   2.000  99.999 1000.00 1000000  2.400 1235k    79 [1,2]\n"
"\n"
"note: MTU 1024: the server's port has 4096\n"
"-: too few samples (p99.9 needs 10000)\n"));
	free(text);

	screen = (struct format_screen){ .width = 160 };
	text = table(&run, rows, 2);
	assert_fits(text, 160, 6);
	assert_non_null(strstr(text,
"      bytes     samples        min        p50        p90        p99      p99.9     p99.99"
"        max       mean      stdev       own      peer\n"
"          8        5000      1.234      2.000      3.001     99.999          -          -"
" 999999.999      2.400      0.305      1235        79 [1,2]\n"));
	assert_non_null(strstr(text,
"-: too few samples (p99.9 needs 10000, p99.99 needs 100000)\n"));
	free(text);
}

static void table_without_rows(void **state)
{
	struct limits both[2];
	struct event_plan run;
	struct plan plan;
	char *text;

	(void)state;
	fill_run(&run, &plan, both);
	text = table(&run, NULL, 0);
	assert_non_null(strstr(text, "nothing was measured\n"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_of_bandwidth), cmocka_unit_test(table_of_other_means),
		cmocka_unit_test(table_of_different_links),
		cmocka_unit_test(table_of_busy_machines),
		cmocka_unit_test(table_of_lossy_bidir),
		cmocka_unit_test(table_of_many_warnings),
		cmocka_unit_test(table_with_all_notes),
		cmocka_unit_test(table_of_all_columns),
		cmocka_unit_test(table_of_figures_alone),
		cmocka_unit_test(table_of_latency),
		cmocka_unit_test(table_without_rows),
	};

	return cmocka_run_group_tests_name("format_table", tests, NULL, NULL);
}
