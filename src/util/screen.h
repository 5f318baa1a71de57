/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The width of what is printed for people, and text that is broken into lines of that width. */
#ifndef SCREEN_H
#define SCREEN_H

#include <stdio.h>

#define SCREEN_COLUMNS 80         /* without a terminal */
#define SCREEN_UNLIMITED 1000000  /* no line is broken */

/* Of the terminal of standard output, at least SCREEN_COLUMNS; no terminal: SCREEN_COLUMNS. */
int screen_columns(void);

/*
 * Prints the words of text in lines of at most width columns, and a newline. The first line begins
 * at column col, where the caller has printed; the others are indented. A word that is longer than
 * a line has one of its own.
 */
struct screen_place {
	int col, indent, width;
};

void screen_wrap(FILE *out, const char *text, struct screen_place place);

/*
 * Prints text of several lines: each as it is if it fits the width, else broken as by
 * screen_wrap(), four columns deeper than it begins.
 */
void screen_fold(FILE *out, const char *text, int width);

#endif
