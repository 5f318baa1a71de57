/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * usage: session alloc|call|place STEP JOBS SECONDS PLAN...
 *        session alloc|call @NUMBER SECONDS PLAN: only the call of that number, in this process,
 *        for a debugger
 *
 * Runs the session of a PLAN (options of a client; "send_bw -n 20", "copy") on the devices of
 * tests/pair once for each call of the system or of libibverbs that it makes: this call fails,
 * once. It allocates ten times as often, most of it for JSON: of each place in the program (the
 * functions that lead there) the first and the last allocation fail. "place" does the same with
 * calls: how often a session polls differs from run to run, so that a number may miss its call.
 * STEP: only each STEPth of these cases. SECONDS: the timeouts of both sides. Every case is a
 * process of its own. Whatever fails, both sides must end within seconds, with an error message or
 * a result; nothing crashes, nothing stays open, nothing leaks. Prints a table of what failed and
 * how the sessions ended. Exit status 1 if a case broke a rule.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "client.h"
#include "inject.h"
#include "pair.h"
#include "util/clock.h"
#include "util/signals.h"
#include "verbs.h"

#define LIMIT_TIMEOUTS 13u /* that a session may take */
#define JOBS_MAX 16
#define NAMES_MAX 128
#define BROKEN 101 /* exit status of a case */

/* What a case tells its parent. */
struct outcome {
	char name[INJECT_NAME]; /* of what has failed; "": nothing */
	int client, server;
	char why[512]; /* the rule that it broke; "": none */
};

/* What fails: the nth call, from a place or (0) from anywhere. And the timeouts of both sides. */
struct fault {
	enum inject_what what;
	uint64_t stack, nth;
	uint32_t timeout_s;
	bool each_call; /* not of each place the first and the last one */
};

struct job {
	pid_t pid;
	uint64_t begun_ns;
	struct fault fault;
	bool records;            /* nothing fails */
	struct outcome *outcome; /* shared */
};

struct table {
	struct {
		char name[INJECT_NAME];
		uint32_t cases, measured, told;
	} rows[NAMES_MAX];
	uint32_t n, missed, broken;
};

static uint32_t count_open(void)
{
	DIR *dir = opendir("/proc/self/fd");
	uint32_t n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

static void break_rule(struct outcome *o, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (!o->why[0])
		vsnprintf(o->why, sizeof(o->why), format, args);
	va_end(args);
}

static void check_status(struct outcome *o, const char *side, int status, bool said)
{
	/* -1: a server to which no client has come */
	if (status < -1 || status > 2)
		break_rule(o, "the %s has status %d", side, status);
	if (status && !said)
		break_rule(o, "the %s has failed (%d) without an error message", side, status);
}

/* record: NULL, or nothing fails, and it gets the places. */
static void run_case(const struct fault *fault, const char *plan, struct outcome *o,
		     struct inject_places *record)
{
	char timeouts[64], wrong[CLIENT_WRONG];
	struct pair p;
	uint32_t open_before;

	snprintf(timeouts, sizeof(timeouts), " --connect-timeout %us --stall-timeout %us",
		 fault->timeout_s, fault->timeout_s);
	pair_open(&p);
	p.faulty = true;
	p.ended = inject_end;
	if (signals_init())
		break_rule(o, "signals_init");
	open_before = count_open();
	client_prepare(&p, plan, timeouts);
	inject_tell(o->name);
	if (record)
		inject_record(fault->what, record);
	else if (fault->stack)
		inject_begin_at(fault->what, fault->stack, (uint32_t)fault->nth);
	else
		inject_begin(fault->what, fault->nth);
	pair_run(&p);
	o->client = p.client.status;
	o->server = p.server.status;
	check_status(o, "client", o->client, client_says(&p));
	check_status(o, "server", o->server, strstr(p.err, "verbench: "));
	client_check(&p, wrong);
	if (wrong[0])
		break_rule(o, "%s", wrong);
	if (verbs_open_objects())
		break_rule(o, "%u objects of verbs are open", verbs_open_objects());
	/* the commands do it, too: if it failed there, the descriptor is missing */
	if (signals_init())
		break_rule(o, "signals_init");
	if (count_open() != open_before)
		break_rule(o, "%u descriptors are open, and were %u", count_open(), open_before);
	if (!o->name[0] && (o->client || o->server))
		break_rule(o, "nothing failed, and the session has: %.300s", p.err);
	client_clean(&p);
	/* whatever it holds: the parent removes what files are left */
	pair_close(&p);
}

static void begin_case(struct job *job, const struct fault *fault, const char *plan,
		       struct inject_places *record)
{
	job->fault = *fault;
	job->records = record;
	memset(job->outcome, 0, sizeof(*job->outcome));
	job->begun_ns = clock_ns();
	fflush(NULL);
	job->pid = fork();
	if (job->pid)
		return;
	run_case(fault, plan, job->outcome, record);
	/* by exit(3): the sanitizer looks for leaks then */
	exit(job->outcome->why[0] ? BROKEN : 0);
}

static void count(struct table *t, const struct outcome *o)
{
	uint32_t i = 0;

	while (i < t->n && strcmp(t->rows[i].name, o->name))
		i++;
	if (i == NAMES_MAX)
		return;
	t->n = i == t->n ? t->n + 1 : t->n;
	memcpy(t->rows[i].name, o->name, sizeof(o->name));
	t->rows[i].cases++;
	t->rows[i].measured += !o->client && !o->server;
	t->rows[i].told += o->client || o->server;
}

static void end_case(struct job *job, int status, struct table *t, const char *plan)
{
	struct outcome *o = job->outcome;

	job->pid = 0;
	if (!WIFEXITED(status))
		break_rule(o, "ended by signal %d%s", WTERMSIG(status),
			   WTERMSIG(status) == SIGKILL ? ": it did not end by itself" : "");
	else if (WEXITSTATUS(status) && WEXITSTATUS(status) != BROKEN)
		break_rule(o, "exit status %d: see above", WEXITSTATUS(status));
	if (o->why[0]) {
		printf("not ok chaos: %s: %llx.%llu (%s): %s\n", plan,
		       (unsigned long long)job->fault.stack, (unsigned long long)job->fault.nth,
		       o->name, o->why);
		t->broken++;
	}
	/* not each run comes to each place */
	if (o->name[0])
		count(t, o);
	else if (!job->records)
		t->missed++;
}

static struct job *find(struct job *jobs, uint32_t n, pid_t pid)
{
	for (uint32_t i = 0; i < n; i++)
		if (jobs[i].pid == pid)
			return &jobs[i];
	return NULL;
}

static void kill_late(const struct job *jobs, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t limit_s = LIMIT_TIMEOUTS * jobs[i].fault.timeout_s;

		if (jobs[i].pid && clock_ns() - jobs[i].begun_ns > limit_s * 1000000000u)
			kill(jobs[i].pid, SIGKILL);
	}
}

/* Memory that the cases write to. */
static void *share(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		exit(1);
	return memory;
}

/* The jobs of a plan that run at once. */
struct jobs {
	uint32_t n, running;
	struct job jobs[JOBS_MAX];
	struct outcome *outcomes;
};

/* Until fewer than this many run. */
static void wait_jobs(struct jobs *j, uint32_t fewer, struct table *t, const char *plan)
{
	while (j->running >= fewer) {
		int status;
		const pid_t pid = waitpid(-1, &status, WNOHANG);

		if (pid > 0) {
			end_case(find(j->jobs, j->n, pid), status, t, plan);
			j->running--;
		} else {
			kill_late(j->jobs, j->n);
			poll(NULL, 0, 2);
		}
	}
}

static void run_fault(struct jobs *j, const struct fault *fault, struct table *t, const char *plan,
		      struct inject_places *record)
{
	wait_jobs(j, j->n, t, plan);
	begin_case(find(j->jobs, j->n, 0), fault, plan, record);
	j->running++;
}

static bool find_call(const struct inject_places *places, uint64_t number, struct fault *fault)
{
	uint64_t calls = 0;

	for (uint32_t i = 0; i < places->n; i++)
		calls += places->places[i].times;
	fault->nth = number;
	return number < calls;
}

/* False: there are fewer cases. */
static bool find_fault(const struct inject_places *places, uint64_t number, struct fault *fault)
{
	if (fault->each_call)
		return find_call(places, number, fault);
	for (uint32_t i = 0; i < places->n; i++) {
		const struct inject_place *place = &places->places[i];

		fault->stack = place->stack;
		fault->nth = number ? place->times - 1 : 0;
		if (number <= (place->times > 1))
			return true;
		number -= 1 + (place->times > 1);
	}
	return false;
}

/*
 * In the first case nothing fails, and the places are recorded. All cases begin in the same line:
 * it is a part of their stacks.
 */
static void run_plan(struct fault fault, uint64_t step, uint32_t n_jobs, const char *plan,
		     struct table *t)
{
	struct jobs j = { .n = n_jobs, .outcomes = share(JOBS_MAX * sizeof(struct outcome)) };
	struct inject_places *places = share(sizeof(*places));

	for (uint32_t i = 0; i < n_jobs; i++)
		j.jobs[i].outcome = &j.outcomes[i];
	for (uint64_t n = 0; !n || find_fault(places, (n - 1) * step, &fault); n++) {
		run_fault(&j, &fault, t, plan, n ? NULL : places);
		if (!n)
			wait_jobs(&j, 1, t, plan);
	}
	wait_jobs(&j, 1, t, plan);
	if (places->n == INJECT_PLACES) {
		printf("not ok chaos: %s: there are more places\n", plan);
		t->broken++;
	}
	munmap(j.outcomes, JOBS_MAX * sizeof(struct outcome));
	munmap(places, sizeof(*places));
}

int main(int argc, char **argv)
{
	struct fault fault = {
		.what = argc > 1 && !strcmp(argv[1], "alloc") ? INJECT_ALLOC : INJECT_CALL,
		.each_call = argc > 1 && !strcmp(argv[1], "call"),
	};
	struct table t = { .n = 0 };
	uint32_t cases = 0;

	if (argc == 5 && argv[2][0] == '@') {
		struct outcome o = { .why = "" };

		fault.nth = strtoull(argv[2] + 1, NULL, 10);
		fault.timeout_s = (uint32_t)atoi(argv[3]);
		run_case(&fault, argv[4], &o, NULL);
		printf("%s: client %d, server %d: %s\n", o.name, o.client, o.server, o.why);
		return 0;
	}
	if (argc < 6 || atoi(argv[2]) < 1 || atoi(argv[3]) < 1 || atoi(argv[3]) > JOBS_MAX ||
	    atoi(argv[4]) < 1) {
		fprintf(stderr, "usage: session alloc|call|place STEP JOBS SECONDS PLAN...\n");
		return 2;
	}
	fault.timeout_s = (uint32_t)atoi(argv[4]);
	for (int i = 5; i < argc; i++)
		run_plan(fault, strtoull(argv[2], NULL, 10), (uint32_t)atoi(argv[3]), argv[i], &t);
	printf("# %-24s %8s %14s %12s\n", "what failed once", "cases", "both measured", "error told");
	for (uint32_t i = 0; i < t.n; i++) {
		printf("# %-24s %8u %14u %12u\n", t.rows[i].name, t.rows[i].cases,
		       t.rows[i].measured, t.rows[i].told);
		cases += t.rows[i].cases;
	}
	printf("# %u cases did not come so far\n", t.missed);
	printf("%s chaos: %s: each fails once in a session: %u cases, %u broke a rule\n",
	       t.broken ? "not ok" : "ok", argv[1], cases, t.broken);
	return t.broken ? 1 : 0;
}
