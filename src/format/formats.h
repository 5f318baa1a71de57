/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* All formats, and the file to which the options of a run send each one. */
#ifndef FORMATS_H
#define FORMATS_H

#include <stddef.h>

#include "config/cfg.h"
#include "format/format.h"

#define FORMATS_MAX 8

/* format_table, format_csv, ... */
#define FORMAT(name, text) extern const struct format format_##name;
#define FORMAT_STDOUT(name) extern const struct format format_##name;
#include "config/formats.def"

extern const struct format *const formats_all[];
extern const size_t formats_n; /* <= FORMATS_MAX */

/*
 * A run is refused before its formats are open: an old document of path says so. Where none is,
 * none is made. -errno with an error message: it was not replaced, or it is no document of a run.
 */
int format_json_refused(const char *path, const char *error) __attribute__((warn_unused_result));

/* The file of format i, "-" for standard output, NULL: not asked for. */
const char *formats_path(size_t i, const struct cfg *cfg);

/* "--csv FILE", "standard output" of the table. Returns text. */
const char *formats_label(size_t i, const struct cfg *cfg, char *text, size_t size);

/* Does a table go to standard output, and nothing that programs read? */
bool formats_for_people(const struct cfg *cfg);

#endif
