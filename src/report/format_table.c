/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the table that people read in a terminal: what ran where, one line per row, footnotes.
 * Called by out.c. Scripts read CSV or JSON; nothing here is meant for them. Must not compute
 * figures, only scale them.
 */
#include "config.h"
#include "report/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "plan/gid.h"
#include "util/histogram.h"
#include "loop/result.h"

#define CELL_TEXT 64
#define LABEL_WIDTH 12
#define FIELD_TEXT 160
/* Sizes are at most 2^31 bytes: 10 digits. Latencies stay aligned up to 999999.999 us. */
#define BYTES_WIDTH 10
#define COUNT_WIDTH 12
#define RATE_WIDTH 12
#define LAT_WIDTH 10

/* A line of the header that both hosts have: what to say of one of them. */
struct host_line {
	const char *label;
	void (*say)(const struct limits *limits, uint32_t gid_index, char *text);
};

struct lat_column {
	const char *name;
	size_t off;
	uint64_t num, den;    /* the quantile, 0/1: needs no minimum of samples */
};

static const struct lat_column lat_columns[] = {
	{ "min", offsetof(struct row, lat_min_ns), 0, 1 },
	{ "p50", offsetof(struct row, lat_p50_ns), 50, 100 },
	{ "p90", offsetof(struct row, lat_p90_ns), 90, 100 },
	{ "p99", offsetof(struct row, lat_p99_ns), 99, 100 },
	{ "p99.9", offsetof(struct row, lat_p99_9_ns), 999, 1000 },
	{ "p99.99", offsetof(struct row, lat_p99_99_ns), 9999, 10000 },
	{ "max", offsetof(struct row, lat_max_ns), 0, 1 },
	{ "mean", offsetof(struct row, lat_mean_ns), 0, 1 },
	{ "stdev", offsetof(struct row, lat_stdev_ns), 0, 1 },
};

#define N_LAT (sizeof(lat_columns) / sizeof(lat_columns[0]))

static double lat_ns(const struct row *row, const struct lat_column *column)
{
	const void *at = (const char *)row + column->off;

	return *(const double *)at;
}

static void say_host(const struct limits *l, uint32_t gid_index, char *text)
{
	(void)gid_index;
	row_clean(l->host, text, FIELD_TEXT);
}

static void say_device(const struct limits *l, uint32_t gid_index, char *text)
{
	char device[PLAN_NAME];

	(void)gid_index;
	snprintf(text, FIELD_TEXT, "%s port %" PRIu32 "%s", row_clean(l->device, device, PLAN_NAME),
		 l->port, l->emulated ? " (emulated)" : "");
}

static void say_driver(const struct limits *l, uint32_t gid_index, char *text)
{
	char driver[PLAN_NAME], firmware[PLAN_NAME];

	(void)gid_index;
	row_clean(l->driver, driver, sizeof(driver));
	row_clean(l->firmware, firmware, sizeof(firmware));
	snprintf(text, FIELD_TEXT, "%s%s%s%s", driver, driver[0] && firmware[0] ? ", " : "",
		 firmware[0] ? "firmware " : "", firmware);
}

static void say_link(const struct limits *l, uint32_t gid_index, char *text)
{
	char netdev[PLAN_NAME], rate[CELL_TEXT] = "";

	(void)gid_index;
	row_clean(l->netdev, netdev, sizeof(netdev));
	if (l->rate_mbit_s)
		snprintf(rate, sizeof(rate), " %.15g Gbit/s", (double)l->rate_mbit_s / 1000);
	snprintf(text, FIELD_TEXT, "%s%s%s%s", l->ethernet ? "Ethernet" : "InfiniBand", rate,
		 netdev[0] ? ", " : "", netdev);
}

static void say_address(const struct limits *l, uint32_t gid_index, char *text)
{
	const struct plan_gid *gid = gid_find(l, gid_index);
	char address[GID_TEXT_MAX];
	int len = 0;

	text[0] = '\0';
	if (!l->ethernet)
		len = snprintf(text, FIELD_TEXT, "LID %" PRIu32 "%s", l->lid, gid ? ", " : "");
	if (gid)
		snprintf(text + len, FIELD_TEXT - (size_t)len, "%s (%s, index %" PRIu32 ")",
			 gid_text(gid->raw, address, sizeof(address)), gid_type_names[gid->type],
			 gid->index);
}

static const struct host_line host_lines[] = {
	{ "host", say_host },
	{ "device", say_device },
	{ "driver", say_driver },
	{ "link", say_link },
	{ "address", say_address },
};

#define N_HOST_LINES (sizeof(host_lines) / sizeof(host_lines[0]))

/* Client left, server right, whichever of them prints. */
static void print_hosts(FILE *out, const struct format_run *run)
{
	const struct limits *client = run->side == SIDE_CLIENT ? run->self : run->peer;
	const struct limits *server = run->side == SIDE_CLIENT ? run->peer : run->self;
	char text[N_HOST_LINES][2][FIELD_TEXT];
	int width = (int)strlen("client");

	for (size_t i = 0; i < N_HOST_LINES; i++) {
		host_lines[i].say(client, run->plan->path.client_gid, text[i][0]);
		host_lines[i].say(server, run->plan->path.server_gid, text[i][1]);
		if ((int)strlen(text[i][0]) > width)
			width = (int)strlen(text[i][0]);
	}
	fprintf(out, "%-*s%-*s   %s\n", LABEL_WIDTH, "", width, "client", "server");
	for (size_t i = 0; i < N_HOST_LINES; i++)
		if (text[i][0][0] || text[i][1][0])
			fprintf(out, "%-*s%-*s   %s\n", LABEL_WIDTH, host_lines[i].label, width,
				text[i][0][0] ? text[i][0] : "-", text[i][1][0] ? text[i][1] : "-");
	if (client->emulated || server->emulated)
		fprintf(out, "%-*sthese are not the figures of a real HCA\n", LABEL_WIDTH,
			"emulated");
}

static void print_buffers(FILE *out, const struct plan *p)
{
	const struct point *last = &p->points[p->n_points ? p->n_points - 1 : 0];
	uint64_t bytes = p->points[0].footprint_bytes;

	fprintf(out, "\n%-*sfootprint_bytes %" PRIu64, LABEL_WIDTH, "", bytes);
	if (last->footprint_bytes != bytes)
		fprintf(out, " to %" PRIu64, last->footprint_bytes);
	fprintf(out, ", walk %s, hugepages %s", walk_names[p->work.walk],
		hugepages_names[p->work.hugepages]);
}

/* Named as the keys of a row (docs/schema.md), those only that mean something in this test. */
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
	if (p->work.post_api != APIS_POST_SEND)
		fprintf(out, ", post_api %s", apis_post_names[p->work.post_api]);
	if (p->work.poll_api != APIS_POLL_CLASSIC)
		fprintf(out, ", poll_api %s", apis_poll_names[p->work.poll_api]);
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

static void put(FILE *out, int width, const char *text)
{
	fprintf(out, " %*s", width - 1, text);
}

static void put_u64(FILE *out, int width, uint64_t v)
{
	char text[CELL_TEXT] = "-";

	if (v != ROW_NONE)
		snprintf(text, sizeof(text), "%" PRIu64, v);
	put(out, width, text);
}

/* Where the fixed decimals would leave less than two digits of it, a figure has an exponent. */
static void put_f64(FILE *out, int width, int decimals, double v)
{
	char text[CELL_TEXT] = "-";

	if (v > 0 && v < pow(10, 1 - decimals))
		snprintf(text, sizeof(text), "%.2e", v);
	else if (isfinite(v))
		snprintf(text, sizeof(text), "%.*f", decimals, v);
	put(out, width, text);
}

static void print_columns(const struct format_table *t, const struct plan *plan)
{
	FILE *out = t->out;

	if (t->lat)
		fprintf(out, "latency in us; one sample is %s\n",
			plan->work.pattern == PATTERN_PINGPONG ? "half a round trip (half_rtt)" :
			"one request, from its post to its completion (completion)");
	put(out, BYTES_WIDTH + 1, "bytes");
	if (t->bidir)
		fprintf(out, "  %-9s  %-10s", "direction", "counted_by");
	put(out, COUNT_WIDTH, t->lat ? "samples" : "messages");
	if (t->lossy && !t->lat) {
		put(out, COUNT_WIDTH, "sent");
		put(out, COUNT_WIDTH, "received");
	}
	if (t->lossy)
		put(out, COUNT_WIDTH, "lost");
	if (t->lat) {
		for (size_t i = 0; i < N_LAT; i++)
			put(out, LAT_WIDTH + 1, lat_columns[i].name);
	} else {
		put(out, RATE_WIDTH, "Gbit/s");
		put(out, RATE_WIDTH, "MiB/s");
		put(out, RATE_WIDTH, "Mmsg/s");
	}
	putc('\n', out);
}

void format_table_start(struct format_table *t, FILE *out, const struct format_run *run)
{
	const struct plan *plan = run->plan;
	char note[sizeof(plan->notes[0])];

	*t = (struct format_table){
		.out = out,
		.lat = plan->work.pattern != PATTERN_STREAM,
		.lossy = kind_is_lossy(plan->work.kind.tp) &&
			 (plan->work.pattern != PATTERN_STREAM ||
			  kind_takes_recv(plan->work.kind.op)),
		.bidir = plan->work.bidir,
	};
	t->notes = open_memstream(&t->text, &t->text_len);
	fprintf(out, "verbench %s, %s: %s over %s, completions by %s; seen from the %s\n\n",
		PACKAGE_VERSION, kind_test_names[plan->work.test],
		kind_opcode_names[plan->work.kind.op], kind_transport_names[plan->work.kind.tp],
		kind_completion_names[plan->work.kind.cm], kind_side_names[run->side]);
	print_hosts(out, run);
	print_settings(out, plan);
	for (uint32_t i = 0; i < plan->n_notes; i++)
		fprintf(out, "%-*s%s\n", LABEL_WIDTH, "note",
			row_clean(plan->notes[i], note, sizeof(note)));
	putc('\n', out);
	print_columns(t, plan);
	fflush(out);
}

/*
 * Gathers a footnote, once however often it is said, and puts its mark behind the row; a sentence
 * already there is found by its end of line.
 */
static void __attribute__((format(printf, 2, 3)))
footnote(struct format_table *t, const char *fmt, ...)
{
	char text[ROW_TEXT + CELL_TEXT], line[ROW_TEXT + CELL_TEXT + 3];
	const char *found = NULL;
	uint32_t mark = 1;
	va_list ap;

	if (!t->notes)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	snprintf(line, sizeof(line), "] %s\n", text);
	fflush(t->notes);
	if (t->text)
		found = strstr(t->text, line);
	for (const char *c = t->text; found && c < found; c++)
		mark += *c == '\n';
	if (!found) {
		mark = ++t->n_notes;
		fprintf(t->notes, "[%" PRIu32 "%s", mark, line);
	}
	fprintf(t->out, " [%" PRIu32 "]", mark);
}

/* The same sentence for every row that lacks a percentile, whichever they are. */
static void footnote_samples(struct format_table *t, const struct row *row)
{
	char text[ROW_TEXT];
	bool lacks = false;
	size_t len = 0;

	for (size_t i = 0; i < N_LAT; i++) {
		const struct lat_column *c = &lat_columns[i];

		if (!c->num)
			continue;
		lacks |= !isfinite(lat_ns(row, c));
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s %" PRIu64,
					len ? ", " : "", c->name,
					histogram_samples_needed(c->num, c->den));
	}
	if (lacks)
		footnote(t, "-: too few samples; needed for %s", text);
}

static void print_figures(struct format_table *t, const struct row *row)
{
	FILE *out = t->out;

	put_u64(out, COUNT_WIDTH, t->lat ? row->lat_samples : row->messages);
	if (t->lossy && !t->lat) {
		put_u64(out, COUNT_WIDTH, row->sent_messages);
		put_u64(out, COUNT_WIDTH, row->received_messages);
	}
	if (t->lossy)
		put_u64(out, COUNT_WIDTH, row->lost);
	if (t->lat) {
		for (size_t i = 0; i < N_LAT; i++)
			put_f64(out, LAT_WIDTH + 1, 3, lat_ns(row, &lat_columns[i]) / 1e3);
	} else {
		put_f64(out, RATE_WIDTH, 4, row->bandwidth_gbit_s);
		put_f64(out, RATE_WIDTH, 3, row->bandwidth_mib_s);
		put_f64(out, RATE_WIDTH, 6, row->message_rate_per_s / 1e6);
	}
}

void format_table_row(struct format_table *t, const struct row *row)
{
	const char *ok = result_status_names[RESULT_OK];
	char text[ROW_TEXT];

	if (!t->out)
		return;
	put_u64(t->out, BYTES_WIDTH + 1, row->size_bytes);
	if (t->bidir)
		fprintf(t->out, "  %-9s  %-10s", row->direction, row->counted_by);
	print_figures(t, row);
	if (strcmp(row->status, ok)) {
		fprintf(t->out, " %s", row_clean(row->status, text, sizeof(row->status)));
		footnote(t, "%s", row_clean(row->reason, text, sizeof(text)));
	}
	if (t->lat && row->lat_samples && row->lat_samples != ROW_NONE)
		footnote_samples(t, row);
	if (t->lossy && row->lost && row->lost != ROW_NONE)
		footnote(t, "%s", t->lat ?
			 "lost: round trips that timed out; they are in no other figure" :
			 "lost: sent and never received; the rates are of what was received");
	if (row->duplicated && row->duplicated != ROW_NONE)
		footnote(t, "%" PRIu64 " messages received more than once", row->duplicated);
	if (row->warnings[0])
		footnote(t, "%s", row_clean(row->warnings, text, sizeof(text)));
	putc('\n', t->out);
	t->lines++;
	fflush(t->out);
}

void format_table_end(struct format_table *t)
{
	if (!t->out)
		return;
	if (t->notes)
		fclose(t->notes);
	if (t->n_notes)
		fprintf(t->out, "\n%s", t->text);
	if (!t->lines)
		fputs("nothing was measured\n", t->out);
	fflush(t->out);
	free(t->text);
	*t = (struct format_table){ 0 };
}
