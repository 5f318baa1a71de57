/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* When messages leave and arrive, and which do not; see wire.h. */
#include "config.h"
#include "wire.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "hca.h"

#define FS_PER_S 1000000000000000ull
#define PS_PER_NS 1000u

void wire_setup(struct shm_port *port, const struct cfg_dev *cfg)
{
	*port = (struct shm_port) {
		.fs_per_byte = cfg->bit_s ? 8 * FS_PER_S / cfg->bit_s : 0,
		.delay_ps = cfg->delay_ns * PS_PER_NS,
		.stall_ps = cfg->stall_ns * PS_PER_NS,
		.period_ps = cfg->period_ns * PS_PER_NS,
	};
	port->used = port->fs_per_byte || port->delay_ps || port->stall_ps || cfg->loss ||
		     cfg->reorder || cfg->duplicate;
}

/* Work of that many ps, begun at t, on a link that stands still at the start of every period. */
static uint64_t finish(const struct shm_port *port, uint64_t t, uint64_t work)
{
	uint64_t into;

	if (!port->stall_ps)
		return t + work;
	into = t % port->period_ps;
	if (into < port->stall_ps) {
		t += port->stall_ps - into;
		into = port->stall_ps;
	}
	while (work > port->period_ps - into) {
		work -= port->period_ps - into;
		t += port->period_ps - into + port->stall_ps;
		into = port->stall_ps;
	}
	return t + work;
}

struct wire_times wire_send(struct shm_port *port, uint64_t now_ns, uint64_t len_bytes)
{
	uint64_t now = (now_ns - hca.fabric->origin_ns) * PS_PER_NS;
	uint64_t work = (uint64_t)((unsigned __int128)port->fs_per_byte * len_bytes / 1000);
	uint64_t free = atomic_load_explicit(&port->free_ps, memory_order_relaxed), end;

	do
		end = finish(port, free > now ? free : now, work);
	while (!atomic_compare_exchange_weak(&port->free_ps, &free, end));
	return (struct wire_times) {
		.sent_ns = hca.fabric->origin_ns + (end + PS_PER_NS - 1) / PS_PER_NS,
		.arrives_ns = hca.fabric->origin_ns +
			      (end + port->delay_ps + PS_PER_NS - 1) / PS_PER_NS,
	};
}

uint64_t wire_delay_ns(const struct shm_port *port)
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

unsigned int wire_fate(const struct cfg_dev *cfg, uint32_t ordinal, uint32_t message)
{
	uint64_t z = mix(mix(cfg->seed) ^ ((uint64_t)ordinal << 32 | message));
	unsigned int fate = 0;

	if ((uint32_t)z < cfg->loss)
		return WIRE_LOST;
	z = mix(z);
	if ((uint32_t)z < cfg->reorder)
		fate |= WIRE_REORDERED;
	if ((uint32_t)(z >> 32) < cfg->duplicate)
		fate |= WIRE_DUPLICATED;
	return fate;
}

void wire_count(struct shm_port *port, unsigned int fate)
{
	atomic_fetch_add_explicit(&port->sent, 1, memory_order_relaxed);
	if (fate & WIRE_LOST)
		atomic_fetch_add_explicit(&port->lost, 1, memory_order_relaxed);
	if (fate & WIRE_DUPLICATED)
		atomic_fetch_add_explicit(&port->duplicated, 1, memory_order_relaxed);
	if (fate & WIRE_REORDERED)
		atomic_fetch_add_explicit(&port->reordered, 1, memory_order_relaxed);
}

/* What the link did to this process's messages, appended to the file SOFTHCA_STATS names. */
void wire_report(uint32_t dev)
{
	const char *path = cfg_stats();
	const struct shm_port *p = &hca.fabric->proc[hca.slot].port[dev];
	char line[256];
	int fd, n;

	if (!*path || !p->used)
		return;
	n = snprintf(line, sizeof(line), "pid=%d device=softhca%u sent=%" PRIu64 " lost=%" PRIu64
		     " duplicated=%" PRIu64 " reordered=%" PRIu64 "\n", (int)getpid(), dev,
		     atomic_load(&p->sent), atomic_load(&p->lost), atomic_load(&p->duplicated),
		     atomic_load(&p->reordered));
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (fd < 0 || write(fd, line, (size_t)n) != n)
		fprintf(stderr, "softhca: SOFTHCA_STATS %s: cannot write\n", path);
	if (fd >= 0)
		close(fd);
}
