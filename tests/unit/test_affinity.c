/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * affinity: what was bound is where the kernel says it is, on this machine, and is as before
 * afterwards. The kernel is asked here by other calls than in affinity_seen.c where there are any.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/clock.h"
#include "util/err.h"
#include "host/affinity.h"

#define LEN (1u << 20)

static const struct limits here = { .host = "here", .device = "no-such-device" };
static const struct limits there = { .host = "there", .device = "no-such-device" };

static struct cfg cfg_of(const char *pin, const char *mem)
{
	return (struct cfg){
		.pin = pin, .mem = mem, .peer_pin = pin, .peer_mem = mem, .threads = 1,
	};
}

/* The last cpu that this process may run on: not where it is by chance, if it has two. */
static int last_cpu(void)
{
	cpu_set_t set;
	int last = -1;

	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set))
			last = cpu;
	return last;
}

struct seen_by_thread {
	int cpu;
	cpu_set_t cpus;
	struct affinity_seen seen;
};

static void *look(void *arg)
{
	struct seen_by_thread *s = arg;

	affinity_begin(&s->seen);
	s->cpu = sched_getcpu();
	sched_getaffinity(0, sizeof(s->cpus), &s->cpus);
	affinity_end(&s->seen);
	return NULL;
}

/* The mapping's line in numa_maps says " N0=256": pages by node. It may begin before base. */
static bool is_on_node(const void *base, uint32_t node)
{
	FILE *f = fopen("/proc/self/numa_maps", "re");
	char line[4096], want[32];
	bool found = false;

	if (!f)
		return true; /* a kernel without NUMA has one node */
	snprintf(want, sizeof(want), " N%u=", node);
	while (fgets(line, sizeof(line), f))
		if (strtoull(line, NULL, 16) <= (uintptr_t)base)
			found = strstr(line, want) != NULL;
	fclose(f);
	return found;
}

static void what_is_bound_is_there(void **state)
{
	const struct limits *const limits[] = { &here, &there };
	const int cpu = last_cpu();
	struct seen_by_thread thread = { .cpu = -1 };
	struct affinity_report said;
	struct affinity_before before;
	struct affinity_plan affinity;
	cpu_set_t old, now;
	char pin[32];
	struct cfg cfg;
	pthread_t id;
	void *base;

	(void)state;
	snprintf(pin, sizeof(pin), "pu:%d", cpu);
	cfg = cfg_of(pin, "local");
	sched_getaffinity(0, sizeof(old), &old);
	assert_int_equal(affinity_open(&affinity, &cfg, SIDE_CLIENT, limits), 0);
	assert_int_equal(affinity.places.places[0].cpu, cpu);
	assert_int_equal(affinity_take(&before, &affinity, 0), 0);
	assert_int_equal(sched_getcpu(), cpu);
	base = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE,
		    -1, 0);
	assert_true(base != MAP_FAILED);
	assert_int_equal(affinity_check_memory(&affinity, 0, base, LEN), 0);
	assert_int_equal(pthread_create(&id, NULL, look, &thread), 0);
	pthread_join(id, NULL);
	affinity_leave(&before);
	sched_getaffinity(0, sizeof(now), &now);
	assert_true(CPU_EQUAL(&old, &now));
	/* the thread made in between inherited the place */
	assert_int_equal(thread.cpu, cpu);
	assert_int_equal(CPU_COUNT(&thread.cpus), 1);
	affinity_report(
		&said, &(struct affinity_report_in){
			       .plan = &affinity, .seen = &thread.seen, .base = base, .len = LEN });
	snprintf(pin, sizeof(pin), "%d", cpu);
	assert_string_equal(said.cpus, pin);
	assert_string_equal(said.warnings, "");
	assert_int_equal(said.placement, TOPO_UNKNOWN);
	if (said.mem_nodes[0])
		assert_string_equal(said.mem_nodes, said.nodes);
	assert_true(is_on_node(base, affinity.places.places[0].mem_node));
	munmap(base, LEN);
	affinity_close(&affinity);
}

/* A thread that is found elsewhere than asked is told of, not passed over. */
static void what_is_elsewhere_is_said(void **state)
{
	const struct limits *const limits[] = { &here, &there };
	struct seen_by_thread thread = { .cpu = -1 };
	struct affinity_report said;
	struct affinity_plan affinity;
	struct cfg cfg = cfg_of("machine:0", "auto");

	(void)state;
	assert_int_equal(affinity_open(&affinity, &cfg, SIDE_CLIENT, limits), 0);
	look(&thread);
	affinity.places.places[0].cpu = (uint32_t)thread.cpu + 1;
	affinity_report(&said,
			&(struct affinity_report_in){ .plan = &affinity, .seen = &thread.seen });
	assert_non_null(strstr(said.warnings, "thread 0 was asked to cpu"));
	assert_string_equal(said.mem_nodes, "");
	affinity_close(&affinity);
}

static void figures_of_displacement(void **state)
{
	struct affinity_seen seen = { .seen = true, .cpu = { 3, 3 }, .node = { 0, 0 },
				  .at_ns = { 0, 1000000000 }, .waited_ns = { 5, 5 } };
	struct affinity_report_in in = { .seen = &seen, .involuntary_switches = 40 };
	struct affinity_report said;

	(void)state;
	affinity_report(&said, &in);
	assert_string_equal(said.warnings, ""); /* displaced, and lost nothing by it */
	seen.waited_ns[1] = 35000005;
	affinity_report(&said, &in);
	assert_string_equal(said.warnings, "thread 0 was displaced 40 times and waited 3.5 % of "
			    "the time for its cpu");
	seen.waited_ns[1] = UINT64_MAX; /* not told, not said */
	affinity_report(&said, &in);
	assert_string_equal(said.warnings, "");
	seen.n_siblings = 1;
	seen.sibling_ticks[1] = 47;
	affinity_report(&said, &in);
	assert_string_equal(said.warnings, "the SMT sibling of thread 0's cpu 3 was busy 47 % of "
			    "the time");
	seen.n_siblings = 0;
	seen.node[1] = 1;
	affinity_report(&said, &in);
	assert_non_null(strstr(said.warnings, "moved from NUMA node 0 to 1"));
}

static void threads_are_merged(void **state)
{
	struct affinity_report sum = { .cpus = "3", .nodes = "0", .mem_nodes = "0", .hca_node = 0,
				   .distance = 10, .mem_distance = 10, .placement = TOPO_NEAR };
	const struct affinity_report two = { .cpus = "4-5", .nodes = "1", .mem_nodes = "0",
					 .hca_node = 0, .distance = 21, .mem_distance = TOPO_NONE,
					 .placement = TOPO_FAR, .warnings = "w" };

	(void)state;
	affinity_merge(&sum, &two);
	assert_string_equal(sum.cpus, "3-5");
	assert_string_equal(sum.nodes, "0-1");
	assert_string_equal(sum.mem_nodes, "0");
	assert_int_equal(sum.distance, 21);
	assert_int_equal(sum.mem_distance, 10);
	assert_int_equal(sum.placement, TOPO_FAR);
	assert_string_equal(sum.warnings, "w");
}

/* Nothing is bound where nothing is known, and it is said once. */
static void unknown_is_as_none(void **state)
{
	const struct limits *const limits[] = { &here, &there };
	struct cfg cfg = cfg_of("auto", "auto");
	struct affinity_before before;
	struct affinity_plan affinity;
	cpu_set_t old, now;

	(void)state;
	sched_getaffinity(0, sizeof(old), &old);
	assert_int_equal(affinity_open(&affinity, &cfg, SIDE_SERVER, limits), 0);
	assert_non_null(strstr(affinity.note, "not bound"));
	assert_int_equal(affinity_take(&before, &affinity, 0), 0);
	sched_getaffinity(0, sizeof(now), &now);
	assert_true(CPU_EQUAL(&old, &now));
	affinity_leave(&before);
	affinity_close(&affinity);
	cfg = cfg_of("none", "auto");
	assert_int_equal(affinity_open(&affinity, &cfg, SIDE_SERVER, limits), 0);
	assert_string_equal(affinity.note, "");
	affinity_close(&affinity);
	cfg = cfg_of("near", "auto");
	assert_int_equal(affinity_open(&affinity, &cfg, SIDE_SERVER, limits), -EINVAL);
	assert_memory_equal(err_text(), "--peer-pin near", 15);
	affinity_close(&affinity);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_bound_is_there),
		cmocka_unit_test(what_is_elsewhere_is_said),
		cmocka_unit_test(figures_of_displacement),
		cmocka_unit_test(threads_are_merged),
		cmocka_unit_test(unknown_is_as_none),
	};

	clock_init();
	unsetenv("HWLOC_XMLFILE");
	return cmocka_run_group_tests_name("affinity", tests, NULL, NULL);
}
