/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The options of perftest and how verbench handles them. One row each in options/perftest.def. The
 * drop-in programs accept perftest's command lines. The test programs accept an option as an alias
 * of their own, or refuse it with one sentence.
 * docs/from-perftest.md is generated from the rows.
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

#include "options/cfg.h"

/* The value that perftest reads after an option. */
enum perftest_value {
	PERFTEST_FLAG,  /* no value */
	PERFTEST_INT,   /* a whole number, min..max */
	PERFTEST_SIZE,  /* the same, followed by K or M (1024, 1024^2), upper case only */
	PERFTEST_REAL,  /* not negative */
	PERFTEST_WORD,  /* one of words */
	PERFTEST_TEXT
};

/* How the test programs (vb_*, verbench) handle it. */
enum perftest_answer {
	PERFTEST_TAKEN,    /* it is the option row, with the value set if it has none of its own */
	PERFTEST_NEEDLESS, /* passed over with a note, help: what it asks for is done anyway */
	PERFTEST_REFUSED   /* refused by help: what to do instead, or what is missing */
};

/* Why an option is refused. */
enum perftest_why {
	PERFTEST_NOT_REFUSED,
	PERFTEST_ANSWERED, /* help names what does the same here, or why nothing has to */
	PERFTEST_VENDORS,  /* of one vendor's devices or library, in builds of perftest for them */
	PERFTEST_OTHERS    /* for another audience than users of RDMA */
};

/* How the drop-in programs (ib_*) handle it. */
enum perftest_drop {
	PERFTEST_SETS,   /* the same as PERFTEST_TAKEN */
	PERFTEST_NOTHING,/* accepted without effect: nothing is lost */
	PERFTEST_OWN,    /* accepted: implemented in src/tool/perftest */
	PERFTEST_IDLE,   /* accepted without effect, as perftest's program does; with a note */
	PERFTEST_NEVER_RUNS,    /* refused by help; perftest's program does what it asks for */
	PERFTEST_NEVER_REFUSES  /* refused by help, as perftest's program does */
};

/* The perftest versions that have an option: bits. */
enum { PERFTEST_4_5 = 1, PERFTEST_6_29 = 2 };

/* A word of perftest, and our spelling of it. */
struct perftest_word {
	const char *theirs, *ours;
};

struct perftest_option {
	const char *name;           /* the long name in its parser */
	const char *also;           /* the name in its help or manual, if that differs */
	char letter;                /* 0: none */
	enum perftest_value value;
	uint64_t min, max;          /* PERFTEST_INT, PERFTEST_SIZE; 0, 0: perftest checks nothing */
	uint32_t tests;             /* bit per enum test that it affects; 0: raw only */
	bool raw;                   /* raw_ethernet_* only */
	bool symmetric;             /* must be the same on both sides: perftest says or checks it */
	bool clipped;               /* a value that is too large or unknown means what there is */
	bool anywhere;              /* a flag that perftest also takes where it has no effect */
	bool compiled;              /* perftest has it only if built with a library or for a GPU */
	unsigned versions;          /* 0: both; perftest_versions() */
	uint32_t with_imm;          /* of tests: those that have it only with immediate data */
	enum perftest_answer answer;
	enum perftest_why why;
	enum perftest_drop drop;
	enum cfg_row row;           /* PERFTEST_TAKEN, PERFTEST_SETS: our option */
	const char *same;           /* the value that asks for what is done anyway; NULL: none */
	const char *set;            /* the value that a flag implies; NULL: none, or its own */
	const struct perftest_word *words; /* NULL-terminated; NULL: as ours */
	const char *help;           /* one sentence, 65 columns with the label and ": " before it */
};

extern const struct perftest_option perftest_options[];
extern const size_t perftest_n_options;

/*
 * The option with that long name, or NULL; name has len characters, '_' and '-' are the same, case
 * matters. No abbreviations.
 */
const struct perftest_option *perftest_find(const char *name, size_t len);

/* The option with that letter, or NULL. */
const struct perftest_option *perftest_find_letter(char letter);

/* Does it affect the test? */
bool perftest_has_effect(const struct perftest_option *option, enum test test);

/*
 * Is it taken where it does not? Else it is refused there, but for a value that changes nothing:
 * perftest refuses what would change the test, and ignores depths.
 */
bool perftest_idles(const struct perftest_option *option);

/* The bits of the versions that have it. */
unsigned perftest_versions(const struct perftest_option *option);

/*
 * The value of a PERFTEST_TAKEN option in our spelling: set, our word, or text itself. text: NULL
 * without a value.
 */
const char *perftest_value(const struct perftest_option *option, const char *text);

/* Copies docs/from-perftest.md and regenerates its tables: field_document(). */
int perftest_doc(FILE *out, FILE *in) __attribute__((warn_unused_result));

#endif
