/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* gate: pairs go on together, or none of them does, and each learns whose fault it was. */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <cmocka.h>

#include "run/pairs.h"
#include "util/clock.h"
#include "util/err.h"

#define PAIRS 8
#define ROUNDS 200
#define HOUR_NS 3600000000000ull

static struct pairs_one names[PAIRS] = {
	{ .name = "a" }, { .name = "b" }, { .name = "c" }, { .name = "d" },
	{ .name = "e" }, { .name = "f" }, { .name = "g" }, { .name = "h" },
};

/* One pair: what it does, and what the gate said. */
struct player {
	struct gate *gate;
	uint32_t pair, rounds;
	uint64_t wait_ns;
	int stop_fd;
	int rc;
	char error[ERR_TEXT_MAX];
	uint64_t ticks[ROUNDS];
};

static void *play(void *arg)
{
	struct player *p = arg;

	for (uint32_t i = 0; i < p->rounds && !p->rc; i++)
		p->rc = gate_meet(p->gate, p->pair, clock_ns() + p->wait_ns, p->stop_fd,
				  &p->ticks[i]);
	snprintf(p->error, sizeof(p->error), "%s", p->rc ? err_text() : "");
	return NULL;
}

struct game {
	struct gate gate;
	struct pairs_list list;
	struct player players[PAIRS];
	pthread_t threads[PAIRS];
	uint32_t n;
};

static void start(struct game *g, uint32_t pair, uint32_t rounds, uint64_t wait_ns, int stop_fd)
{
	g->players[pair] = (struct player){ .gate = &g->gate, .pair = pair, .rounds = rounds,
					    .wait_ns = wait_ns, .stop_fd = stop_fd };
	assert_int_equal(pthread_create(&g->threads[pair], NULL, play, &g->players[pair]), 0);
}

static void join(struct game *g, uint32_t pair)
{
	assert_int_equal(pthread_join(g->threads[pair], NULL), 0);
}

static void open_game(struct game *g, uint32_t n)
{
	*g = (struct game){ .n = n };
	g->list = (struct pairs_list){ .n = n, .pairs = names };
	gate_open(&g->gate, &g->list);
}

/* All go on together, with one time, which is not before the last one came. */
static void all_are_there(void **state)
{
	struct game g;

	(void)state;
	open_game(&g, PAIRS);
	for (uint32_t i = 0; i + 1 < PAIRS; i++)
		start(&g, i, ROUNDS, HOUR_NS, -1);
	const uint64_t before = clock_ticks();
	start(&g, PAIRS - 1, ROUNDS, HOUR_NS, -1);
	for (uint32_t i = 0; i < PAIRS; i++)
		join(&g, i);
	assert_true(g.players[0].ticks[0] >= before);
	for (uint32_t i = 0; i < PAIRS; i++) {
		assert_int_equal(g.players[i].rc, 0);
		assert_memory_equal(g.players[i].ticks, g.players[0].ticks,
				    sizeof(g.players[0].ticks));
	}
	for (uint32_t k = 1; k < ROUNDS; k++)
		assert_true(g.players[0].ticks[k] >= g.players[0].ticks[k - 1]);
	gate_close(&g.gate);
}

/* Who is done is not waited for, whether the others wait already or come later. */
static void one_is_done(void **state)
{
	struct game g;

	(void)state;
	open_game(&g, 3);
	start(&g, 0, 2, HOUR_NS, -1);
	start(&g, 1, 2, HOUR_NS, -1);
	gate_leave(&g.gate, 2, GATE_DONE, "");
	join(&g, 0);
	join(&g, 1);
	assert_int_equal(g.players[0].rc, 0);
	assert_int_equal(g.players[1].rc, 0);
	assert_false(gate_all_left(&g.gate, 0));
	gate_leave(&g.gate, 0, GATE_DONE, "");
	gate_leave(&g.gate, 1, GATE_DONE, "");
	assert_true(gate_all_left(&g.gate, clock_ns() + HOUR_NS));
	/* and again, all of them */
	gate_reset(&g.gate);
	for (uint32_t i = 0; i < 3; i++)
		start(&g, i, 1, HOUR_NS, -1);
	for (uint32_t i = 0; i < 3; i++) {
		join(&g, i);
		assert_int_equal(g.players[i].rc, 0);
	}
	gate_close(&g.gate);
}

static void one_fails(void **state)
{
	const struct {
		enum gate_exit how;
		int rc;
	} cases[] = { { GATE_FAILED, -ECANCELED }, { GATE_REFUSED, -EINVAL } };
	struct game g;

	(void)state;
	for (size_t c = 0; c < 2; c++) {
		open_game(&g, 3);
		start(&g, 0, 1, HOUR_NS, -1);
		gate_leave(&g.gate, 2, cases[c].how, "cable cut");
		/* the second reason does not count */
		gate_leave(&g.gate, 2, GATE_FAILED, "nothing");
		join(&g, 0);
		start(&g, 1, 1, HOUR_NS, -1);
		join(&g, 1);
		for (uint32_t i = 0; i < 2; i++) {
			assert_int_equal(g.players[i].rc, cases[c].rc);
			assert_string_equal(g.players[i].error, "pair c: cable cut");
		}
		gate_reset(&g.gate);
		for (uint32_t i = 0; i < 3; i++)
			start(&g, i, 1, HOUR_NS, -1);
		for (uint32_t i = 0; i < 3; i++) {
			join(&g, i);
			assert_int_equal(g.players[i].rc, 0);
		}
		gate_close(&g.gate);
	}
}

static void until_one_waits(struct gate *g)
{
	uint32_t n;

	do {
		pthread_mutex_lock(&g->lock);
		n = g->n_waits;
		pthread_mutex_unlock(&g->lock);
	} while (!n && !sched_yield());
}

/* The deadline is that of who waits, and the error message names who is missing. */
static void one_is_late(void **state)
{
	struct game g;
	char who = 0;

	(void)state;
	open_game(&g, 3);
	start(&g, 0, 1, HOUR_NS, -1);
	/* the first one that is missing is named, so the first player must have come */
	until_one_waits(&g.gate);
	start(&g, 1, 1, 20000000, -1);
	join(&g, 1);
	join(&g, 0);
	start(&g, 2, 1, HOUR_NS, -1);
	join(&g, 2);
	assert_int_equal(g.players[1].rc, -ETIMEDOUT);
	assert_int_equal(g.players[0].rc, -ECANCELED);
	assert_int_equal(g.players[2].rc, -ECANCELED);
	/* a busy machine may wait longer than was asked for */
	assert_int_equal(sscanf(g.players[1].error,
				"pair c was not ready within %*f s of pair %c", &who), 1);
	assert_int_equal(who, 'b');
	assert_string_equal(g.players[0].error, g.players[1].error);
	assert_string_equal(g.players[2].error, g.players[1].error);
	gate_close(&g.gate);
}

static void user_stops(void **state)
{
	const int stop_fd = eventfd(1, EFD_CLOEXEC);
	struct game g;

	(void)state;
	open_game(&g, 2);
	start(&g, 0, 1, HOUR_NS, stop_fd);
	join(&g, 0);
	assert_int_equal(g.players[0].rc, -EINTR);
	/* it waits no longer: the other one alone is not all of them */
	start(&g, 1, 1, HOUR_NS, stop_fd);
	join(&g, 1);
	assert_int_equal(g.players[1].rc, -EINTR);
	close(stop_fd);
	gate_close(&g.gate);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_are_there), cmocka_unit_test(one_is_done),
		cmocka_unit_test(one_fails),	 cmocka_unit_test(one_is_late),
		cmocka_unit_test(user_stops),
	};

	clock_init();
	return cmocka_run_group_tests_name("gate", tests, NULL, NULL);
}
