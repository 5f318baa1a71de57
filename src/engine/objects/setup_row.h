/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * One result of "verbench setup": a line of CSV, an object of JSON. setup_row.def is the list of
 * its columns. A value that was not measured is absent (util/field.h).
 */
#ifndef SETUP_ROW_H
#define SETUP_ROW_H

#include <stdint.h>
#include <stdio.h>

#include "util/field.h"

#define SETUP_ROW_SCHEMA 1
#define SETUP_ROW_NAME 64
#define SETUP_ROW_TEXT 512

enum setup_status { SETUP_OK, SETUP_UNSUPPORTED, SETUP_FAILED, SETUP_INCOMPLETE };
extern const char *const setup_status_names[]; /* ok unsupported failed incomplete */

#define FIELD FIELD_DECLARE
#define FIELD_TEXT_ROW FIELD_DECLARE_TEXT
struct setup_row {
#include "objects/setup_row.def"
};

extern const struct field_table setup_row_table;

/* Everything absent, schema and tool version set; one object per operation, mode single. */
void setup_row_init(struct setup_row *row);

/* reason is copied as printable ASCII; NULL: none. */
void setup_row_status(struct setup_row *row, enum setup_status status, const char *reason);

/*
 * What the operation is done to, for people: "64 KiB, small pages, local", "256 entries"; "" if
 * the operation says it all. Returns text.
 */
const char *setup_row_subject(const struct setup_row *row, char *text, size_t size);

#endif
