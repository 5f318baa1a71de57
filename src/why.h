/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Codes into words: what happened, the likely cause and the remedy, each one line. Static text. */
#ifndef WHY_H
#define WHY_H

#include <stddef.h>
#include <stdint.h>
#include <infiniband/verbs.h>

const char *why_status_name(enum ibv_wc_status status);   /* "RETRY_EXC_ERR" */
const char *why_status(enum ibv_wc_status status);        /* cause and remedy, one line */
const char *why_event(enum ibv_event_type event);         /* async event: name, cause */

/*
 * The sentence for a failed memory registration of len bytes: errno text and, for ENOMEM, the
 * memlock limit that applies ("RLIMIT_MEMLOCK is 8 MiB, 32 MiB needed: ulimit -l unlimited,
 * ...").
 */
void why_mr(char *text, size_t size, int err, uint64_t len_bytes);

#endif
