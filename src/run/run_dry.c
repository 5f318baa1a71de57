/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns --dry-run. Called by run.c. Opens no device, connects to nobody, and changes no file: with
 * --resume the one with the rows is read.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "config/label.h"
#include "run/resume.h"
#include "run/run_sweep.h"
#include "run/run_show.h"
#include "util/err.h"

/* What all cells together are. */
struct sum {
	uint32_t cells, points, skipped;
	double ns;
	bool exact;
};

static void print_cell(const struct run *run, struct cell *cell, struct sum *sum)
{
	char text[ERR_TEXT_MAX];
	struct cfg cfg;
	uint32_t points;
	bool exact;
	double ns;

	if (run_cell_cfg(run, cell, &cfg)) {
		printf("%s\n    skipped: %s\n", cell->text,
		       label_as_typed(&cfg, err_text(), text, sizeof(text)));
		sum->skipped++;
		return;
	}
	ns = run_time_ns(&cfg, &points, &exact);
	printf("%s\n", cell->text);
	sum->cells++;
	sum->points += points;
	sum->ns += ns;
	sum->exact &= exact;
}

static const char *plural(uint32_t n)
{
	return n == 1 ? "" : "s";
}

/* All that are not in the file of --resume. */
static int print_cells(const struct run *run, const struct resume *resume, struct sum *sum)
{
	for (uint32_t i = 0; i < run->cells.n; i++) {
		struct cell cell;
		int rc;

		if (resume_has(resume, i))
			continue;
		rc = cells_get(&run->cells, i, &cell);
		if (rc)
			return rc;
		print_cell(run, &cell, sum);
		cells_free_one(&cell);
	}
	return 0;
}

int run_dry(const struct run *run)
{
	struct sum sum = { .exact = true };
	struct resume resume = { .fd = -1 };
	int rc = run->cfg.resume ? resume_open(&resume, run) : 0;
	const bool refused = rc;
	char time[32];

	if (!rc)
		rc = print_cells(run, &resume, &sum);
	resume_close(&resume);
	if (rc) {
		command_error(&run->cfg);
		return refused ? COMMAND_REFUSED : COMMAND_FAILED;
	}
	printf("%" PRIu32 " cell%s, %" PRIu32 " point%s, %s%s", sum.cells, plural(sum.cells),
	       sum.points, plural(sum.points), sum.exact ? "" : "about ",
	       run_show_time(sum.ns, time, sizeof(time)));
	if (!sum.exact)
		printf(" (a guess: how long --messages take depends on the devices)");
	if (sum.skipped)
		printf("; %" PRIu32 " skipped", sum.skipped);
	putchar('\n');
	return COMMAND_OK;
}
