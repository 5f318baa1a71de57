/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The drop-in programs, one for each test. */
#ifndef DROPIN_MAIN_H
#define DROPIN_MAIN_H

#include <stdbool.h>

#include "config/kind.h"

/* Is it the name of a drop-in program ("ib_send_bw")? *test: its test. */
bool dropin_find(const char *program, enum test *test);

/* The program. Returns the exit status; standard output is flushed by main(). */
int dropin_main(const char *program, enum test test, int argc, char **argv);

#endif
