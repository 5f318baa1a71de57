/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the command key: it makes a file for --key. */
#include "config.h"
#include "commands/commands.h"

#include "access/key.h"
#include "util/err.h"
#include "util/log.h"

int key_command(const struct command *cmd, const struct command_line *line)
{
	struct cfg cfg;
	int status;

	if (!command_parse(cmd, line, &cfg, &status))
		return status;
	if (!key_make(cfg.files[0]))
		return COMMAND_OK;
	log_error("%s", err_text());
	return COMMAND_FAILED;
}
