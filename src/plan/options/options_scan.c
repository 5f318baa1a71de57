/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The syntax of a command line, and suggestions for wrong names. Does not read values. */
#include "config.h"
#include "options/options_scan.h"

#include <stdio.h>
#include <string.h>

#include "options/label.h"
#include "options/options.h"

bool options_takes_value(const struct field *row)
{
	return row->type != FIELD_BOOL && !(row->flags & FIELD_ALIAS && row->def);
}

static void find_name(struct options_word *word, const char *name, size_t len)
{
	char own[LABEL_MAX];

	for (size_t i = 0; i < options_table.n; i++) {
		if (options_table.rows[i].flags & FIELD_INTERNAL)
			continue;
		field_option(&options_table.rows[i], own, sizeof(own));
		if (options_same_name(own, name, len)) {
			word->row = &options_table.rows[i];
			return;
		}
	}
	word->theirs = perftest_find(name, len);
}

static void find_letter(struct options_word *word, char letter)
{
	for (size_t i = 0; i < options_table.n; i++) {
		if (options_table.rows[i].letter == letter) {
			word->row = &options_table.rows[i];
			return;
		}
	}
	word->theirs = perftest_find_letter(letter);
}

/* Does the option of this word take a value? */
static bool takes_value(struct options_word *word)
{
	if (!word->theirs)
		return word->row && options_takes_value(word->row);
	if (word->theirs->answer == PERFTEST_TAKEN)
		word->row = &options_table.rows[word->theirs->row];
	return word->theirs->value != PERFTEST_FLAG;
}

/* Consumes the next n words: moves the operands before them behind them. */
static void pass(struct options_scan *scan, int n)
{
	for (; n; n--, scan->at++) {
		char **first = &scan->argv[scan->at - scan->operands];
		char *word = scan->argv[scan->at];

		memmove(first + 1, first, (size_t)scan->operands * sizeof(*first));
		*first = word;
	}
}

/* The word after the current one, as its value; 1 if there is one. */
static int next_value(const struct options_scan *scan, struct options_word *word)
{
	word->missing = scan->at + 1 >= scan->argc;
	if (!word->missing)
		word->value = scan->argv[scan->at + 1];
	return !word->missing;
}

static void take_name(struct options_scan *scan, struct options_word *word)
{
	const char *name = scan->argv[scan->at] + 2;
	const size_t len = strcspn(name, "=");
	int words = 1;

	find_name(word, name, len);
	if (takes_value(word) && !name[len])
		words += next_value(scan, word);
	else if (takes_value(word))
		word->value = name + len + 1;
	else
		word->extra = name[len] && (word->row || word->theirs);
	pass(scan, words);
}

/* The text after an unknown letter may be its value. */
static void take_letter(struct options_scan *scan, struct options_word *word)
{
	const char *rest = scan->letters + 1;
	int words = 1;

	word->typed.letter = *scan->letters;
	find_letter(word, word->typed.letter);
	if (takes_value(word) && *rest)
		word->value = rest;
	else if (takes_value(word))
		words += next_value(scan, word);
	scan->letters = *rest && !word->value && (word->row || word->theirs) ? rest : NULL;
	if (!scan->letters)
		pass(scan, words);
}

struct options_scan options_scan_begin(int argc, char **argv)
{
	return (struct options_scan) { .argc = argc, .argv = argv, .at = 1 };
}

bool options_scan_next(struct options_scan *scan, struct options_word *word)
{
	const char *text;

	memset(word, 0, sizeof(*word));
	for (; scan->at < scan->argc; scan->at++, scan->operands++) {
		text = scan->argv[scan->at];
		if (!strcmp(text, "--")) {
			pass(scan, 1);
			scan->operands += scan->argc - scan->at;
			scan->at = scan->argc;
			return false;
		}
		if (text[0] != '-' || !text[1])
			continue;
		word->typed.word = text;
		if (text[1] == '-') {
			take_name(scan, word);
		} else {
			if (!scan->letters)
				scan->letters = text + 1;
			take_letter(scan, word);
		}
		return true;
	}
	return false;
}

void options_scan_take(struct options_scan *scan)
{
	pass(scan, 1);
}

const char *options_word_value(const struct options_word *word)
{
	const struct perftest_option *theirs = word->theirs;

	if (theirs)
		return perftest_value(theirs, word->value);
	if (!options_takes_value(word->row))
		return word->row->def;
	theirs = perftest_find_letter(word->typed.letter);
	if (theirs && theirs->answer == PERFTEST_TAKEN &&
	    &options_table.rows[theirs->row] == word->row)
		return perftest_value(theirs, word->value);
	return word->value;
}

/* ---- the nearest name of a misspelled one */

void options_nearest(struct nearest *n, enum options_command command)
{
	char option[LABEL_MAX];

	for (size_t i = 0; i < options_table.n; i++) {
		if (options_takes(&options_table.rows[i], command))
			nearest_try(n, field_option(&options_table.rows[i], option,
						    sizeof(option)));
	}
	for (size_t i = 0; i < perftest_n_options; i++) {
		const struct perftest_option *o = &perftest_options[i];

		if (o->answer == PERFTEST_TAKEN &&
		    options_takes(&options_table.rows[o->row], command))
			nearest_try(n, o->name);
	}
}
