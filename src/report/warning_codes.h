/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The codes of warnings: a word for each kind of warning, which does not change when its sentence
 * does. The column warning_codes has those of both sides, and --expect compares with them.
 */
#ifndef WARNING_CODES_H
#define WARNING_CODES_H

#include <stdbool.h>
#include <stddef.h>

#include "host/affinity_report.h"

/* Bits: those of enum affinity_warning, and of the report itself. */
#define WARNING_CODES_MISSED_EVENTS (1u << AFFINITY_WARNINGS)
#define WARNING_CODES_SHORT_WINDOW (2u << AFFINITY_WARNINGS)
#define WARNING_CODES_ABOVE_LINK (4u << AFFINITY_WARNINGS)
#define WARNING_CODES_NO_GAP (8u << AFFINITY_WARNINGS)
#define WARNING_CODES_ALL ((16u << AFFINITY_WARNINGS) - 1)

#define WARNING_CODES_TEXT 128 /* enough for all of them */

/* "displaced preempted": the words of these bits, "" without any. Returns text. */
const char *warning_codes_text(unsigned int codes, char *text, size_t size);

bool warning_codes_known(const char *word);

#endif
