/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Numbers of files: read a hundred million times, so what most of them are is read fast. */
#ifndef NUMBER_H
#define NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A decimal as in JSON: sign, digits, fraction, exponent; also ".5" and "5.". -EBADMSG without an
 * error message: it is none, or not finite; *value is then as before.
 */
int number_scan(const char *text, double *value) __attribute__((warn_unused_result));

/* Is the text of an integer its shortest spelling? */
bool number_is_plain(const char *text);

/* Its shortest spelling: "%.15g". Returns text. */
const char *number_text(double value, char *text, size_t size);

#endif
