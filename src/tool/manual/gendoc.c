/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Prints documents and scripts that are made from tables. A program of the build, not installed;
 * the Makefile calls it:
 *
 *	gendoc man FOLDER PAGE     a man page from its template in FOLDER
 *	gendoc bash <FILE          completion in bash: FILE with its tables
 *	gendoc zsh <FILE           the same for zsh
 *	gendoc perftest <FILE      docs/from-perftest.md: FILE with its tables made again
 *
 * Owns what the lines and words of a template stand for: see manual.h.
 */
#include "config.h"
#include "manual/manual.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "commands/commands.h"
#include "options/perftest.h"
#include "util/err.h"

#define NAME_TEXT 64
#define LINE_TEXT 1024
#define PATH_TEXT 4096

/* The page that is being made. */
struct page {
	FILE *out;
	const char *folder;
	char title[NAME_TEXT];     /* "VB_SEND_BW" */
	const struct command *cmd; /* NULL: the page is about no command */
	bool hidden;               /* between @only and @end */
};

/* One line of a template, for error messages. */
struct place {
	const char *file;
	unsigned line;
};

static bool has_word(const char *name, const char *word)
{
	const char *mark = strchr(name, '_');

	return !strcmp(name, word) ||
	       (mark && (!strcmp(mark + 1, word) || (strlen(word) == (size_t)(mark - name) &&
						     !strncmp(name, word, strlen(word)))));
}

static void only(struct page *page, char *words)
{
	char *rest;

	page->hidden = true;
	for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		page->hidden &= !page->cmd || !has_word(page->cmd->name, word);
}

/* The value of a word between two '@' of a line; NULL: there is none. */
static const char *value_of(const struct page *page, const char *name, size_t len)
{
	const struct {
		const char *name, *value;
	} words[] = {
		{ "VERSION", PACKAGE_VERSION },
		{ "TITLE", page->title },
		{ "COMMAND", page->cmd ? page->cmd->name : NULL },
		{ "HELP", page->cmd ? page->cmd->help : NULL },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i].name) == len && !strncmp(words[i].name, name, len))
			return words[i].value;
	return NULL;
}

static int put_line(const struct page *page, const struct place *place, const char *text)
{
	while (*text) {
		const char *end = *text == '@' ? strchr(text + 1, '@') : NULL;
		const char *value = end ? value_of(page, text + 1, (size_t)(end - text) - 1) : NULL;

		if (*text == '@' && !value)
			return err_set(-EBADMSG, "%s:%u: \"%s\" stands for nothing on this page",
				       place->file, place->line, text);
		if (value)
			fputs(value, page->out);
		else
			fputc(*text, page->out);
		text = value ? end + 1 : text + 1;
	}
	fputc('\n', page->out);
	return 0;
}

static int directive(struct page *page, const struct place *place, char *line)
{
	char path[PATH_TEXT], *argument = strchr(line, ' ');

	if (argument)
		*argument++ = '\0';
	if (!strcmp(line, "end") && !argument) {
		page->hidden = false;
		return 0;
	}
	if (page->hidden)
		return 0;
	if (!strcmp(line, "only") && argument) {
		only(page, argument);
		return 0;
	}
	if (!strcmp(line, "softhca") && argument) {
		snprintf(path, sizeof(path), "%s/%s", page->folder, argument);
		return lists_softhca(page->out, path);
	}
	if (!argument && lists_print(page->out, line, page->cmd))
		return 0;
	return err_set(-EBADMSG, "%s:%u: \"@%s\" is not known here", place->file, place->line, line);
}

/* An included file includes no other. */
static int put_file(struct page *page, const char *name, bool included)
{
	static const char include[] = "@include ", comment[] = ".\\\"";
	struct place place = { .file = name };
	char path[PATH_TEXT], line[LINE_TEXT];
	FILE *in;
	int rc = 0;

	snprintf(path, sizeof(path), "%s/%s", page->folder, name);
	in = fopen(path, "r");
	if (!in)
		return err_set(-errno, "%s: %s", path, strerror(errno));
	while (!rc && fgets(line, sizeof(line), in)) {
		const bool nested = !strncmp(line, include, strlen(include)) && !included;

		place.line++;
		line[strcspn(line, "\n")] = '\0';
		if (nested && !page->hidden)
			rc = put_file(page, line + strlen(include), true);
		else if (line[0] == '@' && islower((unsigned char)line[1]) && !nested)
			rc = directive(page, &place, line + 1);
		else if (!page->hidden && strncmp(line, comment, strlen(comment)))
			rc = put_line(page, &place, line);
	}
	fclose(in);
	return rc;
}

/* Prints the page ("vb_send_bw.1") from the templates in the folder. */
static int put_page(FILE *out, const char *folder, const char *name)
{
	static const char ours[] = "verbench-";
	struct page page = { .out = out, .folder = folder };
	const size_t len = strcspn(name, ".");
	char template[NAME_TEXT + sizeof(".in")], command[NAME_TEXT];

	snprintf(template, sizeof(template), "%.*s.in", NAME_TEXT - 1, name);
	snprintf(page.title, sizeof(page.title), "%.*s", (int)len, name);
	snprintf(command, sizeof(command), "%s", page.title);
	for (char *p = page.title; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	if (!strncmp(command, "vb_", 3)) {
		page.cmd = commands_find(command + 3);
		if (!page.cmd || !page.cmd->has_program)
			return err_set(-EINVAL, "%s: not a program of a test", command);
		snprintf(template, sizeof(template), "vb_test%s.in", name + len);
	} else if (!strncmp(command, ours, strlen(ours))) {
		page.cmd = commands_find(command + strlen(ours));
	}
	fprintf(out, ".\\\" SPDX-License-Identifier: BSD-2-Clause\n"
		     ".\\\" Copyright (c) 2026 The verbench developers\n.\\\"\n"
		     ".\\\" Made from docs/man/%s and the tables of the program.\n", template);
	return put_file(&page, template, false);
}

/* ---- completion */

/*
 * Copies a script of completion from in to out, with its tables in place of the line "#@tables@"
 * and the names of the programs of tests and of the drop-in programs in place of "@programs@".
 */
static int put_script(FILE *out, FILE *in, void (*tables)(FILE *))
{
	static const char programs[] = "@programs@";
	bool has_tables = false;
	char line[1024];

	while (fgets(line, sizeof(line), in)) {
		char *mark = strstr(line, programs);

		if (!strcmp(line, "#@tables@\n")) {
			tables(out);
			has_tables = true;
		} else if (mark) {
			fprintf(out, "%.*s", (int)(mark - line), line);
			complete_programs(out);
			fputs(mark + strlen(programs), out);
		} else {
			fputs(line, out);
		}
	}
	if (!has_tables)
		return err_set(-EBADMSG, "no line \"#@tables@\" in the script of completion");
	return 0;
}

static int bash(FILE *out, FILE *in)
{
	return put_script(out, in, complete_bash);
}

static int zsh(FILE *out, FILE *in)
{
	return put_script(out, in, complete_zsh);
}

/* ---- main */

static const struct {
	const char *name;
	int (*print)(FILE *out, FILE *in);
} documents[] = {
	{ "bash", bash },
	{ "zsh", zsh },
	{ "perftest", perftest_doc },
};

/* 1: wrong usage. */
static int print(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "man"))
		return put_page(stdout, argv[2], argv[3]);
	for (size_t i = 0; argc == 2 && i < FIELD_COUNT(documents); i++)
		if (!strcmp(argv[1], documents[i].name))
			return documents[i].print(stdout, stdin);
	return 1;
}

int main(int argc, char **argv)
{
	const int rc = print(argc, argv);

	if (rc > 0) {
		fputs("usage: gendoc man FOLDER PAGE | bash | zsh | perftest\n", stderr);
		return 2;
	}
	if (rc)
		fprintf(stderr, "gendoc: %s\n", err_text());
	return rc || ferror(stdout) || fclose(stdout) ? 1 : 0;
}
