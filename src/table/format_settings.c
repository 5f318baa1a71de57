/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the lines of --verbose above a table; see format_settings.h. Called by format_head.c. */
#include "config.h"
#include "table/format_settings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "limits/gid.h"
#include "limits/gid_text.h"
#include "util/screen.h"
#include "util/text.h"

#define CELL_TEXT 64
#define LABEL_WIDTH 12
#define LINE_TEXT 192

const struct limits *format_settings_limits(const struct format_run *run, enum side side)
{
	return run->side == side ? run->self : run->peer;
}

const char *format_settings_qps(const struct plan *p, char *text, size_t size)
{
	text[0] = '\0';
	if (p->work.threads > 1)
		snprintf(text, size, "threads %" PRIu32 " x qps %" PRIu32, p->work.threads,
			 p->work.qps);
	else if (p->work.qps > 1)
		snprintf(text, size, "qps %" PRIu32, p->work.qps);
	return text;
}

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
	bool has_firmware;

	(void)gid_index;
	text_clean(l->driver, driver, sizeof(driver));
	text_clean(l->firmware, firmware, sizeof(firmware));
	/* of an emulated device these are the settings of its link */
	has_firmware = firmware[0] && !l->emulated;
	snprintf(text, LINE_TEXT, "%s%s%s%s", driver, driver[0] && has_firmware ? ", " : "",
		 has_firmware ? "firmware " : "", has_firmware ? firmware : "");
}

static void write_link(const struct limits *l, uint32_t gid_index, char *text)
{
	char netdev[PLAN_NAME], emulated[PLAN_NAME], rate[CELL_TEXT] = "";

	(void)gid_index;
	text_clean(l->netdev, netdev, sizeof(netdev));
	text_clean(l->emulated ? l->firmware : "", emulated, sizeof(emulated));
	if (l->rate_mbit_s)
		snprintf(rate, sizeof(rate), " %.15g Gbit/s", (double)l->rate_mbit_s / 1000);
	snprintf(text, LINE_TEXT, "%s%s%s%.40s%s%.60s",
		 limits_link_name(l), rate,
		 netdev[0] ? ", " : "", netdev, emulated[0] ? ", " : "", emulated);
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
			 gid_text_address(gid->raw, address, sizeof(address)),
			 gid_text_types[gid->type], gid->index);
}

static const struct host_line host_lines[] = {
	{ "host", write_host },
	{ "device", write_device },
	{ "driver", write_driver },
	{ "link", write_link },
	{ "address", write_address },
};

#define N_HOST_LINES (sizeof(host_lines) / sizeof(host_lines[0]))

/* A text behind a label, or below it. */
static void print_labelled(FILE *out, const struct format_run *run, const char *label,
			   const char *text)
{
	fprintf(out, "%-*s", LABEL_WIDTH, label);
	screen_wrap(out, text,
		    (struct screen_place){ LABEL_WIDTH, LABEL_WIDTH, run->screen.width });
}

/* Client left, server right, on both sides; below each other where the screen is too narrow. */
static void print_host_line(FILE *out, const struct format_run *run, const char *label,
			    char text[2][LINE_TEXT], int left)
{
	char line[LINE_TEXT + CELL_TEXT];

	if (!text[0][0] && !text[1][0])
		return;
	for (int i = 0; i < 2; i++)
		if (!text[i][0])
			snprintf(text[i], LINE_TEXT, "-");
	if (left) {
		fprintf(out, "%-*s%-*s   %s\n", LABEL_WIDTH, label, left, text[0], text[1]);
		return;
	}
	if (!strcmp(text[0], text[1])) {
		print_labelled(out, run, label, text[0]);
		return;
	}
	snprintf(line, sizeof(line), "client: %.159s", text[0]);
	print_labelled(out, run, label, line);
	snprintf(line, sizeof(line), "%s: %.159s",
		 run->n_receivers > 1 ? "first receiver" : "server", text[1]);
	print_labelled(out, run, "", line);
}

static void print_hosts(FILE *out, const struct format_run *run)
{
	const struct limits *client = format_settings_limits(run, SIDE_CLIENT);
	const struct limits *server = format_settings_limits(run, SIDE_SERVER);
	char text[N_HOST_LINES][2][LINE_TEXT];
	int left = (int)strlen("client"), right = (int)strlen("first receiver");

	for (size_t i = 0; i < N_HOST_LINES; i++) {
		host_lines[i].write(client, run->plan->path.client_gid, text[i][0]);
		host_lines[i].write(server, run->plan->path.server_gid, text[i][1]);
		left = (int)strlen(text[i][0]) > left ? (int)strlen(text[i][0]) : left;
		right = (int)strlen(text[i][1]) > right ? (int)strlen(text[i][1]) : right;
	}
	if (LABEL_WIDTH + left + 3 + right > run->screen.width)
		left = 0;
	else
		fprintf(out, "%-*s%-*s   %s\n", LABEL_WIDTH, "", left, "client",
			run->n_receivers > 1 ? "first receiver" : "server");
	for (size_t i = 0; i < N_HOST_LINES; i++)
		print_host_line(out, run, host_lines[i].label, text[i], left);
	if (client->emulated || server->emulated)
		fprintf(out, "%-*sthese are not results of a real HCA\n", LABEL_WIDTH,
			"emulated");
}

/* The group, and on its sender each receiver: where it runs, and its address. */
static void print_group(FILE *out, const struct format_run *run)
{
	const struct plan_path *path = &run->plan->path;
	char name[ROW_NAME], host[LINE_TEXT], device[LINE_TEXT], address[LINE_TEXT];
	char text[4 * LINE_TEXT];

	snprintf(text, sizeof(text), "%s%s%s%s, joined by %s", path->mcast,
		 strcmp(path->mcast, path->mgid) ? " (MGID " : "",
		 strcmp(path->mcast, path->mgid) ? path->mgid : "",
		 strcmp(path->mcast, path->mgid) ? ")" : "", choices_mcast_join[path->mcast_join]);
	print_labelled(out, run, "group", text);
	for (uint32_t i = 0; i < run->n_receivers; i++) {
		const struct format_receiver *r = &run->receivers[i];

		write_host(r->limits, r->gid_index, host);
		write_device(r->limits, r->gid_index, device);
		write_address(r->limits, r->gid_index, address);
		snprintf(text, sizeof(text), "%s: %s, %s, %s", text_clean(r->name, name, sizeof(name)),
			 host, device, address);
		print_labelled(out, run, i ? "" : "receivers", text);
	}
}

static void put_queues(FILE *out, const struct plan *p)
{
	char qps[CELL_TEXT];

	format_settings_qps(p, qps, sizeof(qps));
	fprintf(out, "%s, depth %" PRIu32, qps[0] ? qps : "qps 1", p->work.depth);
	if (p->work.recv_depth)
		fprintf(out, ", recv_depth %" PRIu32, p->work.recv_depth);
	fprintf(out, ", post_list %" PRIu32 ", signal_interval %" PRIu32, p->work.post_list,
		p->work.signal_interval);
	if (kind_fetches(p->work.kind.op))
		fprintf(out, ", outstanding %" PRIu32, p->work.outstanding);
	else
		fprintf(out, ", inline_bytes %" PRIu32, p->work.inline_bytes);
}

static void put_buffers(FILE *out, const struct plan *p)
{
	const struct point *last = &p->points[p->n_points ? p->n_points - 1 : 0];
	const uint64_t bytes = p->points[0].footprint_bytes;

	fprintf(out, ", footprint_bytes %" PRIu64, bytes);
	if (last->footprint_bytes != bytes)
		fprintf(out, " to %" PRIu64, last->footprint_bytes);
	fprintf(out, ", walk %s, hugepages %s", choices_walk[p->work.walk],
		choices_hugepages[p->work.hugepages]);
}

static void put_path(FILE *out, const struct plan *p)
{
	fprintf(out, ", mtu_bytes %" PRIu32, p->path.mtu_bytes);
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
}

/* Settings that have an effect in this test, by the names of columns (docs/schema.md). */
static void print_settings(FILE *out, const struct format_run *run)
{
	char *text = NULL;
	size_t len;
	FILE *line = open_memstream(&text, &len);

	if (!line)
		return;
	put_queues(line, run->plan);
	put_buffers(line, run->plan);
	put_path(line, run->plan);
	if (!fclose(line))
		print_labelled(out, run, "settings", text);
	free(text);
}

void format_settings(FILE *out, const struct format_run *run)
{
	const struct plan *plan = run->plan;
	char note[sizeof(plan->notes[0].text)];

	print_hosts(out, run);
	if (plan_is_mcast(plan))
		print_group(out, run);
	print_settings(out, run);
	for (uint32_t i = 0; i < plan->n_notes; i++)
		print_labelled(out, run, "note",
			       text_clean(plan->notes[i].text, note, sizeof(note)));
}
