/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the table of formats: see config/formats.def. Called by output.c. */
#include "config.h"
#include "format/formats.h"

#include <stdio.h>
#include <string.h>

#define NO_OPTION SIZE_MAX

#define FORMAT(name, text) &format_##name,
#define FORMAT_STDOUT(name) &format_##name,
const struct format *const formats_all[] = {
#include "config/formats.def"
};

#define FORMAT(name, text) offsetof(struct cfg, name),
#define FORMAT_STDOUT(name) NO_OPTION,
static const size_t options[] = {
#include "config/formats.def"
};

#define FORMAT(name, text) "--" #name " ",
#define FORMAT_STDOUT(name) "",
static const char *const names[] = {
#include "config/formats.def"
};

const size_t formats_n = sizeof(options) / sizeof(options[0]);

_Static_assert(sizeof(options) / sizeof(options[0]) <= FORMATS_MAX, "struct output is too small");

static const char *option(size_t i, const struct cfg *cfg)
{
	const char *path;

	memcpy(&path, (const char *)cfg + options[i], sizeof(path));
	return path;
}

const char *formats_label(size_t i, const struct cfg *cfg, char *text, size_t size)
{
	const char *path = formats_path(i, cfg);

	snprintf(text, size, "%s%s", names[i],
		 path && !names[i][0] ? "standard output" : path ? path : "");
	return text;
}

static enum format_shows shown(const struct cfg *cfg)
{
	if (cfg->pingpong)
		return FORMAT_SHOWS_PINGPONG;
	if (cfg->no_table)
		return FORMAT_SHOWS_NOTHING;
	if (cfg->sweep)
		return FORMAT_SHOWS_SWEEP;
	return cfg->lines ? FORMAT_SHOWS_SESSIONS : FORMAT_SHOWS_TABLE;
}

const char *formats_path(size_t i, const struct cfg *cfg)
{
	if (options[i] != NO_OPTION)
		return option(i, cfg);
	if (formats_all[i]->shows != shown(cfg))
		return NULL;
	for (size_t other = 0; other < formats_n; other++) {
		const char *path = options[other] == NO_OPTION ? NULL : option(other, cfg);

		if (path && !strcmp(path, "-"))
			return NULL;
	}
	return "-";
}

bool formats_for_people(const struct cfg *cfg)
{
	for (size_t i = 0; i < formats_n; i++)
		if (options[i] == NO_OPTION && formats_path(i, cfg))
			return true;
	return false;
}
