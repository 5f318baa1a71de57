/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The notes below a table; see table.h. */
#include "config.h"
#include "table/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "device/counters.h"
#include "row/limiter.h"
#include "util/text.h"

#define NOTE_TEXT (ROW_TEXT + ROW_NAME + 32)
#define MARK_TEXT 64
#define BELOW 7 /* the marks of a row that ends too far to the right */
#define WORTH_PERCENT 5 /* work of others that is worth a note, */
#define WORTH_NS 1e6    /* and is none of starting threads */
#define JOINED_MOST 3 /* notes behind the last mark */

void footnotes_open(struct footnotes *f, const struct format_screen *screen)
{
	*f = (struct footnotes){ .screen = *screen };
}

static bool is_note(const struct footnote *note, const struct remark *remark, const char *text)
{
	return remark ? note->remark == remark : note->text && !strcmp(note->text, text);
}

/* The one of the list, a new one if there is none yet; NULL: no memory, a note is missing. */
static struct footnote *note_of(struct footnotes *f, const struct remark *remark, const char *text)
{
	struct footnote *more;

	for (uint32_t i = 0; i < f->n; i++)
		if (is_note(&f->notes[i], remark, text))
			return &f->notes[i];
	more = realloc(f->notes, (f->n + 1) * sizeof(*more));
	if (!more)
		return NULL;
	f->notes = more;
	more[f->n] = (struct footnote){ .remark = remark };
	if (!remark)
		more[f->n].text = strdup(text);
	return remark || more[f->n].text ? &more[f->n++] : NULL;
}

/* The last mark is that of all further notes. */
static uint32_t mark_of(const struct footnotes *f, const struct footnote *note)
{
	const uint32_t i = (uint32_t)(note - f->notes);

	return i < FOOTNOTES_MOST || f->screen.verbose ? i + 1 : FOOTNOTES_MOST;
}

static void put_mark(struct footnotes *f, uint32_t mark)
{
	uint32_t i = 0;

	while (i < f->n_marks && f->marks[i] < mark)
		i++;
	if (f->n_marks == FOOTNOTES_ROW || (i < f->n_marks && f->marks[i] == mark))
		return;
	memmove(&f->marks[i + 1], &f->marks[i], (f->n_marks - i) * sizeof(f->marks[0]));
	f->marks[i] = mark;
	f->n_marks++;
}

static void add(struct footnotes *f, const struct remark *remark, const char *text, double value)
{
	struct footnote *note = f->screen.quiet ? NULL : note_of(f, remark, text);

	if (!note)
		return;
	remark_count(&note->range, value);
	put_mark(f, mark_of(f, note));
}

void footnotes_add(struct footnotes *f, const char *fmt, ...)
{
	char text[NOTE_TEXT];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	add(f, NULL, text, NAN);
}

void footnotes_add_plain(struct footnotes *f, const char *fmt, ...)
{
	char text[NOTE_TEXT], **more;
	va_list ap;

	if (f->screen.quiet)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (uint32_t i = 0; i < f->n_plain; i++)
		if (!strcmp(f->plain[i], text))
			return;
	/* without memory the note is missing */
	more = realloc(f->plain, (f->n_plain + 1) * sizeof(*more));
	if (!more)
		return;
	f->plain = more;
	more[f->n_plain] = strdup(text);
	f->n_plain += more[f->n_plain] != NULL;
}

/* The text of the note, behind it the range of its rows: "TEXT 11 to 93 %". */
__attribute__((format(printf, 4, 5)))
static void add_ranged(struct footnotes *f, double value, const char *unit, const char *fmt, ...)
{
	struct footnote *note;
	char text[NOTE_TEXT];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	note = f->screen.quiet ? NULL : note_of(f, NULL, text);
	if (!note)
		return;
	note->unit = unit;
	remark_count(&note->range, value);
	put_mark(f, mark_of(f, note));
}

/* The counters of a device that explain a figure. */
static void add_counters(struct footnotes *f, enum side side, const char *list)
{
	struct counters_item item;
	char name[COUNTERS_NAME];

	while ((list = counters_next(list, &item))) {
		const enum counters_class class = counters_class_of(item.name);

		if (class != COUNTERS_CLASSES)
			add_ranged(f, (double)item.delta, "", "%s: %s: %s", kind_side_names[side],
				   counters_kinds[class].means,
				   text_clean(item.name, name, sizeof(name)));
	}
}

/* Work that the measuring threads do not do themselves. */
static void add_others(struct footnotes *f, enum side side, uint64_t cpu_ns, uint64_t other_ns,
		       double softirq_pct)
{
	const double own = cpu_ns == ROW_NONE ? 0 : (double)cpu_ns;
	const double other = other_ns == ROW_NONE ? 0 : (double)other_ns;
	const double percent = other * 100 / (own + other);

	if (percent >= WORTH_PERCENT && other >= WORTH_NS)
		add_ranged(f, percent, " %",
			   "%s: CPU time in other threads than the measuring ones, of all that the program used:",
			   kind_side_names[side]);
	if (softirq_pct >= WORTH_PERCENT)
		add_ranged(f, softirq_pct, " %",
			   "%s: CPU time in softirqs of the kernel, of all CPUs:",
			   kind_side_names[side]);
}

void footnotes_add_row(struct footnotes *f, const struct row *row)
{
	/* that note would say less than those of the counters */
	const unsigned int bits =
		remark_bits(row->warning_codes) & ~WARNING_CODES_RETRANSMISSIONS;
	const char *limit = limiter_sentence(row->limiter);
	char text[ROW_TEXT];

	f->rows++;
	/* link % says the same of a full link */
	if (limit && (row->limiter != LIMITER_LINK || f->screen.verbose))
		footnotes_add(f, "likely limit: %s", limit);
	add_counters(f, row->role, row->device_counters);
	add_counters(f, kind_other_side(row->role), row->peer_device_counters);
	add_others(f, row->role, row->cpu_ns, row->other_cpu_ns, row->softirq_pct);
	add_others(f, kind_other_side(row->role), row->peer_cpu_ns, row->peer_other_cpu_ns,
		   row->peer_softirq_pct);
	if (row->warnings[0] && f->screen.verbose) {
		footnotes_add(f, "%s", text_clean(row->warnings, text, sizeof(text)));
		return;
	}
	for (size_t i = 0; i < REMARKS; i++)
		if (bits >> i & 1)
			add(f, &remark_kinds[i], NULL, remark_value(&remark_kinds[i], row));
	if (row->warnings[0] && !row->warning_codes[0])
		add(f, &remark_without_code, NULL, NAN);
}

/* "[1,3]"; three in a row as "[1-3]": a row has room for no more. */
static int put_marks(const struct footnotes *f, char text[MARK_TEXT])
{
	int len = 0;

	for (uint32_t i = 0; i < f->n_marks; i++) {
		uint32_t last = i;

		while (last + 1 < f->n_marks && f->marks[last + 1] == f->marks[last] + 1)
			last++;
		len += snprintf(text + len, MARK_TEXT - (size_t)len, "%s%" PRIu32, i ? "," : "[",
				f->marks[i]);
		if (last < i + 2)
			continue;
		len += snprintf(text + len, MARK_TEXT - (size_t)len, "-%" PRIu32, f->marks[last]);
		i = last;
	}
	return len;
}

void footnotes_print_marks(FILE *out, struct footnotes *f, int col)
{
	char text[MARK_TEXT];
	const int len = put_marks(f, text);

	/* a figure can be copied: no mark touches it */
	if (f->n_marks && col + len + 2 > f->screen.width)
		fprintf(out, "\n%*s", BELOW, "");
	if (f->n_marks)
		fprintf(out, " %s]", text);
	f->n_marks = 0;
}

static void put_note(FILE *out, const struct footnotes *f, const struct footnote *note)
{
	char text[REMARK_TEXT], numbers[REMARK_NUMBERS];

	if (note->unit && f->rows > 1)
		fprintf(out, "%" PRIu64 " of %" PRIu64 " rows: ", note->range.rows, f->rows);
	fputs(note->remark ? remark_text(note->remark, &note->range, f->rows, text) : note->text,
	      out);
	if (note->unit)
		fprintf(out, " %s%s", remark_numbers(&note->range, true, numbers), note->unit);
}

/* Those behind a mark: one, but of the last mark all further ones. */
static void print_note(FILE *out, const struct footnotes *f, uint32_t i, uint32_t n)
{
	const uint32_t shown = n < JOINED_MOST ? n : JOINED_MOST;
	char *text = NULL;
	size_t size;
	FILE *line = open_memstream(&text, &size);
	const int len = fprintf(out, "[%" PRIu32 "] ", i + 1);

	if (!line)
		return;
	for (uint32_t k = 0; k < shown; k++) {
		fputs(k ? "; " : "", line);
		put_note(line, f, &f->notes[i + k]);
	}
	if (n > shown)
		fprintf(line, "; %" PRIu32 " more: -v", n - shown);
	if (!fclose(line))
		screen_wrap(out, text, (struct screen_place){ len, len, f->screen.width });
	free(text);
}

void footnotes_print(FILE *out, const struct footnotes *f)
{
	const bool joined = f->n > FOOTNOTES_MOST && !f->screen.verbose;
	const uint32_t n = joined ? FOOTNOTES_MOST : f->n;

	if (f->n || f->n_plain)
		putc('\n', out);
	for (uint32_t i = 0; i < f->n_plain; i++)
		screen_wrap(out, f->plain[i], (struct screen_place){ 0, 3, f->screen.width });
	for (uint32_t i = 0; i < n; i++)
		print_note(out, f, i, joined && i + 1 == n ? f->n - i : 1);
}

void footnotes_close(struct footnotes *f)
{
	for (uint32_t i = 0; i < f->n; i++)
		free(f->notes[i].text);
	for (uint32_t i = 0; i < f->n_plain; i++)
		free(f->plain[i]);
	free(f->notes);
	free(f->plain);
}
