/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns what a machine adds to each latency: each CPU waits for 10 us, again and again, and what a
 * wait takes longer was an interrupt, another program or the hypervisor. After the hardware latency
 * detector and "osnoise" of Linux (Documentation/trace/osnoise-tracer.rst), in the units of a test.
 */
#include "config.h"
#include "selftest/selftest.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/clock.h"
#include "util/err.h"
#include "util/minmax.h"
#include "util/must.h"
#include "util/signals.h"
#include "util/text.h"

#define READINGS 100000u
#define LOOKS 10u    /* at the frequency */
#define TICKS_MS 20  /* in which the length of a tick is measured */

struct spinner {
	pthread_t thread;
	unsigned cpu;
	uint64_t ticks, wait; /* how long, and of one wait */
	atomic_bool stop;     /* earlier */
	struct histogram *waits;
};

/* Ticks: they become ns when all threads have ended. */
static void *spin(void *arg)
{
	struct spinner *s = arg;
	cpu_set_t set;
	uint64_t t0, t1, end;

	CPU_ZERO(&set);
	CPU_SET(s->cpu, &set);
	/* where this is not allowed, the thread runs where the system puts it */
	(void)pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
	t0 = clock_ticks();
	end = t0 + s->ticks;
	while (t0 < end && !atomic_load_explicit(&s->stop, memory_order_relaxed)) {
		do {
			t1 = clock_ticks();
		} while (t1 - t0 < s->wait);
		histogram_record(s->waits, t1 - t0);
		t0 = t1;
	}
	return NULL;
}

/* ---- steal and frequency */

struct shares {
	uint64_t all, steal; /* clock ticks since boot, of all CPUs */
};

/* user nice system idle iowait irq softirq steal; user contains guest: proc(5). */
static struct shares read_shares(void)
{
	unsigned long long v[8] = { 0 };
	struct shares s = { 0 };
	char text[256];

	text_read_line("/proc/stat", text, sizeof(text));
	if (sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2], &v[3],
		   &v[4], &v[5], &v[6], &v[7]) != 8)
		return s;
	for (int i = 0; i < 8; i++)
		s.all += v[i];
	s.steal = v[7];
	return s;
}

/* kHz: Documentation/admin-guide/pm/cpufreq.rst. */
static void look_at_frequency(struct selftest_machine *m, unsigned cpu)
{
	char path[128], text[64], *end;
	double mhz;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq", cpu);
	text_read_line(path, text, sizeof(text));
	mhz = strtod(text, &end) / 1000;
	if (end == text || !(mhz > 0))
		return;
	m->mhz_min = isnan(m->mhz_min) ? mhz : fmin(m->mhz_min, mhz);
	m->mhz_max = isnan(m->mhz_max) ? mhz : fmax(m->mhz_max, mhz);
}

/* ---- all CPUs */

static uint32_t find_cpus(unsigned cpus[SELFTEST_CPUS])
{
	uint32_t n = 0;
	cpu_set_t set;

	if (!sched_getaffinity(0, sizeof(set), &set))
		for (unsigned cpu = 0; cpu < CPU_SETSIZE && n < SELFTEST_CPUS; cpu++)
			if (CPU_ISSET(cpu, &set))
				cpus[n++] = cpu;
	if (!n)
		cpus[n++] = 0;
	return n;
}

static double clock_cost_ns(void)
{
	const uint64_t begin_ns = clock_ns();
	uint64_t sum = 0;

	for (uint32_t i = 0; i < READINGS; i++)
		sum += clock_ticks() & 1;
	return (double)(clock_ns() - begin_ns + (sum > READINGS)) / READINGS;
}

static void put_waits(struct selftest_machine *m, const struct spinner *all)
{
	const double limit = (SELFTEST_NOTHING_NS + SELFTEST_LATE_NS) / m->ns_per_tick;
	uint64_t count;

	for (uint32_t i = 0; i < m->cpus; i++) {
		m->waits->min = min_u64(m->waits->min, all[i].waits->min);
		m->waits->max = max_u64(m->waits->max, all[i].waits->max);
		histogram_add(m->waits, all[i].waits);
	}
	count = histogram_count(m->waits);
	m->late = count ? (double)histogram_count_above(m->waits, (uint64_t)limit) /
			  (double)count : 0;
}

static int run(struct selftest_machine *m, struct spinner *all, double seconds)
{
	const struct clock_anchor begin = clock_anchor();
	struct pollfd stop = { .fd = signals_fd(), .events = POLLIN };
	struct clock_anchor end;
	uint32_t started = 0;
	int rc = 0;

	(void)poll(&stop, 1, TICKS_MS);
	end = clock_anchor();
	m->ns_per_tick = clock_ns_per_tick(&begin, &end);
	for (; started < m->cpus && !rc; started += !rc) {
		struct spinner *s = &all[started];

		s->ticks = (uint64_t)(seconds * 1e9 / m->ns_per_tick);
		s->wait = (uint64_t)(SELFTEST_NOTHING_NS / m->ns_per_tick);
		rc = pthread_create(&s->thread, NULL, spin, s);
	}
	for (uint32_t i = 0; i < LOOKS && !rc && !signals_asked(); i++) {
		(void)poll(&stop, 1, (int)(seconds / LOOKS * 1e3));
		for (uint32_t c = 0; c < m->cpus; c++)
			look_at_frequency(m, all[c].cpu);
	}
	for (uint32_t i = 0; i < started; i++) {
		atomic_store(&all[i].stop, rc || signals_asked());
		pthread_join(all[i].thread, NULL);
	}
	if (signals_asked())
		return err_set(-EINTR, "interrupted");
	if (rc)
		return err_set(-rc, "cannot start a thread: %s", strerror(rc));
	put_waits(m, all);
	return 0;
}

int selftest_machine(struct selftest_machine *m, double seconds)
{
	struct spinner all[SELFTEST_CPUS] = { { .cpu = 0 } };
	const struct shares before = read_shares();
	unsigned cpus[SELFTEST_CPUS];
	struct shares after;
	int rc;

	*m = (struct selftest_machine){
		.cpus = find_cpus(cpus), .clock_read_ns = clock_cost_ns(),
		.waits = must_calloc(1, sizeof(*m->waits)), .steal = NAN, .mhz_min = NAN,
		.mhz_max = NAN,
	};
	histogram_reset(m->waits);
	for (uint32_t i = 0; i < m->cpus; i++) {
		all[i].cpu = cpus[i];
		all[i].waits = must_calloc(1, sizeof(*all[i].waits));
		histogram_reset(all[i].waits);
	}
	rc = run(m, all, seconds);
	after = read_shares();
	if (after.all > before.all)
		m->steal = (double)(after.steal - before.steal) / (double)(after.all - before.all);
	for (uint32_t i = 0; i < m->cpus; i++)
		free(all[i].waits);
	return rc;
}
