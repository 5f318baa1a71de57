/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* plot: axes, which rows become which curves and pictures, texts in pages. */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "pictures/canvas.h"
#include "pictures/plot.h"

/* The texts of the ticks that have one. */
static const char *ticks(const struct plot_axis *axis, char text[512])
{
	text[0] = '\0';
	for (size_t i = 0; i < axis->n_ticks; i++)
		if (axis->ticks[i].text[0])
			plot_join(text, 512, axis->ticks[i].text);
	return text;
}

/* ---- axes */

static void sizes_go_by_powers_of_two(void **state)
{
	struct plot_axis axis = { .n_ticks = 0 };
	char text[512];

	(void)state;
	plot_axis_label(&axis, rows_field(ROWS_size_bytes), NULL, 8388608);
	assert_string_equal(axis.label, "message size (bytes)");
	plot_axis_x(&axis, 2, 8388608);
	assert_int_equal(axis.scale, PLOT_LOG2);
	assert_string_equal(ticks(&axis, text), "2, 16, 128, 1k, 8k, 64k, 512k, 4M");
	assert_true(axis.from < 2 && axis.to > 8388608);
}

static void close_sizes_are_linear_and_whole(void **state)
{
	struct plot_axis axis = { .n_ticks = 0 };
	char text[512];

	(void)state;
	plot_axis_label(&axis, rows_field(ROWS_size_bytes), NULL, 65537);
	plot_axis_x(&axis, 65535, 65537);
	assert_int_equal(axis.scale, PLOT_LINEAR);
	assert_string_equal(ticks(&axis, text), "65535, 64k, 65537");
}

static void a_rate_begins_at_0(void **state)
{
	struct plot_axis axis = { .n_ticks = 0 };
	char text[512];

	(void)state;
	plot_axis_label(&axis, rows_field(ROWS_message_rate_per_s), NULL, 9.7e6);
	assert_string_equal(axis.label, "message rate (million/s)");
	plot_axis_y(&axis, 0.5e6 / axis.per, 9.7e6 / axis.per, PLOT_LOG_RATE);
	assert_int_equal(axis.scale, PLOT_LINEAR);
	assert_string_equal(ticks(&axis, text), "0, 2, 4, 6, 8, 10");
	assert_true(fabs(plot_axis_at(&axis, 5) - 0.5) < 1e-9);
}

static void a_rate_of_more_than_two_decades_is_logarithmic(void **state)
{
	struct plot_axis axis = { .n_ticks = 0 };
	char text[512];

	(void)state;
	plot_axis_y(&axis, 0.08, 9.7, PLOT_LOG_RATE);
	assert_int_equal(axis.scale, PLOT_LOG10);
	assert_string_equal(ticks(&axis, text), "0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10");
	plot_axis_y(&axis, 0.1, 9.7, PLOT_LOG_RATE);
	assert_int_equal(axis.scale, PLOT_LINEAR);
	/* a bar begins at 0 */
	plot_axis_y(&axis, 0.001, 9.7, PLOT_LOG_NEVER);
	assert_int_equal(axis.scale, PLOT_LINEAR);
}

static void a_time_of_many_decades_is_logarithmic(void **state)
{
	struct plot_axis axis = { .n_ticks = 0 };
	char text[512];

	(void)state;
	plot_axis_label(&axis, rows_field(ROWS_lat_p99_ns), "latency", 5.1e6);
	assert_string_equal(axis.label, "latency (ms)");
	plot_axis_y(&axis, 38000 / axis.per, 5.1e6 / axis.per, PLOT_LOG_TIME);
	assert_int_equal(axis.scale, PLOT_LOG10);
	assert_string_equal(ticks(&axis, text), "0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10");
	plot_axis_y(&axis, 1, 20, PLOT_LOG_TIME);
	assert_int_equal(axis.scale, PLOT_LINEAR);
	assert_true(axis.from == 0);
}

static void one_value_has_a_place(void **state)
{
	struct plot_axis x = { .n_ticks = 0 }, y = { .n_ticks = 0 };

	(void)state;
	plot_axis_x(&x, 64, 64);
	plot_axis_y(&y, 0, 0, PLOT_LOG_RATE);
	assert_true(plot_axis_at(&x, 64) >= 0 && plot_axis_at(&x, 64) <= 1);
	assert_true(plot_axis_at(&y, 0) >= 0 && plot_axis_at(&y, 0) <= 1);
}

static void repeats_are_their_median(void **state)
{
	static const double y[] = { 5, 1, 9 };
	struct plot_curve curve = { .n = 0 };

	(void)state;
	plot_add(&curve, 8, 3, false);
	plot_add(&curve, 8, NAN, true);
	for (size_t i = 0; i < 3; i++)
		plot_add(&curve, 4, y[i], i == 2);
	plot_settle(&curve);
	assert_int_equal(curve.n, 2);
	assert_true(curve.points[0].x == 4 && curve.points[0].y == 5);
	assert_true(curve.points[0].low == 1 && curve.points[0].high == 9);
	assert_int_equal(curve.points[0].runs, 3);
	assert_true(curve.points[1].x == 8 && curve.points[1].y == 3);
	assert_true(curve.points[0].disturbed && !curve.points[1].disturbed);
	free(curve.points);
}

/* ---- from rows to pictures */

#define HEAD "schema,test,transport,completion,size_bytes,threads,qps,status,bandwidth_gbit_s,message_rate_per_s,lat_p50_ns,emulated\n"

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

/* The pictures of a file with this text. plot_free() is due. */
static void choose_text(struct plots *plots, const char *text, const struct plot_asked *asked)
{
	char path[] = "/tmp/test_plot.XXXXXX";
	const char *paths[] = { path };
	struct rows_query query = { .paths = paths, .n_paths = 1 };
	struct rows rows;
	const int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	write_file(path, text);
	plot_choose_want(&query);
	if (asked)
		plot_choose_want_asked(&query, asked);
	assert_int_equal(rows_load(&rows, &query), 0);
	unlink(path);
	*plots = (struct plots){ .n = 0 };
	assert_int_equal(asked ? plot_choose_asked(plots, &rows, asked) :
				 plot_choose(plots, &rows), 0);
	rows_free(&rows);
}

/* The same of lines of CSV without HEAD. */
static void choose(struct plots *plots, const char *lines, const struct plot_asked *asked)
{
	char *text;

	assert_true(asprintf(&text, "%s%s", HEAD, lines) > 0);
	choose_text(plots, text, asked);
	free(text);
}

static const struct plot *picture(const struct plots *plots, const char *name)
{
	for (size_t i = 0; i < plots->n; i++)
		if (!strcmp(plots->all[i].name, name))
			return &plots->all[i];
	return NULL;
}

static void completions_are_curves(void **state)
{
	const struct plot *plot;
	struct plots plots;

	(void)state;
	choose(&plots,
	       "1,send_bw,RC,event,64,1,1,ok,1,100,,1\n1,send_bw,RC,poll,64,1,1,ok,2,200,,1\n"
	       "1,send_bw,RC,event,4096,1,1,ok,8,80,,1\n1,send_bw,RC,poll,4096,1,1,ok,9,90,,1\n"
	       "1,send_bw,RC,poll,8192,1,1,failed,,,,1\n", NULL);
	plot = picture(&plots, "bandwidth-over-message-size");
	assert_non_null(plot);
	assert_int_equal(plot->n_curves, 2);
	assert_string_equal(plot->curves[0].name, "poll");
	assert_string_equal(plot->curves[1].name, "event");
	assert_int_not_equal(plot->curves[0].look, plot->curves[1].look);
	assert_int_not_equal(plot->curves[0].dash, plot->curves[1].dash);
	assert_int_equal(plot->curves[0].n, 2);
	assert_true(plot->curves[1].points[1].x == 4096 && plot->curves[1].points[1].y == 8);
	assert_true(plot->emulated);
	assert_string_equal(plot->below, "send_bw, RC, threads 1, queue pairs 1");
	plot = picture(&plots, "completions-bandwidth-tests-64-bytes");
	assert_non_null(plot);
	assert_int_equal(plot->form, PLOT_BARS);
	assert_string_equal(plot->y.label, "ratio to poll");
	assert_true(plot->curves[1].points[0].y == 0.5);
	assert_null(picture(&plots, "latency-over-message-size"));
	plot_free(&plots);
}

/* 3 transports x 3 completions are more curves than one picture should have. */
static void too_many_curves_are_several_pictures(void **state)
{
	static const char *const tp[] = { "RC", "UC", "UD" }, *const cm[] = { "poll", "event", "hybrid" };
	char lines[4096];
	const struct plot *plot;
	struct plots plots;
	size_t len = 0;

	(void)state;
	for (int i = 0; i < 18; i++)
		len += (size_t)snprintf(lines + len, sizeof(lines) - len,
					"1,send_bw,%s,%s,%d,1,1,ok,%d,100,,0\n", tp[i % 3],
					cm[i / 3 % 3], i < 9 ? 64 : 4096, i + 1);
	choose(&plots, lines, NULL);
	plot = picture(&plots, "bandwidth-over-message-size-uc");
	assert_non_null(plot);
	assert_int_equal(plot->n_curves, 3);
	/* every curve has one row per size, so no two settings are one curve */
	for (size_t c = 0; c < 3; c++) {
		assert_int_equal(plot->curves[c].n, 2);
		assert_int_equal(plot->curves[c].points[0].runs, 1);
	}
	assert_false(plot->emulated);
	assert_non_null(picture(&plots, "bandwidth-over-message-size-rc"));
	assert_non_null(picture(&plots, "bandwidth-over-message-size-ud"));
	plot_free(&plots);
}

/* A sweep of sizes in one test and of queue pairs in another: each has its own axis. */
static void each_test_has_its_axis(void **state)
{
	const struct plot *plot;
	struct plots plots;

	(void)state;
	choose(&plots,
	       "1,send_bw,RC,poll,64,1,1,ok,1,1,,0\n1,send_bw,RC,poll,128,1,1,ok,2,1,,0\n"
	       "1,write_bw,RC,poll,64,1,1,ok,3,1,,0\n1,write_bw,RC,poll,64,1,16,ok,4,1,,0\n"
	       "1,send_lat,RC,poll,64,1,1,ok,,,900,0\n1,send_lat,RC,poll,128,1,1,ok,,,1000,0\n", NULL);
	plot = picture(&plots, "bandwidth-over-message-size");
	assert_non_null(plot);
	assert_int_equal(plot->n_curves, 1);
	plot = picture(&plots, "bandwidth-over-queue-pairs");
	assert_non_null(plot);
	assert_int_equal(plot->curves[0].n, 2);
	plot = picture(&plots, "latency-over-message-size");
	assert_non_null(plot);
	assert_string_equal(plot->y.label, "latency (us)");
	assert_string_equal(plot->curves[0].name, "median");
	plot_free(&plots);
}

static void what_is_asked_for(void **state)
{
	struct plot_asked asked;
	struct plots plots;

	(void)state;
	assert_int_equal(plot_choose_read(&asked, "completion", "message_rate_per_s", "threads"), 0);
	choose(&plots,
	       "1,send_bw,RC,poll,64,1,1,ok,1,100,,0\n1,send_bw,RC,event,64,1,1,ok,1,300,,0\n"
	       "1,send_bw,RC,poll,64,2,2,ok,1,200,,0\n1,send_bw,RC,event,64,2,2,ok,1,400,,0\n", &asked);
	assert_int_equal(plots.n, 1);
	assert_string_equal(plots.all[0].title, "message rate over completion");
	assert_int_equal(plots.all[0].form, PLOT_BARS);
	assert_string_equal(plots.all[0].x.ticks[0].text, "poll");
	assert_string_equal(plots.all[0].x.ticks[1].text, "event");
	assert_string_equal(plots.all[0].curves[1].name, "threads 2");
	assert_true(plots.all[0].curves[1].points[1].y == 400);
	plot_free(&plots);
}

/* ---- texts */

/* ---- curves of histograms */

/* Two rows of 1000 samples, of which so many took 1.05 us, and the others 16.8 us. */
static void choose_samples(struct plots *plots, const char *completion, bool both, int first,
			   int second)
{
	static const char row[] = "{\"schema\":1,\"test\":\"send_lat\",\"size_bytes\":64,"
		"\"status\":\"ok\",\"completion\":\"%s\",\"lat_samples\":1000,"
		"\"lat_min_ns\":1049,\"lat_p50_ns\":1049,\"lat_max_ns\":16790}";
	static const char point[] = "{\"size_bytes\":64,\"histogram\":{\"samples\":1000,"
		"\"min_ns\":1049,\"max_ns\":16790,\"buckets\":[[1048.576,1050.624,%d],"
		"[16777.216,16809.984,%d]]}}";
	char rows[2][512], points[2][512], *text;

	snprintf(rows[0], sizeof(rows[0]), row, "poll");
	snprintf(rows[1], sizeof(rows[1]), row, completion);
	snprintf(points[0], sizeof(points[0]), point, first, 1000 - first);
	snprintf(points[1], sizeof(points[1]), point, second, 1000 - second);
	assert_true(asprintf(&text, "{\"rows\":[%s,%s],\"points\":[%s,%s]}", rows[0], rows[1],
			     points[0], both ? points[1] : "{}") > 0);
	choose_text(plots, text, NULL);
	free(text);
}

static bool is_near(double a, double b)
{
	return fabs(a - b) < 1e-3;
}

/* How many points of the line alone are there, and how many with a shape? */
static void count_points(const struct plot_curve *curve, double x, double y, size_t n[2])
{
	n[0] = n[1] = 0;
	for (size_t i = 0; i < curve->n; i++)
		n[!curve->points[i].bare] += is_near(curve->points[i].x, x) &&
					     is_near(curve->points[i].y, y);
}

static void a_histogram_is_a_curve_of_all_samples(void **state)
{
	struct plots plots;
	const struct plot *plot;
	const struct plot_curve *curve;
	size_t n[2];

	(void)state;
	choose_samples(&plots, "poll", true, 900, 700);
	plot = picture(&plots, "distribution");
	assert_non_null(plot);
	assert_string_equal(plot->made_of, PLOT_SAMPLES);
	assert_int_equal(plot->n_curves, 1);
	assert_false(plot->runs);
	curve = plot->curves;
	assert_string_equal(curve->name, "latency");
	/* in us: 80 % from the end of the one bucket to the begin of the other one */
	count_points(curve, 1.0506, 80, n);
	assert_int_equal(n[0], 1);
	count_points(curve, 16.7772, 80, n);
	assert_int_equal(n[0], 1);
	count_points(curve, 1.049, 0, n);
	assert_int_equal(n[1], 1);
	count_points(curve, 1.0496, 50, n);
	assert_int_equal(n[1], 1);
	count_points(curve, 16.79, 99, n);
	assert_int_equal(n[1], 1);
	count_points(curve, 16.79, 100, n);
	assert_int_equal(n[1], 1);
	plot = picture(&plots, "percentiles");
	assert_non_null(plot);
	curve = plot->curves;
	assert_string_equal(curve->name, "latency");
	/* 80 %, and up to the 10 samples that a percentile has beyond it */
	count_points(curve, -log10(0.2), 16.7772, n);
	assert_int_equal(n[0], 1);
	assert_true(is_near(curve->points[curve->n - 1].x, -log10(10 / 2000.0)));
	count_points(curve, 2, 16.79, n);
	assert_int_equal(n[1], 1);
	assert_true(plot->x.to > curve->points[curve->n - 1].x);
	plot_free(&plots);
}

static void rows_without_a_histogram_are_as_before(void **state)
{
	struct plots plots;
	const struct plot *plot;

	(void)state;
	choose_samples(&plots, "poll", false, 900, 700);
	plot = picture(&plots, "distribution");
	assert_non_null(plot);
	assert_string_not_equal(plot->made_of, PLOT_SAMPLES);
	assert_int_equal(plot->curves[0].n, 3);
	plot_free(&plots);
	choose_samples(&plots, "event", false, 900, 700);
	plot = picture(&plots, "distribution");
	assert_non_null(plot);
	assert_string_equal(plot->made_of, PLOT_SOME_SAMPLES);
	assert_int_equal(plot->n_curves, 2);
	assert_true(plot->curves[0].n > 3);
	assert_int_equal(plot->curves[1].n, 3);
	plot_free(&plots);
}

static void markup_is_text(void **state)
{
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	plot_text(out, "<b a='1' c=\"2\">&amp;\n\x1b[0m\xc3\xa4</b>");
	fclose(out);
	assert_string_equal(text, "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;amp;  [0m??&lt;/b&gt;");
	free(text);
}

static struct plot hostile(struct plot_point *point)
{
	struct plot plot = { .title = "it's `id`\n<&>", .n_curves = 1 };

	*point = (struct plot_point){ .x = 1, .y = 1, .low = 1, .high = 1, .runs = 1 };
	plot.curves[0] = (struct plot_curve){ .name = "'; system('x'); '", .points = point, .n = 1 };
	plot_axis_x(&plot.x, 1, 2);
	plot_axis_y(&plot.y, 0, 1, PLOT_LOG_RATE);
	snprintf(plot.x.ticks[0].text, sizeof(plot.x.ticks[0].text), "50 %%'s");
	return plot;
}

static void a_picture_has_texts_as_references(void **state)
{
	struct plot_point point;
	struct plot plot = hostile(&point);
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	plot_file(out, &canvas_svg, &plot, 1);
	fclose(out);
	assert_non_null(strstr(text, ">it&#39;s `id` &lt;&amp;&gt;</text>"));
	assert_non_null(strstr(text, ">&#39;; system(&#39;x&#39;); &#39;</text>"));
	assert_non_null(strstr(text, ">50 %&#39;s</text>"));
	free(text);
	out = open_memstream(&text, &len);
	plot_svg(out, &plot);
	fclose(out);
	assert_non_null(strstr(text, "aria-label='it&#39;s `id` &lt;&amp;&gt;'"));
	assert_non_null(strstr(text, "<title>&#39;; system(&#39;x&#39;); &#39;, "));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_go_by_powers_of_two),
		cmocka_unit_test(close_sizes_are_linear_and_whole),
		cmocka_unit_test(a_rate_begins_at_0),
		cmocka_unit_test(a_rate_of_more_than_two_decades_is_logarithmic),
		cmocka_unit_test(a_time_of_many_decades_is_logarithmic),
		cmocka_unit_test(one_value_has_a_place),
		cmocka_unit_test(repeats_are_their_median),
		cmocka_unit_test(completions_are_curves),
		cmocka_unit_test(too_many_curves_are_several_pictures),
		cmocka_unit_test(each_test_has_its_axis),
		cmocka_unit_test(what_is_asked_for),
		cmocka_unit_test(a_histogram_is_a_curve_of_all_samples),
		cmocka_unit_test(rows_without_a_histogram_are_as_before),
		cmocka_unit_test(markup_is_text),
		cmocka_unit_test(a_picture_has_texts_as_references),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
