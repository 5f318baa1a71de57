/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the table of struct affinity_report: see affinity_report.h. */
#include "config.h"
#include "host/affinity_report.h"

#define FIELD(type, f, ...) FIELD_ROW(struct affinity_report, f, __VA_ARGS__)
#define FIELD_TEXT_ROW(n, f, ...) FIELD_ROW(struct affinity_report, f, __VA_ARGS__)
static const struct field rows[] = {
#include "host/affinity_report.def"
};

const struct field_table affinity_report_table = {
	.what = "affinity", .rows = rows, .n = FIELD_COUNT(rows),
};
