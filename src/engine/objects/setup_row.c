/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the table of setup_row.def and what follows from it alone. Must not know where values come
 * from.
 */
#include "config.h"
#include "objects/setup_row.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "util/text.h"

const char *const setup_status_names[] = {
	[SETUP_OK] = "ok",
	[SETUP_UNSUPPORTED] = "unsupported",
	[SETUP_FAILED] = "failed",
	[SETUP_INCOMPLETE] = "incomplete",
	NULL,
};

#define FIELD(type, f, ...) { FIELD_OF(struct setup_row, f), .flags = FIELD_COLUMN, __VA_ARGS__ },
#define FIELD_TEXT_ROW(n, f, ...) FIELD(char, f, __VA_ARGS__)
static const struct field columns[] = {
#include "objects/setup_row.def"
};

const struct field_table setup_row_table = {
	.what = "setup row", .rows = columns, .n = FIELD_COUNT(columns),
};

void setup_row_init(struct setup_row *row)
{
	memset(row, 0, sizeof(*row));
	field_clear(&setup_row_table, row);
	row->schema = SETUP_ROW_SCHEMA;
	snprintf(row->tool_version, sizeof(row->tool_version), "%s", PACKAGE_VERSION);
	snprintf(row->mode, sizeof(row->mode), "single");
	row->objects = 1;
}

void setup_row_status(struct setup_row *row, enum setup_status status, const char *reason)
{
	row->status = status;
	text_clean(reason ? reason : "", row->reason, sizeof(row->reason));
}

static void __attribute__((format(printf, 3, 4)))
add(char *text, size_t size, const char *fmt, ...)
{
	size_t len = strlen(text);
	va_list ap;

	if (len && len + 2 < size) {
		memcpy(text + len, ", ", 3);
		len += 2;
	}
	va_start(ap, fmt);
	vsnprintf(text + len, size - len, fmt, ap);
	va_end(ap);
}

static bool has(uint64_t value)
{
	return value != UINT64_MAX;
}

/* The largest unit in which the size is a whole number. */
static void add_size(char *text, size_t size, uint64_t bytes)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB" };
	uint32_t unit = 0;

	for (; unit + 1 < sizeof(units) / sizeof(units[0]) && bytes && bytes % 1024 == 0; unit++)
		bytes /= 1024;
	add(text, size, "%" PRIu64 " %s", bytes, units[unit]);
}

const char *setup_row_subject(const struct setup_row *row, char *text, size_t size)
{
	text[0] = '\0';
	if (has(row->size_bytes))
		add_size(text, size, row->size_bytes);
	if (row->pages[0])
		add(text, size, "%s pages", row->pages);
	if (row->access[0])
		add(text, size, "%s", row->access);
	if (has(row->entries))
		add(text, size, "%" PRIu64 " entries", row->entries);
	return text;
}
