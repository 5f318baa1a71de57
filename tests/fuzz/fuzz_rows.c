/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Files of rows, CSV and JSON, which other programs may have written. */
#include "config.h"

#include "fuzz.h"
#include "read/axes.h"
#include "read/rows.h"
#include "util/log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[32], text[ROWS_TEXT];
	const char *const paths[] = { path };
	struct rows_query query = { .paths = paths, .n_paths = 1, .intervals = true,
				    .most = 1 << 20 };
	struct rows rows;
	int fd;

	for (enum rows_column i = 0; i < ROWS_COLUMNS; i++)
		axes_want(&query, i);
	fuzz_file(data, size, &fd, path);
	if (!rows_load(&rows, &query)) {
		for (size_t row = 0; row < rows.n && row < 4; row++)
			for (enum rows_column i = 0; i < ROWS_COLUMNS; i++)
				(void)rows_text(&rows, i, row, text);
		rows_free(&rows);
	}
	close(fd);
	return 0;
}
