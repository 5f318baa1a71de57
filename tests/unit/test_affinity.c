/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * affinity: on this machine the kernel reports a bound thread and its memory at their place, and
 * the binding is restored afterwards. Where possible, other calls ask the kernel than those in
 * affinity_report.c.
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
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/clock.h"
#include "util/err.h"
#include "place/affinity_report.h"
#include "place/affinity.h"
#include "place/machine.h"
#include "worker/worker.h"

#define LEN (1u << 20)

static struct affinity_side side_of(const char *pin, const char *mem)
{
	return (struct affinity_side){
		.request = { .pin = pin, .mem = mem, .pin_label = "--peer-pin",
			     .mem_label = "--peer-mem", .threads = 1 },
		.device = "no-such-device", .netdev = "",
	};
}

static struct affinity_request request_of(const char *pin, const char *mem)
{
	return (struct affinity_request){ .own = side_of(pin, mem) };
}

/* The last cpu that this process may use: with two cpus, a thread is seldom there by chance. */
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

struct thread_view {
	int cpu;
	cpu_set_t cpus;
	struct affinity_observed observed;
};

static void *look(void *arg)
{
	struct thread_view *s = arg;

	affinity_observed_begin(&s->observed);
	s->cpu = sched_getcpu();
	sched_getaffinity(0, sizeof(s->cpus), &s->cpus);
	affinity_observed_end(&s->observed);
	return NULL;
}

/* The line of a mapping in numa_maps has " N0=256": pages by node. It may start before base. */
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

static void bound_thread_and_memory(void **state)
{
	const int cpu = last_cpu();
	struct thread_view thread = { .cpu = -1 };
	struct affinity_request request;
	struct affinity_report report;
	struct affinity_saved saved;
	struct affinity_plan plan = { .loaded = false };
	cpu_set_t old, now;
	char pin[32];
	pthread_t id;
	void *base;

	(void)state;
	snprintf(pin, sizeof(pin), "pu:%d", cpu);
	request = request_of(pin, "local");
	sched_getaffinity(0, sizeof(old), &old);
	assert_int_equal(affinity_open(&plan, &request), 0);
	assert_int_equal(affinity_place(&plan, 0)->cpu, cpu);
	assert_null(affinity_place(&plan, 1));
	assert_int_equal(affinity_bind(&saved, &plan, 0), 0);
	assert_int_equal(sched_getcpu(), cpu);
	base = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE,
		    -1, 0);
	assert_true(base != MAP_FAILED);
	assert_int_equal(affinity_bind_check(&plan, 0, base, LEN), 0);
	assert_int_equal(pthread_create(&id, NULL, look, &thread), 0);
	pthread_join(id, NULL);
	affinity_restore(&saved);
	sched_getaffinity(0, sizeof(now), &now);
	assert_true(CPU_EQUAL(&old, &now));
	/* the thread that was created meanwhile inherited the binding */
	assert_int_equal(thread.cpu, cpu);
	assert_int_equal(CPU_COUNT(&thread.cpus), 1);
	affinity_assess(&report,
			&(struct affinity_evidence){ .plan = &plan, .observed = &thread.observed,
						     .base = base, .len = LEN });
	snprintf(pin, sizeof(pin), "%d", cpu);
	assert_string_equal(report.cpus, pin);
	assert_string_equal(report.warnings, "");
	assert_int_equal(report.placement, TOPO_UNKNOWN);
	if (report.mem_nodes[0])
		assert_string_equal(report.mem_nodes, report.nodes);
	assert_true(is_on_node(base, affinity_place(&plan, 0)->mem_node));
	munmap(base, LEN);
	affinity_close(&plan);
}

/* A thread or memory at another place than the chosen one: the report and the check find it. */
static void another_place_is_reported(void **state)
{
	static char memory[4096];
	const struct affinity_request request = request_of("machine:0", "auto");
	struct thread_view thread = { .cpu = -1 };
	hwloc_bitmap_t pages;
	struct affinity_report report;
	struct affinity_plan plan = { .loaded = false };
	struct topo_place *place;
	char text[128];

	(void)state;
	assert_int_equal(affinity_open(&plan, &request), 0);
	look(&thread);
	place = &plan.placement.places[0];
	place->cpu = thread.observed.cpu[1] + 1;
	affinity_assess(&report, &(struct affinity_evidence){ .plan = &plan,
							      .observed = &thread.observed });
	snprintf(text, sizeof(text), "thread 0 ran on cpu %u instead of cpu %u",
		 thread.observed.cpu[1], place->cpu);
	assert_memory_equal(report.warnings, text, strlen(text));
	assert_string_equal(report.mem_nodes, "");

	memset(memory, 1, sizeof(memory));
	pages = affinity_pages(memory, sizeof(memory));
	if (pages) { /* a container may forbid the call */
		const unsigned node = (unsigned)hwloc_bitmap_first(pages);

		place->mem_node = node + 1;
		assert_int_equal(affinity_bind_check(&plan, 0, memory, 1), -EIO);
		snprintf(text, sizeof(text),
			 "memory is on NUMA nodes %u instead of NUMA node %u", node, node + 1);
		assert_string_equal(err_text(), text);
		place->mem_node = node;
		assert_int_equal(affinity_bind_check(&plan, 0, memory, 1), 0);
	}
	hwloc_bitmap_free(pages);
	affinity_close(&plan);
}

static void no_area_has_no_nodes(void **state)
{
	hwloc_bitmap_t pages;

	(void)state;
	pages = affinity_pages(NULL, 0);
	assert_null(pages);
	assert_false(affinity_pages_elsewhere(pages, 0));
	hwloc_bitmap_free(pages);
}

static void values_in_warnings(void **state)
{
	struct affinity_observed o = { .complete = true, .cpu = { 3, 3 }, .node = { 0, 0 },
				       .at_ns = { 0, 1000000000 }, .waited_ns = { 5, 5 } };
	struct affinity_evidence e = { .observed = &o, .involuntary_switches = 40 };
	struct affinity_report report;

	(void)state;
	o.waited_ns[1] = 30000004; /* just below 3 % */
	affinity_assess(&report, &e);
	assert_string_equal(report.warnings, "");
	o.waited_ns[1] = 35000005;
	affinity_assess(&report, &e);
	assert_string_equal(report.warnings, "thread 0 waited 3.5 % for its cpu (40 preemptions)");
	assert_float_equal(report.cpu_wait_pct, 3.5, 1e-6);
	/* the clock of the run queue is another one */
	o.waited_ns[1] = 1105000005;
	affinity_assess(&report, &e);
	assert_string_equal(report.warnings, "thread 0 waited 100.0 % for its cpu (40 preemptions)");
	assert_float_equal(report.cpu_wait_pct, 100, 0);
	e.involuntary_switches = 0;
	affinity_assess(&report, &e);
	assert_string_equal(report.warnings, "");
	assert_float_equal(report.cpu_wait_pct, 100, 0);
	e.involuntary_switches = 40;
	o.waited_ns[1] = UINT64_MAX; /* not known */
	affinity_assess(&report, &e);
	assert_string_equal(report.warnings, "");
	assert_true(isnan(report.cpu_wait_pct));
	o.n_siblings = 1;
	o.sibling_ticks[1] = 47;
	affinity_assess(&report, &e);
	assert_string_equal(report.warnings, "SMT sibling of cpu 3 of thread 0 busy 47 % of the time");
	o.n_siblings = 0;
	o.node[1] = 1;
	affinity_assess(&report, &e);
	assert_string_equal(report.warnings, "thread 0 moved from NUMA node 0 to 1 (--pin binds it)");
}

static void threads_are_merged(void **state)
{
	struct affinity_report sum = { .cpus = "3", .nodes = "0", .mem_nodes = "0", .hca_node = 0,
				       .distance = 10, .mem_distance = 10,
				       .placement = TOPO_NEAR };
	const struct affinity_report two = { .cpus = "4-5", .nodes = "1", .mem_nodes = "0",
					     .hca_node = 0, .distance = 21,
					     .mem_distance = TOPO_NONE, .placement = TOPO_FAR,
					     .warnings = "w" };

	(void)state;
	affinity_assess_merge(&sum, &two);
	assert_string_equal(sum.cpus, "3-5");
	assert_string_equal(sum.nodes, "0-1");
	assert_string_equal(sum.mem_nodes, "0");
	assert_int_equal(sum.distance, 21);
	assert_int_equal(sum.mem_distance, 10);
	assert_int_equal(sum.placement, TOPO_FAR);
	assert_string_equal(sum.warnings, "w");
}

/* An HCA of unknown location: --pin auto binds nothing and notes it, --pin near is refused. */
static void unknown_location(void **state)
{
	struct affinity_request request = request_of("auto", "auto");
	struct affinity_saved saved;
	struct affinity_plan plan = { .loaded = false };
	cpu_set_t old, now;

	(void)state;
	request.own.request.threads = 3;
	sched_getaffinity(0, sizeof(old), &old);
	assert_int_equal(affinity_open(&plan, &request), 0);
	assert_string_equal(plan.note, "threads are not bound: no-such-device is not in the topology of the machine");
	assert_int_equal(affinity_vector(&plan, 2), 2);
	assert_int_equal(affinity_bind(&saved, &plan, 0), 0);
	sched_getaffinity(0, sizeof(now), &now);
	assert_true(CPU_EQUAL(&old, &now));
	affinity_restore(&saved);
	affinity_close(&plan);
	request = request_of("none", "auto");
	assert_int_equal(affinity_open(&plan, &request), 0);
	assert_string_equal(plan.note, "");
	affinity_close(&plan);
	request = request_of("near", "auto");
	assert_int_equal(affinity_open(&plan, &request), -EINVAL);
	assert_string_equal(err_text(), "--peer-pin near: no-such-device is not in the topology of the machine");
	affinity_close(&plan);
}

/* The next plan of a session finds the machine described, and chooses anew. */
static void next_plan(void **state)
{
	struct affinity_request request = request_of("none", "auto");
	struct affinity_plan plan = { .loaded = false };
	hwloc_topology_t hw;

	(void)state;
	assert_int_equal(affinity_open(&plan, &request), 0);
	hw = plan.machine->hw;
	assert_non_null(hw);
	affinity_end(&plan);
	assert_false(plan.loaded);
	assert_null(affinity_place(&plan, 0));
	request = request_of("near", "auto");
	assert_int_equal(affinity_open(&plan, &request), -EINVAL);
	affinity_end(&plan);
	request = request_of("auto", "auto");
	assert_int_equal(affinity_open(&plan, &request), 0);
	assert_ptr_equal(plan.machine->hw, hw);
	assert_true(plan.loaded);
	affinity_end(&plan);
	affinity_close(&plan);
	assert_null(plan.machine);
	assert_null(plan.own.hw);
}

/* Several sessions use one description, which is not closed with a plan. */
static void lent_machine(void **state)
{
	const struct affinity_request request = request_of("auto", "auto");
	struct affinity_plan plan = { .loaded = false };
	struct topo machine;

	(void)state;
	assert_int_equal(topo_open(&machine), 0);
	for (int i = 0; i < 2; i++) {
		plan.machine = &machine;
		assert_int_equal(affinity_open(&plan, &request), 0);
		assert_true(plan.loaded);
		assert_null(plan.own.hw);
		affinity_close(&plan);
		assert_true(hwloc_bitmap_weight(machine.usable) > 0);
	}
	topo_close(&machine);
}

/* On one host this side leaves the cpus to the peer that the peer chooses. */
static void peer_on_this_host(void **state)
{
	const struct affinity_side peer = side_of("machine:0", "auto");
	const struct affinity_side refused = side_of("pu:999999", "auto");
	struct affinity_request request = request_of("machine:0", "auto");
	struct affinity_plan alone = { .loaded = false }, beside = { .loaded = false };
	uint32_t cpu;

	(void)state;
	assert_int_equal(affinity_open(&alone, &request), 0);
	cpu = affinity_place(&alone, 0)->cpu;
	request.peer = &peer;
	assert_int_equal(affinity_open(&beside, &request), 0);
	if (hwloc_bitmap_weight(alone.machine->usable) > 1)
		assert_int_not_equal(affinity_place(&beside, 0)->cpu, cpu);
	else
		assert_int_equal(affinity_place(&beside, 0)->cpu, cpu);
	affinity_close(&beside);
	/* the peer reports its own error, this side does not */
	request.peer = &refused;
	assert_int_equal(affinity_open(&beside, &request), 0);
	assert_string_equal(err_text(), "");
	assert_int_equal(affinity_place(&beside, 0)->cpu, cpu);
	affinity_close(&beside);
	affinity_close(&alone);
}

/* With the file of another machine no thread is bound, and a requested binding is refused. */
static void topology_of_another_machine(void **state)
{
	const char *top = getenv("srcdir");
	struct affinity_request request = request_of("auto", "auto");
	struct affinity_plan plan = { .loaded = false };
	struct machine machine;
	char path[4096];

	(void)state;
	snprintf(path, sizeof(path), "%s/tests/topo/two-sockets.xml", top ? top : ".");
	assert_int_equal(setenv("HWLOC_XMLFILE", path, 1), 0);
	assert_int_equal(affinity_open(&plan, &request), 0);
	assert_string_equal(plan.note, "threads are not bound: HWLOC_XMLFILE describes another machine");
	assert_null(affinity_place(&plan, 0));
	affinity_close(&plan);
	request.own.request.pin = "pu:0";
	assert_int_equal(affinity_open(&plan, &request), -EINVAL);
	assert_string_equal(err_text(), "--peer-pin pu:0, --peer-mem auto: HWLOC_XMLFILE describes another machine");
	affinity_close(&plan);
	/* nor are its nodes those of this one */
	machine_read(&machine, "mlx5_0", "");
	assert_int_equal(machine.numa_nodes, 0);
	unsetenv("HWLOC_XMLFILE");
}

/* It is not taken for this machine. */
static void topology_that_cannot_be_read(void **state)
{
	static const char why[] = "HWLOC_XMLFILE: cannot open /dev/null: not a regular file";
	struct affinity_request request = request_of("auto", "auto");
	struct affinity_plan plan = { .loaded = false };

	(void)state;
	assert_int_equal(setenv("HWLOC_XMLFILE", "/dev/null", 1), 0);
	assert_int_equal(affinity_open(&plan, &request), 0);
	assert_non_null(strstr(plan.note, why));
	assert_null(affinity_place(&plan, 0));
	affinity_close(&plan);
	request.own.request.pin = "pu:0";
	assert_int_equal(affinity_open(&plan, &request), -EINVAL);
	assert_non_null(strstr(err_text(), why));
	affinity_close(&plan);
	unsetenv("HWLOC_XMLFILE");
}

static void without_a_plan(void **state)
{
	struct affinity_saved saved;

	(void)state;
	/* nobody knows the vectors: in turn */
	assert_int_equal(affinity_vector(NULL, 0), 0);
	assert_int_equal(affinity_vector(NULL, 5), 5);
	assert_int_equal(affinity_bind(&saved, NULL, 0), 0);
	affinity_restore(&saved);
	assert_int_equal(affinity_bind_check(NULL, 0, &saved, sizeof(saved)), 0);
}

static void a_thread_that_is_not_bound_does_not_start(void **state)
{
	struct affinity_request request;
	struct affinity_plan plan = { .loaded = false };
	const struct worker_setup setup = { .affinity = &plan };
	struct worker_run run = { .in = &setup };
	char pin[32];

	(void)state;
	snprintf(pin, sizeof(pin), "pu:%d", last_cpu());
	request = request_of(pin, "local");
	assert_int_equal(affinity_open(&plan, &request), 0);
	/* since then the processor has gone */
	((struct topo_place *)affinity_place(&plan, 0))->cpu = CPU_SETSIZE - 1;
	assert_true(worker_start(&run) < 0);
	assert_false(run.started);
	assert_non_null(strstr(err_text(), "cannot bind a thread to cpu "));
	affinity_close(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bound_thread_and_memory),
		cmocka_unit_test(another_place_is_reported),
		cmocka_unit_test(no_area_has_no_nodes),
		cmocka_unit_test(values_in_warnings),
		cmocka_unit_test(a_thread_that_is_not_bound_does_not_start),
		cmocka_unit_test(threads_are_merged),
		cmocka_unit_test(unknown_location), cmocka_unit_test(next_plan),
		cmocka_unit_test(lent_machine),
		cmocka_unit_test(peer_on_this_host),
		cmocka_unit_test(topology_of_another_machine),
		cmocka_unit_test(topology_that_cannot_be_read),
		cmocka_unit_test(without_a_plan),
	};

	clock_init();
	unsetenv("HWLOC_XMLFILE");
	return cmocka_run_group_tests_name("affinity", tests, NULL, NULL);
}
