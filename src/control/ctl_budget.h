/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What a message may cost when it is decoded. jansson takes some 100 bytes for a value, 300 for an
 * object, and a call of itself for each level: "[{},{},..." of 64 KiB would take megabytes.
 */
#ifndef CTL_BUDGET_H
#define CTL_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Is the text within the budget? admitted: of a peer that may have large messages. It need not be
 * JSON.
 */
bool ctl_budget_fits(const uint8_t *text, size_t len, bool admitted);

#endif
