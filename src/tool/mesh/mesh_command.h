/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The command mesh, for the table of commands. */
#ifndef MESH_COMMAND_H
#define MESH_COMMAND_H

#include "frame/command.h"

/* Returns the exit status. */
int mesh_command(const struct command *cmd, const struct command_line *line);

#endif
