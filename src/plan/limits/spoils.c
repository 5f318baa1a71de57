/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns when the machines will spoil a test, and what to do about it; see spoils.h. */
#include "config.h"
#include "limits/spoils.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/minmax.h"
#include "util/text.h"

/* A machine of the test: one, or one for each side. */
struct machine_of {
	const struct limits *limits;
	enum side side;
	bool both;          /* sides are on it */
	uint32_t polls;     /* threads of all its sides */
	uint32_t cpus;      /* that these may use; 0: unknown */
};

/* Of two sides with different sets of CPUs: at most the sum, for they may have some in common. */
static uint32_t cpus_of_both(const struct limits *a, const struct limits *b)
{
	if (!a->n_cpus || !b->n_cpus || !strcmp(a->cpus, b->cpus))
		return a->n_cpus;
	return min_u32(a->n_cpus + b->n_cpus, a->host_cpus ? a->host_cpus : UINT32_MAX);
}

static uint32_t find_machines(struct machine_of machines[SIDE_COUNT], const struct spoils_in *in)
{
	const struct limits *c = in->limits[SIDE_CLIENT], *s = in->limits[SIDE_SERVER];
	uint32_t n = 0;

	if (c && s && limits_one_host(c, s)) {
		machines[0] = (struct machine_of){
			.limits = c, .side = SIDE_CLIENT, .both = true,
			.polls = in->polls[SIDE_CLIENT] + in->polls[SIDE_SERVER],
			.cpus = cpus_of_both(c, s),
		};
		return 1;
	}
	for (enum side side = SIDE_CLIENT; side <= SIDE_SERVER; side++)
		if (in->limits[side])
			machines[n++] = (struct machine_of){
				.limits = in->limits[side], .side = side,
				.polls = in->polls[side], .cpus = in->limits[side]->n_cpus,
			};
	return n;
}

__attribute__((format(printf, 3, 4)))
static bool found(struct spoils *s, const char *remedy, const char *fmt, ...)
{
	va_list ap;

	s->remedy = remedy;
	va_start(ap, fmt);
	vsnprintf(s->text, sizeof(s->text), fmt, ap);
	va_end(ap);
	return true;
}

static bool has_few_cpus(const struct machine_of *m)
{
	return m->cpus && m->polls > m->cpus;
}

/* With few CPUs the load does not matter. */
static bool is_busy(const struct machine_of *m)
{
	const uint32_t load = m->limits->load, cpus = m->limits->host_cpus;

	return load && cpus && !has_few_cpus(m) &&
	       (m->polls ? load + m->polls > cpus : load >= cpus);
}

static bool find_kind(struct spoils *s, enum spoils_kind kind, const struct machine_of *m)
{
	const struct limits *l = m->limits;

	*s = (struct spoils){ .kind = kind, .side = m->side };
	if (kind == SPOILS_CPUS && has_few_cpus(m))
		return found(s, m->both ? "use -e, fewer --threads, another host" :
					  "use -e or fewer --threads",
			     "%u polling threads, %u CPU%s", m->polls, m->cpus, text_plural(m->cpus));
	if (kind == SPOILS_LOAD && is_busy(m) && m->polls)
		return found(s, "use -e, --pin, another host",
			     "%u program%s, %u polling thread%s, %u CPU%s", l->load,
			     text_plural(l->load), m->polls, text_plural(m->polls), l->host_cpus,
			     text_plural(l->host_cpus));
	if (kind == SPOILS_LOAD && is_busy(m))
		return found(s, "use --pin, another host",
			     "%u program%s, %u CPU%s", l->load, text_plural(l->load),
			     l->host_cpus, text_plural(l->host_cpus));
	if (kind == SPOILS_GOVERNOR && l->governor[0] && strcmp(l->governor, "performance"))
		return found(s, "cpupower frequency-set -g performance",
			     "governor %s", l->governor);
	return false;
}

uint32_t spoils_find(struct spoils found_all[SPOILS_MOST], const struct spoils_in *in)
{
	struct machine_of machines[SIDE_COUNT];
	const uint32_t n_machines = find_machines(machines, in);
	uint32_t n = 0;

	for (enum spoils_kind kind = 0; kind < SPOILS_KINDS; kind++)
		for (uint32_t i = 0; i < n_machines; i++)
			n += find_kind(&found_all[n], kind, &machines[i]);
	return n;
}
