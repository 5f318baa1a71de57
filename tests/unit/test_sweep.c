/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* src/plan/sweep: lists and ranges, the cells of a command line and their order. */
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

#include "sweep/bench_file.h"
#include "sweep/cells.h"
#include "util/err.h"

#define WORDS 32
#define TEXT 4096

/* A command line, cut at its blanks. */
struct words {
	char text[TEXT];
	char *argv[WORDS + 1];
	int argc;
};

static void cut(struct words *w, const char *line)
{
	char *save = NULL;

	snprintf(w->text, sizeof(w->text), "run %s", line);
	w->argc = 0;
	for (char *word = strtok_r(w->text, " ", &save); word; word = strtok_r(NULL, " ", &save))
		w->argv[w->argc++] = word;
	w->argv[w->argc] = NULL;
}

/* The words are those of the axes' cfg: w must live as long. */
static int try_read(struct axes *axes, struct cfg *cfg, struct words *w, const char *line)
{
	const struct options_lists lists = cells_lists(axes);
	struct options_faults faults;

	cut(w, line);
	*axes = (struct axes){ .n = 0 };
	*cfg = (struct cfg){ .test = TEST_SEND_BW };
	return options_parse_all(cfg, OPTIONS_RUN,
				 &(struct options_line){ w->argc, w->argv, &lists }, &faults);
}

static void join(char *text, char *const *words, uint32_t n, char between)
{
	size_t len = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < n; i++)
		len += (size_t)snprintf(text + len, TEXT - len, "%s%.1s", words[i],
					i + 1 < n ? &between : "");
}

/* The values of the first axis; the parser gets the first of them, and the hosts. */
static void takes(const char *line, const char *values, const char *hosts)
{
	char text[TEXT];
	struct words w;
	struct axes axes;
	struct cfg cfg;
	const struct axis *axis;

	if (try_read(&axes, &cfg, &w, line))
		fail_msg("%s: %s", line, err_text());
	assert_true(axes.n > 0);
	axis = &axes.of[0];
	join(text, axis->values.words, axis->values.n, ' ');
	assert_string_equal(text, values);
	join(text, cfg.hosts, cfg.n_hosts, ' ');
	assert_string_equal(text, hosts);
	if (options_table.rows[axis->row].type == FIELD_STRING)
		assert_string_equal(field_text(&options_table.rows[axis->row], &cfg),
				    axis->values.words[0]);
	else
		assert_int_equal(field_integer(&options_table.rows[axis->row], &cfg),
				 axis->values.numbers[0]);
	assert_int_equal(cfg.given.rows[axis->row], strcmp(axis->values.words[0], "off") != 0);
	cells_axes_free(&axes);
}

static void refuses(const char *line, const char *why)
{
	struct words w;
	struct axes axes;
	struct cfg cfg;

	if (try_read(&axes, &cfg, &w, line) != -EINVAL)
		fail_msg("\"%s\" is taken", line);
	if (!strstr(err_text(), why))
		fail_msg("\"%s\": \"%s\" is not in \"%s\"", line, why, err_text());
	cells_axes_free(&axes);
}

static void lists(void **state)
{
	(void)state;
	takes("-s 64,4096,1M", "64 4k 1M", "");
	takes("-s64,4k", "64 4k", "");
	takes("--size=7 node1", "7", "node1");
	takes("-t 1,auto", "1 auto", "");
	takes("--completion POLL,event,hybrid", "poll event hybrid", "");
	takes("-e", "event", "");
	takes("--tx-depth 16,32", "16 32", "");
	takes("-D 100ms,1.5,2m", "100ms 1500ms 120", "");
	takes("--spin 5,20us,1ms", "5us 20us 1000us", "");
	takes("--test send_bw,write_lat", "send_bw write_lat", "");
	takes("-m 1024,4096", "1024 4096", "");
}

static void ranges(void **state)
{
	(void)state;
	takes("-s 65535:65537", "65535 64k 65537", "");
	takes("-s 2:16:*2", "2 4 8 16", "");
	takes("-s 2:15:*2,100", "2 4 8 100", "");
	takes("-q 1:64:*4", "1 4 16 64", "");
	takes("-q 1:10:+4", "1 5 9", "");
	takes("-s 0:128k:+64k", "0 64k 128k", "");
	takes("-D 1:3", "1 2 3", "");
	takes("-D 100ms:1:+450ms", "100ms 550ms 1", "");
	takes("-m 256:4096", "256 512 1024 2048 4096", "");
	takes("-s 5:5", "5", "");
	/* the last value is the largest one that the option takes */
	takes("-s 1G:2G:*2", "1G 2G", "");
	takes("-n 1000000000000:1000000000000:*2", "1000000000000", "");
}

static void switches(void **state)
{
	(void)state;
	takes("--imm on,off", "on off", "");
	takes("--imm off,on node1", "off on", "node1");
	takes("--imm=on,off", "on off", "");
	takes("--imm off", "off", "");
	takes("-b node1", "on", "node1");
	takes("-bv on,off", "on", "on,off");
	takes("-vb on,off", "on off", "");
}

static void places(void **state)
{
	(void)state;
	takes("--pin near,far", "near far", "");
	takes("--mem numa:0;numa:1", "numa:0 numa:1", "");
	takes("--pin 0,2", "0,2", "");
	takes("--peer-pin 0,2;far", "0,2 far", "");
	takes("--pin pu:1,pu:3", "pu:1,pu:3", "");
	takes("--flow-label 1,0x2;3;4,5", "1,0x2 3 4,5", "");
	/* a text that is no place is what it is */
	takes("--mcast ff0e::1,2", "ff0e::1,2", "");
}

static void wrong_lists(void **state)
{
	(void)state;
	refuses("-s 64,", "-s: a value of the list is empty");
	refuses("-s ,64", "-s: a value of the list is empty");
	refuses("-s 64,x", "-s \"x\": not a size such as 512");
	refuses("-s 64,4G", "-s \"4G\": out of range; allowed: 0..2G");
	refuses("-q 0,1", "-q \"0\": out of range; allowed: 1..16384");
	refuses("--size 64,4k,4096", "--size: \"4k\" is in the list twice");
	refuses("-s 1:4,2", "-s: \"2\" is in the list twice");
	refuses("-s 8:2", "-s \"8:2\": LAST is less than FIRST; allowed: FIRST:LAST,");
	refuses("-s 0:64:*2", "0 times a factor is 0");
	refuses("-s 2:64:*1", "the factor must be a whole number of 2 or more");
	refuses("-s 2:64:*x", "the factor must be a whole number of 2 or more");
	refuses("-s 2:64:+0", "the step must be a number of 1 or more");
	refuses("-s 2:64:4", "a step begins with \"+\"");
	refuses("-s 2:64:*2:3", "the factor must be a whole number");
	refuses("-s 2:", "-s \"\": the value is empty");
	refuses("-t 1:auto", "-t \"auto\": not a number");
	refuses("-s 1:200000", "-s: the list has more than 100000 values");
	refuses("-m 1000,2000", "-m \"1000\": not a power of two");
	refuses("--completion poll,sleep", "--completion \"sleep\": unknown; allowed: poll, event");
	refuses("--test send_bw,sing_bw", "--test \"sing_bw\": unknown; allowed: send_bw, send_lat");
	refuses("--imm --imm off", "--imm is given twice");
}

/* Options that are no part of a cell take no list. */
static void other_words(void **state)
{
	(void)state;
	takes("-q 2 --csv a,b h1 h2", "2", "h1 h2");
	takes("-q 2 --shuffle 3 --dry-run", "2", "");
	refuses("-q 2 -p 1,2", "-p \"1,2\": not a number");
	refuses("-q 2 -Z x", "-Z: the side without a host is the server");
	refuses("-q 2 --what=1", "\"--what\" is not an option");
}

static void a_sweep_is_seen(void **state)
{
	static const char *const with[] = {
		"-s 1,2", "-s 2:4", "h --completion poll,event", "--imm on,off h", "--imm=off h",
		"--pin near,far", "-bqs 3 -s1,2",
		/* of sweeps, also of one cell */
		"--rounds 3 h", "--rounds=1", "--shuffle 7 h", "--resume f h", "--dry-run",
	};
	static const char *const without[] = {
		"-s 64", "h", "--imm h", "--pin 0,2", "--csv a,b", "-p 1,2", "--mcast ff0e::1", "-b on",
		"h,1", "fe80::1",
	};
	struct words w;

	(void)state;
	for (size_t i = 0; i < sizeof(with) / sizeof(with[0]); i++) {
		cut(&w, with[i]);
		if (!cells_are_asked(w.argc, w.argv))
			fail_msg("\"%s\" makes a sweep", with[i]);
	}
	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++) {
		cut(&w, without[i]);
		if (cells_are_asked(w.argc, w.argv))
			fail_msg("\"%s\" makes no sweep", without[i]);
	}
}

/* ---- cells */

static int try_add(struct cells *cells, const char *scenario, const char *line)
{
	struct words w;
	struct axes axes;
	struct cfg cfg;
	int rc;

	assert_int_equal(try_read(&axes, &cfg, &w, line), 0);
	if (!cells->n)
		cells_begin(cells, &cfg);
	rc = cells_add(cells, scenario, &axes);
	cells_axes_free(&axes);
	return rc;
}

static void add(struct cells *cells, const char *scenario, const char *line)
{
	if (try_add(cells, scenario, line))
		fail_msg("%s: %s", line, err_text());
}

/* The options of the cell are those of its name on a command line. */
static void assert_cell(const struct cells *cells, uint32_t i, const char *text)
{
	struct cell cell;
	struct words w;
	struct cfg cfg = { .test = TEST_SEND_BW };

	cells_get(cells, i, &cell);
	assert_int_equal(cell.index, i);
	assert_string_equal(cell.text, text);
	cut(&w, text);
	assert_string_equal(kind_test_names[cell.cfg.test], w.argv[1]);
	assert_int_equal(options_parse(&cfg, OPTIONS_TEST, w.argc - 1, w.argv + 1), 0);
	for (size_t row = 0; row < options_table.n; row++) {
		const struct field *f = &options_table.rows[row];

		if (cells_is_outside((enum cfg_row)row) || f->flags & FIELD_ALIAS)
			continue;
		assert_int_equal(cell.cfg.given.rows[row], cfg.given.rows[row]);
		if (f->type != FIELD_STRING)
			assert_int_equal(field_integer(f, &cell.cfg), field_integer(f, &cfg));
	}
	free(cell.text);
}

/* The name has the order of the table of options, whatever was typed first. */
static void cells_in_order(void **state)
{
	struct cells cells = { .n = 0 };
	struct cell cell;

	(void)state;
	add(&cells, NULL, "-s 64,128 --test send_bw,send_lat -d dev0 --csv x --imm on,off -p 5 h");
	assert_int_equal(cells.n, 8);
	assert_cell(&cells, 0, "send_bw --imm --size 64");
	assert_cell(&cells, 1, "send_bw --size 64");
	assert_cell(&cells, 2, "send_lat --imm --size 64");
	assert_cell(&cells, 7, "send_lat --size 128");
	cells_get(&cells, 7, &cell);
	assert_int_equal(cell.cfg.tcp_port, 5);
	assert_true(cell.cfg.given.tcp_port);
	assert_null(cell.cfg.csv);
	free(cell.text);
	cells_free(&cells);
}

static void cells_of_parts_and_rounds(void **state)
{
	struct cells cells = { .n = 0 };
	struct cell cell;

	(void)state;
	add(&cells, "one", "--test read_bw -q 1,2");
	add(&cells, NULL, "--test send_lat");
	assert_int_equal(cells_repeat(&cells, 2), 0);
	assert_int_equal(cells.n, 6);
	assert_cell(&cells, 2, "send_lat");
	assert_cell(&cells, 3, "read_bw --qps 1");
	cells_get(&cells, 4, &cell);
	assert_string_equal(cell.part->scenario, "one");
	assert_string_equal(cells_value(&cells, &cell, 1), "2");
	free(cell.text);
	cells_get(&cells, 5, &cell);
	assert_null(cell.part->scenario);
	free(cell.text);
	cells_free(&cells);
}

static void too_many_cells(void **state)
{
	struct cells cells = { .n = 0 };

	(void)state;
	assert_int_equal(try_add(&cells, NULL, "--test send_bw -q 1:1000 -s 1:1000"), -EINVAL);
	assert_string_equal(err_text(), "the lists make more than 100000 cells");
	/* the product of these is more than 64 bits hold */
	assert_int_equal(try_add(&cells, NULL, "--test send_bw -q 1:10000 -s 1:99999 -t 1:16384 "
				 "-l 1:16384 -r 1:16384 -Q 1:16384"), -EINVAL);
	add(&cells, NULL, "--test send_bw -s 1:60000");
	assert_int_equal(try_add(&cells, NULL, "--test send_bw -s 1:60000"), -EINVAL);
	assert_int_equal(cells_repeat(&cells, 2), -EINVAL);
	assert_int_equal(cells.n, 60000);
	cells_free(&cells);
	assert_int_equal(try_add(&cells, NULL, "-s 64"), -EINVAL);
	assert_string_equal(err_text(), "no test is given: --test send_bw,write_lat,...");
}

static void texts(struct cells *cells, char names[][TEXT])
{
	for (uint32_t i = 0; i < cells->n; i++) {
		struct cell cell;

		cells_get(cells, i, &cell);
		snprintf(names[i], TEXT, "%s", cell.text);
		free(cell.text);
	}
}

/* Every cell once; the same order with the same seed, another one with another. */
static void shuffled_cells(void **state)
{
	static char names[3][60][TEXT];
	const uint32_t seeds[] = { 7, 7, 8 };
	uint32_t moved = 0;

	(void)state;
	for (int k = 0; k < 3; k++) {
		struct cells cells = { .n = 0 };
		bool seen[60] = { false };

		add(&cells, NULL, "--test send_bw -q 1:60");
		cells_shuffle(&cells, seeds[k], false);
		texts(&cells, names[k]);
		for (uint32_t i = 0; i < 60; i++) {
			const int q = atoi(strrchr(names[k][i], ' ') + 1);

			assert_in_range(q, 1, 60);
			assert_false(seen[q - 1]);
			seen[q - 1] = true;
			moved += (uint32_t)q != i + 1;
		}
		cells_free(&cells);
	}
	assert_memory_equal(names[0], names[1], sizeof(names[0]));
	assert_memory_not_equal(names[0], names[2], sizeof(names[0]));
	assert_true(moved > 90);
}

/* Options of the command line replace those of a scenario, and what excludes them. */
static void overridden_axes(void **state)
{
	struct axes axes, over;
	struct words words[2];
	struct cfg cfg;
	struct cells cells = { .n = 0 };

	(void)state;
	assert_int_equal(try_read(&axes, &cfg, &words[0],
				  "--test send_bw -a --completion poll,event -D 1"), 0);
	assert_int_equal(try_read(&over, &cfg, &words[1],
				  "-n 5 --completion hybrid -s 1,2"), 0);
	cells_override(&axes, &over);
	cells_axes_free(&over);
	cells_begin(&cells, &cfg);
	assert_int_equal(cells_add(&cells, "x", &axes), 0);
	assert_int_equal(cells.n, 2);
	assert_cell(&cells, 1, "send_bw --completion hybrid --size 2 --messages 5");
	cells_free(&cells);
}

/* ---- scenarios */

/* A file of that text, in the folder of the test. */
static void write_file(const char *path, const char *text)
{
	FILE *out = fopen(path, "we");

	assert_non_null(out);
	fputs(text, out);
	assert_int_equal(fclose(out), 0);
}

static void scenario_is_read(void **state)
{
	struct bench bench;
	char text[TEXT];

	(void)state;
	write_file("test_sweep.bench",
		   "# no words\n\n  title  A title \nquestion One,\n\tquestion two?\nexpect yes\n"
		   "run --test send_bw --pin 'core:0 '' '';far' --imm on,off # a comment\n"
		   "run --test read_lat,write_lat\r\nrounds 3\nreport --where 'size_bytes > 64'\n");
	if (bench_read(&bench, "test_sweep.bench"))
		fail_msg("%s", err_text());
	assert_string_equal(bench.name, "test_sweep");
	assert_string_equal(bench.title, "A title");
	assert_string_equal(bench.question, "One, two?");
	assert_string_equal(bench.expect, "yes");
	assert_int_equal(bench.rounds, 3);
	assert_int_equal(bench.n_runs, 2);
	assert_int_equal(bench.runs[0].n, 3);
	join(text, bench.runs[0].of[1].values.words, bench.runs[0].of[1].values.n, '|');
	assert_string_equal(text, "core:0  |far");
	join(text, bench.report.words, bench.report.n, '|');
	assert_string_equal(text, "--where|size_bytes > 64");
	bench_free(&bench);
	remove("test_sweep.bench");
}

static void wrong_reports(void **state)
{
	static const struct {
		const char *line, *message;
	} wrong[] = {
		{ "--help", "--help is an option of the command line, not of a scenario" },
		{ "--help-all", "--help-all is an option of the command line, not of a scenario" },
		{ "--version rows.csv", "--version is an option of the command line, not of a scenario" },
		{ "rows.csv", "\"rows.csv\" is no option: the file is not known yet" },
		{ "--by", "report needs a FILE of rows, or - for standard input" },
	};
	char text[TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct bench bench;

		snprintf(text, sizeof(text), "run --test send_bw\nreport %s\n", wrong[i].line);
		write_file("test_sweep.bench", text);
		assert_int_equal(bench_read(&bench, "test_sweep.bench"), -EINVAL);
		snprintf(text, sizeof(text), "test_sweep.bench:2: %s", wrong[i].message);
		assert_string_equal(err_text(), text);
	}
	remove("test_sweep.bench");
}

/* Whatever is in a file, it is taken or refused with file and line. */
static void damaged_scenarios(void **state)
{
	static const char good[] = "title T\nquestion Q\nexpect E\nrun --test send_bw -s 64,4k:8k:*2\n"
				   "run --test read_bw --pin near,far\nrounds 2\nreport --by x\n";
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		char text[sizeof(good)];
		struct bench bench;

		memcpy(text, good, sizeof(good));
		for (int k = 0; k < 1 + i % 4; k++) {
			seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
			text[(seed >> 33) % (sizeof(good) - 1)] = (char)(seed >> 20 & 0xff);
		}
		write_file("test_sweep.bench", text);
		if (!bench_read(&bench, "test_sweep.bench"))
			bench_free(&bench);
		else if (strncmp(err_text(), "test_sweep.bench:", 17))
			fail_msg("\"%s\" for \"%s\"", err_text(), text);
	}
	remove("test_sweep.bench");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists),
		cmocka_unit_test(ranges),
		cmocka_unit_test(switches),
		cmocka_unit_test(places),
		cmocka_unit_test(wrong_lists),
		cmocka_unit_test(other_words),
		cmocka_unit_test(a_sweep_is_seen),
		cmocka_unit_test(cells_in_order),
		cmocka_unit_test(cells_of_parts_and_rounds),
		cmocka_unit_test(too_many_cells),
		cmocka_unit_test(shuffled_cells),
		cmocka_unit_test(overridden_axes),
		cmocka_unit_test(scenario_is_read),
		cmocka_unit_test(wrong_reports),
		cmocka_unit_test(damaged_scenarios),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
