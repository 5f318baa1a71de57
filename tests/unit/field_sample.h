/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* A struct with a field of each type, and its table: for the tests of fields. */
#ifndef FIELD_SAMPLE_H
#define FIELD_SAMPLE_H

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/err.h"
#include "util/field.h"

enum color { RED, GREEN };

struct inner {
	uint32_t mark, least;
	double real;
};

struct sample {
	bool flag;
	uint32_t port, optional;
	enum color color;
	uint64_t count, pages;
	double ratio;
	char host[8], note[8];
	const char *string;
	uint32_t home;           /* stays on this side */
	struct inner inner, flat;
};

static const char *const color_names[] = { "red", "green", NULL };

static const struct field inner_rows[] = {
	{ FIELD_OF(struct inner, mark), .flags = FIELD_WIRE, .merge = FIELD_MAX,
	  .help = "a mark" },
	{ FIELD_OF(struct inner, least), .flags = FIELD_WIRE, .absent = FIELD_ZERO,
	  .merge = FIELD_MIN, .unit = "bytes", .help = "the least" },
	{ FIELD_OF(struct inner, real), .flags = FIELD_WIRE | FIELD_DETAIL, .merge = FIELD_FIRST,
	  .help = "a real" },
};

static const struct field_table inner_table = { "inner", inner_rows, FIELD_COUNT(inner_rows) };

/* the same, under names that do not meet those of the struct around it */
static const struct field flat_rows[] = {
	{ .name = "flat_mark", FIELD_AT(struct inner, mark), .flags = FIELD_WIRE,
	  .help = "another" },
};

static const struct field_table flat_table = { "flat", flat_rows, FIELD_COUNT(flat_rows) };

static const struct field rows[] = {
	{ FIELD_OF(struct sample, flag), .flags = FIELD_WIRE, .merge = FIELD_AND, .help = "on" },
	{ FIELD_OF(struct sample, port), .flags = FIELD_WIRE, .absent = FIELD_NEVER, .min = 1,
	  .max = 255, .help = "a port" },
	{ FIELD_OF(struct sample, optional), .flags = FIELD_WIRE, .merge = FIELD_KEEP,
	  .help = "perhaps" },
	{ FIELD_OF(struct sample, color), .flags = FIELD_WIRE, .absent = FIELD_NEVER,
	  .merge = FIELD_MAX, .names = color_names, .help = "a color" },
	{ FIELD_OF(struct sample, count), .flags = FIELD_WIRE | FIELD_DETAIL, .merge = FIELD_SUM,
	  .help = "a count" },
	{ FIELD_OF(struct sample, pages), .flags = FIELD_WIRE, .absent = FIELD_ZERO,
	  .merge = FIELD_SUM, .help = "pages" },
	{ FIELD_OF(struct sample, ratio), .flags = FIELD_WIRE, .merge = FIELD_SUM,
	  .unit = "1/s", .help = "a ratio" },
	{ FIELD_OF(struct sample, host), .flags = FIELD_WIRE, .absent = FIELD_NEVER,
	  .help = "a host" },
	{ FIELD_OF(struct sample, note), .flags = FIELD_WIRE, .merge = FIELD_FIRST,
	  .help = "a note" },
	{ FIELD_OF(struct sample, string), .flags = FIELD_WIRE, .help = "a string" },
	{ FIELD_OF(struct sample, home), .merge = FIELD_SUM, .help = "not sent" },
	{ FIELD_OF(struct sample, inner), .flags = FIELD_WIRE | FIELD_DETAIL,
	  .table = &inner_table, .help = "a struct" },
	{ FIELD_OF(struct sample, flat), .flags = FIELD_WIRE | FIELD_FLAT, .table = &flat_table },
};

static const struct field_table table = { "sample", rows, FIELD_COUNT(rows) };

static inline struct sample full(void)
{
	return (struct sample){
		.flag = true, .port = 255, .optional = 7, .color = GREEN,
		.count = INT64_MAX, .pages = 4096, .ratio = 1.0 / 3, .host = "node-a",
		.note = "n", .string = "s", .home = 5, .inner = { 1, 2, 0.5 }, .flat = { 9, 0, 0 },
	};
}

static inline void assert_says(const char *part)
{
	if (!strstr(err_text(), part))
		fail_msg("\"%s\" is not in \"%s\"", part, err_text());
}

#endif
