/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The lines of --verbose above a table: hosts, settings, and what was chosen why. */
#ifndef FORMAT_SETTINGS_H
#define FORMAT_SETTINGS_H

#include <stddef.h>
#include <stdio.h>

#include "format/format.h"

/* Nothing of run is kept. run->screen.width is set. */
void format_settings(FILE *out, const struct format_run *run);

/* "threads 2 x qps 4"; "": one QP. Returns text. */
const char *format_settings_qps(const struct plan *p, char *text, size_t size);

/* Of that side. */
const struct limits *format_settings_limits(const struct format_run *run, enum side side);

#endif
