/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What a shell can complete: options, their values, operands. The same for all shells. */
#ifndef COMPLETE_H
#define COMPLETE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "command/command.h"
#include "config/perftest.h"

/* What follows an option. */
enum complete_kind {
	COMPLETE_FLAG,   /* nothing */
	COMPLETE_WORDS,  /* one of words */
	COMPLETE_LIST,   /* some of words, with commas */
	COMPLETE_FILE,
	COMPLETE_FOLDER,
	COMPLETE_DEVICE, /* an RDMA device of this node */
	COMPLETE_TEXT    /* nothing that is known here */
};

/* flag words list file folder device text */
extern const char *const complete_kind_names[];

#define COMPLETE_WORDS_TEXT 8192

struct complete_option {
	const char *key;        /* names the option among those of its table */
	char letter;            /* 0: none */
	char names[2][64];      /* long names; the second may be "" */
	char value_name[FIELD_TEXT_MAX];
	char help[OPTIONS_TEXT];
	enum complete_kind kind;
	char words[COMPLETE_WORDS_TEXT]; /* with a blank between them */
};

/* Does the command take options? */
bool complete_has_options(const struct command *cmd);

/* Row i of options.def. */
void complete_ours(size_t i, struct complete_option *option);

/* Row i of perftest.def, as the drop-in programs take it. */
void complete_theirs(size_t i, struct complete_option *option);

/* Does the drop-in program of the test take row i of perftest.def, with an effect? */
bool complete_takes_theirs(size_t i, enum test test);

/* "file host": what the operands of the command are; "" if it takes none. */
const char *complete_operands(const struct command *cmd);

/*
 * Copies a script from in to out. In place of the line "#@tables@" is what tables prints,
 * "@programs@" stands for the names of the programs of tests and of the drop-in programs.
 */
int complete_script(FILE *out, FILE *in, void (*tables)(FILE *out))
	__attribute__((warn_unused_result));

#endif
