/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the lines of perftest, and which figure of verbench is in which of its columns:
 * ctx_print_test_info(), RESULT_FMT, REPORT_FMT, print_full_bw_report(), print_report_lat() and
 * print_report_lat_duration() in src/perftest_parameters.c and .h, ctx_print_pingpong_data() in
 * src/perftest_communication.c. Every setting is what the plan has, not what perftest would have;
 * docs/from-perftest.md says how the figures differ.
 */
#include "config.h"
#include "perftest/dropin.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "loop/state.h"
#include "util/err.h"
#include "util/text.h"

#define SMALL_GBIT_S 0.1 /* below it a row has six decimals */

/* ---- settings */

/* The settings, which the screen and the file of --out_json have in the same order. */
struct info {
	FILE *out;
	bool json;
};

/* Writes the text of the form, with the value in place of '@'. NULL: it has no such line. */
static void put(const struct info *info, const char *screen, const char *json, const char *value)
{
	const char *form = info->json ? json : screen;
	const size_t before = form ? strcspn(form, "@") : 0;

	if (form)
		fprintf(info->out, "%.*s%s%s", (int)before, form, value, form + before + 1);
}

static void put_number(const struct info *info, const char *screen, const char *json,
		       uint32_t value)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", value);
	put(info, screen, json, text);
}

static void put_switch(const struct info *info, const char *screen, const char *json, bool value)
{
	put(info, screen, json, value ? "ON" : "OFF");
}

static const char *verb_of(const struct dropin_run *run)
{
	const bool imm = kind_has_imm(run->work.kind.op);

	switch (kind_family(run->work.test)) {
	case FAMILY_SEND:
		return imm ? "Send_imm" : "Send";
	case FAMILY_WRITE:
		return imm ? "RDMA_Write_imm" : "RDMA_Write";
	case FAMILY_READ:
		return "RDMA_Read";
	default:
		return kind_compares(run->work.kind.op) ? "Atomic CMP_AND_SWAP" :
							  "Atomic FETCH_AND_ADD";
	}
}

/* "Send Bidirectional Post List BW Test"; in the file with '_' for each blank. */
static void put_title(const struct info *info, const struct dropin_run *run)
{
	const bool stream = run->work.pattern == PATTERN_STREAM;
	char title[96];

	snprintf(title, sizeof(title), "%s %s%s%s Test", verb_of(run),
		 stream && run->work.bidir ? "Bidirectional " : "",
		 stream && run->work.post_list > 1 ? "Post List " : "", stream ? "BW" : "Latency");
	for (char *c = title; *c && info->json; c++)
		if (*c == ' ')
			*c = '_';
	put(info, "                    @\n", "\"test\": \"@\",\n", title);
}

/* Does this side do what the client does without --reversed? */
static bool is_poster(const struct dropin_run *run)
{
	return (run->side == SIDE_CLIENT) != run->work.reverse;
}

static void put_queues(const struct info *info, const struct dropin_run *run)
{
	const struct plan_work *w = &run->work;
	const bool stream = w->pattern == PATTERN_STREAM;

	if (is_poster(run) || w->bidir)
		put_number(info, " TX depth        : @\n", "\"TX_depth\": @,\n",
			   stream ? w->depth : 1);
	if (w->post_list > 1)
		put_number(info, " Post List       : @\n", "\"Post_List\": @,\n", w->post_list);
	if (w->recv_depth && (!is_poster(run) || w->bidir))
		put_number(info, " RX depth        : @\n", "\"RX_depth\": @,\n", w->recv_depth);
	if (!stream)
		return;
	put_number(info, " CQ Moderation   : @\n", "\"CQ_Moderation\": @,\n", w->signal_interval);
	put_number(info, " CQE Poll Batch  : @\n", NULL, STATE_BATCH);
}

static void put_path(const struct info *info, const struct dropin_run *run)
{
	const struct plan_work *w = &run->work;
	const struct plan_path *path = &run->path;
	const enum family family = kind_family(w->test);

	put_number(info, " Mtu             : @[B]\n", "\"Mtu\": @,\n", path->mtu_bytes);
	put(info, " Link type       : @\n", "\"Link_type\": \"@\",\n",
	    run->self.ethernet ? "Ethernet" : "IB");
	if (path->global_route)
		put_number(info, " GID index       : @\n", "\"GID_index\": @,\n",
			   run->side == SIDE_CLIENT ? path->client_gid : path->server_gid);
	if (family == FAMILY_READ || family == FAMILY_ATOMIC)
		put_number(info, " Outstand reads  : @\n", "\"Outstand_reads\": @,\n",
			   w->outstanding);
	else
		put_number(info, " Max inline data : @[B]\n", "\"Max_inline_data\": @,\n",
			   w->inline_bytes);
	put_switch(info, " rdma_cm QPs\t : @\n", "\"rdma_cm_QPs\": \"@\",\n",
		   path->connect == CONNECT_RDMA_CM);
	put_switch(info, NULL, "\"Use_ROCm_memory\": \"@\",\n", false);
	put_switch(info, NULL, "\"Use_MUSA_memory\": \"@\",\n", false);
	put(info, " Data ex. method : @\n", "\"Data_ex_method\": \"@\"\n", "Ethernet");
}

/* "IB"; of an unknown link the screen says so, the file does not. */
static const char *transport_type(const struct info *info, const struct limits *limits)
{
	if (limits->transport_type == LIMITS_IWARP)
		return "IW";
	return info->json || limits->transport_type == LIMITS_IB ? "IB" : "Unknown";
}

/* "mlx5_0_comp0" */
static const char *put_vector(const struct dropin_run *run, const char *device, char *text,
			      size_t size)
{
	const uint32_t vector = run->asked->cfg.vector;

	snprintf(text, size, "%s_comp%u", device, vector == CFG_AUTO ? 0 : vector);
	return text;
}

/* device: its name, as it must be written here. */
static void put_settings(const struct info *info, const struct dropin_run *run, const char *device)
{
	const struct plan_work *w = &run->work;
	char vector[2 * PLAN_NAME + 16];

	put_title(info, run);
	if (w->kind.cm == CM_EVENT)
		put(info, " Test with events. Using @\n", "\"Test with events\": \"Using_@\",\n",
		    put_vector(run, device, vector, sizeof(vector)));
	put_switch(info, " Dual-port       : @\t\t", "\"Dual_port\": \"@\",\n", false);
	put(info, "Device         : @\n", "\"Device\": \"@\",\n", device);
	put_number(info, " Number of qps   : @\t\t", "\"Number_of_qps\": @,\n", w->qps);
	put(info, "Transport type : @\n", "\"Transport_type\": \"@\",\n",
	    transport_type(info, &run->self));
	put(info, " Connection type : @\t\t", "\"Connection_type\": \"@\",\n",
	    kind_transport_names[w->kind.tp]);
	put_switch(info, "Using SRQ      : @\n", "\"Using_SRQ\": \"@\",\n",
		   w->kind.sharing == SHARING_SRQ);
	put_switch(info, " PCIe relax order: @\t\t", "\"PCIe_relax_order\": \"@\",\n",
		   w->relaxed_ordering);
	put_switch(info, "Lock-free      : @\n", NULL, w->locks == LOCKS_OFF);
	put_switch(info, " ibv_wr* API     : @\t\t", "\"ibv_wr_API\": \"@\",\n",
		   w->post_api == APIS_POST_WR);
	put_switch(info, "Using Enhanced Reorder      : @\n", NULL, false);
	put_queues(info, run);
	put_path(info, run);
}

void dropin_print_settings(FILE *out, const struct dropin_run *run)
{
	fprintf(out, DROPIN_LINE);
	put_settings(&(struct info){ out, false }, run, run->self.device);
	fprintf(out, DROPIN_LINE);
}

static void print_address(FILE *out, const struct dropin_run *run, const char *whose,
			  const struct ep_addr *addr, uint32_t qp)
{
	const bool reads = kind_family(run->work.test) == FAMILY_READ;

	fprintf(out, " %s address: LID %#04x QPN %#06x PSN %#06x", whose, addr->lid,
		addr->qps[qp].qpn, addr->qps[qp].psn);
	if (reads)
		fprintf(out, " OUT %#04x", run->work.outstanding);
	if (reads || kind_is_silent(run->work.kind.op))
		fprintf(out, " RKey %#08x VAddr %#016" PRIx64,
			addr->qps[qp].rkey ? addr->qps[qp].rkey : addr->rkey, addr->buf_addr);
	if (kind_names_srq(run->work.kind.tp))
		fprintf(out, " SRQn %#08x", addr->qps[qp].srqn);
	fputc('\n', out);
	if (!run->path.global_route)
		return;
	fprintf(out, " GID: ");
	for (uint32_t i = 0; i < sizeof(addr->gid); i++)
		fprintf(out, "%s%02d", i ? ":" : "", addr->gid[i]);
	fputc('\n', out);
}

void dropin_print_addresses(FILE *out, const struct dropin_run *run,
			    const struct event_endpoint *endpoint)
{
	for (uint32_t i = 0; i < endpoint->own->n_qps; i++)
		print_address(out, run, "local", endpoint->own, i);
	for (uint32_t i = 0; i < endpoint->peer->n_qps; i++)
		print_address(out, run, "remote", endpoint->peer, i);
}

/* ---- figures */

static double known(double value)
{
	return isnan(value) ? 0 : value;
}

static double unit_of(const struct dropin_run *run, const struct row *row)
{
	return known(run->asked->gbits ? row->bandwidth_gbit_s : row->bandwidth_mib_s);
}

/*
 * The peak is the average of the best interval, and there is one interval: the run. What perftest
 * prints there is the rate between any two of its timestamps, also of one message.
 */
struct dropin_bw dropin_bw(const struct dropin_run *run, const struct dropin_result *r)
{
	struct dropin_bw bw = {
		.size = r->own->size_bytes,
		.iters = r->own->messages == ROW_NONE ? 0 : r->own->messages,
		.average = unit_of(run, r->own),
		.msg_rate = known(r->own->message_rate_per_s) / 1e6,
	};

	if (r->other) {
		bw.average += unit_of(run, r->other);
		bw.msg_rate += known(r->other->message_rate_per_s) / 1e6;
	}
	bw.peak = run->asked->no_peak || !run->messages ? 0 : bw.average;
	return bw;
}

static double usec(double ns, double otherwise)
{
	return isnan(ns) ? otherwise : ns / 1000;
}

/*
 * A percentile that has too few samples is not known. Its column is a number all the same: the
 * maximum, which it is not above; the mean for the median.
 */
struct dropin_lat dropin_lat(const struct dropin_result *r)
{
	const struct row *row = r->own;
	struct dropin_lat lat = {
		.size = row->size_bytes,
		.iters = row->lat_samples == ROW_NONE ? 0 : row->lat_samples,
		.min = usec(row->lat_min_ns, 0),
		.max = usec(row->lat_max_ns, 0),
		.average = usec(row->lat_mean_ns, 0),
		.stdev = usec(row->lat_stdev_ns, 0),
	};

	lat.typical = usec(row->lat_p50_ns, lat.average);
	lat.p99 = usec(row->lat_p99_ns, lat.max);
	lat.p99_9 = usec(row->lat_p99_9_ns, lat.max);
	if (row->window_ns && row->window_ns != ROW_NONE)
		lat.tps = (double)lat.iters * 1e9 / (double)row->window_ns;
	return lat;
}

/* ---- rows */

void dropin_print_heads(FILE *out, const struct dropin_run *run)
{
	if (run->work.pattern == PATTERN_STREAM)
		fprintf(out, " #bytes     #iterations    BW peak[%s/sec]    BW average[%s/sec]   MsgRate[Mpps]",
			run->asked->gbits ? "Gb" : "MiB", run->asked->gbits ? "Gb" : "MiB");
	else if (run->messages)
		fprintf(out, " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99%% percentile[usec]   99.9%% percentile[usec] ");
	else
		fprintf(out, " #bytes        #iterations       t_avg[usec]    tps average");
	fprintf(out, run->asked->cpu_util ? "    CPU_Util[%%]\n" : "\n");
}

static void print_bw(FILE *out, const struct dropin_run *run, const struct dropin_bw *bw)
{
	if (run->asked->gbits && bw->average < SMALL_GBIT_S)
		fprintf(out, " %-7" PRIu64 "    %" PRIu64 "           %-7.6f            %-7.6f            %-7.6f",
			bw->size, bw->iters, bw->peak, bw->average, bw->msg_rate);
	else
		fprintf(out, " %-7" PRIu64 "    %-10" PRIu64 "       %-7.2f            %-7.2f\t\t     %-7.6f",
			bw->size, bw->iters, bw->peak, bw->average, bw->msg_rate);
}

static void print_lat(FILE *out, const struct dropin_run *run, const struct dropin_lat *lat)
{
	if (run->messages)
		fprintf(out, " %-7" PRIu64 " %" PRIu64 "          %-7.2f        %-7.2f      %-7.2f  \t       %-7.2f     \t%-7.2f\t\t%-7.2f \t\t%-7.2f",
			lat->size, lat->iters, lat->min, lat->max, lat->typical, lat->average,
			lat->stdev, lat->p99, lat->p99_9);
	else
		fprintf(out, " %-7" PRIu64 "       %" PRIu64 "            %-7.2f        %-7.2f", lat->size,
			lat->iters, lat->average, lat->tps);
}

static void end_row(FILE *out, const struct dropin_run *run, double cpu_percent)
{
	if (run->asked->cpu_util)
		fprintf(out, "\t    %-3.2f", cpu_percent);
	fputc('\n', out);
}

void dropin_print_result(FILE *out, const struct dropin_run *run, const struct dropin_result *r)
{
	const struct dropin_bw bw = dropin_bw(run, r);
	const struct dropin_lat lat = dropin_lat(r);

	switch (run->asked->output) {
	case DROPIN_BANDWIDTH:
		fprintf(out, "%f\n", bw.average);
		return;
	case DROPIN_MESSAGE_RATE:
		fprintf(out, "%f\n", bw.msg_rate);
		return;
	case DROPIN_LATENCY:
		fprintf(out, "%f\n", lat.average);
		return;
	default:
		break;
	}
	if (run->work.pattern == PATTERN_STREAM)
		print_bw(out, run, &bw);
	else
		print_lat(out, run, &lat);
	end_row(out, run, r->cpu_percent);
}

void dropin_print_both(FILE *out, const struct dropin_run *run, const struct dropin_result *r)
{
	const struct row *const rows[] = { r->own, r->other };

	for (int i = 0; i < 2 && rows[i]; i++) {
		const struct dropin_result one = { .own = rows[i] };
		const struct dropin_bw bw = dropin_bw(run, &one);

		fprintf(out, DROPIN_LINE "\n %s results: \n" DROPIN_LINE, i ? "Remote" : "Local");
		dropin_print_heads(out, run);
		print_bw(out, run, &bw);
		end_row(out, run, 0);
	}
}

/* ---- the file of --out_json */

/*
 * The keys of perftest 6.29, one per line and in its order, because scripts read them with grep and
 * awk: write_test_info_to_file(), write_bw_report_to_file(), write_report_lat_to_file() in
 * src/perftest_parameters.c. As there the file has the last result only. Valid JSON, which
 * perftest's is not in each case.
 */
static void write_info(FILE *out, const struct dropin_run *run)
{
	char device[2 * PLAN_NAME], *p = device;

	/* quotation marks and backslashes would end the string */
	for (const char *c = run->self.device; *c; c++) {
		if (*c == '"' || *c == '\\')
			*p++ = '\\';
		*p++ = *c;
	}
	*p = '\0';
	text_clean(device, device, sizeof(device));
	fprintf(out, "\"test_info\": {\n");
	put_settings(&(struct info){ out, true }, run, device);
	fprintf(out, "},\n");
}

static void write_bw(FILE *out, const struct dropin_run *run, const struct dropin_result *r)
{
	const struct dropin_bw bw = dropin_bw(run, r);
	const int digits = run->asked->gbits && bw.average < 0.1 ? 6 : 2;

	if (run->asked->output == DROPIN_BANDWIDTH)
		fprintf(out, "\"bw_avg\": %f", bw.average);
	else if (run->asked->output == DROPIN_MESSAGE_RATE)
		fprintf(out, "\"msgRate_avg\": %f", bw.msg_rate);
	else
		fprintf(out, "\"MsgSize\": %" PRIu64 ",\n\"n_iterations\": %" PRIu64 ",\n\"BW_peak\": %.*f,\n\"BW_average\": %.*f,\n\"MsgRate\": %.6f",
			bw.size, bw.iters, digits, bw.peak, digits, bw.average, bw.msg_rate);
}

static void write_lat(FILE *out, const struct dropin_run *run, const struct dropin_result *r)
{
	const struct dropin_lat l = dropin_lat(r);

	if (run->asked->output == DROPIN_LATENCY) {
		fprintf(out, "\"%s\": %f", run->messages ? "avg_lat" : "t_avg", l.average);
		return;
	}
	fprintf(out, "\"MsgSize\": %" PRIu64 ",\n\"n_iterations\": %" PRIu64 ",\n", l.size, l.iters);
	if (run->messages)
		fprintf(out, "\"t_min\": %.2f,\n\"t_max\": %.2f,\n\"t_typical\": %.2f,\n\"t_avg\": %.2f,\n\"t_stdev\": %.2f,\n\"percentile_99\": %.2f,\n\"percentile_99.9\": %.2f",
			l.min, l.max, l.typical, l.average, l.stdev, l.p99, l.p99_9);
	else
		fprintf(out, "\"t_avg\": %.2f,\n\"tps_average\": %.2f", l.average, l.tps);
}

int dropin_print_json(const struct dropin_run *run, const struct dropin_result *r)
{
	const char *path = run->asked->json_path;
	FILE *out = fopen(path, "we");
	bool failed;

	if (!out)
		return err_set(-errno, "failed to open %s: %s", path, strerror(errno));
	fprintf(out, "{\n");
	write_info(out, run);
	fprintf(out, "\"results\": {\n");
	if (run->work.pattern == PATTERN_STREAM)
		write_bw(out, run, r);
	else
		write_lat(out, run, r);
	if (run->asked->cpu_util)
		fprintf(out, ",\n\"CPU_util\": %.2f", r->cpu_percent);
	fprintf(out, "\n}\n}\n");
	failed = ferror(out);
	if (fclose(out) || failed)
		return err_set(-EIO, "failed to write %s", path);
	return 0;
}
