/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The lines above a table: what is measured where, and which memory the figures are about; nothing
 * that restates a default. With --verbose: hosts, settings, and what was chosen why. The plan and
 * the limits of both sides are printed, nothing is computed.
 */
#include "config.h"
#include "table/table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "limits/gid.h"
#include "limits/gid_text.h"
#include "limits/spoils.h"
#include "util/text.h"

#define CELL_TEXT 64
#define LABEL_WIDTH 12
#define LINE_TEXT 192
#define SPOILS_SHOWN 2

/* What the lines are printed from and to. */
struct head {
	FILE *out;
	const struct event_plan *run;
	const struct plan *plan;
	const struct limits *sides[2];  /* by enum side */
	const struct format_screen *screen;
	const struct format_swept *swept; /* NULL: no sweep */
};

static struct head head_of(FILE *out, const struct event_plan *run,
			   const struct format_screen *screen)
{
	return (struct head){
		.out = out, .run = run, .plan = run->plan, .screen = screen,
		.sides = {
			[SIDE_CLIENT] = run->side == SIDE_CLIENT ? run->self : run->peer,
			[SIDE_SERVER] = run->side == SIDE_SERVER ? run->self : run->peer,
		},
	};
}

/* A text of one line, behind a label or below it; label NULL: without. */
__attribute__((format(printf, 3, 4)))
static void print(const struct head *h, const char *label, const char *fmt, ...)
{
	const int col = label ? LABEL_WIDTH : 0, indent = label ? LABEL_WIDTH : 3;
	char text[8 * LINE_TEXT];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(h->out, "%-*s", col, label ? label : "");
	screen_wrap(h->out, text, (struct screen_place){ col, indent, h->screen->width });
}

/* Whose limits those of the server's side are. */
static const char *peer_name(const struct head *h)
{
	return h->run->n_receivers > 1 ? "first receiver" : "server";
}

/* "threads 2 x qps 4"; "": one QP. Returns text. */
static const char *qps_text(const struct plan *p, char text[CELL_TEXT])
{
	text[0] = '\0';
	if (p->work.threads > 1)
		snprintf(text, CELL_TEXT, "threads %" PRIu32 " x qps %" PRIu32, p->work.threads,
			 p->work.qps);
	else if (p->work.qps > 1)
		snprintf(text, CELL_TEXT, "qps %" PRIu32, p->work.qps);
	return text;
}

static const char *rate_text(const struct limits *l, const char *unknown, char text[CELL_TEXT])
{
	snprintf(text, CELL_TEXT, "%s%s", limits_link_name(l), unknown);
	if (l->rate_mbit_s)
		snprintf(text, CELL_TEXT, "%s %.15g Gbit/s", limits_link_name(l),
			 (double)l->rate_mbit_s / 1000);
	return text;
}

/* ---- hosts, with --verbose */

enum line { LINE_HOST, LINE_DEVICE, LINE_DRIVER, LINE_LINK, LINE_ADDRESS, LINES };

static const char *const labels[LINES] = { "host", "device", "driver", "link", "address" };

static void put_driver(const struct limits *l, char text[LINE_TEXT])
{
	char driver[PLAN_NAME], firmware[PLAN_NAME];
	/* of an emulated device these are the settings of its link */
	const bool has_firmware = !l->emulated &&
				  text_clean(l->firmware, firmware, sizeof(firmware))[0];

	text_clean(l->driver, driver, sizeof(driver));
	snprintf(text, LINE_TEXT, "%s%s%s%s", driver, driver[0] && has_firmware ? ", " : "",
		 has_firmware ? "firmware " : "", has_firmware ? firmware : "");
}

static void put_link(const struct limits *l, char text[LINE_TEXT])
{
	char netdev[PLAN_NAME], emulated[PLAN_NAME], rate[CELL_TEXT];

	text_clean(l->netdev, netdev, sizeof(netdev));
	text_clean(l->emulated ? l->firmware : "", emulated, sizeof(emulated));
	snprintf(text, LINE_TEXT, "%s%s%.40s%s%.60s", rate_text(l, "", rate), netdev[0] ? ", " : "",
		 netdev, emulated[0] ? ", " : "", emulated);
}

static void put_address(const struct limits *l, uint32_t gid_index, char text[LINE_TEXT])
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

/* A line about one host. */
static void put_line(enum line line, const struct limits *l, uint32_t gid_index,
		     char text[LINE_TEXT])
{
	char device[PLAN_NAME];

	switch (line) {
	case LINE_HOST:
		text_clean(l->host, text, LINE_TEXT);
		break;
	case LINE_DEVICE:
		snprintf(text, LINE_TEXT, "%s port %" PRIu32 "%s",
			 text_clean(l->device, device, sizeof(device)), l->port,
			 l->emulated ? " (emulated)" : "");
		break;
	case LINE_DRIVER:
		put_driver(l, text);
		break;
	case LINE_LINK:
		put_link(l, text);
		break;
	default:
		put_address(l, gid_index, text);
	}
}

/* Client left, server right, on both sides; left 0: below each other, the screen is too narrow. */
static void print_host_line(const struct head *h, const char *label, char text[2][LINE_TEXT],
			    const char *peer, int left)
{
	if (!text[0][0] && !text[1][0])
		return;
	for (int i = 0; i < 2; i++)
		if (!text[i][0])
			snprintf(text[i], LINE_TEXT, "-");
	if (left) {
		fprintf(h->out, "%-*s%-*s   %s\n", LABEL_WIDTH, label, left, text[0], text[1]);
	} else if (!strcmp(text[0], text[1])) {
		print(h, label, "%s", text[0]);
	} else {
		print(h, label, "client: %.159s", text[0]);
		print(h, "", "%s: %.159s", peer, text[1]);
	}
}

static void print_hosts(const struct head *h)
{
	const struct limits *client = h->sides[SIDE_CLIENT], *server = h->sides[SIDE_SERVER];
	const char *peer = peer_name(h);
	char text[LINES][2][LINE_TEXT]; /* of the client, of its peer */
	int left = (int)strlen("client"), right = (int)strlen("first receiver");

	for (enum line i = 0; i < LINES; i++) {
		put_line(i, client, h->plan->path.client_gid, text[i][0]);
		put_line(i, server, h->plan->path.server_gid, text[i][1]);
		left = (int)strlen(text[i][0]) > left ? (int)strlen(text[i][0]) : left;
		right = (int)strlen(text[i][1]) > right ? (int)strlen(text[i][1]) : right;
	}
	if (LABEL_WIDTH + left + 3 + right > h->screen->width)
		left = 0;
	else
		fprintf(h->out, "%-*s%-*s   %s\n", LABEL_WIDTH, "", left, "client", peer);
	for (enum line i = 0; i < LINES; i++)
		print_host_line(h, labels[i], text[i], peer, left);
	if (client->emulated || server->emulated)
		print(h, "emulated", "these are not results of a real HCA");
}

/* The group, and on its sender each receiver: where it runs, and its address. */
static void print_group(const struct head *h)
{
	const struct plan_path *path = &h->plan->path;
	const bool other = strcmp(path->mcast, path->mgid);
	char name[ROW_NAME], text[3][LINE_TEXT];

	print(h, "group", "%s%s%s%s, joined by %s", path->mcast, other ? " (MGID " : "",
	      other ? path->mgid : "", other ? ")" : "", choices_mcast_join[path->mcast_join]);
	for (uint32_t i = 0; i < h->run->n_receivers; i++) {
		const struct event_receiver *r = &h->run->receivers[i];

		put_line(LINE_HOST, r->limits, r->gid_index, text[0]);
		put_line(LINE_DEVICE, r->limits, r->gid_index, text[1]);
		put_line(LINE_ADDRESS, r->limits, r->gid_index, text[2]);
		print(h, i ? "" : "receivers", "%s: %s, %s, %s",
		      text_clean(r->name, name, sizeof(name)), text[0], text[1], text[2]);
	}
}

/* ---- settings that have an effect in this test, by the names of columns (verbench-row(5)) */

static void put_queues(FILE *out, const struct plan *p)
{
	char qps[CELL_TEXT];

	fprintf(out, "%s, depth %" PRIu32, qps_text(p, qps)[0] ? qps : "qps 1", p->work.depth);
	if (p->work.recv_depth)
		fprintf(out, ", recv_depth %" PRIu32, p->work.recv_depth);
	fprintf(out, ", post_list %" PRIu32 ", signal_interval %" PRIu32, p->work.post_list,
		p->work.signal_interval);
	if (kind_takes_response(p->work.kind.op))
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
	if (p->path.flow_label[0])
		fprintf(out, ", flow_label %s", p->path.flow_label);
	if (p->path.connect != CONNECT_TCP)
		fprintf(out, ", connect %s", choices_connect[p->path.connect]);
	if (p->work.post_api != APIS_POST_SEND)
		fprintf(out, ", post_api %s", choices_post_api[p->work.post_api]);
	if (p->work.poll_api != APIS_POLL_CLASSIC)
		fprintf(out, ", poll_api %s", choices_poll_api[p->work.poll_api]);
}

static void print_settings(const struct head *h)
{
	char *text = NULL;
	size_t len;
	FILE *line = open_memstream(&text, &len);

	if (!line)
		return;
	put_queues(line, h->plan);
	put_buffers(line, h->plan);
	put_path(line, h->plan);
	if (!fclose(line))
		print(h, "settings", "%s", text);
	free(text);
}

static void print_verbose(const struct head *h)
{
	const struct plan *plan = h->plan;
	char note[sizeof(plan->notes[0].text)];

	putc('\n', h->out);
	print_hosts(h);
	if (plan_is_mcast(plan))
		print_group(h);
	print_settings(h);
	for (uint32_t i = 0; i < plan->n_notes; i++)
		print(h, "note", "%s", text_clean(plan->notes[i].text, note, sizeof(note)));
}

/* ---- the short lines */

/* Has the option several values? */
static bool varies(const struct head *h, const char *name)
{
	for (uint32_t i = 0; h->swept && i < h->swept->n_names; i++)
		if (!strcmp(h->swept->names[i], name))
			return true;
	return false;
}

/* "2 rounds of 8 cells", "at most 30 rounds, until +- 1%"; "": one cell. Returns text. */
static const char *cells_text(const struct format_swept *swept, char text[CELL_TEXT])
{
	text[0] = '\0';
	if (swept->until)
		snprintf(text, CELL_TEXT, "at most %" PRIu32 " rounds, until +- %.10s%s",
			 swept->rounds, swept->until, strchr(swept->until, '%') ? "" : "%");
	else if (swept->rounds > 1 && swept->cells == 1)
		snprintf(text, CELL_TEXT, "%" PRIu32 " rounds", swept->rounds);
	else if (swept->rounds > 1)
		snprintf(text, CELL_TEXT, "%" PRIu32 " rounds of %" PRIu32 " cells", swept->rounds,
			 swept->cells);
	else if (swept->cells > 1)
		snprintf(text, CELL_TEXT, "%" PRIu32 " cells", swept->cells);
	return text;
}

/* The memory that the figures are about, of all threads of a side. */
static void put_memory(FILE *out, const struct plan *p)
{
	const char *noun = choices_buffers_noun(p->work.buffers);
	const bool differs = p->work.server_buffers != p->work.buffers;
	const char *server = choices_buffers[p->work.server_buffers];
	const struct point *last = &p->points[p->n_points ? p->n_points - 1 : 0];
	char first[CELL_TEXT], most[CELL_TEXT];

	if (p->work.walk == WALK_SAME) {
		fprintf(out, "one buffer%s", plan_total_qps(p) > 1 ? " per QP" : "");
		if (!choices_buffers_can(p->work.buffers, BUFFERS_CPU))
			fprintf(out, " in %s", noun);
		if (differs)
			fprintf(out, ", server: %s", server);
		return;
	}
	text_of_bytes(p->points[0].footprint_bytes * p->work.threads, first, sizeof(first));
	text_of_bytes(last->footprint_bytes * p->work.threads, most, sizeof(most));
	fprintf(out, "%s%s%s of %s%s", first, strcmp(first, most) ? " to " : "",
		strcmp(first, most) ? most : "", noun,
		p->work.walk == WALK_RANDOM ? " in random order" : "");
	if (differs)
		fprintf(out, ", server: %s", server);
}

/* How messages are posted, received and connected, by names of columns, where it is no default. */
static void put_means(FILE *out, const struct head *h)
{
	const struct plan *p = h->plan;

	if (p->work.flush != FLUSH_NONE && !varies(h, "flush"))
		fprintf(out, ", flush %s", choices_flush[p->work.flush]);
	if (p->work.regions && !varies(h, "regions"))
		fprintf(out, ", regions %" PRIu32, p->work.regions);
	if (p->work.post_list > 1 && !varies(h, "post-list"))
		fprintf(out, ", post_list %" PRIu32, p->work.post_list);
	if (json_is_integer(json_object_get(h->run->options, "inline")) && !varies(h, "inline"))
		fprintf(out, ", inline_bytes %" PRIu32, p->work.inline_bytes);
	if (p->work.kind.sharing != SHARING_NONE && !varies(h, "srq") && !varies(h, "one-qp"))
		fprintf(out, ", recv_queue %s", kind_sharing_names[p->work.kind.sharing]);
	if (p->path.connect != CONNECT_TCP && !varies(h, "cm"))
		fprintf(out, ", connect %s", choices_connect[p->path.connect]);
}

/* What a row is about, of what all of them share. It begins with the words "each row". */
static void put_each_row(FILE *out, const struct head *h)
{
	const struct plan *p = h->plan;
	const struct point *point = &p->points[0];
	const bool same = !h->swept || h->swept->cells == 1; /* its memory is that of all rows */
	char qps[CELL_TEXT];

	if (point->messages)
		fprintf(out, "each row: %" PRIu64 " messages%s", point->messages,
			plan_total_qps(p) > 1 || varies(h, "qps") ? " per QP" : "");
	else if (point->forever)
		fputs("each row: until Ctrl-C on one side", out);
	else
		fprintf(out, "each row: %.15g s", (double)point->duration_ns / 1e9);
	if (same) {
		fputs(", ", out);
		put_memory(out, p);
	}
	if (qps_text(p, qps)[0] && !varies(h, "qps") && !varies(h, "threads"))
		fprintf(out, ", %s", qps);
	put_means(out, h);
	if (plan_is_open(p) && !varies(h, "rate"))
		fprintf(out, ", %.15g messages/s %s", (double)p->work.rate_milli / 1000,
			choices_arrival[p->work.arrival]);
	fprintf(out, "%s%s", p->work.bidir && !varies(h, "both") ? ", both ways" : "",
		p->work.verify && !varies(h, "verify") ? ", payload verified" : "");
	if (point->server_size_bytes != point->size_bytes && !varies(h, "peer-size"))
		fprintf(out, ", messages of the server: %" PRIu64 " bytes",
			point->server_size_bytes);
}

static void print_each_row(const struct head *h)
{
	const bool has = h->plan->n_points && !varies(h, "messages") && !varies(h, "duration");
	char *text = NULL, cells[CELL_TEXT] = "";
	size_t len;
	FILE *line = open_memstream(&text, &len);

	if (!line)
		return;
	if (has)
		put_each_row(line, h);
	if (h->swept && cells_text(h->swept, cells)[0])
		fprintf(line, "%s%s", has ? "; " : "", cells);
	if (!fclose(line) && len)
		print(h, NULL, "%s", text);
	free(text);
}

/* "node1:mlx5_0", "node1:mlx5_0/2": port 2. A long name is cut. */
static const char *place_text(const struct limits *l, char text[LINE_TEXT])
{
	char host[PLAN_NAME], device[PLAN_NAME], port[CELL_TEXT] = "";

	if (l->port != 1)
		snprintf(port, sizeof(port), "/%" PRIu32, l->port);
	snprintf(text, LINE_TEXT, "%.40s:%.24s%s", text_clean(l->host, host, sizeof(host)),
		 text_clean(l->device, device, sizeof(device)), port);
	return text;
}

static void print_sides(const struct head *h)
{
	char client[LINE_TEXT], server[LINE_TEXT], receivers[CELL_TEXT];
	const bool group = plan_is_mcast(h->plan), several = h->run->n_receivers > 1;

	place_text(h->sides[SIDE_CLIENT], client);
	place_text(h->sides[SIDE_SERVER], server);
	snprintf(receivers, sizeof(receivers), "%" PRIu32 " receivers", h->run->n_receivers);
	print(h, NULL, "%sclient %s %s %s%s%s%s%s", h->run->n_pairs > 1 ? "first pair: " : "",
	      client, h->plan->work.reverse ? "<-" : "->", group ? "group " : "",
	      group ? h->plan->path.mcast : "", group ? ", " : "",
	      several ? receivers : "server ", several ? "" : server);
}

/* What the two sides have in common stands there once, what differs with the name of each side. */
static void print_link(const struct head *h)
{
	const struct limits *c = h->sides[SIDE_CLIENT], *s = h->sides[SIDE_SERVER];
	const char *peer = peer_name(h);
	char client[CELL_TEXT], server[CELL_TEXT], rates[LINE_TEXT], ports[CELL_TEXT] = "";

	rate_text(c, " of unknown rate", client);
	rate_text(s, " of unknown rate", server);
	if (!strcmp(client, server))
		snprintf(rates, sizeof(rates), "%s", client);
	else
		snprintf(rates, sizeof(rates), "client %s, %s %s", client, peer, server);
	if (c->active_mtu_bytes != s->active_mtu_bytes)
		snprintf(ports, sizeof(ports), " (ports: client %" PRIu32 ", %s %" PRIu32 ")",
			 c->active_mtu_bytes, peer, s->active_mtu_bytes);
	print(h, NULL, "link: %s, MTU %" PRIu32 "%s%s", rates, h->plan->path.mtu_bytes, ports,
	      c->emulated || s->emulated ? ", emulated: not results of a real HCA" : "");
}

/* What will spoil the figures, SPOILS_SHOWN at most. */
static void print_spoils(const struct head *h)
{
	const struct plan_work *work = &h->plan->work;
	struct spoils_in in = { .limits = { h->sides[SIDE_CLIENT], h->sides[SIDE_SERVER] } };
	struct spoils found[SPOILS_MOST];
	char host[PLAN_NAME];
	uint32_t n;

	for (enum side side = SIDE_CLIENT; side <= SIDE_SERVER; side++)
		if (plan_completion(h->plan, side) == CM_POLL && role_has_loop(work->role[side]))
			in.polls[side] = work->threads;
	n = spoils_find(found, &in);
	for (uint32_t i = 0; i < n && i < SPOILS_SHOWN; i++)
		print(h, NULL, "warning: %.40s: %s: %s",
		      text_clean(in.limits[found[i].side]->host, host, sizeof(host)),
		      found[i].text, found[i].remedy);
}

static void print_lines(const struct head *h)
{
	const struct plan *p = h->plan;
	const enum completion client = plan_completion(p, SIDE_CLIENT);
	const enum completion server = plan_completion(p, SIDE_SERVER);
	char what[LINE_TEXT] = "";

	if (!varies(h, "transport"))
		snprintf(what, sizeof(what), " over %s", kind_transport_names[p->work.kind.tp]);
	if (!varies(h, "completion") && !varies(h, "peer-completion"))
		snprintf(what + strlen(what), sizeof(what) - strlen(what), ", completions by %s%s%s",
			 kind_completion_names[client], client == server ? "" : ", server by ",
			 client == server ? "" : kind_completion_names[server]);
	/* of RC each side reports its own results */
	print(h, NULL, "verbench %s %s, %s: %s%s", PACKAGE_VERSION, kind_test_names[p->work.test],
	      kind_side_names[h->run->side], kind_opcode_names[p->work.kind.op], what);
	if (h->screen->verbose) {
		print_verbose(h);
	} else {
		print_sides(h);
		print_link(h);
	}
	print_each_row(h);
	print_spoils(h);
}

/* An empty line follows, if it leaves the first row on the first screen. */
static void print_head(FILE *out, const struct event_plan *run, const struct format_screen *screen,
		       const struct format_swept *swept)
{
	char *text = NULL;
	size_t len, lines = 0;
	FILE *lines_out = screen->quiet ? NULL : open_memstream(&text, &len);
	struct head head = head_of(lines_out, run, screen);

	head.swept = swept;
	if (!lines_out)
		return;
	print_lines(&head);
	if (!fclose(lines_out)) {
		for (const char *c = text; *c; c++)
			lines += *c == '\n';
		fprintf(out, "%s%s", text,
			lines + 2 <= FORMAT_HEAD_LINES || screen->verbose ? "\n" : "");
	}
	free(text);
}

void format_head(FILE *out, const struct event_plan *run, const struct format_screen *screen)
{
	print_head(out, run, screen, NULL);
}

void format_head_sweep(FILE *out, const struct event_plan *run,
		       const struct format_screen *screen, const struct format_swept *swept)
{
	const struct head head = head_of(out, run, screen);
	char cells[CELL_TEXT];

	if (swept->one_test) {
		print_head(out, run, screen, swept);
		return;
	}
	if (screen->quiet)
		return;
	fprintf(out, "verbench %s run, client: %s", PACKAGE_VERSION,
		cells_text(swept, cells)[0] ? cells : "1 cell");
	if (run->n_pairs > 1)
		fprintf(out, ", %" PRIu32 " pairs at once", run->n_pairs);
	putc('\n', out);
	print_sides(&head);
	print_link(&head);
	print_spoils(&head);
	putc('\n', out);
}
