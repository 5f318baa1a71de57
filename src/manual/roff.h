/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Text of tables as input of mdoc(7). */
#ifndef ROFF_H
#define ROFF_H

#include <stdio.h>

/*
 * A paragraph of text as lines that roff does not take for anything else: a sentence begins a line,
 * options and what stands between backquotes are bold.
 */
void roff_text(FILE *out, const char *text);

/* One word or argument: '-' stays what it is when the page is copied to a command line. */
void roff_word(FILE *out, const char *word);

#endif
