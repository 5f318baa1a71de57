/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The options of perftest, one row each in perftest.def, and what verbench answers to them. The
 * programs of the tests take an option as an alias of their own, or refuse it with one sentence;
 * the drop-in programs take perftest's command lines; docs/from-perftest.md is made of the rows.
 *
 * Source: linux-rdma/perftest, src/perftest_parameters.c: long_options[], the string of
 * getopt_long() and the switch below it, at tag v4.5-0.17 (Debian 12) and at 00b55b6 (6.29).
 */
#ifndef PERFTEST_H
#define PERFTEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "config/cfg.h"

/* What perftest reads behind an option. */
enum perftest_value {
	PERFTEST_FLAG,  /* no value */
	PERFTEST_INT,   /* a whole number, min..max */
	PERFTEST_SIZE,  /* the same; K or M (1024, 1024^2) behind it, upper case only */
	PERFTEST_REAL,  /* not negative */
	PERFTEST_WORD,  /* one of words */
	PERFTEST_TEXT
};

/* What the programs of the tests (vb_*, verbench) do with it. */
enum perftest_answer {
	PERFTEST_TAKEN,    /* it is the option row, with the value set if it has none of its own */
	PERFTEST_NEEDLESS, /* refused by help: what it asks for is so without it, nothing is lost */
	PERFTEST_REFUSED   /* refused by help: what to do instead, or what is not there */
};

/* What the drop-in programs (ib_*) do with it. */
enum perftest_drop {
	PERFTEST_SETS,   /* the same as PERFTEST_TAKEN */
	PERFTEST_NOTHING,/* accepted, without effect: nothing is lost */
	PERFTEST_OWN,    /* accepted: src/perftest does it */
	PERFTEST_NEVER   /* refused by help */
};

/* The versions that have an option: bits. */
enum { PERFTEST_4_5 = 1, PERFTEST_6_29 = 2 };

/* A word of perftest, and how ours is spelled. */
struct perftest_word {
	const char *theirs, *ours;
};

struct perftest_option {
	const char *name;           /* the long name, as its parser has it */
	const char *also;           /* what its help or its manual calls it, if that differs */
	char letter;                /* 0: none */
	enum perftest_value value;
	uint64_t min, max;          /* PERFTEST_INT, PERFTEST_SIZE; 0, 0: perftest checks nothing */
	uint32_t tests;             /* bit per enum test where it has an effect; 0: raw only */
	bool raw;                   /* raw_ethernet_* only */
	bool symmetric;             /* must be the same on both sides: perftest says or checks it */
	bool compiled;              /* perftest has it only if built with a library or for a GPU */
	unsigned versions;          /* 0: both; perftest_versions() */
	enum perftest_answer answer;
	enum perftest_drop drop;
	enum cfg_row row;           /* PERFTEST_TAKEN, PERFTEST_SETS: our option */
	const char *set;            /* the value that a flag stands for; NULL: none, or its own */
	const struct perftest_word *words; /* NULL-terminated; NULL: as ours */
	const char *help;           /* one sentence, 65 columns with the label and ": " before it */
};

extern const struct perftest_option perftest_options[];
extern const size_t perftest_n_options;

/*
 * The option of that long name, or NULL; len characters of name, '_' and '-' are the same, case is
 * not. Without abbreviations.
 */
const struct perftest_option *perftest_find(const char *name, size_t len);

/* The option of that letter, or NULL. */
const struct perftest_option *perftest_find_letter(char letter);

/* Does it have an effect on the test? */
bool perftest_has_effect(const struct perftest_option *option, enum test test);

/* The bits of the versions that have it. */
unsigned perftest_versions(const struct perftest_option *option);

/*
 * Our spelling of the value of a PERFTEST_TAKEN option: set, the word of ours, or text itself.
 * text: NULL without a value.
 */
const char *perftest_value(const struct perftest_option *option, const char *text);

/*
 * docs/from-perftest.md: copies in to out, and makes its tables again. -EBADMSG with an error
 * message if a table has no end.
 */
int perftest_doc(FILE *out, FILE *in) __attribute__((warn_unused_result));

#endif
