/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the words of apis.h. */
#include "config.h"

#include "config/apis.h"

#include <stddef.h>

const char *const apis_post_names[] = { "send", "wr", "auto", NULL };
const char *const apis_poll_names[] = { "classic", "extended", NULL };
