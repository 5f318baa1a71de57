/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The lines of a server's log about connections that are no client. In the server's process. */
#ifndef SERVE_IGNORED_H
#define SERVE_IGNORED_H

#include "serve/serve_state.h"

/* Logs a connection that is not a client; of many in a minute only the number. */
void serve_ignored_log(struct serve *s, const char *peer, const char *reason);

/* Logs how many of them were not logged. */
void serve_ignored_flush(struct serve *s);

#endif
