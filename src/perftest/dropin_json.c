/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the file of --out_json: the keys of perftest 6.29, one per line and in its order, because
 * scripts read them with grep and awk: write_test_info_to_file(), write_bw_report_to_file(),
 * write_report_lat_to_file() in src/perftest_parameters.c. As there the file has the last result
 * only. Called by dropin_screen.c. Valid JSON, which perftest's is not in each case.
 */
#include "config.h"
#include "perftest/dropin_print.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "util/err.h"
#include "util/text.h"

static void write_title(FILE *out, const struct dropin_run *run)
{
	const bool stream = run->work.pattern == PATTERN_STREAM;

	fprintf(out, "\"test\": \"%s_", dropin_verb(run));
	if (kind_family(run->work.test) == FAMILY_ATOMIC)
		fprintf(out, "%s_", dropin_atomic(run));
	fprintf(out, "%s%s%s_Test\",\n", stream && run->work.bidir ? "Bidirectional_" : "",
		stream && run->work.post_list > 1 ? "Post_List_" : "", stream ? "BW" : "Latency");
}

static const char *on(bool value)
{
	return value ? "ON" : "OFF";
}

static void write_queues(FILE *out, const struct dropin_run *run)
{
	const struct plan_work *w = &run->work;
	const bool stream = w->pattern == PATTERN_STREAM;

	if (run->side == SIDE_CLIENT || w->bidir)
		fprintf(out, "\"TX_depth\": %u,\n", stream ? w->depth : 1);
	if (w->post_list > 1)
		fprintf(out, "\"Post_List\": %u,\n", w->post_list);
	if (w->recv_depth && (run->side == SIDE_SERVER || w->bidir))
		fprintf(out, "\"RX_depth\": %u,\n", w->recv_depth);
	if (stream)
		fprintf(out, "\"CQ_Moderation\": %u,\n", w->signal_interval);
}

static void write_info(FILE *out, const struct dropin_run *run)
{
	const struct plan_work *w = &run->work;
	const enum family family = kind_family(w->test);
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
	write_title(out, run);
	if (w->kind.cm == CM_EVENT)
		fprintf(out, "\"Test with events\": \"Using_%s_comp0\",\n", device);
	fprintf(out, "\"Dual_port\": \"OFF\",\n\"Device\": \"%s\",\n", device);
	fprintf(out, "\"Number_of_qps\": %u,\n\"Transport_type\": \"%s\",\n", w->qps,
		run->self.transport_type == LIMITS_IWARP ? "IW" : "IB");
	fprintf(out, "\"Connection_type\": \"%s\",\n\"Using_SRQ\": \"%s\",\n",
		kind_transport_names[w->kind.tp], on(w->kind.sharing == SHARING_SRQ));
	fprintf(out, "\"PCIe_relax_order\": \"%s\",\n\"ibv_wr_API\": \"%s\",\n",
		on(w->relaxed_ordering), on(w->post_api == APIS_POST_WR));
	write_queues(out, run);
	fprintf(out, "\"Mtu\": %u,\n\"Link_type\": \"%s\",\n", run->path.mtu_bytes,
		run->self.ethernet ? "Ethernet" : "IB");
	if (run->path.global_route)
		fprintf(out, "\"GID_index\": %u,\n", run->side == SIDE_CLIENT ?
							     run->path.client_gid :
							     run->path.server_gid);
	if (family == FAMILY_READ || family == FAMILY_ATOMIC)
		fprintf(out, "\"Outstand_reads\": %u,\n", w->outstanding);
	else
		fprintf(out, "\"Max_inline_data\": %u,\n", w->inline_bytes);
	fprintf(out, "\"rdma_cm_QPs\": \"%s\",\n", on(run->path.connect == CONNECT_RDMA_CM));
	fprintf(out, "\"Use_ROCm_memory\": \"OFF\",\n\"Use_MUSA_memory\": \"OFF\",\n");
	fprintf(out, "\"Data_ex_method\": \"Ethernet\"\n},\n");
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

int dropin_write_json(const struct dropin_run *run, const struct dropin_result *r)
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
