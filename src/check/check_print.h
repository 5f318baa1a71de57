/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What the files that print a check for people have in common. */
#ifndef CHECK_PRINT_H
#define CHECK_PRINT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "check/check.h"

#define CHECK_LINE_TEXT (RESULT_REASON + 256)
#define CHECK_RATE_TEXT 48

/* A text from column indent on, in lines of the width of the screen. check_print.c */
void check_print_text(FILE *out, int indent, const char *text);

/* "400 Gbit/s", "rate unknown". Returns text. check_print.c */
const char *check_rate_text(char text[CHECK_RATE_TEXT], const struct limits *limits);

/* "RC", "RC by cm". check_print.c */
const char *check_way_name(const struct check_cell *cell);

/* The end of the cells from i on that are of one way, and of one opcode if op. check_print.c */
uint32_t check_end_of(const struct check *check, uint32_t i, bool op);

/* Failed, not tried, not offered, and why. check_reasons.c */
void check_print_reasons(FILE *out, const struct check *check);

#endif
