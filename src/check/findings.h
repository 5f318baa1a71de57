/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What is set on a machine that costs performance, and the command that shows or mends it. */
#ifndef FINDINGS_H
#define FINDINGS_H

#include <stdint.h>

#include "host/machine.h"
#include "limits/limits.h"

#define FINDING_TEXT 256

struct finding {
	const char *code;    /* "pcie_narrow", static */
	char side[16];       /* client or server; "": this machine alone */
	char host[PLAN_NAME], device[PLAN_NAME];
	char text[FINDING_TEXT], remedy[FINDING_TEXT];
};

/* What is judged. Borrowed. */
struct findings_in {
	const char *side;
	const struct limits *limits;
	const struct machine *machine;
};

/* Adds what is to be said of a side to list, n of them so far. Returns how many there are now. */
uint32_t findings_add(struct finding *list, uint32_t n, const struct findings_in *in);

/* The most that findings_add() adds. */
extern const uint32_t findings_most;

/* The codes, in the order of the table; NULL behind the last. */
const char *findings_code(uint32_t i);

#endif
