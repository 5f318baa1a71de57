/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The sum of both directions of a bandwidth test. It has a meaning only if both were measured over
 * the same interval. Each side knows when its windows began, from the moment that it was about to
 * start. The server is about to start after the client was (message ready) and before the client
 * learns of it (go), so a time of the server is that of the client and start_slack_ns at most. The
 * windows count as one as row_windows.h says. The sum is that of all messages over the union. Pure.
 */
#ifndef ROW_SUM_H
#define ROW_SUM_H

#include "worker/result.h"
#include "report/row.h"
#include "report/row_windows.h"

/*
 * Sets the row of the sum: sum is a copy of the first direction's row, other that of the second;
 * clock of the windows: their side. Without a sum the row is skipped and its reason says why.
 */
void row_sum(struct row *sum, const struct row *other, const struct row_window windows[2]);

#endif
