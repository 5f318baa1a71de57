/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * How an error message names an option: as the user wrote it ("-r", "--rx-depth"), or by its long
 * name where it was not written, as on the server.
 */
#ifndef LABEL_H
#define LABEL_H

#include "config/cfg.h"

#define LABEL_MAX 64

/* As it was written. Returns text, which has LABEL_MAX characters. */
const char *label_typed(const struct cfg_typed *typed, char *text);

/* As it was written, or its long name. Returns text, which has LABEL_MAX characters. */
const char *label_row(const struct cfg *cfg, enum cfg_row row, char *text);

/* label_of(cfg, recv_depth): the same. The text lives as long as the block around the call. */
#define label_of(cfg, name) label_row(cfg, CFG_ROW_##name, (char[LABEL_MAX]){ "" })

#endif
