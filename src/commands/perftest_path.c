/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the command perftest-path: prints the folder of the drop-in programs ib_send_bw, ..., to be
 * put first in PATH. Must not know these programs: src/perftest has them.
 */
#include "config.h"
#include "commands/commands.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/log.h"

#define PROBE "/ib_write_bw"

/* Beside the program in a build tree, below its prefix, else where configured. */
static bool find_folder(char path[PATH_MAX])
{
	static const char *const places[] = { "/perftest", "/../libexec/verbench/perftest" };
	char self[PATH_MAX / 2], probe[PATH_MAX + sizeof(PROBE)], near[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	for (size_t i = 0; len > 0 && i < sizeof(places) / sizeof(places[0]); i++) {
		self[len] = '\0';
		snprintf(near, sizeof(near), "%.*s%s", (int)(strrchr(self, '/') - self), self,
			 places[i]);
		snprintf(probe, sizeof(probe), "%s" PROBE, near);
		if (!access(probe, X_OK))
			return realpath(near, path);
	}
	snprintf(path, PATH_MAX, "%s", PERFTEST_DIR);
	return !access(PERFTEST_DIR PROBE, X_OK);
}

int perftest_path_command(const struct command *cmd, const struct command_line *line)
{
	char path[PATH_MAX];
	struct cfg cfg;
	int status;

	if (!command_parse(cmd, line, &cfg, &status))
		return status;
	if (!find_folder(path)) {
		log_error("the drop-in programs are neither next to this program nor in %s", path);
		return COMMAND_FAILED;
	}
	puts(path);
	return COMMAND_OK;
}
