/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The control tree of a mesh with many agents: a real root, and agents that measure nothing, of
 * which some end at random moments. Each client that stays has each of its rows once on each rail;
 * all rails are measured at the same time.
 *
 * usage: test_mesh_tree [AGENTS FAN-OUT STARTS KILLED SEED PROCESSES RAILS]
 *
 * With arguments it also prints what it took: time to join, CPU time of the root, memory. More than
 * KEY_MOST agents have no key: one machine would be busy with their heartbeats alone.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "commands/commands.h"
#include "frame/command.h"
#include "mesh/mesh_relay.h"
#include "run/run_sweep.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/must.h"
#include "read/rows.h"
#include "wire/ctl_socket.h"
#include "verdict/mesh_judged.h"
#include "wire/key.h"

#define KEY_MOST 2000u
#define ROUNDS 2u
#define ROWS_OF_CELL 2u
#define JOINING 32u   /* agents of a process that look for their place at the same time */
#define SWEEP_NS 10000000u
#define PROCESSES_MAX 16u

static const char *const devices[] = { "a", "a,b", "a,b,c", "a,b,c,d" }; /* of 1 to 4 rails */

struct arguments {
	uint32_t agents, fan_out, starts, killed, seed, processes, rails;
};

/* What the processes share. */
struct shared {
	_Atomic uint32_t begun, ended, wrong;
	_Atomic uint64_t first_ns, last_ns, ordered_ns; /* the agents that begin, the first cell */
	_Atomic uint64_t cpu_first_ns, cpu_last_ns;     /* of the root, at the starts of rank 1 */
	_Atomic uint64_t wall_first_ns, wall_last_ns;
	_Atomic uint8_t gone[];                         /* by rank: it was killed */
};

struct many;

struct agent {
	struct many *many;
	struct mesh mesh;
	struct mesh_relay *relay; /* NULL: it has ended */
	bool over, doomed;
	uint64_t order;           /* of its cell: that of lane 0 */
	uint32_t started[MESH_RAILS_MAX]; /* by lane */
};

/* A process of agents. */
struct many {
	const struct arguments *arguments;
	const struct mesh *mesh;
	struct shared *shared;
	struct agent *agents;
	uint32_t n, opened, alive;
	uint32_t first, step;       /* ranks: first, first + step, ... */
	uint32_t goes, to_kill, next_kill;
	uint64_t random;
	int epoll_fd;
	clockid_t root_cpu;
};

/* Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled". */
static uint64_t draw(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(2685821657736338717);
}

/* ---- an agent */

static void ready(struct agent *a, uint32_t lane)
{
	const struct mesh_start start = { a->order + lane, ++a->started[lane] };

	mesh_relay_ready(a->relay, &start);
}

static void take_order(void *arg, const struct mesh_order *order, int64_t ahead_ns)
{
	struct agent *a = arg;
	uint64_t none = 0;

	(void)ahead_ns;
	atomic_compare_exchange_strong(&a->many->shared->ordered_ns, &none, clock_ns());
	a->order = order->what.order - order->lane;
	a->started[order->lane] = 0;
	ready(a, order->lane);
}

static void finish_cell(struct agent *a, uint32_t lane)
{
	const struct mesh_done done = { .status = RESULT_OK };
	struct cell cell;
	struct row row;

	cells_get(&a->mesh.cells, 0, &cell);
	run_row(&row, &cell.cfg, RESULT_OK);
	row.bandwidth_gbit_s = 1;
	snprintf(row.device, sizeof(row.device), "%s", a->mesh.rails.names[lane]);
	free(cell.text);
	for (uint32_t i = 0; i < ROWS_OF_CELL; i++) {
		row.sent_messages = i;
		mesh_relay_row(a->relay, a->order + lane, mesh_wire_row(&row));
	}
	mesh_relay_done(a->relay, a->order + lane, mesh_wire_done(&done));
}

static void watch_root(struct many *m)
{
	uint64_t none = 0;

	if (atomic_compare_exchange_strong(&m->shared->cpu_first_ns, &none,
					   clock_cpu_ns(m->root_cpu)))
		m->shared->wall_first_ns = clock_ns();
	if (m->agents[0].started[0] != m->arguments->starts || m->shared->cpu_last_ns)
		return;
	m->shared->cpu_last_ns = clock_cpu_ns(m->root_cpu);
	m->shared->wall_last_ns = clock_ns();
}

static void take_go(void *arg, const struct mesh_start *start)
{
	struct agent *a = arg;
	struct many *m = a->many;
	const uint32_t lane = (uint32_t)(start->order - a->order);

	if (lane >= m->arguments->rails || start->number != a->started[lane]) {
		m->shared->wrong++;
		return;
	}
	if (a == m->agents && !lane)
		watch_root(m);
	m->goes++;
	if (m->to_kill && m->goes == m->next_kill) {
		a->doomed = true;
		return;
	}
	if (a->started[lane] < m->arguments->starts)
		ready(a, lane);
	else
		finish_cell(a, lane);
}

static void take_over(void *arg, int rc)
{
	struct agent *a = arg;

	a->over = true;
	if (rc) {
		fprintf(stderr, "rank %u: %s\n", a->mesh.rank.rank, err_text());
		a->many->shared->wrong++;
	}
}

/* ---- a process of agents */

static void open_agent(struct many *m)
{
	struct agent *a = &m->agents[m->opened];
	const struct mesh_relay_host host = { take_order, take_go, take_over, a };
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = m->opened };
	char name[16];

	a->many = m;
	a->mesh = *m->mesh;
	a->mesh.rank.rank = m->first + m->opened * m->step;
	snprintf(name, sizeof(name), "n%u", a->mesh.rank.rank);
	a->mesh.cfg.name = must_strdup(name);
	if (mesh_relay_open(&a->relay, &a->mesh, &host, 1) ||
	    epoll_ctl(m->epoll_fd, EPOLL_CTL_ADD, mesh_relay_fd(a->relay), &event)) {
		fprintf(stderr, "%s: %s\n", name, err_text());
		_exit(1);
	}
	m->opened++;
	m->alive++;
	m->shared->last_ns = clock_ns();
	m->shared->begun++;
}

static void close_agent(struct many *m, struct agent *a)
{
	mesh_relay_close(a->relay);
	a->relay = NULL;
	m->alive--;
	m->shared->ended++;
}

static void plan_kill(struct many *m)
{
	const uint32_t goes = m->n * m->arguments->starts * ROUNDS * m->arguments->rails;

	m->next_kill = m->goes + 1 + (uint32_t)(draw(&m->random) % (goes / (m->to_kill + 1)));
}

/* As a process that is killed: its connections close. */
static void kill_agent(struct many *m, struct agent *a)
{
	m->shared->gone[a->mesh.rank.rank] = 1;
	close_agent(m, a);
	m->to_kill--;
	plan_kill(m);
}

static void work(struct many *m, struct agent *a)
{
	if (!a->relay)
		return;
	mesh_relay_work(a->relay, 0);
	if (a->doomed)
		kill_agent(m, a);
	else if (a->over && mesh_relay_finished(a->relay))
		close_agent(m, a);
}

static bool is_due(const struct agent *a, uint64_t now_ns)
{
	return a->relay && (a->over || a->doomed || now_ns >= mesh_relay_due_ns(a->relay));
}

/* Of the last that began: earlier ones wait for nobody. */
static uint32_t count_joining(const struct many *m)
{
	uint32_t n = 0;

	for (uint32_t i = m->opened > 4 * JOINING ? m->opened - 4 * JOINING : 0; i < m->opened; i++)
		n += m->agents[i].relay && !mesh_relay_joined(m->agents[i].relay);
	return n;
}

static void run_agents(struct many *m)
{
	uint64_t sweep_ns = clock_ns();

	while (m->opened < m->n || m->alive) {
		struct epoll_event events[256];
		int n;

		for (uint32_t k = m->opened < m->n ? count_joining(m) : JOINING;
		     k < JOINING && m->opened < m->n; k++)
			open_agent(m);
		n = epoll_wait(m->epoll_fd, events, 256, 10);
		for (int i = 0; i < n; i++)
			work(m, &m->agents[events[i].data.u32]);
		if (clock_ns() - sweep_ns < SWEEP_NS)
			continue;
		sweep_ns = clock_ns();
		for (uint32_t i = 0; i < m->opened; i++)
			if (is_due(&m->agents[i], sweep_ns))
				work(m, &m->agents[i]);
	}
}

/* The ranks process, process + processes, ... */
static int agents_main(const struct arguments *arguments, const struct mesh *mesh,
		       struct shared *shared, uint32_t process)
{
	struct many m = {
		.arguments = arguments, .mesh = mesh, .shared = shared,
		.first = process, .step = arguments->processes,
		.random = UINT64_C(0x9e3779b97f4a7c15) * (arguments->seed + process + 1),
		.epoll_fd = epoll_create1(EPOLL_CLOEXEC),
	};
	const uint32_t p = arguments->processes;
	struct rusage used;

	m.n = (arguments->agents - process + p - 1) / p;
	m.agents = must_calloc(m.n, sizeof(*m.agents));
	m.to_kill = (arguments->killed + p - 1 - process) / p;
	plan_kill(&m);
	if (clock_getcpuclockid(getppid(), &m.root_cpu) || command_start())
		return 1;
	run_agents(&m);
	if (getrusage(RUSAGE_SELF, &used))
		return 1;
	if (arguments->agents > 1000)
		printf("process %u: %u agents, %.3g MiB each, CPU %ld s\n", process, m.n,
		       (double)used.ru_maxrss / 1024 / m.n,
		       (long)(used.ru_utime.tv_sec + used.ru_stime.tv_sec));
	fflush(stdout);
	return 0;
}

/* ---- the run */

/* In each round every node sends to one. */
static void write_schedule(const char *path, uint32_t n)
{
	FILE *out = must_have(fopen(path, "w"));

	for (uint32_t round = 0; round < ROUNDS; round++)
		for (uint32_t i = 0; i < n; i++)
			fprintf(out, "%u %u %u\n", round, i, (i + 1 + round) % n);
	fclose(out);
}

static uint32_t free_port(void)
{
	char text[64];
	uint32_t port;
	int fd;

	if (ctl_listen(&fd, "127.0.0.1", 0))
		exit(1);
	port = ctl_listens_at(fd, text, sizeof(text));
	close(fd);
	return port;
}

static void read_mesh(struct mesh *mesh, const struct arguments *a, const char *folder)
{
	char ranks[32], join[32], fan_out[16], schedule[96], key[96], csv[96];
	char *argv[] = { (char *)"mesh", (char *)"--test", (char *)"write_bw", (char *)"--ranks",
			 ranks, (char *)"--join", (char *)join, (char *)"--fan-out", fan_out,
			 (char *)"--schedule", schedule, (char *)"--csv", csv,
			 (char *)"--connect-timeout", (char *)"120", (char *)"--stall-timeout",
			 (char *)"60", (char *)"--quiet", (char *)"-d",
			 (char *)(uintptr_t)devices[a->rails - 1], (char *)"--rails",
			 (char *)"all", (char *)"--key", key, NULL };
	const int left_out = a->agents > KEY_MOST ? 3 : 1;
	const int argc = (int)(sizeof(argv) / sizeof(argv[0])) - left_out;
	const struct command_line line = { argc, argv, argv, NULL };
	int status = 0;

	snprintf(ranks, sizeof(ranks), "0/%u", a->agents);
	snprintf(fan_out, sizeof(fan_out), "%u", a->fan_out);
	snprintf(schedule, sizeof(schedule), "%s/rounds", folder);
	snprintf(key, sizeof(key), "%s/key", folder);
	snprintf(csv, sizeof(csv), "%s/rows.csv", folder);
	snprintf(join, sizeof(join), "localhost:%u", free_port());
	write_schedule(schedule, a->agents);
	for (char **word = argv; *word; word++)
		*word = must_strdup(*word);
	if (key_make(key) || !mesh_read(mesh, commands_find("mesh"), &line, &status)) {
		fprintf(stderr, "status %d: %s\n", status, err_text());
		exit(1);
	}
}

/* ---- what came of it */

struct found {
	const struct arguments *arguments;
	const struct shared *shared;
	/* by (round * rails + rail) * agents + rank: bits of rows, failed rows; owned */
	uint32_t *ok, *bad;
	uint32_t wrong;
};

static void take_row(void *arg, const struct row *row)
{
	struct found *f = arg;
	const uint32_t n = f->arguments->agents;
	const uint32_t rail = row->device[0] - (uint32_t)'a';
	uint32_t client, server, at;

	if (row->kind != ROW_KIND_RESULT)
		return;
	if (sscanf(row->pair, "n%u>n%u", &client, &server) != 2 || client >= n || server >= n ||
	    row->mesh_round >= ROUNDS || rail >= f->arguments->rails ||
	    server != (client + 1 + row->mesh_round) % n) {
		fprintf(stderr, "a row of '%s', round %" PRIu64 "\n", row->pair,
			(uint64_t)row->mesh_round);
		f->wrong++;
		return;
	}
	at = client + n * ((uint32_t)row->mesh_round * f->arguments->rails + rail);
	if (row->status != RESULT_OK) {
		f->bad[at]++;
		return;
	}
	if (row->sent_messages >= ROWS_OF_CELL || f->ok[at] & 1u << row->sent_messages) {
		fprintf(stderr, "%s, round %" PRIu64 ": row %" PRIu64 " twice\n", row->pair,
			(uint64_t)row->mesh_round, (uint64_t)row->sent_messages);
		f->wrong++;
		return;
	}
	f->ok[at] |= 1u << row->sent_messages;
}

/* A pair of two that stay has all of its rows; one of another may have failed. */
static void check_pair(struct found *f, uint32_t round, uint32_t rail, uint32_t client)
{
	const uint32_t n = f->arguments->agents;
	const uint32_t at = client + n * (round * f->arguments->rails + rail);
	const bool all = f->ok[at] == (1u << ROWS_OF_CELL) - 1 && !f->bad[at];
	const bool failed = !f->ok[at] && f->bad[at] == 1;
	const bool gone = f->shared->gone[client] || f->shared->gone[(client + 1 + round) % n];

	if (all || (gone && failed))
		return;
	fprintf(stderr, "rank %u%s, round %u, rail %u: rows %#x, failed %u\n", client,
		f->shared->gone[client] ? ", killed" : "", round, rail, f->ok[at], f->bad[at]);
	f->wrong++;
}

static uint32_t check_rows(const struct arguments *arguments, const struct shared *shared,
			   const char *folder)
{
	struct found f = { .arguments = arguments, .shared = shared };
	char path[96];

	snprintf(path, sizeof(path), "%s/rows.csv", folder);
	f.ok = must_calloc(ROUNDS * arguments->rails * arguments->agents, sizeof(*f.ok));
	f.bad = must_calloc(ROUNDS * arguments->rails * arguments->agents, sizeof(*f.bad));
	if (rows_row_each(path, take_row, &f)) {
		fprintf(stderr, "%s\n", err_text());
		f.wrong++;
	}
	for (uint32_t lane = 0; lane < ROUNDS * arguments->rails; lane++)
		for (uint32_t i = 0; i < arguments->agents; i++)
			check_pair(&f, lane / arguments->rails, lane % arguments->rails, i);
	free(f.ok);
	free(f.bad);
	return f.wrong;
}

static double seconds(uint64_t from_ns, uint64_t to_ns)
{
	return (double)(int64_t)(to_ns - from_ns) / 1e9;
}

static void tell(const struct arguments *a, const struct shared *s)
{
	struct rusage used;

	if (getrusage(RUSAGE_SELF, &used))
		return;
	printf("joined %.2f s after the last agent began, %.2f s after the first one\n"
	       "a start: %.2f ms of the CPU of the root, %.1f ms\n"
	       "root: %.0f MiB, CPU %.2f s in all\n",
	       seconds(s->last_ns, s->ordered_ns), seconds(s->first_ns, s->ordered_ns),
	       seconds(s->cpu_first_ns, s->cpu_last_ns) * 1e3 / (a->starts - 1),
	       seconds(s->wall_first_ns, s->wall_last_ns) * 1e3 / (a->starts - 1),
	       (double)used.ru_maxrss / 1024,
	       (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
		       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6);
}

static int run(const struct arguments *a, const char *folder)
{
	const size_t size = sizeof(struct shared) + a->agents;
	struct shared *shared = mmap(NULL, size, PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const int expected = a->killed ? COMMAND_FAILED : COMMAND_OK;
	struct mesh mesh = { .tls = NULL };
	struct mesh_root *root;
	int status, wrong = 0;

	read_mesh(&mesh, a, folder);
	shared->first_ns = clock_ns();
	for (uint32_t i = 0; i < a->processes; i++)
		if (!fork())
			_exit(agents_main(a, &mesh, shared, i));
	if (command_start() || mesh_root_open(&root, &mesh, mesh_verdict)) {
		fprintf(stderr, "%s\n", err_text());
		return 1;
	}
	status = mesh_root_close(root);
	for (uint32_t i = 0; i < a->processes; i++) {
		int ended = 1;

		wrong += wait(&ended) < 0 || ended;
	}
	wrong += status != expected || shared->wrong || shared->ended != a->agents;
	if (wrong)
		fprintf(stderr, "status %d, expected %d; %u agents failed, %u of %u ended\n", status,
			expected, shared->wrong, shared->ended, a->agents);
	wrong += (int)check_rows(a, shared, folder);
	tell(a, shared);
	for (char **word = mesh.words; *word; word++)
		free(*word);
	mesh_free(&mesh);
	return wrong != 0;
}

static uint32_t number(char **argv, int i, uint32_t otherwise)
{
	return argv[i] ? (uint32_t)strtoul(argv[i], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
	char folder[] = "/tmp/mesh-tree-XXXXXX", command[64];
	char *none[] = { argv[0], NULL, NULL, NULL, NULL, NULL, NULL, NULL };
	char **words = argc == 8 ? argv : none;
	const struct arguments a = {
		number(words, 1, 200), number(words, 2, 4), number(words, 3, 20),
		number(words, 4, 8), number(words, 5, (uint32_t)(clock_ns() / 1000 % 1000000)),
		number(words, 6, 2), number(words, 7, 2),
	};
	int wrong;

	if (a.processes > PROCESSES_MAX || a.starts < 2 || !a.rails ||
	    a.rails > sizeof(devices) / sizeof(devices[0]) || !mkdtemp(folder))
		return 1;
	printf("%s %u %u %u %u %u %u %u\n", argv[0], a.agents, a.fan_out, a.starts, a.killed, a.seed,
	       a.processes, a.rails);
	fflush(stdout);
	wrong = run(&a, folder);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) || wrong;
}
