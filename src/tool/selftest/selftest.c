/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the command selftest: its outputs and exit status, and what people read. */
#include "config.h"
#include "selftest/selftest.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "frame/results.h"
#include "file/json_build.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"
#include "util/text.h"

#define MACHINE_S 5.0
#define SCHEMA 1 /* of the JSON document */

static const struct format_rows rows = {
	.table = &selftest_table, .schema = SCHEMA, .harmless = "ok",
	.shows = FORMAT_SHOWS_NOTHING,
};

static const uint64_t quantiles[][2] = {
	{ 50, 100 }, { 99, 100 }, { 999, 1000 }, { 9999, 10000 },
};

#define QUANTILES (sizeof(quantiles) / sizeof(quantiles[0]))

struct selftest {
	const struct cfg *cfg;
	FILE *out;                /* what people read; NULL: nothing */
	struct output output;
	struct selftest_machine machine;
	uint32_t n, bad;          /* figures, and those that are not ok */
};

/* ---- the machine */

/* Of one wait; NAN: too few. */
static double wait_us(const struct selftest_machine *m, size_t quantile)
{
	double ticks;

	if (histogram_quantile(m->waits, quantiles[quantile][0], quantiles[quantile][1], &ticks))
		return NAN;
	return ticks * m->ns_per_tick / 1e3;
}

static double longest_us(const struct selftest_machine *m)
{
	return (double)m->waits->max * m->ns_per_tick / 1e3;
}

static void print_machine(FILE *out, const struct selftest_machine *m)
{
	fprintf(out, "machine: %" PRIu32 " CPU%s; clock %s, %.0f ns a reading; ", m->cpus,
		text_plural(m->cpus), clock_name(), m->clock_read_ns);
	if (!isnan(m->steal))
		fprintf(out, "steal %.2f %%; ", m->steal * 100);
	if (isnan(m->mhz_min))
		fprintf(out, "frequency unknown\n");
	else
		fprintf(out, "%.0f to %.0f MHz\n", m->mhz_min, m->mhz_max);
	fprintf(out, "waits of 10 us take:");
	for (size_t i = 0; i < QUANTILES; i++)
		fprintf(out, " p%g %.1f,", 100.0 * (double)quantiles[i][0] / (double)quantiles[i][1],
			wait_us(m, i));
	fprintf(out, " max %.1f us\n\n", longest_us(m));
	fflush(out);
}

static json_t *number(double value)
{
	return isnan(value) ? json_null() : json_real(value);
}

static void tell_machine(struct selftest *s)
{
	const struct selftest_machine *m = &s->machine;
	json_t *waits = json_array();
	struct event_part part = { .key = "machine" };

	for (size_t i = 0; i < QUANTILES; i++)
		json_build_add(&waits, number(wait_us(m, i)));
	part.value = json_pack("{s:i,s:s,s:f,s:o,s:f,s:f,s:o,s:o,s:o}", "cpus", (int)m->cpus,
			       "clock", clock_name(), "clock_read_ns", m->clock_read_ns,
			       "wait_us", waits, "longest_wait_us", longest_us(m), "late", m->late,
			       "steal", number(m->steal), "mhz_min", number(m->mhz_min), "mhz_max",
			       number(m->mhz_max));
	output_take(&s->output, &(struct event){ EVENT_PART, .part = &part });
	json_decref(part.value);
}

/* What the figures of latency say of the machine and not of a network. */
static void print_scheduler(FILE *out, const struct selftest_machine *m)
{
	char text[256];

	snprintf(text, sizeof(text), "Of a latency of 10 us, what is above its p%.4g is the scheduler and the interrupts of this machine, not the network: %.2g %% of the waits took 1 us longer or more.",
		 100 - m->late * 100, m->late * 100);
	screen_wrap(out, text, (struct screen_place){ .width = screen_columns() });
}

/* ---- figures */

static void print_figure(FILE *out, const struct selftest_figure *f)
{
	char error[32];

	if (isnan(f->error))
		snprintf(error, sizeof(error), "-");
	else if (f->bound > 0)
		snprintf(error, sizeof(error), "%+.3f %%", f->error * 100);
	else
		snprintf(error, sizeof(error), "%+.0f", f->error);
	fprintf(out, "%-38s %8.6g %9.6g %-6s %9s  %s\n", f->name, f->truth, f->value, f->unit, error,
		f->verdict == SELFTEST_OK ? "ok" : f->verdict == SELFTEST_WRONG ? "WRONG" :
		"NO FIGURE");
	if (f->verdict != SELFTEST_OK && f->codes[0])
		fprintf(out, "  warnings of the row: %s\n", f->codes);
	fflush(out);
}

static int measure(struct selftest *s)
{
	int rc = selftest_machine(&s->machine, MACHINE_S);

	if (rc)
		return rc;
	if (s->out)
		print_machine(s->out, &s->machine);
	tell_machine(s);
	if (s->out)
		fprintf(s->out, "%-38s %8s %9s %-6s %9s\n", "emulated link", "it does", "reported",
			"", "error");
	for (; s->n < selftest_figures(); s->n++) {
		struct selftest_figure f;

		rc = selftest_figure(&f, s->n, s->cfg->inject);
		if (rc)
			return rc;
		s->bad += f.verdict != SELFTEST_OK;
		if (s->out)
			print_figure(s->out, &f);
		output_take(&s->output, &(struct event){ EVENT_ROW, .record = &f });
	}
	return 0;
}

/* ---- the command */

static void print_end(FILE *out, const struct selftest *s)
{
	if (s->bad)
		fprintf(out, "FAIL: %" PRIu32 " of %" PRIu32 " figures are not those of the link. Other programs can be the cause:\nrepeat it on an idle machine.\n",
			s->bad, s->n);
	else
		fprintf(out, "PASS: all %" PRIu32 " figures are those of the link.\n", s->n);
	print_scheduler(out, &s->machine);
}

static int run(struct selftest *s)
{
	int rc = output_open(&s->output, s->cfg);
	struct event_end how = { .status = "ok" };
	char error[ERR_TEXT_MAX];

	if (!rc)
		rc = measure(s);
	if (rc) {
		snprintf(error, sizeof(error), "%s", err_text());
		log_error("%s", error);
		how = (struct event_end){ rc == -EINTR ? "interrupted" : "failed", error };
	} else if (s->bad) {
		how.status = "failed";
	}
	if (!rc && s->out)
		print_end(s->out, s);
	if (output_close(&s->output, &how)) {
		command_error(s->cfg);
		return COMMAND_FAILED;
	}
	return rc || s->bad ? COMMAND_FAILED : COMMAND_OK;
}

int selftest_command(const struct command *cmd, const struct command_line *line)
{
	struct cfg cfg;
	struct selftest s = { .cfg = &cfg };
	int status;

	if (!command_parse(cmd, line, &cfg, &status))
		return status;
	cfg.rows = &rows;
	if (!results_check(&cfg))
		return COMMAND_REFUSED;
	status = command_start();
	if (status)
		return status;
	s.out = output_for_people(&cfg) ? stdout : NULL;
	status = run(&s);
	free(s.machine.waits);
	return status;
}
