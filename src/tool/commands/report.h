/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The command report: summaries, comparisons and pictures of the rows of files. */
#ifndef REPORT_H
#define REPORT_H

#include "frame/command.h"

int report_command(const struct command *cmd, const struct command_line *line);

#endif
