/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the rules of a copy: its plan and its names. Called by session and commands. Opens nothing.
 */
#include "config.h"
#include "copy/copy.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "plan/layout.h"
#include "util/err.h"

#define PAGE_BYTES UINT64_C(4096)

static int check_window(uint64_t bytes)
{
	if (bytes >= COPY_WINDOW_MIN && bytes <= COPY_WINDOW_MAX)
		return 0;
	return err_set(-EINVAL, "-s (--size) %" PRIu64 ": a window of a copy has %u to %u bytes",
		       bytes, COPY_WINDOW_MIN, COPY_WINDOW_MAX);
}

int copy_options(struct cfg *cfg)
{
	if (cfg->size_bytes == CFG_AUTO64)
		cfg->size_bytes = COPY_WINDOW_BYTES;
	cfg->imm = true; /* this kind of write has receives and credits, which carry the sends */
	/* a write and a send for each window, and the last send */
	cfg->depth = 2 * COPY_WINDOWS + 2;
	cfg->recv_depth = 2 * COPY_WINDOWS;
	cfg->signal_interval = 1;
	cfg->messages = 1;
	cfg->footprint_bytes = (cfg->size_bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES *
			       COPY_WINDOWS;
	/* threads that read and write files wait more than they compute */
	cfg->pin = cfg->peer_pin = "none";
	return check_window(cfg->size_bytes);
}

int copy_check_plan(const struct plan *plan)
{
	const struct plan_work *work = &plan->work;
	struct layout lay;

	if (kind_is_lossy(work->kind.tp) || !kind_takes_recv(work->kind.op) ||
	    kind_fills_recv(work->kind.op) || work->bidir ||
	    work->threads != 1 || work->qps != 1 || plan->n_points != 1 ||
	    work->depth < 2 * COPY_WINDOWS + 2 || work->recv_depth < COPY_WINDOWS + 1 ||
	    work->poll_api != APIS_POLL_CLASSIC || work->post_api != APIS_POST_SEND)
		return err_set(-EINVAL, "a copy has one QP of RC, one size, and room for %u windows",
			       COPY_WINDOWS);
	layout_resolve(&lay, plan, &plan->points[0]);
	if (lay.tx.bufs < COPY_WINDOWS || lay.rx.bufs < COPY_WINDOWS)
		return err_set(-EINVAL, "a copy has %u windows, and the buffers hold %u",
			       COPY_WINDOWS, lay.rx.bufs);
	return check_window(plan->points[0].size_bytes);
}

static bool is_plain(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return false;
	return true;
}

int copy_check_name(const char *name)
{
	if (!is_plain(name))
		return err_set(-EINVAL, "the name of the copy has control characters");
	if (!name[0] || strlen(name) >= COPY_NAME_MAX)
		return err_set(-EINVAL, "the name of the copy has %zu bytes; allowed: 1..%u",
			       strlen(name), COPY_NAME_MAX - 1);
	if (name[0] == '/')
		return err_set(-EINVAL, "\"%s\": the name of the copy is relative to the directory of --copy-to",
			       name);
	for (const char *part = name; part; part = strchr(part, '/')) {
		size_t len;

		part += *part == '/';
		len = strcspn(part, "/");
		if (!len || !strncmp(part, ".", len) || (len == 2 && !strncmp(part, "..", 2)))
			return err_set(-EINVAL, "\"%s\": no part of the name of the copy may be empty, \".\" or \"..\"",
				       name);
		if (len > NAME_MAX)
			return err_set(-EINVAL, "\"%.32s...\": a part of the name of the copy has %zu bytes; allowed: 1..%d",
				       name, len, NAME_MAX);
	}
	return 0;
}
