/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The row of a cell that was not measured. */
#ifndef RUN_ROW_H
#define RUN_ROW_H

#include "config/cfg.h"
#include "report/row.h"
#include "worker/result.h"

/* What the options of the cell say; everything else is absent. reason is cut to its column. */
void run_row(struct row *row, const struct cfg *cfg, enum result_status status, const char *reason);

#endif
