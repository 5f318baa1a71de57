/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Makes the tables of docs/from-perftest.md: see perftest.h. Called by gendoc and by the test. */
#include "config.h"
#include "config/perftest.h"

#include <errno.h>
#include <string.h>

#include "config/options.h"
#include "util/err.h"

#define LINE_MAX_TEXT 4096
#define OPTION_MAX 64
#define END "<!-- end -->"

/* "`--completion event`" */
static void print_own(FILE *out, const struct perftest_option *o)
{
	const struct field *row = &options_table.rows[o->row];
	char name[OPTION_MAX];

	field_option(row, name, sizeof(name));
	fprintf(out, "`--%s%s%s`", name, o->set ? " " : "", o->set ? o->set : "");
	for (const struct perftest_word *w = o->words; w && w->theirs; w++) {
		if (w->ours && strcmp(w->theirs, w->ours))
			fprintf(out, ", `%s` is `%s`", w->theirs, w->ours);
	}
}

static void print_where(FILE *out, const struct perftest_option *o)
{
	if (o->raw)
		fputs("raw Ethernet", out);
	else if (perftest_versions(o) == PERFTEST_4_5)
		fputs("4.5", out);
	else if (perftest_versions(o) == PERFTEST_6_29)
		fputs("6.29", out);
	fputs(o->compiled ? (o->raw || o->versions ? ", some builds" : "some builds") : "", out);
}

static void print_option(FILE *out, const struct perftest_option *o)
{
	static const char *const drops[] = {
		[PERFTEST_SETS] = "the same",
		[PERFTEST_NOTHING] = "taken, without effect",
		[PERFTEST_OWN] = "as perftest",
		[PERFTEST_NEVER] = "refused",
	};

	fputs("| ", out);
	if (o->letter)
		fprintf(out, "`-%c` ", o->letter);
	fprintf(out, "`--%s` ", o->name);
	if (o->also)
		fprintf(out, "`--%s` ", o->also);
	fputs("| ", out);
	print_where(out, o);
	fputs(" | ", out);
	if (o->answer == PERFTEST_TAKEN)
		print_own(out, o);
	else
		fputs(o->help, out);
	fprintf(out, " | %s | %s |\n", drops[o->drop], o->symmetric ? "yes" : "");
}

static void print_options(FILE *out)
{
	fputs("| perftest | only in | `vb_*`, `verbench` | `ib_*` | same on both sides |\n"
	      "| --- | --- | --- | --- | --- |\n", out);
	for (size_t i = 0; i < perftest_n_options; i++)
		print_option(out, &perftest_options[i]);
}

/* The letters that are another option here. */
static void print_letters(FILE *out)
{
	char name[OPTION_MAX];

	fputs("| letter | perftest | `vb_*`, `verbench` |\n| --- | --- | --- |\n", out);
	for (size_t i = 0; i < options_table.n; i++) {
		const struct field *f = &options_table.rows[i];
		const struct perftest_option *o = perftest_find_letter(f->letter);

		if (o && o->answer != PERFTEST_TAKEN)
			fprintf(out, "| `-%c` | `--%s` | `--%s` |\n", f->letter, o->name,
				field_option(f, name, sizeof(name)));
	}
}

static const struct {
	const char *line;
	void (*print)(FILE *out);
} tables[] = {
	{ "<!-- options -->\n", print_options },
	{ "<!-- letters -->\n", print_letters },
};

int perftest_doc(FILE *out, FILE *in)
{
	bool inside = false;
	char line[LINE_MAX_TEXT];

	while (fgets(line, sizeof(line), in)) {
		if (inside && strncmp(line, END, strlen(END)))
			continue;
		inside = false;
		fputs(line, out);
		for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
			if (strcmp(line, tables[i].line))
				continue;
			tables[i].print(out);
			inside = true;
		}
	}
	if (inside)
		return err_set(-EBADMSG, "the document has no end of its last table");
	return fflush(out) ? -errno : 0;
}
