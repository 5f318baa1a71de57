/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* src/sweep: lists and ranges, the cells of a command line and their order. */
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

static int try_read(struct axes *axes, struct axes_line *flat, const char *line)
{
	struct words w;

	cut(&w, line);
	return axes_read(axes, flat, w.argc, w.argv);
}

static void join(char *text, char *const *words, uint32_t n, char between)
{
	size_t len = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < n; i++)
		len += (size_t)snprintf(text + len, TEXT - len, "%s%.1s", words[i],
					i + 1 < n ? &between : "");
}

/* The values of the first axis, and the line for the parser. */
static void takes(const char *line, const char *values, const char *flat_line)
{
	struct axes axes;
	struct axes_line flat;
	char text[TEXT];

	if (try_read(&axes, &flat, line))
		fail_msg("%s: %s", line, err_text());
	assert_true(axes.n > 0);
	join(text, axes.of[0].values.words, axes.of[0].values.n, ' ');
	assert_string_equal(text, values);
	join(text, flat.argv + 1, (uint32_t)flat.argc - 1, ' ');
	assert_string_equal(text, flat_line);
	axes_free(&axes);
	axes_line_free(&flat);
}

static void refuses(const char *line, const char *why)
{
	struct axes axes;
	struct axes_line flat;

	if (try_read(&axes, &flat, line) != -EINVAL)
		fail_msg("\"%s\" is taken", line);
	if (!strstr(err_text(), why))
		fail_msg("\"%s\": \"%s\" is not in \"%s\"", line, why, err_text());
	assert_int_equal(axes.n, 0);
	assert_int_equal(flat.argc, 0);
}

static void lists(void **state)
{
	(void)state;
	takes("-s 64,4096,1M", "64 4k 1M", "-s 64");
	takes("-s64,4k", "64 4k", "-s 64");
	takes("--size=7 node1", "7", "--size=7 -- node1");
	takes("-t 1,auto", "1 auto", "-t 1");
	takes("--completion POLL,event,hybrid", "poll event hybrid", "--completion=poll");
	takes("-e", "event", "-e");
	takes("--tx-depth 16,32", "16 32", "--tx-depth=16");
	takes("-D 100ms,1.5,2m", "100ms 1500ms 120", "-D 100ms");
	takes("--spin 5,20us,1ms", "5us 20us 1000us", "--spin=5us");
	takes("--test send_bw,write_lat", "send_bw write_lat", "--test=send_bw");
	takes("-m 1024,4096", "1024 4096", "-m 1024");
}

static void ranges(void **state)
{
	(void)state;
	takes("-s 65535:65537", "65535 64k 65537", "-s 65535");
	takes("-s 2:16:*2", "2 4 8 16", "-s 2");
	takes("-s 2:15:*2,100", "2 4 8 100", "-s 2");
	takes("-q 1:64:*4", "1 4 16 64", "-q 1");
	takes("-q 1:10:+4", "1 5 9", "-q 1");
	takes("-s 0:128k:+64k", "0 64k 128k", "-s 0");
	takes("-D 1:3", "1 2 3", "-D 1");
	takes("-D 100ms:1:+450ms", "100ms 550ms 1", "-D 100ms");
	takes("-m 256:4096", "256 512 1024 2048 4096", "-m 256");
	takes("-s 5:5", "5", "-s 5");
	/* the last value is the largest one that the option takes */
	takes("-s 1G:2G:*2", "1G 2G", "-s 1G");
	takes("-n 1000000000000:1000000000000:*2", "1000000000000", "-n 1000000000000");
}

static void switches(void **state)
{
	(void)state;
	takes("--imm on,off", "on off", "--imm");
	takes("--imm off,on node1", "off on", "-- node1");
	takes("--imm=on,off", "on off", "--imm");
	takes("--imm off", "off", "");
	takes("-b node1", "on", "-b -- node1");
	takes("-bv on,off", "on", "-b -v -- on,off");
	takes("-vb on,off", "on off", "-v -b");
}

static void places(void **state)
{
	(void)state;
	takes("--pin near,far", "near far", "--pin=near");
	takes("--mem numa:0;numa:1", "numa:0 numa:1", "--mem=numa:0");
	takes("--pin 0,2", "0,2", "--pin=0,2");
	takes("--peer-pin 0,2;far", "0,2 far", "--peer-pin=0,2");
	takes("--pin pu:1,pu:3", "pu:1,pu:3", "--pin=pu:1,pu:3");
	/* a text that is no place is what it is */
	takes("--mcast ff0e::1,2", "ff0e::1,2", "--mcast=ff0e::1,2");
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

/* A word that is no list is for the parser, with its value. */
static void other_words(void **state)
{
	(void)state;
	takes("-q 2 --csv a,b -Z x --what=1 h1 h2", "2", "-q 2 --csv=a,b -Z --what=1 -- x h1 h2");
	takes("-q 2 -p 1,2", "2", "-q 2 -p 1,2");
	takes("-q 2 --shuffle 3 --dry-run", "2", "-q 2 --shuffle=3 --dry-run");
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
		if (!axes_make_sweep(w.argc, w.argv))
			fail_msg("\"%s\" makes a sweep", with[i]);
	}
	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++) {
		cut(&w, without[i]);
		if (axes_make_sweep(w.argc, w.argv))
			fail_msg("\"%s\" makes no sweep", without[i]);
	}
}

/* ---- cells */

static void add(struct cells *cells, const char *scenario, const char *line)
{
	struct axes axes;
	struct axes_line flat;

	assert_int_equal(try_read(&axes, &flat, line), 0);
	axes_line_free(&flat);
	if (cells_add(cells, scenario, &axes))
		fail_msg("%s: %s", line, err_text());
}

static void assert_cell(const struct cells *cells, uint32_t i, const char *text, const char *argv)
{
	char got[TEXT];
	struct cell cell;

	assert_int_equal(cells_get(cells, i, &cell), 0);
	assert_int_equal(cell.index, i);
	assert_string_equal(cell.text, text);
	join(got, cell.argv, (uint32_t)cell.argc, ' ');
	assert_string_equal(got, argv);
	cells_free_one(&cell);
}

/* The name has the order of the table of options, whatever was typed first. */
static void cells_in_order(void **state)
{
	struct cells cells = { .n = 0 };

	(void)state;
	add(&cells, NULL, "-s 64,128 --test send_bw,send_lat -d dev0 --csv x --imm on,off -p 5 h");
	assert_int_equal(cells.n, 8);
	assert_cell(&cells, 0, "send_bw --imm --size 64",
		    "send_bw --size=64 --device=dev0 --imm --port=5");
	assert_cell(&cells, 1, "send_bw --size 64", "send_bw --size=64 --device=dev0 --port=5");
	assert_cell(&cells, 2, "send_lat --imm --size 64",
		    "send_lat --size=64 --device=dev0 --imm --port=5");
	assert_cell(&cells, 7, "send_lat --size 128",
		    "send_lat --size=128 --device=dev0 --port=5");
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
	assert_cell(&cells, 2, "send_lat", "send_lat");
	assert_cell(&cells, 3, "read_bw --qps 1", "read_bw --qps=1");
	assert_int_equal(cells_get(&cells, 4, &cell), 0);
	assert_string_equal(cell.part->scenario, "one");
	assert_string_equal(cells_value(&cells, &cell, 1), "2");
	cells_free_one(&cell);
	assert_int_equal(cells_get(&cells, 5, &cell), 0);
	assert_null(cell.part->scenario);
	cells_free_one(&cell);
	cells_free(&cells);
}

static void too_many_cells(void **state)
{
	struct cells cells = { .n = 0 };
	struct axes_line flat;
	struct axes axes;

	(void)state;
	assert_int_equal(try_read(&axes, &flat, "--test send_bw -q 1:1000 -s 1:1000"), 0);
	axes_line_free(&flat);
	assert_int_equal(cells_add(&cells, NULL, &axes), -EINVAL);
	assert_string_equal(err_text(), "the lists make more than 100000 cells");
	/* the product of these is more than 64 bits hold */
	assert_int_equal(try_read(&axes, &flat, "--test send_bw -q 1:10000 -s 1:99999 -t 1:16384 "
				  "-l 1:16384 -r 1:16384 -Q 1:16384"), 0);
	axes_line_free(&flat);
	assert_int_equal(cells_add(&cells, NULL, &axes), -EINVAL);
	add(&cells, NULL, "--test send_bw -s 1:60000");
	assert_int_equal(try_read(&axes, &flat, "--test send_bw -s 1:60000"), 0);
	axes_line_free(&flat);
	assert_int_equal(cells_add(&cells, NULL, &axes), -EINVAL);
	assert_int_equal(cells_repeat(&cells, 2), -EINVAL);
	assert_int_equal(cells.n, 60000);
	cells_free(&cells);
	assert_int_equal(try_read(&axes, &flat, "-s 64"), 0);
	axes_line_free(&flat);
	assert_int_equal(cells_add(&cells, NULL, &axes), -EINVAL);
	assert_string_equal(err_text(), "no test is given: --test send_bw,write_lat,...");
}

static void texts(struct cells *cells, char names[][TEXT])
{
	for (uint32_t i = 0; i < cells->n; i++) {
		struct cell cell;

		assert_int_equal(cells_get(cells, i, &cell), 0);
		snprintf(names[i], TEXT, "%s", cell.text);
		cells_free_one(&cell);
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
		assert_int_equal(cells_shuffle(&cells, seeds[k]), 0);
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
	struct axes_line flat;
	struct cells cells = { .n = 0 };

	(void)state;
	assert_int_equal(try_read(&axes, &flat, "--test send_bw -a --completion poll,event -D 1"), 0);
	axes_line_free(&flat);
	assert_int_equal(try_read(&over, &flat, "-n 5 --completion hybrid -s 1,2"), 0);
	axes_line_free(&flat);
	assert_int_equal(axes_override(&axes, &over), 0);
	axes_free(&over);
	assert_int_equal(cells_add(&cells, "x", &axes), 0);
	assert_int_equal(cells.n, 2);
	assert_cell(&cells, 1, "send_bw --completion hybrid --size 2 --messages 5",
		    "send_bw --completion=hybrid --messages=5 --size=2");
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
