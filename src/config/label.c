/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The names of options in error messages. Called by config and commands. Must not parse. */
#include "config.h"
#include "config/label.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "config/options.h"

const char *label_typed(const struct cfg_typed *typed, char *text)
{
	if (typed->letter)
		snprintf(text, LABEL_MAX, "-%c", typed->letter);
	else
		snprintf(text, LABEL_MAX, "%.*s", (int)strcspn(typed->word, "="), typed->word);
	return text;
}

const char *label_row(const struct cfg *cfg, enum cfg_row row, char *text)
{
	char name[LABEL_MAX - 2];

	if (cfg->typed[row].word)
		return label_typed(&cfg->typed[row], text);
	field_option(&options_table.rows[row], name, sizeof(name));
	snprintf(text, LABEL_MAX, "--%s", name);
	return text;
}

static bool ends_name(char c)
{
	return !isalnum((unsigned char)c) && c != '-' && c != '_';
}

/* The row that the long name at p, behind its "--", belongs to; *end: what follows the name. */
static bool find_row(const char *p, enum cfg_row *row, const char **end)
{
	char name[LABEL_MAX];
	size_t len;

	for (size_t i = 0; i < options_table.n; i++) {
		len = strlen(field_option(&options_table.rows[i], name, sizeof(name)));
		if (strncmp(p, name, len) || !ends_name(p[len]))
			continue;
		*row = (enum cfg_row)i;
		*end = p + len;
		return true;
	}
	return false;
}

/* "-r (--recv-depth)" at p, or "--recv-depth": the row; *end: what follows it. */
static bool find_label(const char *p, enum cfg_row *row, const char **end)
{
	if (!strncmp(p, "--", 2))
		return find_row(p + 2, row, end);
	if (p[0] != '-' || !p[1] || strncmp(p + 2, " (--", 4) || !find_row(p + 6, row, end) ||
	    **end != ')' || options_table.rows[*row].letter != p[1])
		return false;
	(*end)++;
	return true;
}

/* What the user wrote for the option at p; *end: what follows it. NULL: nothing else. */
static const char *written(const struct cfg *cfg, const char *p, const char **end, char *label)
{
	const struct cfg_typed *typed;
	enum cfg_row row;
	size_t len;

	if (!find_label(p, &row, end))
		return NULL;
	typed = &cfg->typed[row];
	if (!typed->word)
		return NULL;
	label_typed(typed, label);
	if (!typed->set)
		return label;
	/* it stands for one value, and says nothing about another */
	len = strlen(typed->set);
	if (**end != ' ' || strncmp(*end + 1, typed->set, len) || !ends_name((*end)[1 + len]))
		return NULL;
	*end += 1 + len;
	return label;
}

const char *label_as_typed(const struct cfg *cfg, const char *message, char *text, size_t size)
{
	char label[LABEL_MAX];
	const char *p = message, *end, *name;
	bool begins = true;
	size_t len = 0;

	text[0] = '\0';
	while (*p && len + 1 < size) {
		name = begins ? written(cfg, p, &end, label) : NULL;
		begins = ends_name(*p);
		if (name) {
			len += (size_t)snprintf(text + len, size - len, "%s", name);
			p = end;
			continue;
		}
		text[len++] = *p++;
		text[len] = '\0';
	}
	return text;
}
