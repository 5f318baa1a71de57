/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the row of a cell that was not measured. Called by run_cells.c. */
#include "config.h"
#include "run/run_row.h"

#include <stdio.h>

#include "report/row_build.h"
#include "util/text.h"

static void copy(char to[ROW_NAME], const char *from)
{
	snprintf(to, ROW_NAME, "%s", from);
}

void run_row(struct row *row, const struct cfg *cfg, enum result_status status, const char *reason)
{
	const struct kind kind = cfg_kind(cfg);

	row_init(row);
	copy(row->test, kind_test_names[cfg->test]);
	copy(row->transport, kind_transport_names[kind.tp]);
	copy(row->opcode, kind_opcode_names[kind.op]);
	copy(row->completion, kind_completion_names[kind.cm]);
	copy(row->pattern, kind_pattern_names[kind_pattern(cfg->test)]);
	copy(row->kind, row_kind_result);
	copy(row->role, kind_side_names[SIDE_CLIENT]);
	row_build_time(row->time);
	if (cfg->given.size_bytes && cfg->size_bytes != CFG_AUTO64)
		row->size_bytes = cfg->size_bytes;
	copy(row->status, result_status_names[status]);
	text_clean(reason, row->reason, sizeof(row->reason));
}
