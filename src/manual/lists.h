/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The lists of man pages that are made from tables. */
#ifndef LISTS_H
#define LISTS_H

#include <stdio.h>

#include "command/command.h"

/* The options of the command that have an effect on it, with a heading for each group. */
void lists_options(FILE *out, const struct command *cmd);

/* The tests, and the other commands. */
void lists_tests(FILE *out);
void lists_commands(FILE *out);

/* Columns of rows: name, type, unit, meaning. */
void lists_columns(FILE *out);
void lists_setup_columns(FILE *out);

/* The keys of the JSON document of a run. */
void lists_document(FILE *out);

/* The values of --only of setup. */
void lists_measurements(FILE *out);

/*
 * The variables of the emulated HCA from the help in its script. -errno with an error message: the
 * script cannot be read, or its help has no variable.
 */
int lists_softhca(FILE *out, const char *script) __attribute__((warn_unused_result));

#endif
