/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns perftest's columns, and which figure of verbench is in which of them: RESULT_FMT and
 * REPORT_FMT in src/perftest_parameters.h, print_full_bw_report(), print_report_lat() and
 * print_report_lat_duration() in src/perftest_parameters.c. Called by dropin_screen.c and
 * dropin_json.c. docs/from-perftest.md says how the figures differ.
 */
#include "config.h"
#include "perftest/dropin_print.h"

#include <inttypes.h>
#include <math.h>

#define SMALL_GBIT_S 0.1 /* below it a row has six decimals */

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

static void print_one(FILE *out, const struct dropin_run *run, const struct row *row,
		      const char *whose)
{
	const struct dropin_result one = { .own = row };
	const struct dropin_bw bw = dropin_bw(run, &one);

	fprintf(out, DROPIN_LINE "\n %s results: \n" DROPIN_LINE, whose);
	dropin_print_heads(out, run);
	print_bw(out, run, &bw);
	end_row(out, run, 0);
}

void dropin_print_both(FILE *out, const struct dropin_run *run, const struct dropin_result *r)
{
	print_one(out, run, r->own, "Local");
	if (r->other)
		print_one(out, run, r->other, "Remote");
}
