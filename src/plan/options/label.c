/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The names of options in error messages. Does not parse command lines. */
#include "config.h"
#include "options/label.h"

#include <stdio.h>
#include <string.h>

#include "options/options.h"
#include "util/err.h"

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

const char *label_error(const struct cfg *cfg)
{
	const struct err err = err_keep();
	char label[FIELD_TEXT_MAX];

	for (size_t i = 0; i < options_table.n && err.option[0]; i++) {
		const struct cfg_typed *typed = &cfg->typed[i];

		/* a word that implies a value is not the name of the option */
		if (!typed->word || typed->set ||
		    strcmp(field_label(&options_table.rows[i], label, sizeof(label)), err.option))
			continue;
		err_rename(label_typed(typed, label));
		break;
	}
	return err_text();
}
