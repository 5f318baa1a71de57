/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * How an error message names an option. The code that refuses one gives its long name to
 * err_option(): "--srq", "-r (--recv-depth)". It may run on the server, which does not know what the
 * user typed, or in rooms that know no options. The side that has the command line puts what was
 * typed in its place: label_error().
 */
#ifndef LABEL_H
#define LABEL_H

#include "options/cfg.h"

#define LABEL_MAX 64

/* As it was typed. Returns text, which has LABEL_MAX characters. */
const char *label_typed(const struct cfg_typed *typed, char *text);

/* As it was typed, or its long name. Returns text, which has LABEL_MAX characters. */
const char *label_row(const struct cfg *cfg, enum cfg_row row, char *text);

/* err_text(), with the option that the message is about as it was typed. */
const char *label_error(const struct cfg *cfg);

#endif
