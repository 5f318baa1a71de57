/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns what a node that is low has with itself, to tell it from the network: from a device to the
 * same one, which passes no cable; with several rails from one to another, through the switch; and
 * where rails are low together only, from each to itself at the same time.
 */
#include "config.h"
#include "verdict/mesh_judged.h"

#include <math.h>

#include "judge/judge_loopback.h"
#include "util/log.h"
#include "util/text.h"

struct trial {
	struct mesh_judged *j;
	const struct judge_report *report;
	const struct judge_finding *found;
};

/* NAN: none, or the thread waited for a CPU. */
static double measure(const struct trial *t, uint32_t from, uint32_t to)
{
	struct judge_pair pair = { .from = from, .to = to, .value = NAN, .class = t->found->class };

	log_status("measuring %s again, with itself", t->j->names[from]);
	mesh_judged_alone(t->j, &pair, t->report, &(struct mesh_again){ JUDGE_PASSES, 0 });
	return pair.failed || pair.disturbed ? NAN : pair.value;
}

/* The first good node after it, the same rail; its own end: there is none. */
static uint32_t find_good(const struct trial *t)
{
	const struct mesh_judged *j = t->j;

	for (uint32_t i = j->rails; i < j->ends; i += j->rails) {
		const uint32_t end = (t->found->node + i) % j->ends;

		if (!mesh_judged_is_found(t->report, end) && !mesh_judged_is_gone(j, end))
			return end;
	}
	return t->found->node;
}

/* Without a cable, beside a good node. */
static void try_itself(const struct trial *t, char *text, size_t size)
{
	const int decimals = t->j->latency ? 2 : 4;
	const uint32_t own = t->found->node, good = find_good(t);
	struct judge_loopback loop = { .own = NAN, .good = NAN,
				       .lower_is_better = t->j->latency };

	if (good == own)
		return;
	loop.good = measure(t, good, good);
	for (uint32_t i = 0; i < JUDGE_PASSES && judge_loopback_wants(t->found, &loop); i++)
		judge_loopback_add(&loop, measure(t, own, own));
	if (isnan(loop.good) || isnan(loop.own))
		return;
	text_add(text, size, "; ", "to itself, without a cable: %.*f, %s %.*f: %s", decimals,
		 loop.own, t->j->names[good], decimals, loop.good,
		 judge_loopback_is_low(t->found, &loop) ? "so not the cable" : "so not the node");
}

/* Through the switch, in the direction that is low. */
static void try_rail(const struct trial *t, uint32_t rail, char *text, size_t size)
{
	const uint32_t end = t->found->node;
	const uint32_t other = end / t->j->rails * t->j->rails + rail;
	const bool receives = t->found->what == JUDGE_RECEIVES_LOW;
	const double value = measure(t, receives ? other : end, receives ? end : other);

	if (!isnan(value))
		text_add(text, size, "; ", "with its own %s: %.*f",
			 t->j->root->mesh->rails.names[rail], t->j->latency ? 2 : 4, value);
}

/* ---- all rails of a node at the same time */

/* The sum of all, of a latency the slowest one; NAN: one has none. */
static double measure_all(const struct mesh_judged *j, uint32_t node)
{
	struct mesh_root *r = j->root;
	const struct mesh_where where = { .round = MESH_ALONE, .attempt = JUDGE_PASSES,
					  .client = node, .server = node, .together = true };
	const size_t first = r->n_figures;
	double all = 0;
	uint32_t n = 0;

	log_status("measuring %s again, with itself", r->members[node].node.name);
	mesh_round_alone(r, &where, j->cell);
	for (size_t i = first; i < r->n_figures; i++) {
		const struct mesh_figure *f = &r->figures[i];

		if (f->size_bytes != j->size_bytes)
			continue;
		/* NAN stays NAN */
		all = j->latency && all > f->value ? all : j->latency ? f->value : all + f->value;
		n++;
	}
	return n == r->lanes ? all : NAN;
}

void mesh_loopback_together(struct mesh_judged *j, const struct judge_report *report,
			    const struct judge_finding *found, char *text, size_t size)
{
	const struct trial t = { j, report, found };
	const int decimals = j->latency ? 2 : 4;
	const uint32_t own = found->node / j->rails, good = find_good(&t) / j->rails;
	struct judge_loopback of_good = { .own = NAN, .lower_is_better = j->latency };
	struct judge_loopback loop = of_good;

	if (j->root->lanes == 1 || good == own || mesh_judged_is_gone(j, found->node))
		return;
	for (uint32_t i = 0; i < JUDGE_PASSES && !j->root->stopped; i++)
		judge_loopback_add(&of_good, measure_all(j, good));
	loop.good = of_good.own;
	for (uint32_t i = 0; i < JUDGE_PASSES && judge_loopback_wants(found, &loop); i++)
		judge_loopback_add(&loop, measure_all(j, own));
	if (isnan(loop.good) || isnan(loop.own))
		return;
	text_add(text, size, "; ", "all its rails with themselves: %.*f, %s %.*f: %s", decimals,
		 loop.own, j->root->members[good].node.name, decimals, loop.good,
		 judge_loopback_is_low(found, &loop) ? "so inside the node" : "so in the network");
}

void mesh_loopback_try(struct mesh_judged *j, const struct judge_report *report,
		       const struct judge_finding *found, char *text, size_t size)
{
	const struct trial t = { j, report, found };

	if (!found->n_alone || mesh_judged_is_gone(j, found->node))
		return;
	try_itself(&t, text, size);
	for (uint32_t rail = 0; rail < j->rails && !j->root->stopped; rail++)
		if (rail != found->node % j->rails)
			try_rail(&t, rail, text, size);
}
