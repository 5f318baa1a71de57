/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder analysis: the command report: summaries, comparisons and pictures of the rows of files. It
 * measures nothing and knows no device.
 *
 * This header: the command.
 */
#ifndef REPORT_H
#define REPORT_H

#include "command/command.h"

int report_command(const struct command *cmd, const struct command_line *line);

#endif
