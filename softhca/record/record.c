/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The record of messages; see record.h. Called by transport/requester.c and objects/cq.c. */
#include "config.h"
#include "record/record.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

#define BUFFER_BYTES 65536
#define LINE_BYTES 256 /* no line is longer */

/* The file is written in whole lines, so that the processes of a test can share it. */
struct record_file {
	pthread_mutex_t lock;
	int fd;
	size_t used;
	char text[BUFFER_BYTES];
};

/* Under the lock. */
static void flush(struct record_file *r)
{
	if (r->used && write(r->fd, r->text, r->used) != (ssize_t)r->used)
		fprintf(stderr, "softhca: SOFTHCA_RECORD=%s: cannot write the file\n",
			hca_settings()->record);
	r->used = 0;
}

void record_open(void)
{
	const char *path = hca_settings()->record;
	struct record_file *r;

	pthread_mutex_lock(&hca.mutex);
	r = *path && !hca.record ? calloc(1, sizeof(*r)) : NULL;
	if (r) {
		pthread_mutex_init(&r->lock, NULL);
		r->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
		hca.record = r;
	}
	pthread_mutex_unlock(&hca.mutex);
}

void record_flush(void)
{
	struct record_file *r = hca.record;

	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	flush(r);
	pthread_mutex_unlock(&r->lock);
}

static void append(const char *line, int len)
{
	struct record_file *r = hca.record;

	pthread_mutex_lock(&r->lock);
	if (r->used + (size_t)len > BUFFER_BYTES)
		flush(r);
	memcpy(r->text + r->used, line, (size_t)len);
	r->used += (size_t)len;
	pthread_mutex_unlock(&r->lock);
}

void record_leaves(const char *event, uint32_t qpn, uint32_t number,
		   const struct record_departure *d)
{
	char line[LINE_BYTES];

	append(line, snprintf(line, sizeof(line),
			      "%d,%s,%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",,\n",
			      (int)hca.pid, event, qpn, number, d->bytes, d->queued_ns,
			      d->begun_ns, d->left_ns));
}

void record_comes(const char *event, uint32_t qpn, uint32_t number, uint64_t due_ns)
{
	const uint64_t now_ns = clock_now();
	char line[LINE_BYTES];

	append(line, snprintf(line, sizeof(line),
			      "%d,%s,%" PRIu32 ",%" PRIu32 ",,,,,%" PRIu64 ",%" PRIu64 "\n",
			      (int)hca.pid, event, qpn, number, due_ns, now_ns));
}

void record_takes(uint32_t qpn, uint32_t bytes)
{
	char line[LINE_BYTES];

	append(line, snprintf(line, sizeof(line),
			      "%d,polled,%" PRIu32 ",,%" PRIu32 ",,,,,%" PRIu64 "\n",
			      (int)hca.pid, qpn, bytes, clock_now()));
}
