/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns --expect of a run; see expected.h. Called by command.c and results.c. */
#include "config.h"
#include "command/expected.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "format/formats.h"
#include "util/err.h"
#include "util/log.h"
#include "util/screen.h"

#define NAME_TEXT 512

int expected_check(const struct cfg *cfg)
{
	struct condition_rules rules;
	int rc = cfg->expect ? condition_rules_parse(&rules, EXPECT_LABEL, cfg->expect) : 0;

	if (cfg->expect && !rc)
		condition_rules_free(&rules);
	return rc;
}

/* "send_bw RC poll 65536 to_server": as a table would tell the rows of a run from each other. */
static void name_row(const struct row *row, char text[NAME_TEXT])
{
	int len = row->cell[0] ? snprintf(text, NAME_TEXT, "%.400s", row->cell) :
		  snprintf(text, NAME_TEXT, "%s %s %s", row->test, row->transport, row->completion);

	if (row->size_bytes != ROW_NONE && !strstr(text, "--size "))
		len += snprintf(text + len, NAME_TEXT - (size_t)len, " %" PRIu64, row->size_bytes);
	if (row->bidir == 1)
		len += snprintf(text + len, NAME_TEXT - (size_t)len, " %s", row->direction);
	if (row->pair[0])
		len += snprintf(text + len, NAME_TEXT - (size_t)len, " %s", row->pair);
	if (row->receiver[0])
		snprintf(text + len, NAME_TEXT - (size_t)len, " %s", row->receiver);
}

static void fail(struct expected *expected)
{
	expected->failed = true;
	log_error("%s", err_text());
}

static bool begin(struct expected *expected, const struct cfg *cfg)
{
	if (!expected->open && !expected->failed && expect_open(&expected->expect, cfg->expect))
		fail(expected);
	expected->open = !expected->failed;
	return expected->open;
}

void expected_row(struct expected *expected, const struct cfg *cfg, const struct row *row)
{
	char name[NAME_TEXT];
	const struct expect_row one = {
		.name = name, .status = row->status, .values = condition_row(row),
	};

	if (!cfg->expect || row_is_interval(row) || !begin(expected, cfg))
		return;
	name_row(row, name);
	expect_row(&expected->expect, &one);
}

bool expected_end(struct expected *expected, const struct cfg *cfg)
{
	FILE *out = formats_for_people(cfg) ? stdout : stderr;
	bool met = false;

	if (!cfg->expect)
		return true;
	if (!begin(expected, cfg))
		return false;
	if (expect_end(&expected->expect, &met))
		fail(expected);
	else
		screen_fold(out, expected->expect.text,
			    cfg->wide ? SCREEN_UNLIMITED : screen_columns());
	expect_close(&expected->expect);
	met &= !expected->failed;
	*expected = (struct expected){ .open = false };
	return met;
}
