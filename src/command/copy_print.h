/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What people read about a copy. */
#ifndef COPY_PRINT_H
#define COPY_PRINT_H

#include <stdio.h>

#include "copy/copy.h"

/* The lines about a copy that is complete. */
void copy_print(FILE *out, const struct copy_report *report);

/* One line on a terminal that is written again and again; nothing elsewhere. */
struct copy_meter {
	FILE *out;         /* NULL: no terminal */
	uint64_t begin_ns, shown_ns;
};

struct copy_meter copy_meter_begin(void);
void copy_meter_show(struct copy_meter *m, uint64_t bytes, uint64_t of_bytes);
void copy_meter_end(struct copy_meter *m); /* clears the line */

#endif
