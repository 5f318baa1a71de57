/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns which scenarios are run, and what is said of them. */
#include "config.h"
#include "run/run_sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"
#include "util/log.h"
#include "util/text.h"
#include "util/must.h"

#define INDENT 10

int run_scenarios_load(struct run *run, const char *const *names, uint32_t n)
{
	int rc = 0;

	run->scenarios = must_calloc(n, sizeof(*run->scenarios));
	for (uint32_t i = 0; i < n && !rc; i++) {
		char *path;

		rc = bench_find(names[i], &path);
		if (rc)
			break;
		rc = bench_read(&run->scenarios[i], path);
		run->n_scenarios += !rc;
		free(path);
	}
	return rc;
}

/* A matrix with the options of the command line in place of its own. */
static int add_part(struct run *run, const struct bench *bench, const struct axes *matrix,
		    const struct axes *over)
{
	struct axes axes = { .n = 0 };
	int rc;

	cells_override(&axes, matrix);
	cells_override(&axes, over);
	rc = cells_add(&run->cells, bench->name, &axes);
	cells_axes_free(&axes);
	return rc;
}

int run_scenarios_cells(struct run *run, const struct axes *over)
{
	/* of several, each may have a number of its own */
	const bool own = run->n_scenarios > 1 && !run->cfg.given.rounds && !run->cfg.until;
	int rc = 0;

	if (run->n_scenarios == 1 && !run->cfg.given.rounds)
		run->cfg.rounds = run->scenarios[0].rounds;
	for (uint32_t i = 0; i < run->n_scenarios && !rc; i++) {
		const struct bench *bench = &run->scenarios[i];
		const uint32_t rounds = own ? bench->rounds : 1;

		for (uint32_t k = 0; k < rounds * bench->n_runs && !rc; k++)
			rc = add_part(run, bench, &bench->runs[k % bench->n_runs], over);
	}
	return rc;
}

void run_scenarios_free(struct run *run)
{
	for (uint32_t i = 0; i < run->n_scenarios; i++)
		bench_free(&run->scenarios[i]);
	free(run->scenarios);
	run->scenarios = NULL;
	run->n_scenarios = 0;
}

/* ---- text */

static void print_text(const char *label, const char *text)
{
	const struct screen_place place = { printf("%-*s", INDENT, label), INDENT, screen_columns() };

	screen_wrap(stdout, text, place);
}

void run_scenarios_print(const struct run *run)
{
	for (uint32_t i = 0; i < run->n_scenarios; i++) {
		const struct bench *bench = &run->scenarios[i];

		printf("%s: ", bench->name);
		screen_wrap(stdout, bench->title,
			    (struct screen_place){ (int)strlen(bench->name) + 2, INDENT,
						   screen_columns() });
		print_text("question", bench->question);
		if (bench->expect)
			print_text("expect", bench->expect);
		putchar('\n');
	}
}

/* As a shell takes it. */
static void print_word(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+@%";

	putchar(' ');
	if (*word && word[strspn(word, plain)] == '\0') {
		fputs(word, stdout);
		return;
	}
	putchar('\'');
	for (; *word; word++)
		printf(*word == '\'' ? "'\\''" : "%c", *word);
	putchar('\'');
}

static void print_report(const struct run *run, const struct bench *bench, const char *file)
{
	char where[ROW_TEXT];

	fputs("verbench report", stdout);
	for (uint32_t i = 0; i < bench->report.n; i++)
		print_word(bench->report.words[i]);
	if (run->n_scenarios > 1) {
		snprintf(where, sizeof(where), "scenario == %s", bench->name);
		fputs(" --where", stdout);
		print_word(where);
	}
	print_word(file);
	putchar('\n');
}

void run_scenarios_print_reports(const struct run *run)
{
	const char *file = run->cfg.csv ? run->cfg.csv : run->cfg.jsonl;
	bool any = false;

	for (uint32_t i = 0; i < run->n_scenarios && file; i++) {
		if (!run->scenarios[i].report.n)
			continue;
		fputs(any ? "" : "\n", stdout);
		any = true;
		print_report(run, &run->scenarios[i], file);
	}
}

int run_scenarios_list(void)
{
	struct list names;
	int status = COMMAND_OK, rc = bench_names(&names);

	if (rc) {
		log_error("%s", err_text());
		return COMMAND_FAILED;
	}
	for (uint32_t i = 0; i < names.n; i++) {
		struct bench bench;
		char *path;

		rc = bench_find(names.words[i], &path);
		if (!rc) {
			rc = bench_read(&bench, path);
			free(path);
		}
		if (rc) {
			log_error("%s", err_text());
			status = COMMAND_FAILED;
			continue;
		}
		printf("%-20s %s\n", bench.name, bench.title);
		bench_free(&bench);
	}
	list_free(&names);
	return status;
}
