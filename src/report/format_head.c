/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the lines above a table: what runs where, and with which settings. Called by format_table.c.
 * Must not compute: it prints the plan and the limits of both sides.
 */
#include "config.h"
#include "report/format_head.h"

#include <inttypes.h>
#include <string.h>

#include "plan/gid.h"
#include "plan/gid_text.h"
#include "util/text.h"

#define CELL_TEXT 64
#define LABEL_WIDTH 12
#define LINE_TEXT 160

/* A line about both hosts; write: its text for one of them, LINE_TEXT bytes at most. */
struct host_line {
	const char *label;
	void (*write)(const struct limits *limits, uint32_t gid_index, char *text);
};

static void write_host(const struct limits *l, uint32_t gid_index, char *text)
{
	(void)gid_index;
	text_clean(l->host, text, LINE_TEXT);
}

static void write_device(const struct limits *l, uint32_t gid_index, char *text)
{
	char device[PLAN_NAME];

	(void)gid_index;
	snprintf(text, LINE_TEXT, "%s port %" PRIu32 "%s", text_clean(l->device, device, PLAN_NAME),
		 l->port, l->emulated ? " (emulated)" : "");
}

static void write_driver(const struct limits *l, uint32_t gid_index, char *text)
{
	char driver[PLAN_NAME], firmware[PLAN_NAME];

	(void)gid_index;
	text_clean(l->driver, driver, sizeof(driver));
	text_clean(l->firmware, firmware, sizeof(firmware));
	snprintf(text, LINE_TEXT, "%s%s%s%s", driver, driver[0] && firmware[0] ? ", " : "",
		 firmware[0] ? "firmware " : "", firmware);
}

static void write_link(const struct limits *l, uint32_t gid_index, char *text)
{
	char netdev[PLAN_NAME], rate[CELL_TEXT] = "";

	(void)gid_index;
	text_clean(l->netdev, netdev, sizeof(netdev));
	if (l->rate_mbit_s)
		snprintf(rate, sizeof(rate), " %.15g Gbit/s", (double)l->rate_mbit_s / 1000);
	snprintf(text, LINE_TEXT, "%s%s%s%s", l->ethernet ? "Ethernet" : "InfiniBand", rate,
		 netdev[0] ? ", " : "", netdev);
}

static void write_address(const struct limits *l, uint32_t gid_index, char *text)
{
	const struct plan_gid *gid = gid_find(l, gid_index);
	char address[GID_TEXT_MAX];
	int len = 0;

	text[0] = '\0';
	if (!l->ethernet)
		len = snprintf(text, LINE_TEXT, "LID %" PRIu32 "%s", l->lid, gid ? ", " : "");
	if (gid)
		snprintf(text + len, LINE_TEXT - (size_t)len, "%s (%s, index %" PRIu32 ")",
			 gid_text(gid->raw, address, sizeof(address)), gid_text_types[gid->type],
			 gid->index);
}

static const struct host_line host_lines[] = {
	{ "host", write_host },
	{ "device", write_device },
	{ "driver", write_driver },
	{ "link", write_link },
	{ "address", write_address },
};

#define N_HOST_LINES (sizeof(host_lines) / sizeof(host_lines[0]))

/* Client left, server right, on both sides. */
static void print_hosts(FILE *out, const struct format_run *run)
{
	const struct limits *client = run->side == SIDE_CLIENT ? run->self : run->peer;
	const struct limits *server = run->side == SIDE_CLIENT ? run->peer : run->self;
	char text[N_HOST_LINES][2][LINE_TEXT];
	int width = (int)strlen("client");

	for (size_t i = 0; i < N_HOST_LINES; i++) {
		host_lines[i].write(client, run->plan->path.client_gid, text[i][0]);
		host_lines[i].write(server, run->plan->path.server_gid, text[i][1]);
		if ((int)strlen(text[i][0]) > width)
			width = (int)strlen(text[i][0]);
	}
	fprintf(out, "%-*s%-*s   %s\n", LABEL_WIDTH, "", width, "client",
		run->n_receivers > 1 ? "first receiver" : "server");
	for (size_t i = 0; i < N_HOST_LINES; i++)
		if (text[i][0][0] || text[i][1][0])
			fprintf(out, "%-*s%-*s   %s\n", LABEL_WIDTH, host_lines[i].label, width,
				text[i][0][0] ? text[i][0] : "-", text[i][1][0] ? text[i][1] : "-");
	if (client->emulated || server->emulated)
		fprintf(out, "%-*sthese are not results of a real HCA\n", LABEL_WIDTH,
			"emulated");
}

/* The group, and on its sender each receiver: where it runs, and its address. */
static void print_group(FILE *out, const struct format_run *run)
{
	const struct plan_path *path = &run->plan->path;
	char name[ROW_NAME], host[LINE_TEXT], device[LINE_TEXT], address[LINE_TEXT];

	fprintf(out, "%-*s%s", LABEL_WIDTH, "group", path->mcast);
	if (strcmp(path->mcast, path->mgid))
		fprintf(out, " (MGID %s)", path->mgid);
	fprintf(out, ", joined by %s\n", choices_mcast_join[path->mcast_join]);
	for (uint32_t i = 0; i < run->n_receivers; i++) {
		const struct format_receiver *r = &run->receivers[i];

		write_host(r->limits, r->gid_index, host);
		write_device(r->limits, r->gid_index, device);
		write_address(r->limits, r->gid_index, address);
		fprintf(out, "%-*s%s: %s, %s, %s\n", LABEL_WIDTH, i ? "" : "receivers",
			text_clean(r->name, name, sizeof(name)), host, device, address);
	}
}

static void print_buffers(FILE *out, const struct plan *p)
{
	const struct point *last = &p->points[p->n_points ? p->n_points - 1 : 0];
	uint64_t bytes = p->points[0].footprint_bytes;

	fprintf(out, "\n%-*sfootprint_bytes %" PRIu64, LABEL_WIDTH, "", bytes);
	if (last->footprint_bytes != bytes)
		fprintf(out, " to %" PRIu64, last->footprint_bytes);
	fprintf(out, ", walk %s, hugepages %s", choices_walk[p->work.walk],
		choices_hugepages[p->work.hugepages]);
}

/* Settings that have an effect in this test, by the names of columns (docs/schema.md). */
static void print_settings(FILE *out, const struct plan *p)
{
	const struct point *point = &p->points[0];
	bool fetches = kind_fetches(p->work.kind.op);

	fprintf(out, "%-*s", LABEL_WIDTH, "settings");
	if (p->work.threads > 1)
		fprintf(out, "threads %" PRIu32 ", ", p->work.threads);
	fprintf(out, "qps %" PRIu32 ", depth %" PRIu32, plan_total_qps(p), p->work.depth);
	if (p->work.recv_depth)
		fprintf(out, ", recv_depth %" PRIu32, p->work.recv_depth);
	fprintf(out, ", post_list %" PRIu32 ", signal_interval %" PRIu32, p->work.post_list,
		p->work.signal_interval);
	if (fetches)
		fprintf(out, ", outstanding %" PRIu32, p->work.outstanding);
	else
		fprintf(out, ", inline_bytes %" PRIu32, p->work.inline_bytes);
	print_buffers(out, p);
	fprintf(out, "\n%-*smtu_bytes %" PRIu32, LABEL_WIDTH, "", p->path.mtu_bytes);
	if (!kind_is_lossy(p->work.kind.tp)) {
		fprintf(out, ", qp_timeout %" PRIu32 ", retry %" PRIu32, p->path.qp_timeout,
			p->path.retry);
		fprintf(out, ", rnr_retry %" PRIu32 ", min_rnr_timer %" PRIu32, p->path.rnr_retry,
			p->path.min_rnr_timer);
	}
	fprintf(out, ", sl %" PRIu32 ", tclass %" PRIu32, p->path.sl, p->path.tclass);
	if (p->path.connect != CONNECT_TCP)
		fprintf(out, ", connect %s", choices_connect[p->path.connect]);
	if (p->work.post_api != APIS_POST_SEND)
		fprintf(out, ", post_api %s", choices_post_api[p->work.post_api]);
	if (p->work.poll_api != APIS_POLL_CLASSIC)
		fprintf(out, ", poll_api %s", choices_poll_api[p->work.poll_api]);
	fprintf(out, "\n");
	if (!p->n_points)
		return;
	if (point->messages)
		fprintf(out, "%-*s%" PRIu64 " messages per QP", LABEL_WIDTH, "each row",
			point->messages);
	else
		fprintf(out, "%-*s%.15g s", LABEL_WIDTH, "each row",
			(double)point->duration_ns / 1e9);
	fprintf(out, "%s%s\n", p->work.bidir ? ", both directions at once" : "",
		p->work.verify ? ", payload verified" : "");
}

void format_head(FILE *out, const struct format_run *run)
{
	const struct plan *plan = run->plan;
	char note[sizeof(plan->notes[0])];

	fprintf(out, "verbench %s, %s: %s over %s, completions by %s; results of the %s\n\n",
		PACKAGE_VERSION, kind_test_names[plan->work.test],
		kind_opcode_names[plan->work.kind.op], kind_transport_names[plan->work.kind.tp],
		kind_completion_names[plan->work.kind.cm], kind_side_names[run->side]);
	print_hosts(out, run);
	if (plan_is_mcast(plan))
		print_group(out, run);
	print_settings(out, plan);
	for (uint32_t i = 0; i < plan->n_notes; i++)
		fprintf(out, "%-*s%s\n", LABEL_WIDTH, "note",
			text_clean(plan->notes[i], note, sizeof(note)));
	putc('\n', out);
}
