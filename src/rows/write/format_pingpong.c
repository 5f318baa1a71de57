/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The lines of the command pingpong: those of ibv_rc_pingpong and its kin (rdma-core,
 * libibverbs/examples/rc_pingpong.c), with more decimals, so that the figures can be compared with
 * each other. A round trip has two messages, and the window is the client's.
 */
#include "config.h"
#include "write/output.h"

#include <inttypes.h>
#include <string.h>

#include "limits/gid_text.h"

struct pingpong {
	FILE *out;
	bool is_pingpong; /* the plan is one: a client may ask for any test */
};

static int open_pingpong(void *state, const struct format_file *file)
{
	struct pingpong *p = state;

	p->out = file->out;
	return 0;
}

static void take_plan(struct pingpong *p, const struct event_plan *run)
{
	p->is_pingpong = run->plan->work.pattern == PATTERN_PINGPONG;
	if (!p->is_pingpong)
		fprintf(p->out, "the client runs %s, which is no ping-pong\n",
			kind_test_names[run->plan->work.test]);
	if (run->self->emulated || run->peer->emulated)
		fprintf(p->out, "emulated: these are not results of a real HCA\n");
	fflush(p->out);
}

static void print_address(FILE *out, const char *whose, const struct ep_addr *addr, uint32_t qp)
{
	char gid[GID_TEXT_MAX];
	/* an IPv6 address is longer than the line has room for */
	const bool folds = strlen(gid_text(addr->gid, gid, sizeof(gid))) > 18;

	fprintf(out, "  %-15s LID 0x%04x, QPN 0x%06x, PSN 0x%06x,%s GID %s\n", whose, addr->lid,
		addr->qps[qp].qpn, addr->qps[qp].psn, folds ? "\n                 " : "", gid);
}

static void take_endpoint(const struct pingpong *p, const struct event_endpoint *endpoint)
{
	const struct ep_addr *own = endpoint->own, *peer = endpoint->peer;

	for (uint32_t i = 0; p->is_pingpong && i < own->n_qps && i < peer->n_qps; i++) {
		print_address(p->out, "local address:", own, i);
		print_address(p->out, "remote address:", peer, i);
	}
	fflush(p->out);
}

/* Mbit is 10^6 bit. bytes: of both directions, as in ibv_rc_pingpong. */
static void print_figures(FILE *out, const struct row *row)
{
	const double usec = (double)row->window_ns / 1000;
	const uint64_t bytes = row->size_bytes * row->lat_samples * 2;

	fprintf(out, "%" PRIu64 " bytes in %.6f seconds = %.2f Mbit/sec\n", bytes, usec / 1e6,
		(double)bytes * 8 / usec);
	fprintf(out, "%" PRIu64 " iters in %.6f seconds = %.3f usec/iter\n", row->lat_samples,
		usec / 1e6, usec / (double)row->lat_samples);
}

static void take_row(const struct pingpong *p, const struct row *row)
{
	char why[ROW_WHY];

	if (!p->is_pingpong)
		return;
	if (row->lat_samples && row->lat_samples != ROW_NONE && row->window_ns &&
	    row->window_ns != ROW_NONE)
		print_figures(p->out, row);
	else
		fputs("no round trip was measured\n", p->out);
	if (row->lost && row->lost != ROW_NONE)
		fprintf(p->out, "%" PRIu64 " more iters timed out; their time is in the seconds\n",
			row->lost);
	if (row->status != RESULT_OK)
		fprintf(p->out, "%s\n", row_why(row, why));
	fflush(p->out);
}

static int take(void *state, const struct event *event)
{
	struct pingpong *p = state;

	if (event->kind == EVENT_PLAN)
		take_plan(p, event->plan);
	else if (event->kind == EVENT_ENDPOINT)
		take_endpoint(p, event->endpoint);
	else if (event->kind == EVENT_ROW)
		take_row(p, event->row);
	return 0;
}

const struct format format_pingpong = {
	.shows = FORMAT_SHOWS_PINGPONG, .size = sizeof(struct pingpong), .open = open_pingpong,
	.take = take,
};
