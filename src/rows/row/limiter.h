/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What probably limits the figure of a row, where that is evident from its columns. Pure. */
#ifndef LIMITER_H
#define LIMITER_H

#include <stdbool.h>

#include "row/row.h"

/*
 * The first of these that holds; all ones, which is absent: none is evident. takes_link: nothing
 * passes the link faster than its rate. A row that is the sum of others, or has no rate: none.
 *
 *   link        a stream has 95 % or more of the slower link's rate
 *   pcie        a stream has 85 % or more of what the PCIe link of a side carries, before the
 *               overhead of its packets: headers and flow control take the rest
 *   loss        over a reliable transport 0.1 % of the messages or more were sent again
 *   rnr         0.1 % of the messages or more found no receive
 *   cpu_share   a measuring thread waited 10 % of the time or more for a CPU, or 10 % of the CPU
 *               time of a machine was stolen
 *   one_core    one thread streams messages of up to 4 KiB below half of the link's rate, uses its
 *               core for 95 % of the window or more, and at most one poll in five found nothing
 *   far_memory  a stream of 4 KiB or more; threads or memory of a side are far from the device
 */
enum row_limiter limiter_of(const struct row *row, bool takes_link);

/* For people, with what to do; NULL: another note says it already. */
const char *limiter_sentence(enum row_limiter limiter);

#endif
