/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Splits a command line into options and operands: "-s64", "-s 64", "-be", "--size=64",
 * "--size 64", and "--" before operands. Unlike getopt_long(3) it accepts '_' for '-' in a long
 * name but no abbreviation, knows perftest's options, and records how each was typed. For
 * options_parse.c and folder sweep.
 */
#ifndef OPTIONS_SCAN_H
#define OPTIONS_SCAN_H

#include "options/cfg.h"
#include "options/perftest.h"
#include "util/field.h"

struct options_scan {
	int argc;
	char **argv;         /* reordered: operands are moved behind options */
	int at;              /* the next word */
	int operands;        /* number of operands, which are before it */
	const char *letters; /* the rest of "-bn3"; NULL: between words */
};

/* One option. */
struct options_word {
	struct cfg_typed typed;
	const struct field *row;              /* verbench's option; NULL: unknown, or refused */
	const struct perftest_option *theirs; /* set if found by a name of perftest; else NULL */
	const char *value;                    /* NULL: none */
	bool missing, extra;                  /* a value is missing; a value is not allowed */
};

/* A scan of argv[1..argc-1]. */
struct options_scan options_scan_begin(int argc, char **argv);

/* The next option. False: there is none; argv ends with scan->operands operands. */
bool options_scan_next(struct options_scan *scan, struct options_word *word);

/* Consumes the next word too: it belongs to an option that takes no value. It must exist. */
void options_scan_take(struct options_scan *scan);

/* The value in our spelling; our options also accept perftest's words. */
const char *options_word_value(const struct options_word *word);

/* Does this option of ours take a value? */
bool options_takes_value(const struct field *row);

#endif
