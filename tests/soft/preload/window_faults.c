/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A library that is preloaded before the emulated HCA: an observer of the measuring threads. Of
 * each thread that posts sends it counts the requests, and the minor page faults (getrusage(2))
 * from its first post to its last completion. When the program ends it writes "POSTS FAULTS" of the
 * thread that posted most to the file WINDOW_FAULTS. Made by test_window.py; not part of the build.
 */
#include "config.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <infiniband/verbs.h>

struct seen {
	unsigned long posts;
	long first, last; /* minor faults of the thread at its first post, at its last completion */
};

static int (*real_post)(struct ibv_qp *, struct ibv_send_wr *, struct ibv_send_wr **);
static int (*real_poll)(struct ibv_cq *, int, struct ibv_wc *);
static struct seen threads[64];
static _Atomic unsigned int n_threads;
static __thread struct seen *seen;

static long faults(void)
{
	struct rusage use;

	return getrusage(RUSAGE_THREAD, &use) ? -1 : use.ru_minflt;
}

static int post(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	if (!seen) {
		const unsigned int i = n_threads++;

		if (i >= sizeof(threads) / sizeof(*threads))
			abort();
		seen = &threads[i];
		seen->first = faults();
	}
	seen->posts++;
	return real_post(qp, wr, bad);
}

static int poll(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	const int got = real_poll(cq, n, wc);

	if (got > 0 && seen)
		seen->last = faults();
	return got;
}

struct ibv_context *ibv_open_device(struct ibv_device *dev)
{
	struct ibv_context *(*open)(struct ibv_device *) = dlsym(RTLD_NEXT, "ibv_open_device");
	struct ibv_context *ctx = open ? open(dev) : NULL;

	if (!ctx)
		return NULL;
	real_post = ctx->ops.post_send;
	real_poll = ctx->ops.poll_cq;
	ctx->ops.post_send = post;
	ctx->ops.poll_cq = poll;
	return ctx;
}

__attribute__((destructor)) static void write_seen(void)
{
	const char *path = getenv("WINDOW_FAULTS");
	const struct seen *most = threads;
	FILE *out;

	for (unsigned int i = 1; i < n_threads; i++)
		if (threads[i].posts > most->posts)
			most = &threads[i];
	out = path && most->posts ? fopen(path, "w") : NULL;
	if (!out)
		return;
	fprintf(out, "%lu %ld\n", most->posts, most->last - most->first);
	fclose(out);
}
