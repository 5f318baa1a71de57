/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Who measures with whom in which round. */
#include "config.h"
#include "schedule/schedule.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "schedule/schedule_file.h"
#include "schedule/shuffle.h"
#include "util/err.h"

/* Streams of the seed, beside the numbers of rounds. */
#define STREAM_PICK UINT64_MAX

struct schedule {
	enum schedule_kind kind;
	uint32_t n, k;
	uint32_t circle;             /* m - 1: places of the circle, an odd number */
	uint32_t groups;             /* of an incast */
	uint32_t rounds;             /* of one rail, as are pairs */
	uint64_t pairs;
	enum rails rails;
	uint32_t n_rails, ways;      /* ways: rounds that one round is */
	uint32_t lanes;
	struct shuffle order;        /* of the nodes */
	struct shuffle pick;         /* of the rounds of the tournament */
	struct schedule_pairs file;  /* SCHEDULE_FILE */
};

/* ---- pairs of which one sends in the first of two rounds, the other in the second */

static uint32_t directed(uint32_t round, uint32_t node, uint32_t other)
{
	return (round % 2 == 0) == (node < other) ? other : SCHEDULE_NONE;
}

/* The other place of the pair; s->n or more: none. */
static uint32_t circle_other(const struct schedule *s, uint32_t round, uint32_t place)
{
	const uint64_t m = s->circle;
	uint64_t other;

	if (place == s->circle)
		return round;
	other = (2 * (uint64_t)round + m - place) % m;
	return other == place ? s->circle : (uint32_t)other;
}

static uint32_t tournament(const struct schedule *s, uint32_t round, uint32_t node)
{
	const uint32_t meeting = s->kind == SCHEDULE_SAMPLE ? shuffle_at(&s->pick, round / 2) :
							      round / 2;
	const uint32_t other = circle_other(s, meeting, shuffle_place(&s->order, node));

	if (other >= s->n)
		return SCHEDULE_NONE;
	return directed(round, node, shuffle_at(&s->order, other));
}

static uint32_t bisection(const struct schedule *s, uint32_t round, uint32_t node)
{
	const uint32_t half = s->n / 2;

	if (node >= 2 * half)
		return SCHEDULE_NONE;
	return directed(round, node, node < half ? node + half : node - half);
}

/* Neighbours in an order of their own for each two rounds. */
static uint32_t matching(const struct schedule *s, uint32_t round, uint32_t node)
{
	const struct shuffle order = shuffle_stream(&s->order, round / 2);
	const uint32_t other = shuffle_place(&order, node) ^ 1;

	if (other >= s->n)
		return SCHEDULE_NONE;
	return directed(round, node, shuffle_at(&order, other));
}

/* ---- the others */

/* Which of all nodes but one is the i-th. */
static uint32_t without(uint32_t one, uint32_t i)
{
	return i < one ? i : i + 1;
}

static uint32_t one(const struct schedule *s, uint32_t round, uint32_t node)
{
	const uint32_t other = without(s->k, round % (s->n - 1));

	if (round < s->n - 1)
		return node == s->k ? other : SCHEDULE_NONE;
	return node == other ? s->k : SCHEDULE_NONE;
}

static uint32_t incast(const struct schedule *s, uint32_t round, uint32_t node)
{
	const uint32_t size = s->k + 1, groups = s->groups;
	const uint32_t place = shuffle_place(&s->order, node);
	const uint32_t group = place / size, member = place % size;
	uint32_t to;

	if (group >= groups)
		return SCHEDULE_NONE;
	if (round < size)
		return member == round ? SCHEDULE_NONE :
					 shuffle_at(&s->order, group * size + round);
	/* those that are in no group, as many at a time as there are groups */
	to = round * groups + group;
	return member == s->k || to >= s->n ? SCHEDULE_NONE : shuffle_at(&s->order, to);
}

static uint32_t serial(const struct schedule *s, uint32_t round, uint32_t node)
{
	const uint32_t from = round / (s->n - 1);

	return node == from ? without(from, round % (s->n - 1)) : SCHEDULE_NONE;
}

static uint32_t in_file(const struct schedule *s, uint32_t round, uint32_t node)
{
	const struct schedule_pair *pair = schedule_file_find(&s->file, round, node);

	return pair ? pair->to : SCHEDULE_NONE;
}

uint32_t schedule_target(const struct schedule *s, uint32_t round, uint32_t node)
{
	if (round >= schedule_rounds(s) || node >= s->n)
		return SCHEDULE_NONE;
	round = s->rails == RAILS_EACH ? round % s->rounds : round / s->ways;
	switch (s->kind) {
	case SCHEDULE_ALL:
	case SCHEDULE_SAMPLE:
		return tournament(s, round, node);
	case SCHEDULE_SHIFT:
		return (uint32_t)(((uint64_t)node + round + 1) % s->n);
	case SCHEDULE_ONE:
		return one(s, round, node);
	case SCHEDULE_INCAST:
		return incast(s, round, node);
	case SCHEDULE_BISECTION:
		return bisection(s, round, node);
	case SCHEDULE_RANDOM:
		return matching(s, round, node);
	case SCHEDULE_SERIAL:
		return serial(s, round, node);
	case SCHEDULE_FILE:
		return in_file(s, round, node);
	}
	return SCHEDULE_NONE;
}

struct schedule_rails schedule_rails(const struct schedule *s, uint32_t round, uint32_t node,
				     uint32_t lane)
{
	const uint32_t way = s->rails == RAILS_EACH ? round / s->rounds :
						      round % s->ways + lane;
	const struct schedule_pair *pair =
		s->file.rails ? schedule_file_find(&s->file, round, node) : NULL;

	if (pair)
		return (struct schedule_rails){ pair->from_rail, pair->to_rail };
	if (s->rails == RAILS_CROSS)
		return (struct schedule_rails){ way / s->n_rails, way % s->n_rails };
	return (struct schedule_rails){ way, way };
}

/* ---- opened, counted */

struct range {
	const char *of;
	uint32_t least, most;
};

static int check(const struct schedule_ask *ask, uint32_t circle)
{
	const struct range ranges[] = {
		[SCHEDULE_SAMPLE] = { "a sample of the rounds", 1, circle },
		[SCHEDULE_ONE] = { "the one node", 0, ask->n - 1 },
		[SCHEDULE_INCAST] = { "the senders of an incast", 1, ask->n - 1 },
		[SCHEDULE_RANDOM] = { "the number of random pairings", 1, SCHEDULE_K_MAX },
		[SCHEDULE_FILE] = { NULL, 0, 0 },
	};
	const struct range *r = &ranges[ask->kind];

	if (ask->n < 2 || ask->n > MESH_NODES_MAX)
		return err_set(-EINVAL, "a mesh of %u node%s; allowed: 2..%u", ask->n,
			       ask->n == 1 ? "" : "s", MESH_NODES_MAX);
	if (!r->of || (ask->k >= r->least && ask->k <= r->most))
		return 0;
	return err_set(-EINVAL, "%s is %u; allowed for %u nodes: %u..%u", r->of, ask->k, ask->n,
		       r->least, r->most);
}

/* Those for the nodes in groups, and those for the nodes in none. */
static uint32_t incast_rounds(const struct schedule *s)
{
	const uint32_t size = s->k + 1;

	return size + (s->n - s->groups * size + s->groups - 1) / s->groups;
}

/* With as many spare nodes as there can be. */
static uint32_t incast_groups(const struct schedule_ask *ask)
{
	const uint32_t size = ask->k + 1, left = ask->n - size;

	return (ask->n - (left < ask->spare ? left : ask->spare)) / size;
}

static void count(struct schedule *s)
{
	const uint32_t n = s->n, halves = n / 2;

	switch (s->kind) {
	case SCHEDULE_ALL:
	case SCHEDULE_SAMPLE:
	case SCHEDULE_RANDOM:
		s->rounds = 2 * (s->kind == SCHEDULE_ALL ? s->circle : s->k);
		s->pairs = (uint64_t)s->rounds * halves;
		break;
	case SCHEDULE_BISECTION:
		s->rounds = 2;
		s->pairs = 2 * (uint64_t)halves;
		break;
	case SCHEDULE_SHIFT:
		s->rounds = n - 1;
		s->pairs = (uint64_t)n * s->rounds;
		break;
	case SCHEDULE_ONE:
	case SCHEDULE_SERIAL:
		s->rounds = (s->kind == SCHEDULE_ONE ? 2 : n) * (n - 1);
		s->pairs = s->rounds;
		break;
	case SCHEDULE_INCAST:
		s->rounds = incast_rounds(s);
		s->pairs = (uint64_t)n * s->k;
		break;
	case SCHEDULE_FILE:
		s->rounds = s->file.rounds;
		s->pairs = s->file.n;
	}
}

/* SCHEDULE_NONE is no round. */
static int count_ways(struct schedule *s, const struct schedule_ask *ask)
{
	s->rails = s->file.rails ? RAILS_NONE : ask->rails;
	s->n_rails = s->rails ? ask->n_rails : 1;
	s->lanes = s->rails == RAILS_ALL ? s->n_rails : 1;
	s->ways = s->n_rails / s->lanes * (s->rails == RAILS_CROSS ? s->n_rails : 1);
	if ((uint64_t)s->rounds * s->ways < SCHEDULE_NONE)
		return 0;
	return err_set(-EINVAL, "%u rounds on %u rails are too many; allowed: %u rounds",
		       s->rounds, s->n_rails, SCHEDULE_NONE - 1);
}

int schedule_open(struct schedule **opened, const struct schedule_ask *ask)
{
	const struct schedule_file file = { ask->file, ask->n, ask->rails ? ask->n_rails : 1,
					    ask->names };
	const uint32_t circle = (ask->n - 1) | 1;
	struct schedule *s;
	int rc = check(ask, circle);

	*opened = NULL;
	if (rc)
		return rc;
	s = calloc(1, sizeof(*s));
	if (!s)
		return err_set(-ENOMEM, "no memory for the schedule of %u nodes", ask->n);
	*s = (struct schedule){ .kind = ask->kind, .n = ask->n, .k = ask->k, .circle = circle };
	if (s->kind == SCHEDULE_INCAST)
		s->groups = incast_groups(ask);
	s->order = shuffle_make(s->n, ask->seed);
	s->pick = shuffle_make(circle, ask->seed);
	s->pick = shuffle_stream(&s->pick, STREAM_PICK);
	if (s->kind == SCHEDULE_FILE)
		rc = schedule_file_read(&s->file, &file);
	if (!rc) {
		count(s);
		rc = count_ways(s, ask);
	}
	if (rc)
		schedule_close(s);
	else
		*opened = s;
	return rc;
}

void schedule_close(struct schedule *s)
{
	if (!s)
		return;
	schedule_file_free(&s->file);
	free(s);
}

uint32_t schedule_rounds(const struct schedule *s)
{
	return s->rounds * s->ways;
}

uint32_t schedule_nodes(const struct schedule *s)
{
	return s->n;
}

uint64_t schedule_pairs(const struct schedule *s)
{
	return s->pairs * s->ways * s->lanes;
}

uint32_t schedule_lanes(const struct schedule *s)
{
	return s->lanes;
}
