/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the command version. The versions themselves: command/version.c. */
#include "config.h"
#include "commands/commands.h"

#include <string.h>

#include "command/version.h"
#include "util/log.h"

int version_command(const struct command *cmd, const struct command_line *line)
{
	const char *operand = command_operand(line, 1);

	if (operand && (!strcmp(operand, "-h") || !strcmp(operand, "--help"))) {
		command_usage(cmd);
		return COMMAND_OK;
	}
	if (operand) {
		log_error("%s takes no operands: \"%s\"", cmd->name, operand);
		return COMMAND_REFUSED;
	}
	version_print();
	return COMMAND_OK;
}
