/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Prints the section OPTIONS of the man page. A program of the build, not installed: the Makefile
 * inserts its output into docs/verbench.1.in.
 */
#include "config.h"

#include <stdio.h>

#include "config/options.h"

int main(void)
{
	options_man(stdout);
	return ferror(stdout) || fclose(stdout) ? 1 : 0;
}
