/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the command line of mesh: rank, schedule, key, cells; see mesh.h. */
#include "config.h"
#include "mesh/mesh.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decide/plan.h"
#include "frame/command.h"
#include "frame/results.h"
#include "mesh/mesh_resume.h"
#include "options/options.h"
#include "run/run_sweep.h"
#include "serve/serve_state.h"
#include "tree/join_file.h"
#include "util/err.h"
#include "util/must.h"
#include "util/text.h"
#include "wiring/wiring.h"

#define AROUND_NS 150e6    /* between two cells: the pairs meet, and their rows go up */
#define SERIAL_NODES 128u  /* so many are measured one pair at a time without --limit-time */
#define PORT 18525u /* of the root: 18515 is that of servers, which may run beside it */

/* ---- schedule */

static const struct {
	const char *name;
	enum schedule_kind kind;
	bool has_k;
} kinds[] = {
	{ "all", SCHEDULE_ALL, false },
	{ "sample", SCHEDULE_SAMPLE, true },
	{ "shift", SCHEDULE_SHIFT, false },
	{ "one", SCHEDULE_ONE, true },
	{ "incast", SCHEDULE_INCAST, true },
	{ "bisection", SCHEDULE_BISECTION, false },
	{ "random", SCHEDULE_RANDOM, true },
	{ "serial", SCHEDULE_SERIAL, false },
};

/* "sample:64", "all"; another text is the name of a file. */
static int read_schedule(struct mesh *m)
{
	const char *text = m->cfg.schedule, *colon = text + strcspn(text, ":");
	struct schedule_ask *ask = &m->ask;
	int rc;

	*ask = (struct schedule_ask){ .kind = SCHEDULE_FILE, .n = m->rank.size,
				      .seed = m->cfg.seed, .rails = m->cfg.rails,
				      .n_rails = m->rails.n, .file = text };
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const size_t len = strlen(kinds[i].name);
		double k = 0;

		if ((size_t)(colon - text) != len || strncmp(text, kinds[i].name, len) != 0)
			continue;
		if (kinds[i].has_k ? !*colon || text_scan_number(colon + 1, &k) || k < 0 ||
					     k > MESH_NODES_MAX || k != (uint32_t)k :
				     *colon)
			return err_option(-EINVAL, "--schedule", "%s: expected %s%s", text,
					  kinds[i].name, kinds[i].has_k ? ":N" : "");
		ask->kind = kinds[i].kind;
		ask->k = (uint32_t)k;
		ask->file = NULL;
	}
	ask->spare = m->cfg.victim ? 2 : 0;
	rc = schedule_open(&m->schedule, ask);
	return rc ? rc : mesh_incast_options(m);
}

/* ---- rank */

static const char *look(const char *name)
{
	return getenv(name);
}

/* Virtual nodes of Slurm share a host. */
void mesh_name(const struct mesh *m, char *name, size_t size)
{
	const char *given = m->cfg.name ? m->cfg.name : look("SLURMD_NODENAME");

	if (given || gethostname(name, size))
		snprintf(name, size, "%s", given ? given : "");
	name[size - 1] = '\0';
}

static int check_via(const struct cfg *cfg)
{
	const bool each = strstr(cfg->via, "%h"), all = strstr(cfg->via, "%w");

	if (!cfg->nodes)
		return err_option(-EINVAL, "--via", "needs --hosts LIST: where to start agents");
	if (each == all)
		return err_option(-EINVAL, "--via", "\"%.60s\": expected %%h, the host, or %%w, all of them",
				  cfg->via);
	return 0;
}

/* Whoever starts the others is rank 0. */
static int read_hosts(struct mesh *m, const char *join)
{
	const struct cfg *cfg = &m->cfg;
	char own[ROW_NAME], *name;
	uint32_t i;
	int rc;

	if (cfg->given.ranks)
		return err_option(-EINVAL, "--hosts", "says the ranks too: give it or --ranks");
	rc = access(cfg->nodes, F_OK) ? node_list_parse(&m->nodes, "--hosts", cfg->nodes) :
					node_list_read(&m->nodes, cfg->nodes);
	if (rc)
		return rc;
	mesh_name(m, own, sizeof(own));
	i = mesh_rank_find(&m->nodes, own);
	if (cfg->via && i < m->nodes.n) {
		name = m->nodes.names[i];
		m->nodes.names[i] = m->nodes.names[0];
		m->nodes.names[0] = name;
	}
	return mesh_rank_hosts(&m->rank, &m->nodes, own, join);
}

/* With a file rank 0 listens on any port. */
static int read_root(struct mesh *m)
{
	const struct cfg *cfg = &m->cfg;

	if (m->rank.root[0])
		return hosts_parse(&m->root, m->rank.root,
				   cfg->given.tcp_port ? cfg->tcp_port : PORT);
	m->root.port = cfg->given.tcp_port ? cfg->tcp_port : 0;
	return cfg->dry_run ? 0 : join_file_check(cfg->join, !m->rank.rank, cfg->force);
}

static int read_rank(struct mesh *m)
{
	const struct cfg *cfg = &m->cfg;
	const char *join = cfg->join || !cfg->dry_run ? cfg->join : "localhost";
	int rc = cfg->via ? check_via(cfg) : 0;

	if (!rc)
		rc = cfg->nodes ? read_hosts(m, join) :
				  mesh_rank_read(&m->rank, cfg->ranks, join, look);
	if (!rc)
		rc = read_root(m);
	if (!rc && cfg->min_nodes != CFG_AUTO && cfg->min_nodes > m->rank.size)
		rc = err_option(-EINVAL, "--min-nodes", "%u: there are %u nodes", cfg->min_nodes,
				m->rank.size);
	return rc;
}

/* ---- cells, and what this agent serves */

/* Any test of another agent: they have the same options. */
static int make_server(struct mesh *m)
{
	struct cfg *own = &m->server;
	int rc = options_parse(own, OPTIONS_SERVE, 1, m->words);

	if (rc)
		return rc;
	/* the client says which of several */
	own->device = m->cfg.rails ? NULL : m->cfg.device;
	own->ib_port = m->cfg.ib_port;
	own->gid_index = m->cfg.gid_index;
	own->soft = m->cfg.soft;
	own->pin = m->cfg.pin;
	own->mem = m->cfg.mem;
	own->connect_timeout_ms = m->cfg.connect_timeout_ms;
	own->given.device = m->cfg.given.device && !m->cfg.rails;
	own->given.ib_port = m->cfg.given.ib_port;
	own->given.gid_index = m->cfg.given.gid_index;
	return serve_limits_fill(own, SERVE_MANY);
}

/* What is wrong with all cells is wrong with the command line. */
static int make_cells(struct mesh *m)
{
	struct err first = err_keep();
	int rc;

	if (!m->cfg.tests)
		return err_set(-EINVAL, "mesh needs --test TEST,...: what each pair measures");
	/* where an agent has its key from is no part of what it measures */
	cells_drop(&m->axes, CFG_ROW_key);
	cells_begin(&m->cells, &m->cfg);
	rc = cells_add(&m->cells, NULL, &m->axes);
	for (uint32_t i = 0; !rc && i < m->cells.n; i++) {
		struct cell cell;
		const int wrong = mesh_cell(m, i, &cell);

		free(cell.text);
		if (!wrong)
			return 0;
		if (!i)
			first = err_keep();
	}
	if (rc)
		return rc;
	err_restore(&first);
	return -EINVAL;
}

int mesh_cell(const struct mesh *m, uint32_t i, struct cell *cell)
{
	cells_get(&m->cells, i, cell);
	/* the key is known already, and the pair is not */
	cell->cfg.key = NULL;
	cell->cfg.host = m->root.host;
	mesh_rails_choose(m, &cell->cfg, &(struct schedule_rails){ 0, 0 });
	return plan_rules(&cell->cfg);
}

/* All pairs of a round are measured at the same time. */
double mesh_time_ns(const struct mesh *m)
{
	double ns = 0;

	for (uint32_t i = 0; i < m->cells.n; i++) {
		struct cell cell;

		if (!mesh_cell(m, i, &cell))
			ns += run_time_ns(&cell.cfg);
		ns += AROUND_NS;
		free(cell.text);
	}
	return ns * schedule_rounds(m->schedule);
}

/* By time it is known; by a number of messages a server's own limit ends it. */
uint64_t mesh_longest_ns(const struct mesh *mesh, const struct cfg *cell)
{
	const uint64_t steps_ms = UINT64_C(4) * (mesh->cfg.connect_timeout_ms +
						 mesh->cfg.stall_timeout_ms);
	const uint32_t points = run_time_points(cell);

	if (cell->duration_ms != CFG_AUTO || cell->messages == CFG_AUTO64)
		return (uint64_t)(2 * run_time_ns(cell)) + steps_ms * points * 1000000u;
	return (mesh->server.max_point_ms + steps_ms) * points * UINT64_C(1000000);
}

/* One pair at a time takes the square of the time of rounds. */
static int check_time(const struct mesh *m)
{
	char time[32];

	if (m->ask.kind != SCHEDULE_SERIAL || m->rank.size <= SERIAL_NODES ||
	    m->cfg.limit_time_ms != CFG_AUTO || m->cfg.dry_run)
		return 0;
	return err_option(-EINVAL, "--schedule",
			  "serial: one pair of %u nodes at a time takes about %s; from %u nodes on give --limit-time TIME",
			  m->rank.size, run_show_time(mesh_time_ns(m), time, sizeof(time)),
			  SERIAL_NODES + 1);
}

/* Fowler, Noll, Vo, "The FNV Non-Cryptographic Hash Algorithm", FNV-1a with 64 bits. */
static uint64_t add_text(uint64_t sum, const char *text)
{
	for (; *text; text++)
		sum = (sum ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return sum;
}

uint64_t mesh_fingerprint(const struct mesh *m)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325);
	char numbers[112];

	snprintf(numbers, sizeof(numbers), "%u %d %u %u %llu %u %llu", m->cfg.fan_out, m->ask.kind,
		 m->ask.k, m->ask.spare, (unsigned long long)m->ask.seed,
		 schedule_rounds(m->schedule),
		 (unsigned long long)schedule_pairs(m->schedule));
	sum = add_text(sum, numbers);
	for (uint32_t i = 0; m->cfg.rails && i < m->rails.n; i++)
		sum = add_text(add_text(sum, choices_rails[m->cfg.rails]), m->rails.names[i]);
	for (uint32_t i = 0; i < m->cells.n; i++) {
		struct cell cell;

		cells_get(&m->cells, i, &cell);
		sum = add_text(sum, cell.text);
		free(cell.text);
	}
	return sum;
}

/* ---- all of it */

bool mesh_read(struct mesh *m, const struct command *cmd, const struct command_line *line,
	       int *status)
{
	const struct options_lists lists = cells_lists(&m->axes);
	struct command_line copy = { line->argc, NULL, line->all, &lists };
	int rc;

	m->words = must_calloc((size_t)line->argc + 1, sizeof(*m->words));
	memcpy(m->words, line->argv, (size_t)line->argc * sizeof(*m->words));
	copy.argv = m->words;
	if (!command_parse(cmd, &copy, &m->cfg, status))
		return false;
	m->cfg.sweep = m->cfg.no_table = true;
	rc = read_rank(m);
	if (!rc)
		rc = mesh_access_read(m);
	if (!rc)
		rc = mesh_rails_read(m);
	if (!rc)
		rc = read_schedule(m);
	if (!rc && m->cfg.wiring && !m->rank.rank)
		rc = wiring_read(&m->wiring, m->cfg.wiring);
	if (!rc)
		rc = make_cells(m);
	if (!rc && m->cfg.resume)
		rc = mesh_resume_options(&m->cfg);
	/* the other agents have no rows */
	if (!rc && m->cfg.resume && !m->rank.rank)
		rc = mesh_resume_open(&m->resume, m);
	if (!rc)
		rc = check_time(m);
	if (!rc)
		rc = make_server(m);
	if (!rc)
		return true;
	results_refused(&m->cfg, rc);
	*status = COMMAND_REFUSED;
	return false;
}

void mesh_free(struct mesh *m)
{
	mesh_resume_close(m->resume);
	schedule_close(m->schedule);
	wiring_free(m->wiring);
	ctl_tls_close(m->tls);
	node_list_free(&m->nodes);
	topo_close(&m->machine);
	if (m->key)
		explicit_bzero(m->key, strlen(m->key));
	free(m->key);
	cells_free(&m->cells);
	cells_axes_free(&m->axes);
	free(m->words);
}
