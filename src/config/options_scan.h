/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The words of a command line as options and operands: "-s64", "-s 64", "-be", "--size=64",
 * "--size 64", and "--" before operands. Unlike getopt_long(3) it takes '_' for '-' in a long name
 * and no abbreviation, knows perftest's options, and says how each was written.
 * For options_parse.c and folder sweep.
 */
#ifndef OPTIONS_SCAN_H
#define OPTIONS_SCAN_H

#include "config/cfg.h"
#include "config/perftest.h"
#include "util/field.h"

struct options_scan {
	int argc;
	char **argv;         /* reordered: operands move behind options */
	int at;              /* the next word */
	int operands;        /* they are before it */
	const char *letters; /* the rest of "-bn3"; NULL: between words */
};

/* One option. */
struct options_word {
	struct cfg_typed typed;
	const struct field *row;              /* our option; NULL: unknown, or refused */
	const struct perftest_option *theirs; /* found by a name of perftest; else NULL */
	const char *value;                    /* NULL: none */
	bool missing, extra;                  /* it needs one; it takes none */
};

/* A scan of argv[1..argc-1]. */
struct options_scan options_scan_begin(int argc, char **argv);

/* The next option. False: there is none; argv ends with scan->operands operands. */
bool options_scan_next(struct options_scan *scan, struct options_word *word);

/* The next word is done, too: it belongs to an option that takes no value. There must be one. */
void options_scan_take(struct options_scan *scan);

/* Our spelling of the value; an option of ours takes the words that perftest has for it, too. */
const char *options_word_value(const struct options_word *word);

/* Does our option take a value? */
bool options_takes_value(const struct field *row);

/* "size" and "si-ze": equal if '_' and '-' are the same? name has len characters. */
bool options_same_name(const char *option, const char *name, size_t len);

#endif
