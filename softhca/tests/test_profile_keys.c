/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The keys of device profiles: the comments of profiles/soft.conf have those of profile.def. */
#include "config.h"
#include "config/profile.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "config/values.h"
#include "text_file.h"

#define INDENT "\n#     "

/* profile_value.c needs it to read a time; nothing is read here. */
int values_time(const char *text, uint64_t *ns)
{
	(void)text;
	(void)ns;
	fail();
	return -1;
}

/* The words of a table with this value; of a set: whose bits are in it. */
static void say_words(FILE *out, const struct profile_key *key, bool all)
{
	const char *comma = "";

	for (const struct profile_word *w = key->words; w->word; w++) {
		if (!all && (key->kind == PROFILE_IS_OPS ? !(key->value & w->value) :
							   key->value != w->value))
			continue;
		fprintf(out, "%s%s", comma, w->word);
		comma = ", ";
	}
	if (!all && key->kind == PROFILE_IS_OPS && !key->value)
		fprintf(out, "none");
}

static void say_value(FILE *out, const struct profile_key *key)
{
	static const char *const kinds[] = {
		[PROFILE_IS_TEXT] = "text", [PROFILE_IS_NUMBER] = "number",
		[PROFILE_IS_OPS] = "list, none", [PROFILE_IS_TIME] = "time",
	};

	if (key->kind == PROFILE_IS_CODE || key->kind == PROFILE_IS_FLAG)
		say_words(out, key, true);
	else
		fprintf(out, "%s", kinds[key->kind]);
}

/* A number that the key may not have stands for no default. */
static void say_default(FILE *out, const struct profile_key *key)
{
	if (key->words)
		say_words(out, key, false);
	else if (key->kind == PROFILE_IS_TIME)
		fprintf(out, "0");
	else if (key->kind == PROFILE_IS_NUMBER && key->value >= key->min &&
		 key->value <= key->max)
		fprintf(out, key->value > UINT32_MAX ? "0x%" PRIx64 : "%" PRIu64, key->value);
}

/* The lines of all keys that are rows of profile.def: "# KEY = DEFAULT (VALUES) HELP". */
static char *expected(void)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (uint32_t i = 0; i < profile_n_keys; i++) {
		long begin;

		fprintf(out, "# %s = ", profile_keys[i].name);
		begin = ftell(out);
		say_default(out, &profile_keys[i]);
		fprintf(out, "%s(", ftell(out) > begin ? " " : "");
		say_value(out, &profile_keys[i]);
		fprintf(out, ") %s\n", profile_keys[i].help);
	}
	assert_int_equal(fclose(out), 0);
	return text;
}

/* A line that begins with INDENT continues the one before it. */
static void join(char *text)
{
	for (char *at = text; (at = strstr(at, INDENT)) != NULL;) {
		*at++ = ' ';
		memmove(at, at + strlen(INDENT) - 1, strlen(at + strlen(INDENT) - 1) + 1);
	}
}

static bool is_list(const char *line)
{
	return !strncmp(line, "# gid =", 7) || !strncmp(line, "# pkeys =", 9) ||
	       !strncmp(line, "# counter =", 11);
}

static void test_example(void **state)
{
	const char *top = getenv("srcdir");
	char path[4096], *file, *line, *made = expected(), *at = made;

	(void)state;
	snprintf(path, sizeof(path), "%s/softhca/profiles/soft.conf", top ? top : ".");
	file = get(path);
	join(file);
	line = strstr(file, "\n# stands_for =");
	assert_non_null(line);
	for (line++; *line; line = strchr(line, '\n') + 1) {
		const size_t len = strcspn(line, "\n") + 1;

		if (is_list(line))
			continue;
		if (strncmp(line, at, len) != 0)
			fail_msg("soft.conf has\n%.*swhere profile.def has\n%.*s", (int)len, line,
				 (int)strcspn(at, "\n") + 1, at);
		at += len;
	}
	if (*at)
		fail_msg("soft.conf lacks\n%s", at);
	free(file);
	free(made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_example),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
