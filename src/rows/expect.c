/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns what comes of --expect; see expect.h. Called by command/results.c with the rows of a run,
 * and by analysis with the rows of files. The caller prints the text.
 */
#include "config.h"
#include "rows/expect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"

#define FOUND_TEXT 640

int expect_open(struct expect *e, const char *rules)
{
	int rc;

	*e = (struct expect){ .len = 0 };
	rc = condition_rules_parse(&e->rules, EXPECT_LABEL, rules);
	if (rc)
		return rc;
	e->matched = calloc(e->rules.n, sizeof(*e->matched));
	e->lines = open_memstream(&e->text, &e->len);
	if (e->matched && e->lines)
		return 0;
	expect_close(e);
	return err_set(-ENOMEM, "no memory for %s", EXPECT_LABEL);
}

void expect_close(struct expect *e)
{
	if (e->lines)
		fclose(e->lines);
	free(e->text);
	free(e->matched);
	condition_rules_free(&e->rules);
	*e = (struct expect){ .len = 0 };
}

static void compare(struct expect *e, const struct condition_rule *rule,
		    const struct expect_row *row)
{
	const enum condition_result result = condition_rule_check(rule, &row->values);
	const bool ok = !strcmp(row->status, "ok");
	char found[FOUND_TEXT];

	e->passed += result == CONDITION_HOLDS;
	e->failed += result != CONDITION_HOLDS;
	fprintf(e->lines, "%s %s: %s", result == CONDITION_HOLDS ? "PASS" : "FAIL", row->name,
		condition_rule_found(rule, &row->values, found, sizeof(found)));
	if (result != CONDITION_HOLDS)
		fprintf(e->lines, "%s%s%s%s, expected %s",
			result == CONDITION_ABSENT ? " (not measured" : "",
			result == CONDITION_ABSENT && !ok ? ": the row is " : "",
			result == CONDITION_ABSENT && !ok ? row->status : "",
			result == CONDITION_ABSENT ? ")" : "", rule->wanted);
	putc('\n', e->lines);
}

void expect_row(struct expect *e, const struct expect_row *row)
{
	bool known = false;

	for (size_t i = 0; i < e->rules.n; i++) {
		const struct condition_rule *rule = &e->rules.all[i];

		if (!condition_hold_all(&rule->where, &row->values))
			continue;
		compare(e, rule, row);
		e->matched[i]++;
		known = true;
	}
	e->strangers += !known;
}

int expect_end(struct expect *e, bool *met)
{
	for (size_t i = 0; i < e->rules.n; i++) {
		if (e->matched[i])
			continue;
		e->failed++;
		fprintf(e->lines, "FAIL no row is selected by \"%s\"\n", e->rules.all[i].text);
	}
	if (e->strangers)
		fprintf(e->lines, "%zu row%s: no rule selects %s\n", e->strangers,
			e->strangers == 1 ? "" : "s", e->strangers == 1 ? "it" : "them");
	fprintf(e->lines, "%zu passed, %zu failed\n", e->passed, e->failed);
	*met = !e->failed;
	if (fflush(e->lines) || ferror(e->lines))
		return err_set(-ENOMEM, "no memory for the lines of %s", EXPECT_LABEL);
	return 0;
}
