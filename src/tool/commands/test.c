/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the commands send_bw, send_lat, ...: with a host the client of one plan, without one a
 * server for one client. And pingpong: the test send_lat with the sizes and the lines of
 * ibv_rc_pingpong. Must not know how a plan is measured.
 */
#include "config.h"
#include "commands/commands.h"

#include <string.h>

#include "frame/results.h"
#include "run/run_sweep.h"
#include "serve/serve.h"
#include "options/label.h"
#include "util/log.h"

/* The defaults of libibverbs/examples/rc_pingpong.c, and of ud_pingpong.c. */
#define SIZE_BYTES 4096u
#define SIZE_UD_BYTES 1024u
#define ITERATIONS 1000u

int test_client(const struct cfg *cfg)
{
	struct results results = { .cfg = cfg };

	return results_check(cfg) ? results_client(&results) : COMMAND_REFUSED;
}

/* "--json node1" takes the host for a file, and the test is then a server that waits. */
static void note_files(const struct cfg *cfg)
{
	const struct {
		enum cfg_row row;
		const char *path;
	} files[] = {
#define FORMAT(name, takers, of, text) { CFG_ROW_##name, cfg->name },
#define FORMAT_STDOUT(name)
#include "options/formats.def"
	};
	char label[LABEL_MAX];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (files[i].path && strcmp(files[i].path, "-"))
			log_note("no host is given, so this is the server; %s writes to the file \"%s\"",
				 label_row(cfg, files[i].row, label), files[i].path);
	}
}

static int run_one(const struct cfg *cfg)
{
	const int status = command_start();

	if (status)
		return status;
	if (!cfg->host)
		note_files(cfg);
	return cfg->host ? test_client(cfg) : serve_run(cfg, SERVE_ONE_CLIENT, NULL);
}

int test_command(const struct command *cmd, const struct command_line *line)
{
	struct cfg cfg;
	int status;

	if (run_is_sweep(line))
		return run_command(cmd, line);
	if (!command_parse(cmd, line, &cfg, &status))
		return status;
	return run_one(&cfg);
}

int test_pingpong(const struct command *cmd, const struct command_line *line)
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
	if (cfg.duration_ms == CFG_AUTO && cfg.messages == CFG_AUTO64)
		cfg.messages = ITERATIONS;
	return run_one(&cfg);
}
