/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The names of options in error messages. Called by config and plan. Must not parse. */
#include "config.h"
#include "config/label.h"

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
