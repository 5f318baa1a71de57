/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns which scenarios are run, and what is said of them. Called by run.c and run_read.c. */
#include "config.h"
#include "run/run_scenarios.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"
#include "util/log.h"
#include "util/screen.h"
#include "util/text.h"

#define INDENT 10

static int load(struct run *run, const char *name)
{
	struct bench *all = realloc(run->scenarios, sizeof(*all) * ((size_t)run->n_scenarios + 1));
	char *path;
	int rc;

	if (!all)
		return err_set(-ENOMEM, "no memory for a scenario");
	run->scenarios = all;
	rc = bench_find(name, &path);
	if (rc)
		return rc;
	rc = bench_read(&all[run->n_scenarios], path);
	free(path);
	run->n_scenarios += !rc;
	return rc;
}

int run_scenarios_load(struct run *run, const char *const *names, uint32_t n)
{
	int rc = 0;

	for (uint32_t i = 0; i < n && !rc; i++)
		rc = load(run, names[i]);
	return rc;
}

/* A matrix with the options of the command line in place of its own. */
static int add_part(struct run *run, const struct bench *bench, const struct axes *matrix,
		    const struct axes *over)
{
	struct axes axes = { .n = 0 };
	int rc = axes_override(&axes, matrix);

	if (!rc)
		rc = axes_override(&axes, over);
	if (!rc)
		return cells_add(&run->cells, bench->name, &axes);
	axes_free(&axes);
	return rc;
}

int run_scenarios_cells(struct run *run, const struct axes *over)
{
	int rc = 0;

	for (uint32_t i = 0; i < run->n_scenarios && !rc; i++) {
		const struct bench *bench = &run->scenarios[i];
		const uint32_t rounds = run->cfg.given.rounds ? 1 : bench->rounds;

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
	char *clean = strdup(text);
	const int col = printf("%-*s", INDENT, label);

	if (clean)
		screen_wrap(stdout, text_clean(text, clean, strlen(text) + 1),
			    (struct screen_place){ col, INDENT, screen_columns() });
	free(clean);
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

static int print_name(const char *name)
{
	struct bench bench;
	char *path;
	int rc = bench_find(name, &path);

	if (rc)
		return rc;
	rc = bench_read(&bench, path);
	free(path);
	if (rc)
		return rc;
	printf("%-20s %s\n", name, bench.title);
	bench_free(&bench);
	return 0;
}

int run_scenarios_list(void)
{
	struct list names;
	int status = COMMAND_OK;

	if (bench_names(&names)) {
		log_error("%s", err_text());
		return COMMAND_FAILED;
	}
	for (uint32_t i = 0; i < names.n; i++) {
		if (!print_name(names.words[i]))
			continue;
		log_error("%s", err_text());
		status = COMMAND_FAILED;
	}
	list_free(&names);
	return status;
}
