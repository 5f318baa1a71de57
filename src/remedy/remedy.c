/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The table of remedies as error messages and as a document; see remedy.h. */
#include "config.h"
#include "remedy/remedy.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "util/err.h"

#define BEGIN "<!-- remedies -->\n"
#define END "<!-- end -->\n"
#define LINE_MAX_TEXT 4096

static const struct {
	const char *name, *failure, *cause, *see, *remedy, *text, *advice;
} rows[] = {
#define REMEDY(name, failure, cause, see, remedy)  \
	{ #name,                                   \
	  failure,                                 \
	  cause,                                   \
	  see,                                     \
	  remedy,                                  \
	  cause "; see: " see "; remedy: " remedy, \
	  "see: " see "; remedy: " remedy },
#include "remedy/remedy.def"
};

const char *remedy_name(enum remedy remedy)
{
	return rows[remedy].name;
}

const char *remedy_text(enum remedy remedy)
{
	return rows[remedy].text;
}

/* What stands for the n bytes of a word, or NULL. */
static const char *meant(const char *word, size_t n, const struct remedy_words *words,
			 const char *port)
{
	const struct {
		const char *name, *value;
	} known[] = { { "HOST", words->host }, { "ADDRESS", words->address }, { "PORT", port } };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strlen(known[i].name) == n && !memcmp(known[i].name, word, n))
			return known[i].value;
	return NULL;
}

const char *remedy_fill(char text[REMEDY_TEXT], enum remedy remedy,
			const struct remedy_words *words)
{
	char port[16];
	size_t len = 0, n;

	snprintf(port, sizeof(port), "%u", words->port);
	text[0] = '\0';
	for (const char *at = rows[remedy].text; *at && len < REMEDY_TEXT; at += n) {
		const char *value;

		n = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
		value = meant(at, n, words, words->port ? port : NULL);
		n += !n;
		len += (size_t)snprintf(text + len, REMEDY_TEXT - len, "%.*s",
					value ? (int)strlen(value) : (int)n, value ? value : at);
	}
	return text;
}

const char *remedy_advice(enum remedy remedy)
{
	return rows[remedy].advice;
}

const char *remedy_mends(enum remedy remedy)
{
	return rows[remedy].remedy;
}

/* A "|" would end the cell. */
static void print_cell(FILE *out, const char *text)
{
	fputs("| ", out);
	for (const char *c = text; *c; c++)
		fprintf(out, *c == '|' ? "\\%c" : "%c", *c);
	fputc(' ', out);
}

static void print_table(FILE *out)
{
	fputs("| failure | cause | what shows it | remedy |\n| --- | --- | --- | --- |\n", out);
	for (size_t i = 0; i < REMEDY_COUNT; i++) {
		print_cell(out, rows[i].failure);
		print_cell(out, rows[i].cause);
		print_cell(out, rows[i].see);
		print_cell(out, rows[i].remedy);
		fputs("|\n", out);
	}
}

int remedy_doc(FILE *out, FILE *in)
{
	char line[LINE_MAX_TEXT];
	bool inside = false, found = false;

	while (fgets(line, sizeof(line), in)) {
		if (inside && !strcmp(line, END))
			inside = false;
		if (!inside)
			fputs(line, out);
		if (!strcmp(line, BEGIN)) {
			print_table(out);
			inside = found = true;
		}
	}
	if (found && !inside)
		return 0;
	return err_set(-EINVAL, "the document has no place for the remedies: a line %.*s and a line %.*s",
		       (int)strlen(BEGIN) - 1, BEGIN, (int)strlen(END) - 1, END);
}
