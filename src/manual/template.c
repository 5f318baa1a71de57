/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns what the lines and words of a template stand for: see manual.h. Called by gendoc. */
#include "config.h"
#include "manual/manual.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "commands/commands.h"
#include "manual/lists.h"
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

/* The lists without an argument; false: it is none of them. */
static bool list(const struct page *page, const char *word)
{
	static const struct {
		const char *word;
		void (*print)(FILE *out);
	} lists[] = {
		{ "tests", lists_tests },
		{ "commands", lists_commands },
		{ "columns", lists_columns },
		{ "setup-columns", lists_setup_columns },
		{ "document", lists_document },
		{ "measurements", lists_measurements },
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		if (strcmp(word, lists[i].word))
			continue;
		lists[i].print(page->out);
		return true;
	}
	if (strcmp(word, "options") || !page->cmd)
		return false;
	lists_options(page->out, page->cmd);
	return true;
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
	if (!argument && list(page, line))
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

int manual_page(FILE *out, const char *folder, const char *name)
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
