/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What setup does without verbs: the choice of measurements, series of samples, rows. */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "objects/answer.h"
#include "objects/measure.h"
#include "objects/rounds.h"
#include "util/err.h"

/* A run without a device: its peer and its rows are counted. */
struct sample {
	struct dev dev;
	struct limits peer_limits;
	struct setup_options options;
	struct setup_peer peer;
	struct clock_anchor origin;
	struct setup_run run;
	int alive, alive_rc;
	struct setup_row row;
	int rows;
};

static int alive(void *arg)
{
	struct sample *s = arg;

	s->alive++;
	return s->alive_rc ? err_set(s->alive_rc, "stopped") : 0;
}

static void take(void *arg, const struct setup_row *row)
{
	struct sample *s = arg;

	s->row = *row;
	s->rows++;
}

static struct sample *sample_new(uint64_t operations)
{
	struct sample *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	s->options.operations = operations;
	s->peer = (struct setup_peer){ .alive = alive, .arg = s };
	s->origin = clock_anchor();
	s->run = (struct setup_run){
		.options = &s->options,
		.dev = &s->dev,
		.peer_limits = &s->peer_limits,
		.peer = &s->peer,
		.row = take,
		.row_arg = s,
		.origin = &s->origin,
	};
	return s;
}

static void names_select(void **state)
{
	uint32_t selected;

	(void)state;
	assert_int_equal(measure_select(&selected, NULL), 0);
	assert_int_equal(selected, (1u << measure_n) - 1);
	assert_int_equal(measure_select(&selected, "qp"), 0);
	assert_ptr_equal(&measure_table[__builtin_ctz(selected)], measure_find("qp"));
	assert_int_equal(selected & (selected - 1), 0);
	assert_int_equal(measure_select(&selected, "qps,mr"), 0);
	assert_int_equal(__builtin_popcount(selected), 2);
	assert_int_equal(measure_select(&selected, "mr,"), -EINVAL);
	assert_int_equal(measure_select(&selected, ",mr"), -EINVAL);
	assert_int_equal(measure_select(&selected, "mr,mr"), -EINVAL);
	assert_int_equal(measure_select(&selected, "MR"), -EINVAL);
	assert_non_null(strstr(err_text(), "allowed: pd, mr"));
	assert_null(measure_find("m"));
}

static void every_measurement_has_its_own_name(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < measure_n; i++) {
		assert_ptr_equal(measure_find(measure_table[i].name), &measure_table[i]);
		assert_non_null(measure_table[i].run);
	}
}

static void subject_names_what_the_row_has(void **state)
{
	struct setup_row row;
	char text[64];

	(void)state;
	setup_row_init(&row);
	assert_string_equal(setup_row_subject(&row, text, sizeof(text)), "");
	row.entries = 256;
	assert_string_equal(setup_row_subject(&row, text, sizeof(text)), "256 entries");
	setup_row_init(&row);
	row.size_bytes = 65536;
	strcpy(row.pages, "small");
	strcpy(row.access, "local");
	assert_string_equal(setup_row_subject(&row, text, sizeof(text)),
			    "64 KiB, small pages, local");
	row.size_bytes = UINT64_C(3) << 30;
	assert_string_equal(setup_row_subject(&row, text, sizeof(text)),
			    "3 GiB, small pages, local");
	row.size_bytes = 1025;
	assert_string_equal(setup_row_subject(&row, text, sizeof(text)),
			    "1025 bytes, small pages, local");
}

/* The clock is nanoseconds here: clock_init() is not called. */
static void first_operation_is_in_no_other_figure(void **state)
{
	struct sample *s = sample_new(100);
	struct series *series = calloc(1, sizeof(*series));
	struct schedule times = series_begin(&s->run, 1);
	struct setup_row row;

	(void)state;
	assert_non_null(series);
	histogram_reset(&series->ticks);
	s->run.cpu_clock_ns = 10;
	setup_row_init(&row);
	row.objects = 2;
	series_add_taken(series, &(struct stamp){ .ticks = 1000000, .cpu_ns = 900000 });
	for (uint64_t i = 1; i <= 100; i++)
		series_add_taken(series, &(struct stamp){ .ticks = i * 10, .cpu_ns = 60 });
	series_end(&times);
	series_row(series, &times, &row);
	assert_int_equal(s->rows, 1);
	assert_int_equal(s->row.status, SETUP_OK);
	assert_int_equal(s->row.operations, 100);
	assert_true(s->row.first_ns == 1000000);
	assert_true(s->row.min_ns == 10 && s->row.max_ns == 1000);
	assert_true(s->row.mean_ns == 505 && s->row.p50_ns == 500);
	assert_true(field_is_absent(field_find(&setup_row_table, "p99_ns"), &s->row));
	assert_true(s->row.cpu_ns == 50);
	/* less than 100 ms of CPU time is not divided */
	assert_true(field_is_absent(field_find(&setup_row_table, "system_ns"), &s->row));
	assert_true(s->row.rate_per_s > 2e9 / 505 * 0.999999 &&
		    s->row.rate_per_s < 2e9 / 505 * 1.000001);
	assert_false(s->run.not_ok);
	free(series);
	free(s);
}

static void only_the_first_operation_makes_a_row_without_a_mean(void **state)
{
	struct sample *s = sample_new(100);
	struct series *series = calloc(1, sizeof(*series));
	struct schedule times = { .run = &s->run, .rc = err_set(-EINTR, "stopped\nhere") };
	struct setup_row row;

	(void)state;
	assert_non_null(series);
	histogram_reset(&series->ticks);
	setup_row_init(&row);
	series_add_taken(series, &(struct stamp){ .ticks = 7 });
	series_row(series, &times, &row);
	assert_int_equal(s->row.status, SETUP_INCOMPLETE);
	assert_string_equal(s->row.reason, "stopped here");
	assert_int_equal(s->row.operations, 0);
	assert_true(s->row.first_ns == 7);
	assert_true(field_is_absent(field_find(&setup_row_table, "mean_ns"), &s->row));
	assert_true(field_is_absent(field_find(&setup_row_table, "cpu_ns"), &s->row));
	assert_true(s->run.not_ok);
	free(series);
	free(s);
}

static uint64_t rounds(uint64_t operations, uint32_t per_round)
{
	struct sample *s = sample_new(operations);
	struct schedule times = series_begin(&s->run, per_round);
	uint64_t n = 0;

	while (series_more(&times))
		n++;
	assert_int_equal(times.rc, 0);
	free(s);
	return n;
}

/* One round more than the operations need: the first one is not counted. */
static void rounds_makes_what_was_asked_for(void **state)
{
	(void)state;
	assert_int_equal(rounds(1, 1), 2);
	assert_int_equal(rounds(100, 1), 101);
	assert_int_equal(rounds(100, 64), 3);
	assert_int_equal(rounds(128, 64), 3);
	assert_int_equal(rounds(129, 64), 4);
	assert_int_equal(rounds(UINT64_MAX, 1), 10001); /* auto, of operations that take no time */
}

static void rounds_ends_when_the_session_does(void **state)
{
	struct sample *s = sample_new(1000000);
	struct schedule times = series_begin(&s->run, 1);

	(void)state;
	/* asked at once, and not before each operation */
	assert_true(series_more(&times) && series_more(&times));
	assert_int_equal(s->alive, 1);
	s->alive_rc = -EINTR;
	s->run.checked_ns = 0;
	assert_false(series_more(&times));
	assert_int_equal(times.rc, -EINTR);
	free(s);
}

static void errno_tells_unsupported_from_failed(void **state)
{
	(void)state;
	assert_int_equal(series_fault("ibv_x", 0, EOPNOTSUPP), SETUP_UNSUPPORTED);
	assert_int_equal(series_fault("ibv_x", 0, ENOSYS), SETUP_UNSUPPORTED);
	assert_int_equal(series_fault("ibv_x", 0, ENOMEM), SETUP_FAILED);
	/* it has worked before */
	assert_int_equal(series_fault("ibv_x", 7, EOPNOTSUPP), SETUP_FAILED);
	assert_non_null(strstr(err_text(), "ibv_x failed after 7 calls"));
	errno = ENOMEM;
	assert_int_equal(series_errno(0), ENOMEM);
	assert_int_equal(series_errno(-1), ENOMEM);
	assert_int_equal(series_errno(EINVAL), EINVAL);
	errno = 0;
	assert_int_equal(series_errno(-1), EIO);
}

static void stamps_cost_something(void **state)
{
	struct sample *s = sample_new(1);
	struct stamp begin, taken;

	(void)state;
	series_calibrate(&s->run);
	assert_true(s->run.clock_ticks >= 0 && s->run.cpu_clock_ns > 0);
	begin = stamp_take();
	taken = stamp_since(&begin);
	assert_true(taken.cpu_ns < 1000000000 && taken.ticks < UINT64_MAX / 2);
	free(s);
}

/* QPs of both kinds count together, and their memory is given back as they end. */
static void the_server_counts_queue_pairs(void **state)
{
	struct memory_budget budget = { .most = 1 << 20 };
	const struct dev dev = { .limits.allowed_qps = 4, .budget = &budget };
	const struct plan plan = { .work = { .depth = 1024, .recv_depth = 1024 } };
	struct answer a = { .qps = { .ep.dev = &dev, .needs = qps_needs(&plan, &dev.limits) },
			    .max = 4 };
	uint64_t one;

	(void)state;
	assert_int_equal(answer_take(&a, 1), 0);
	one = budget.used;
	assert_true(one >= 2048 * 16);
	assert_int_equal(answer_take(&a, 2), 0);
	assert_int_equal(budget.used, 3 * one);
	assert_int_equal(answer_take(&a, 2), -EINVAL);
	assert_string_equal(err_text(),
			    "--max-qps 4 of the server's owner: the test asks for 5 queue pairs");
	answer_give(&a, 2);
	assert_int_equal(budget.used, one);
	assert_int_equal(answer_take(&a, 3), 0);
	answer_give(&a, 4);
	assert_int_equal(budget.used, 0);

	budget.most = 2 * one;
	assert_int_equal(answer_take(&a, 3), -ENOMEM);
	assert_int_equal(answer_take(&a, 2), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_select),
		cmocka_unit_test(every_measurement_has_its_own_name),
		cmocka_unit_test(subject_names_what_the_row_has),
		cmocka_unit_test(first_operation_is_in_no_other_figure),
		cmocka_unit_test(only_the_first_operation_makes_a_row_without_a_mean),
		cmocka_unit_test(rounds_makes_what_was_asked_for),
		cmocka_unit_test(rounds_ends_when_the_session_does),
		cmocka_unit_test(errno_tells_unsupported_from_failed),
		cmocka_unit_test(stamps_cost_something),
		cmocka_unit_test(the_server_counts_queue_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
