/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* format_sweep: one layout for a test whatever its lists; the rounds and their medians. */
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

#define HEADS "                                                 link      CPU ns/msg\n" \
	"  bytes   messages    Gbit/s     MiB/s   Mmsg/s     %     own    peer\n"

/* A sweep of write_bw, cell after cell. */
struct sweep {
	struct limits both[2];
	struct plan plan;
	struct event_plan run;
	struct event_cell cell;
	double wait_pct; /* of the next rows; 0: they were not disturbed */
	FILE *out;
	void *state;
	char *text;
	size_t len;
};

static void begin(struct sweep *s, const struct event_cell *cell)
{
	struct format_file file;

	fill_run(&s->run, &s->plan, s->both);
	s->cell = *cell;
	s->cell.text = "write_bw";
	s->text = NULL;
	s->wait_pct = 0;
	s->out = open_memstream(&s->text, &s->len);
	assert_non_null(s->out);
	file = (struct format_file){ .out = s->out, .screen = screen };
	assert_int_equal(output_begin(&s->state, &format_sweep, &file), 0);
}

/* The next cell, with one row; the CPU time of a message tells the rows from each other. */
static void measure(struct sweep *s, uint64_t size_bytes, double cpu_ns, enum result_status status)
{
	struct row row;

	fill_row(&row, size_bytes);
	row.cpu_ns_per_msg = cpu_ns;
	row.status = status;
	if (s->wait_pct > 0) {
		row.cpu_wait_pct = s->wait_pct;
		snprintf(row.warning_codes, sizeof(row.warning_codes), "preempted");
		snprintf(row.warnings, sizeof(row.warnings), "client: thread 0 waited");
	}
	snprintf(row.device, sizeof(row.device), "rxe0");
	format_sweep.take(s->state, &(struct event){ EVENT_CELL, .cell = &s->cell });
	format_sweep.take(s->state, &(struct event){ EVENT_PLAN, .plan = &s->run });
	format_sweep.take(s->state, &(struct event){ EVENT_ROW, .row = &row });
	s->cell.index++;
}

/* What it printed; to be freed. */
static char *end(struct sweep *s)
{
	assert_int_equal(output_end(s->state, &format_sweep), 0);
	assert_int_equal(fclose(s->out), 0);
	return s->text;
}

static void a_list_of_sizes_looks_as_one_size(void **state)
{
	struct sweep s;
	char *text;

	(void)state;
	begin(&s, &(struct event_cell){ .of = 2, .rounds = 1, .round = 1, .one_test = true });
	measure(&s, 64, 1234.56, RESULT_OK);
	s.cell.in_round = 1;
	measure(&s, 4096, 1234.56, RESULT_OK);
	text = end(&s);
	assert_string_equal(text,
"verbench " PACKAGE_VERSION " write_bw, client: write over RC, completions by poll\n"
"client node1:rxe0 -> server node2.example:rxe0\n"
"link: client Ethernet of unknown rate, server Ethernet 2.5 Gbit/s, MTU 1024\n"
"each row: 5000 messages; 2 cells\n"
"\n" HEADS
"     64       5000    0.6400     76.29  1.25000  12.3  1234.6    78.9\n"
"   4096       5000   40.9600   4882.81  1.25000  12.3  1234.6    78.9\n");
	free(text);
}

/* Other lists have a column, for which MiB/s gives way, and what varies is not in the head. */
static void other_lists_have_columns(void **state)
{
	static const char *const names[] = { "completion", "tclass" };
	static const char *const values[] = { "event", "1" };
	static const int widths[] = { 6, 3 };
	struct sweep s;
	char *text;

	(void)state;
	begin(&s, &(struct event_cell){ .of = 4, .rounds = 1, .round = 1, .one_test = true,
					.n_axes = 2, .names = names, .values = values,
					.widths = widths });
	measure(&s, 64, 1234.56, RESULT_OK);
	text = end(&s);
	assert_non_null(strstr(text, " write_bw, client: write over RC\n"));
	assert_non_null(strstr(text,
"tclass    bytes   messages    Gbit/s   Mmsg/s     %     own    peer\n"
"completion event:\n"
"1            64       5000    0.6400  1.25000  12.3  1234.6    78.9\n"));
	free(text);
}

static void rounds_have_a_number_and_medians(void **state)
{
	static const double cpu_ns[3][2] = { { 30, 500 }, { 10, 0 }, { 20, 700 } };
	struct sweep s;
	char *text;

	(void)state;
	begin(&s, &(struct event_cell){ .of = 6, .rounds = 3, .one_test = true });
	for (s.cell.round = 1; s.cell.round <= 3; s.cell.round++)
		for (s.cell.in_round = 0; s.cell.in_round < 2; s.cell.in_round++) {
			const double cpu = cpu_ns[s.cell.round - 1][s.cell.in_round];

			measure(&s, s.cell.in_round ? 4096 : 64, cpu,
				cpu > 0 ? RESULT_OK : RESULT_FAILED);
		}
	text = end(&s);
	assert_non_null(strstr(text, "; 3 rounds of 2 cells\n"));
	assert_non_null(strstr(text,
"round    bytes   messages    Gbit/s     MiB/s   Mmsg/s     %     own    peer\n"
"1           64       5000    0.6400     76.29  1.25000  12.3    30.0    78.9\n"
"1         4096       5000   40.9600   4882.81  1.25000  12.3   500.0    78.9\n"
"2           64       5000    0.6400     76.29  1.25000  12.3    10.0    78.9\n"));
	/* of the rounds that were measured */
	assert_non_null(strstr(text, "\n\nmedians of 3 rounds\n" HEADS
"     64       5000    0.6400     76.29  1.25000  12.3    20.0    78.9\n"
"   4096       5000   40.9600   4882.81  1.25000  12.3   600.0    78.9\n\n[1] failed"));
	free(text);
}

/* 100, 110, ... Mmsg/s in the rounds; of 10 they are 145 and 28.4 to each side (test_repeats.c). */
static void measure_rate(struct sweep *s, uint64_t size_bytes)
{
	struct row row;

	fill_row(&row, size_bytes);
	row.pattern = PATTERN_STREAM;
	row.message_rate_per_s = (90 + 10.0 * s->cell.round) * 1e6;
	snprintf(row.device, sizeof(row.device), "rxe0");
	format_sweep.take(s->state, &(struct event){ EVENT_CELL, .cell = &s->cell });
	format_sweep.take(s->state, &(struct event){ EVENT_PLAN, .plan = &s->run });
	format_sweep.take(s->state, &(struct event){ EVENT_ROW, .row = &row });
	s->cell.index++;
}

static void medians_have_the_width_of_their_interval(void **state)
{
	struct sweep s;
	char *text;

	(void)state;
	begin(&s, &(struct event_cell){ .of = 10, .rounds = 10, .one_test = true });
	for (s.cell.round = 1; s.cell.round <= 10; s.cell.round++)
		measure_rate(&s, 64);
	text = end(&s);
	assert_non_null(strstr(text, "\n\nmedians of 10 rounds\n"
"                                                 link      CPU ns/msg\n"
"  bytes   messages    Gbit/s     MiB/s   Mmsg/s     %     own    peer   +- %\n"
"     64       5000    0.6400     76.29 145.0000  12.3  1234.6    78.9   19.6\n"));
	free(text);
}

/* Any round may be the last: the medians are those of the last one that is complete. */
static void rounds_until_an_interval_end_at_any_round(void **state)
{
	for (uint32_t rounds = 6; rounds <= 8; rounds++) {
		struct sweep s;
		char *text, expect[64];

		(void)state;
		begin(&s, &(struct event_cell){ .of = 60, .rounds = 30, .one_test = true,
						.until = "1%" });
		for (s.cell.round = 1; s.cell.round <= rounds; s.cell.round++)
			for (s.cell.in_round = 0; s.cell.in_round < 2; s.cell.in_round++)
				if (s.cell.round < 8 || !s.cell.in_round)
					measure_rate(&s, s.cell.in_round ? 4096 : 64);
		text = end(&s);
		assert_non_null(strstr(text, "; at most 30 rounds, until +- 1%\n"));
		snprintf(expect, sizeof(expect), "\n\nmedians of %u rounds\n", rounds < 7 ? 6 : 7);
		assert_non_null(strstr(text, expect));
		assert_null(strstr(strstr(text, expect) + 3, "medians"));
		snprintf(expect, sizeof(expect), " %u.0000  12.3  1234.6    78.9", rounds < 7 ? 125 : 130);
		assert_non_null(strstr(strstr(text, "medians"), expect));
		assert_non_null(strstr(strstr(text, "medians"), "\n   4096 "));
		free(text);
	}
}

/* Without its last round a cell has no median. */
static void rounds_that_end_early_have_no_medians(void **state)
{
	struct sweep s;
	char *text;

	(void)state;
	begin(&s, &(struct event_cell){ .of = 2, .rounds = 2, .round = 1, .one_test = true });
	measure(&s, 64, 30, RESULT_OK);
	text = end(&s);
	assert_null(strstr(text, "median"));
	free(text);
}

/* Each kind of disturbance has one line, as below the table of a test. */
static void disturbed_rows_say_by_what(void **state)
{
	struct sweep s;
	char *text;

	(void)state;
	begin(&s, &(struct event_cell){ .of = 3, .rounds = 1, .round = 1, .one_test = true });
	s.wait_pct = 40;
	measure(&s, 64, 30, RESULT_OK);
	s.wait_pct = 8;
	measure(&s, 128, 30, RESULT_OK);
	s.wait_pct = 0;
	measure(&s, 256, 30, RESULT_OK);
	text = end(&s);
	assert_non_null(strstr(text, " 78.9 [1]\n"));
	assert_non_null(strstr(text,
"\n\n[1] 2 of 3 rows: a thread waited 8.0 to 40 % for a CPU\n"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_of_sizes_looks_as_one_size),
		cmocka_unit_test(other_lists_have_columns),
		cmocka_unit_test(rounds_have_a_number_and_medians),
		cmocka_unit_test(medians_have_the_width_of_their_interval),
		cmocka_unit_test(rounds_until_an_interval_end_at_any_round),
		cmocka_unit_test(rounds_that_end_early_have_no_medians),
		cmocka_unit_test(disturbed_rows_say_by_what),
	};

	return cmocka_run_group_tests_name("format_sweep", tests, NULL, NULL);
}
