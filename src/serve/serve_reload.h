/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What a running server reads again: its configuration file, --allow, the key; and it opens its
 * audit anew. Sessions that run keep what they began with; where the server listens and who it is
 * stays, too.
 */
#ifndef SERVE_RELOAD_H
#define SERVE_RELOAD_H

#include "config/cfg.h"
#include "serve/serve_file.h"

struct serve;

/* Where the options of a server come from. */
struct serve_source {
	const struct cfg *given;  /* the command line alone */
	struct serve_file *file;  /* what the file gave; replaced by a reload */
};

/* -errno with an error message: nothing has changed. */
int serve_reload(struct serve *s) __attribute__((warn_unused_result));

#endif
