/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the command pingpong: the test send_lat with the sizes and the lines of ibv_rc_pingpong.
 * Must not measure anything itself: test.c runs it, format/format_pingpong.c prints it.
 */
#include "config.h"

#include "commands/commands.h"
#include "commands/test.h"
#include "run/run_sweep.h"
#include "util/log.h"

/* The defaults of libibverbs/examples/rc_pingpong.c, and of ud_pingpong.c. */
#define SIZE_BYTES 4096u
#define SIZE_UD_BYTES 1024u

int pingpong_command(const struct command *cmd, const struct command_line *line)
{
	struct cfg cfg;
	int status;

	if (run_is_sweep(line)) {
		log_error("pingpong is one test: it takes no lists and none of --rounds, --shuffle, --resume and --dry-run; \"verbench send_lat\" does");
		return COMMAND_REFUSED;
	}
	if (!command_parse(cmd, line, &cfg, &status))
		return status;
	cfg.pingpong = true;
	if (!cfg.given.size_bytes && !cfg.given.all_sizes)
		cfg.size_bytes = kind_is_datagram(cfg_kind(&cfg).tp) ? SIZE_UD_BYTES : SIZE_BYTES;
	return test_run(&cfg);
}
