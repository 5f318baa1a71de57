/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The lines above a table: MOST_LINES of format_head.c at most, more with --verbose. */
#ifndef FORMAT_HEAD_H
#define FORMAT_HEAD_H

#include <stdio.h>

#include "format/format.h"

/* Nothing of run is kept. run->screen.width is set. With --quiet there are none. */
void format_head(FILE *out, const struct format_run *run);

/* The same for a sweep of that many cells, of which run is the first: what all of them share. */
void format_head_sweep(FILE *out, const struct format_run *run, uint32_t cells);

#endif
