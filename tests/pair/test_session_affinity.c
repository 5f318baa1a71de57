/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Where the threads of both sides of a session are: as asked, and as each row and part says. */
#include "config.h"
#include "agree/session.h"

#include <dirent.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "pair.h"
#include "verbs.h"

#define MEASURED 0

static void run_ok(struct pair *p, const char *args, uint32_t rows, uint64_t count)
{
	print_message("  %s\n", args);
	pair_args(p, args, "");
	pair_run(p);
	pair_assert_ended(p, MEASURED, MEASURED, rows);
	assert_int_equal(pair_u64(&p->client, 0, "messages"), count);
	assert_int_equal(verbs_open_objects(), 0);
}

static void assert_noted(const struct pair_side *s, const char *part)
{
	const json_t *notes = json_object_get(json_object_get(s->json, "run"), "notes");
	const json_t *note;
	size_t i;

	json_array_foreach(notes, i, note) if (strstr(json_string_value(note), part)) return;
	fail_msg("no note says \"%s\"", part);
}

/* Of this process; twice the same where it has one. Their number. */
static uint32_t two_cpus(char cpu[2][16])
{
	cpu_set_t set;
	uint32_t n = 0;

	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &set) && n < 2)
			snprintf(cpu[n++], sizeof(cpu[0]), "%d", i);
	if (n == 1)
		memcpy(cpu[1], cpu[0], sizeof(cpu[0]));
	return n;
}

/* By the kernel's word both sides were where the client asked, and each row says so of both. */
static void test_placement(void **state)
{
	struct pair *p = *state;
	char args[128], cpu[2][16];

	two_cpus(cpu);
	snprintf(args, sizeof(args), "send_bw -n 500 --pin pu:%s --peer-pin pu:%s --mem local",
		 cpu[0], cpu[1]);
	run_ok(p, args, 1, 500);
	assert_string_equal(pair_cell(&p->client, 0, "cpus"), cpu[0]);
	assert_string_equal(pair_cell(&p->client, 0, "peer_cpus"), cpu[1]);
	assert_string_equal(pair_cell(&p->server, 0, "cpus"), cpu[1]);
	assert_string_equal(pair_cell(&p->server, 0, "peer_cpus"), cpu[0]);
	assert_string_equal(pair_cell(&p->server, 0, "peer_nodes"),
			    pair_cell(&p->client, 0, "nodes"));
	assert_string_equal(pair_cell(&p->client, 0, "mem_nodes"),
			    pair_cell(&p->client, 0, "nodes"));
	assert_string_equal(pair_cell(&p->client, 0, "mem"), "local");
	assert_string_equal(pair_cell(&p->server, 0, "peer_mem"), "local");
	assert_string_equal(pair_cell(&p->server, 0, "mem"), "auto");
	/* where pair0 is in the machine nobody knows */
	assert_string_equal(pair_cell(&p->client, 0, "placement"), "unknown");
	assert_string_equal(pair_cell(&p->client, 0, "distance"), "");
	assert_noted(&p->client, "bound to cpu ");

	run_ok(p, "send_bw -n 500", 1, 500);
	assert_noted(&p->client, "threads are not bound: pair0 is not in the topology of the machine");
	assert_noted(&p->server, "threads are not bound: pair1 is not in the topology of the machine");
	assert_string_equal(pair_cell(&p->client, 0, "pin"), "auto");
	/* the passive side has memory, and no thread */
	run_ok(p, "write_bw -n 500 --peer-mem 0", 1, 500);
	assert_string_equal(pair_cell(&p->client, 0, "peer_cpus"), "");
	assert_string_equal(pair_cell(&p->client, 0, "peer_mem"), "0");
}

/* ---- several threads */

struct tasks {
	char cpu[2][16];
	uint32_t bound[2]; /* threads of this process that may run there and nowhere else */
};

static void look_at(struct tasks *t, const char *tid)
{
	char path[300], line[256], list[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%s/status", tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "Cpus_allowed_list: %63s", list) != 1)
			continue;
		for (int i = 0; i < 2; i++)
			t->bound[i] += !strcmp(list, t->cpu[i]);
	}
	if (f)
		fclose(f);
}

/* While all four measure. */
static void look(void *arg)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (e->d_name[0] != '.')
			look_at(arg, e->d_name);
	if (dir)
		closedir(dir);
}

static const char *part_cell(const struct pair_side *s, uint32_t thread, const char *key)
{
	const json_t *point = json_array_get(json_object_get(s->json, "points"), 0);
	const json_t *part = json_array_get(json_object_get(point, "threads"), thread);
	const char *text = json_string_value(json_object_get(part, key));

	assert_non_null(text);
	return text;
}

/*
 * Each thread has its own place: the kernel's masks while they run, what each found out by itself,
 * and the row of each side are of one opinion.
 */
static void test_threads(void **state)
{
	const struct pair_side *side;
	struct pair *p = *state;
	struct tasks t = { .bound = { 0 } };
	const uint32_t n = two_cpus(t.cpu);
	char args[160], both[40];

	snprintf(both, sizeof(both), "%s%s%s", t.cpu[0], atoi(t.cpu[0]) + 1 == atoi(t.cpu[1]) ?
		 "-" : ",", t.cpu[1]);
	snprintf(args, sizeof(args), "send_bw --threads 2 -n 500 --verify --mem local --pin pu:%s,"
		 "pu:%s --peer-pin pu:%s,pu:%s", t.cpu[0], t.cpu[1], t.cpu[1], t.cpu[0]);
	verbs_device(SIDE_CLIENT)->fault = (struct verbs_fault){
		.what = VERBS_CALL, .message = 400, .call = look, .arg = &t,
	};
	run_ok(p, args, 1, 1000);
	if (n == 2) {
		assert_int_equal(t.bound[0], 2);
		assert_int_equal(t.bound[1], 2);
	}
	for (int i = 0; i < 2; i++) {
		side = i ? &p->server : &p->client;
		assert_string_equal(pair_cell(side, 0, "cpus"), n == 2 ? both : t.cpu[0]);
		assert_string_equal(pair_cell(side, 0, "peer_cpus"), n == 2 ? both : t.cpu[0]);
		assert_string_equal(part_cell(side, 0, "cpus"), t.cpu[i]);
		assert_string_equal(part_cell(side, 1, "cpus"), t.cpu[!i]);
		/* other warnings depend on the load of the machine */
		assert_null(strstr(pair_cell(side, 0, "warnings"), "instead of"));
	}
	for (uint32_t i = 0; i < 2; i++)
		assert_string_equal(part_cell(&p->client, i, "mem_nodes"),
				    part_cell(&p->client, i, "nodes"));
	assert_noted(&p->client, "2 threads are bound; thread 0: cpu ");
	assert_noted(&p->server, "2 threads are bound; thread 0: cpu ");
	/* what a thread is bound to is its own affair: these threads go on as they were */
	assert_int_equal(two_cpus(t.cpu), n);
}

/* A side without a loop has memory of as many threads, each at its place. */
static void test_passive(void **state)
{
	struct pair *p = *state;

	run_ok(p, "write_bw --threads 2 -n 500 --peer-mem 0", 1, 1000);
	assert_string_equal(pair_cell(&p->client, 0, "peer_cpus"), "");
	assert_string_equal(pair_cell(&p->server, 0, "mem_nodes"), "0");
	assert_string_equal(pair_cell(&p->client, 0, "peer_mem_nodes"), "0");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, pair_setup, pair_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_placement), TEST(test_threads), TEST(test_passive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
