/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* A condition as parsed. For condition.c and condition_parse.c alone. */
#ifndef CONDITION_OWN_H
#define CONDITION_OWN_H

#include <stdbool.h>
#include <stddef.h>

enum condition_operator {
	CONDITION_LT, CONDITION_LE, CONDITION_GT, CONDITION_GE, CONDITION_EQ, CONDITION_NE,
	CONDITION_HAS, CONDITION_LACKS
};

struct condition {
	size_t column;       /* an index of row_table */
	enum condition_operator op;
	double number;       /* NAN: the value is a text, or none */
	char *text;          /* owned; of a text column */
	bool none;           /* the value is "none" */
};

#endif
