/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * How an error message names an option. The code that refuses one writes its long name, "--recv-depth",
 * or "-r (--recv-depth)": it may run on the server, which does not know the user's words, and in
 * folders that know no options. The side that has the command line puts in the user's words before
 * a person reads the message: label_as_typed().
 */
#ifndef LABEL_H
#define LABEL_H

#include "config/cfg.h"

#define LABEL_MAX 64

/* As it was written. Returns text, which has LABEL_MAX characters. */
const char *label_typed(const struct cfg_typed *typed, char *text);

/* As it was written, or its long name. Returns text, which has LABEL_MAX characters. */
const char *label_row(const struct cfg *cfg, enum cfg_row row, char *text);

/*
 * message, where each option that was written has its name of the command line: "-r 5" for
 * "-r (--recv-depth) 5", "--odp" for "--buffers odp". Returns text; message may not be part of it.
 */
const char *label_as_typed(const struct cfg *cfg, const char *message, char *text, size_t size);

#endif
