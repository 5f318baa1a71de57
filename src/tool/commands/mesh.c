/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the command mesh: what runs in a process of it, and --dry-run. */
#include "config.h"
#include "commands/commands.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "frame/command.h"
#include "frame/results.h"
#include "mesh/mesh.h"
#include "run/run_sweep.h"
#include "tables/tables.h"
#include "util/err.h"
#include "util/log.h"
#include "util/text.h"
#include "verdict/mesh_judged.h"

/* A connection for each agent, and for each session. */
static void raise_descriptors(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files))
		return;
	files.rlim_cur = files.rlim_max;
	(void)!setrlimit(RLIMIT_NOFILE, &files);
}

static int dry_run(const struct mesh *mesh)
{
	const uint32_t rounds = schedule_rounds(mesh->schedule);
	const uint64_t pairs = schedule_pairs(mesh->schedule);
	char time[32];

	for (uint32_t i = 0; i < mesh->cells.n; i++) {
		struct cell cell;

		if (mesh_cell(mesh, i, &cell))
			printf("%s\n    skipped: %s\n", cell.text, err_text());
		else
			printf("%s\n", cell.text);
		free(cell.text);
	}
	printf("%" PRIu32 " nodes, %" PRIu32 " round%s, %" PRIu64 " pairs, %" PRIu64 " results, about %s\n",
	       mesh->rank.size, rounds, text_plural(rounds), pairs, pairs * mesh->cells.n,
	       run_show_time(mesh_time_ns(mesh), time, sizeof(time)));
	return COMMAND_OK;
}

static int run(struct mesh *mesh)
{
	struct mesh_launch *launch = NULL;
	struct mesh_root *root = NULL;
	int status = command_start(), rc = 0;

	if (status)
		return status;
	if (!mesh->rank.rank && !results_check(&mesh->cfg))
		return COMMAND_REFUSED;
	if (!mesh->rank.rank && live_check(&mesh->cfg)) {
		log_error("%s", err_text());
		return COMMAND_REFUSED;
	}
	raise_descriptors();
	/* to describe a machine takes longer than many a pair */
	mesh->described = !topo_open(&mesh->machine) && mesh->machine.this_host;
	if (!mesh->rank.rank)
		rc = mesh_root_open(&root, mesh, mesh_verdict);
	if (!rc)
		rc = mesh_launch_open(&launch, mesh);
	if (!rc)
		rc = mesh_agent(mesh);
	/* an end of all, or a signal: the root of this process says it */
	if (rc && !(root && (rc == -ECONNABORTED || rc == -EINTR)))
		log_error("%s", err_text());
	status = rc ? COMMAND_FAILED : COMMAND_OK;
	if (root)
		status = mesh_root_close(root);
	mesh_launch_close(launch);
	return status;
}

int mesh_command(const struct command *cmd, const struct command_line *line)
{
	struct mesh mesh = { .tls = NULL };
	int status;

	if (mesh_read(&mesh, cmd, line, &status))
		status = mesh.cfg.dry_run ? dry_run(&mesh) : run(&mesh);
	mesh_free(&mesh);
	return status;
}
