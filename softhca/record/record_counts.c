/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The counters of links as text; see record.h. */
#include "config.h"
#include "record/record.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/gid.h"

#define LINE_BYTES 1024 /* no line is longer */
#define PS_PER_NS 1000u

/* In ns of CLOCK_MONOTONIC; 0: there is none. */
static uint64_t time_ns(const _Atomic uint64_t *ps)
{
	const uint64_t t = atomic_load(ps);

	return t ? hca.origin_ns + t / PS_PER_NS : 0;
}

/* Appends to the text in line[]. */
__attribute__((format(printf, 2, 3)))
static void put(char line[LINE_BYTES], const char *format, ...)
{
	const size_t len = strlen(line);
	va_list ap;

	va_start(ap, format);
	vsnprintf(line + len, LINE_BYTES - len, format, ap);
	va_end(ap);
}

static void put_count(char line[LINE_BYTES], const char *name, uint64_t n)
{
	put(line, " %s=%" PRIu64, name, n);
}

static void put_link(char line[LINE_BYTES], const struct shm_link_counts *c)
{
	const uint64_t messages = atomic_load(&c->messages);

	put_count(line, "sent", atomic_load(&c->sent));
	put_count(line, "lost", atomic_load(&c->lost));
	put_count(line, "duplicated", atomic_load(&c->duplicated));
	put_count(line, "reordered", atomic_load(&c->reordered));
	put_count(line, "retries", atomic_load(&c->retries));
	put_count(line, "messages", messages);
	put_count(line, "bytes", atomic_load(&c->bytes));
	put_count(line, "busy_ns", atomic_load(&c->busy_ps) / PS_PER_NS);
	put_count(line, "wait_mean_ns",
		  messages ? atomic_load(&c->wait_ps) / messages / PS_PER_NS : 0);
	put_count(line, "wait_max_ns", atomic_load(&c->wait_max_ps) / PS_PER_NS);
	put(line, " clock=monotonic");
	put_count(line, "departed_first_ns", time_ns(&c->departed_first_ps));
	put_count(line, "departed_last_ns", time_ns(&c->departed_last_ps));
	put_count(line, "arrived_first_ns", atomic_load(&c->arrived_first_ns));
	put_count(line, "arrived_last_ns", atomic_load(&c->arrived_last_ns));
}

/* The port of a node has received, too, and there may be full buffers. */
static void put_received(char line[LINE_BYTES], const struct shm_port *port)
{
	const struct shm_received *r = &port->received;
	const uint64_t messages = atomic_load(&r->messages);

	put(line, " node=%s", hca_settings()->node);
	put_count(line, "received", messages);
	put_count(line, "dropped", atomic_load(&port->link.dropped));
	put_count(line, "pauses", atomic_load(&port->count[HCA_PAUSES]));
	put_count(line, "paused_ns", atomic_load(&port->count[HCA_PAUSED_NS]));
	put_count(line, "received_dropped", atomic_load(&port->count[HCA_DISCARDS]));
	put_count(line, "received_bytes", atomic_load(&r->bytes));
	put_count(line, "received_busy_ns", atomic_load(&r->busy_ps) / PS_PER_NS);
	put_count(line, "received_wait_mean_ns",
		  messages ? atomic_load(&r->wait_ps) / messages / PS_PER_NS : 0);
	put_count(line, "received_wait_max_ns", atomic_load(&r->wait_max_ps) / PS_PER_NS);
}

static void append(const char *path, const char *line)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);

	if (fd < 0 || write(fd, line, strlen(line)) != (ssize_t)strlen(line))
		fprintf(stderr, "softhca: SOFTHCA_STATS=%s: cannot write the file\n", path);
	if (fd >= 0)
		close(fd);
}

void record_counts(uint32_t dev)
{
	const char *path = hca_settings()->stats;

	for (uint32_t i = 1; *path && i <= gid_ports(dev); i++) {
		const struct shm_port *port = hca_port(hca.slot, dev, i);
		char line[LINE_BYTES] = "";

		if (!port->used)
			continue;
		put(line, "pid=%d device=softhca%u port=%u", (int)getpid(), dev, i);
		put_link(line, &port->link);
		put_count(line, "retry_events", atomic_load(&port->count[HCA_TIMEOUTS]) +
			  atomic_load(&port->count[HCA_SEQ_NAKS]));
		put_count(line, "ran_by_program", atomic_load(&hca.polling.ran));
		put_count(line, "ran_by_thread", atomic_load(&hca.progress.ran));
		put_count(line, "yields", atomic_load(&hca.polling.yields));
		if (port->of_node)
			put_received(line, port);
		put(line, "\n");
		append(path, line);
	}
}
