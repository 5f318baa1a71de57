/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The emulated link; see link.h. Called by the requester. */
#include "config.h"
#include "transport/link.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/hca.h"

#define PS_PER_NS 1000u

/*
 * End of work ps of work that begins at t, on a link that stands still at the start of each period.
 * The port may be one of a peer, so its numbers are not trusted.
 */
static uint64_t finish(const struct shm_port *port, uint64_t t, uint64_t work)
{
	const uint64_t stall = port->stall_ps, period = port->period_ps;
	uint64_t into, full;

	if (!stall || stall >= period)
		return t + work;
	into = t % period;
	if (into < stall) {
		t += stall - into;
		into = stall;
	}
	if (work <= period - into)
		return t + work;
	work -= period - into;
	t += period - into + stall;
	full = (work - 1) / (period - stall); /* whole periods before the one in which it ends */
	return t + full * period + (work - full * (period - stall));
}

struct link_times link_send(struct shm_port *port, uint64_t now_ns, uint64_t len_bytes)
{
	uint64_t now = (now_ns - hca.origin_ns) * PS_PER_NS;
	uint64_t work = (uint64_t)((unsigned __int128)port->fs_per_byte * len_bytes / 1000);
	uint64_t free = atomic_load_explicit(&port->free_ps, memory_order_relaxed), end;

	do
		end = finish(port, free > now ? free : now, work);
	while (!atomic_compare_exchange_weak(&port->free_ps, &free, end));
	return (struct link_times) {
		.sent_ns = hca.origin_ns + (end + PS_PER_NS - 1) / PS_PER_NS,
		.arrives_ns = hca.origin_ns +
			      (end + port->delay_ps + PS_PER_NS - 1) / PS_PER_NS,
	};
}

uint64_t link_delay_ns(const struct shm_port *port)
{
	return port->delay_ps / PS_PER_NS;
}

/* splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014 */
static uint64_t mix(uint64_t z)
{
	z += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

unsigned int link_outcome(const struct settings_dev *settings, uint32_t ordinal, uint32_t message)
{
	uint64_t z = mix(mix(settings->seed) ^ ((uint64_t)ordinal << 32 | message));
	unsigned int outcome = 0;

	if ((uint32_t)z < settings->loss)
		return LINK_LOST;
	z = mix(z);
	if ((uint32_t)z < settings->reorder)
		outcome |= LINK_REORDERED;
	if ((uint32_t)(z >> 32) < settings->duplicate)
		outcome |= LINK_DUPLICATED;
	return outcome;
}

void link_count(struct shm_port *port, unsigned int outcome, uint64_t len_bytes)
{
	link_add(port, HCA_SENT, 1);
	link_add(port, HCA_SENT_BYTES, len_bytes);
	if (outcome & LINK_LOST)
		atomic_fetch_add_explicit(&port->lost, 1, memory_order_relaxed);
	if (outcome & LINK_DUPLICATED)
		atomic_fetch_add_explicit(&port->duplicated, 1, memory_order_relaxed);
	if (outcome & LINK_REORDERED)
		atomic_fetch_add_explicit(&port->reordered, 1, memory_order_relaxed);
}

void link_count_arrival(const struct remote *to, uint64_t len_bytes)
{
	struct shm_port *port = link_port_of(to);

	link_add(port, HCA_RECEIVED, 1);
	link_add(port, HCA_RECEIVED_BYTES, len_bytes);
}

/* The counters of all ports. */
static void add_counters(uint64_t sum[5], uint32_t dev)
{
	for (uint32_t port = 1; port <= SHM_PORTS; port++) {
		const struct shm_port *p = hca_port(hca.slot, dev, port);

		sum[0] += atomic_load(&p->count[HCA_SENT]);
		sum[1] += atomic_load(&p->lost);
		sum[2] += atomic_load(&p->duplicated);
		sum[3] += atomic_load(&p->reordered);
		sum[4] += atomic_load(&p->count[HCA_TIMEOUTS]) +
			  atomic_load(&p->count[HCA_SEQ_NAKS]);
	}
}

void link_report(uint32_t dev)
{
	const char *path = hca_settings()->stats;
	uint64_t sum[5] = { 0 };
	char line[512];
	int fd, n;

	if (!*path || !hca_port(hca.slot, dev, 1)->used)
		return;
	add_counters(sum, dev);
	n = snprintf(line, sizeof(line),
		     "pid=%d device=softhca%u sent=%" PRIu64 " lost=%" PRIu64 " duplicated=%" PRIu64 " reordered=%" PRIu64 " ran_by_program=%" PRIu64 " ran_by_thread=%" PRIu64 " yields=%" PRIu64 " retries=%" PRIu64 "\n",
		     (int)getpid(), dev, sum[0], sum[1], sum[2], sum[3],
		     atomic_load(&hca.polling.ran), atomic_load(&hca.progress.ran),
		     atomic_load(&hca.polling.yields), sum[4]);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (fd < 0 || write(fd, line, (size_t)n) != n)
		fprintf(stderr, "softhca: SOFTHCA_STATS=%s: cannot write the file\n", path);
	if (fd >= 0)
		close(fd);
}
