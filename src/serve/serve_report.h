/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What a server tells of itself: its sessions, limits in use, totals since the start. */
#ifndef SERVE_REPORT_H
#define SERVE_REPORT_H

#include <stdio.h>
#include <jansson.h>

struct serve;

/* One object. NULL: no memory. The caller's. */
json_t *serve_report_json(const struct serve *s);

/*
 * The totals and numbers as text for Prometheus ("Exposition formats", text format 0.0.4): names
 * begin with verbench_. No addresses. NULL: no memory. Freed by the caller.
 */
char *serve_report_metrics(const struct serve *s);

/* What serve_report_json() made, for people. Foreign texts in it are cleaned. */
void serve_report_print(FILE *out, const json_t *report);

#endif
