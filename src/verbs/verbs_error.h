/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Texts for codes of verbs: what happened, the likely cause, the remedy. One line, static. */
#ifndef VERBS_ERROR_H
#define VERBS_ERROR_H

#include <stddef.h>
#include <stdint.h>
#include <infiniband/verbs.h>

const char *verbs_error_status_name(enum ibv_wc_status status);   /* "RETRY_EXC_ERR" */
const char *verbs_error_status(enum ibv_wc_status status);        /* cause and remedy, one line */
const char *verbs_error_event(enum ibv_event_type event);         /* async event: name, cause */

/*
 * The error message for a failed registration of len_bytes of memory: errno text and, for ENOMEM,
 * the memlock limit that applies ("RLIMIT_MEMLOCK is 8 MiB: ..."), and for EAGAIN and ENOMEM cause
 * and remedy.
 */
void verbs_error_mr(char *text, size_t size, int err, uint64_t len_bytes);

#define VERBS_ERROR_TEXT 320

/*
 * For a CQ, SRQ or QP that could not be created: errno text and the same hints, since the kernel
 * pins the buffers of queues as it does registered memory. Returns text.
 */
const char *verbs_error_queue(char text[VERBS_ERROR_TEXT], int err);

/* The cause of both errors for err_set_cause(): "MEMLOCK", "RDMA_CGROUP"; "" of other codes. */
const char *verbs_error_cause(int err);

#endif
