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

#define LINES 1024     /* that are kept until they are written */
#define LINE_BYTES 256 /* no line is longer */
#define NONE UINT64_MAX

enum { QPN, NUMBER, BYTES, QUEUED, BEGUN, LEFT, DUE, SEEN, COLUMNS };

/* Made within what is recorded, so it is numbers alone: a text takes a microsecond. */
struct record_line {
	const char *event; /* borrowed, a constant */
	uint64_t columns[COLUMNS];
};

/* The file is written in whole lines, so that the processes of a test can share it. */
struct record_file {
	pthread_mutex_t lock;
	int fd;
	size_t used;
	struct record_line lines[LINES];
	char text[LINES * LINE_BYTES];
};

static size_t print(char *text, const struct record_line *line)
{
	size_t len = (size_t)sprintf(text, "%d,%s", (int)hca.pid, line->event);

	for (int i = 0; i < COLUMNS; i++) {
		if (line->columns[i] == NONE)
			text[len++] = ',';
		else
			len += (size_t)sprintf(text + len, ",%" PRIu64, line->columns[i]);
	}
	text[len++] = '\n';
	return len;
}

/* Under the lock. */
static void flush(struct record_file *r)
{
	size_t len = 0;

	for (size_t i = 0; i < r->used; i++)
		len += print(r->text + len, &r->lines[i]);
	if (len && write(r->fd, r->text, len) != (ssize_t)len)
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

static void append(const struct record_line *line)
{
	struct record_file *r = hca.record;

	pthread_mutex_lock(&r->lock);
	if (r->used == LINES)
		flush(r);
	r->lines[r->used++] = *line;
	pthread_mutex_unlock(&r->lock);
}

void record_leaves(const char *event, uint32_t qpn, uint32_t number,
		   const struct record_departure *d)
{
	append(&(struct record_line){ event, { qpn, number, d->bytes, d->queued_ns, d->begun_ns,
					       d->left_ns, NONE, NONE } });
}

void record_comes(const char *event, uint32_t qpn, uint32_t number, uint64_t due_ns)
{
	append(&(struct record_line){ event, { qpn, number, NONE, NONE, NONE, NONE, due_ns,
					       clock_now() } });
}

void record_takes(uint32_t qpn, uint32_t bytes)
{
	append(&(struct record_line){ "polled", { qpn, NONE, bytes, NONE, NONE, NONE, NONE,
						  clock_now() } });
}
