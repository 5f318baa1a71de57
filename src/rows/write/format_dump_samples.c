/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The samples of latency tests, a line each: row/row_samples.h. All lines of a point are added in
 * one write, when it has ended.
 */
#include "config.h"
#include "write/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "row/row_samples.h"
#include "util/err.h"
#include "util/log.h"

#define PS_PER_NS 1000u

struct dump {
	struct append append;
	struct row row;        /* what the next point is of */
	enum row_lat_kind no_kind; /* its absent value */
	int rc;                /* the first error */
	char error[ERR_TEXT_MAX];
};

/* ---- the lines of a point */

#define COLUMN(name) offsetof(struct row, name),
static const size_t columns[] = { ROW_SAMPLES_COLUMNS(COLUMN) };
#undef COLUMN

/* What the lines have in common, with its last comma. NULL: no memory. */
static char *begin_of(const struct row *row, const struct result_samples *s)
{
	char *text = NULL, value[FIELD_TEXT_MAX];
	size_t size, base;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fprintf(out, "%d,", ROW_SAMPLES_SCHEMA);
	for (size_t i = 0; i < FIELD_COUNT(columns); i++) {
		const struct field *column = field_at(&row_table, columns[i], &base);

		row_csv_foreign(out, field_format(column, row, value, sizeof(value)));
		putc(',', out);
	}
	fprintf(out, "%" PRIu64 ",%" PRIu64 ",", s->measured, s->n);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

static void put_ns(FILE *out, const struct result_samples *s, uint64_t ticks)
{
	const uint64_t ps = (uint64_t)((double)ticks * s->ns_per_tick * PS_PER_NS + 0.5);

	fprintf(out, "%" PRIu64 ".%03u", ps / PS_PER_NS, (unsigned)(ps % PS_PER_NS));
}

static void put_line(FILE *out, const struct result_samples *s, uint64_t i)
{
	if (!s->open) {
		put_ns(out, s, s->ticks[i]);
		fputs(",,\n", out);
		return;
	}
	putc(',', out);
	put_ns(out, s, s->ticks[2 * i]);
	putc(',', out);
	put_ns(out, s, s->ticks[2 * i + 1]);
	putc('\n', out);
}

/* NULL: no memory. */
static char *lines_of(const struct row *row, const struct result_samples *s)
{
	char *text = NULL, *begin = begin_of(row, s);
	size_t size;
	FILE *out = begin ? open_memstream(&text, &size) : NULL;
	bool failed = !out;

	for (uint64_t i = 0; i < s->n && !failed; i++) {
		fprintf(out, "%s%" PRIu64 ",", begin, i);
		put_line(out, s, i);
		failed = ferror(out);
	}
	failed |= out && fclose(out);
	free(begin);
	if (!failed)
		return text;
	free(text);
	return NULL;
}

/* ---- the file */

static const char *refuses(const struct append *a, const char *first, char *text, size_t size)
{
	(void)text;
	(void)size;
	return strlen(first) + 1 == strlen(a->head) && !strncmp(first, a->head, strlen(first)) ?
		       NULL : "its samples are of another version of verbench";
}

static const struct append_kind samples = {
	.what = "CSV of samples", .begins = ROW_SAMPLES_BEGINS, .refuses = refuses,
};

static struct append append_of(const struct format_file *file, bool shared)
{
	return (struct append){
		.kind = &samples, .path = file->path, .head = ROW_SAMPLES_HEAD,
		.start = file->how & FORMAT_FORCE && !shared ? APPEND_FORCE : APPEND_ADD,
	};
}

static int check_samples(const struct format_file *file)
{
	const struct append a = append_of(file, false);

	return append_check(&a);
}

static int open_samples(void *state, const struct format_file *file)
{
	struct dump *d = state;

	d->append = append_of(file, file->how & FORMAT_SHARED);
	row_init(&d->row);
	d->no_kind = d->row.lat_kind;
	return 0;
}

static void take_cell(struct dump *d, const struct event_cell *cell)
{
	snprintf(d->row.cell, sizeof(d->row.cell), "%s", cell->text);
	snprintf(d->row.scenario, sizeof(d->row.scenario), "%s",
		 cell->scenario ? cell->scenario : "");
}

static void take_plan(struct dump *d, const struct event_plan *run)
{
	const struct plan_work *work = &run->plan->work;

	d->row.test = work->test;
	d->row.transport = work->kind.tp;
	d->row.opcode = work->kind.op;
	d->row.completion = work->kind.cm;
	d->row.emulated = run->self->emulated || run->peer->emulated;
	/* a message of an open loop has two times, each whole */
	d->row.lat_kind = plan_is_open(run->plan)		? d->no_kind :
			  work->pattern == PATTERN_PINGPONG ? ROW_LAT_HALF_RTT :
							      ROW_LAT_COMPLETION;
}

static int add_point(struct dump *d, const struct event_point *ended)
{
	const struct result_samples *s = &ended->detail->kept;
	char *lines;
	int rc;

	d->row.size_bytes = ended->point->size_bytes;
	d->row.status = ended->status;
	if (s->n < s->measured)
		log_note("%s: of %" PRIu64 " samples of %s with %" PRIu64 " bytes the first %" PRIu64 " are kept",
			 d->append.path, s->measured, ROW_TEXT_OF(&d->row, test),
			 d->row.size_bytes, s->n);
	lines = lines_of(&d->row, s);
	rc = lines ? append_line(&d->append, lines) :
		     err_set(-ENOMEM, "no memory for the lines of %" PRIu64 " samples of %s", s->n,
			     d->append.path);
	free(lines);
	return rc;
}

static int take_samples(void *state, const struct event *event)
{
	struct dump *d = state;
	int rc = 0;

	if (event->kind == EVENT_CELL)
		take_cell(d, event->cell);
	if (event->kind == EVENT_PLAN)
		take_plan(d, event->plan);
	if (event->kind == EVENT_POINT && event->point->detail->kept.n)
		rc = add_point(d, event->point);
	if (rc && !d->rc) {
		d->rc = rc;
		snprintf(d->error, sizeof(d->error), "%s", err_text());
	}
	return event->kind == EVENT_CELL_END ? d->rc : 0;
}

static int close_samples(void *state)
{
	struct dump *d = state;
	int rc = append_close(&d->append);

	return d->rc ? err_set(d->rc, "%s", d->error) : rc;
}

const struct format format_dump_samples = {
	.size = sizeof(struct dump),
	.check = check_samples,
	.open = open_samples,
	.take = take_samples,
	.close = close_samples,
};
