/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the spellings of a result's status: used by proto.c on the wire, by rows and tables.
 * Holds no state.
 */
#include "config.h"
#include "result.h"

#include <stddef.h>

const char *const result_status_names[] = {
	[RESULT_OK] = "ok",
	[RESULT_INCOMPLETE] = "incomplete",
	[RESULT_FAILED] = "failed",
	[RESULT_SKIPPED] = "skipped",
	NULL,
};
