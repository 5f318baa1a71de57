/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The figures that are judged, and the leaves of their ends. */
#include "config.h"
#include "verdict/mesh_judged.h"

#include <stdlib.h>

#include "judge/judge_waits.h"
#include "util/log.h"
#include "util/must.h"
#include "wiring/wiring.h"

/* ---- leaves */

/* Says once of which ends it does not know them. Without --rails rows say the devices. */
static void find_leaves(struct mesh_leaves *l, struct mesh_root *r)
{
	const struct wiring *w = r->mesh->wiring;
	const struct mesh_rails *rails = &r->mesh->rails;

	*l = (struct mesh_leaves){ .wiring = w };
	if (!w)
		return;
	l->n = wiring_switches(w);
	l->leaf = must_calloc((size_t)r->n * rails->n, sizeof(*l->leaf));
	l->names = must_calloc(l->n, sizeof(*l->names));
	l->hops = must_calloc(l->n, sizeof(*l->hops));
	for (uint32_t i = 0; i < l->n; i++)
		l->names[i] = wiring_name(w, i);
	for (uint32_t i = 0; i < r->n * rails->n; i++) {
		const struct mesh_member *m = &r->members[i / rails->n];
		const char *rail = rails->names[i % rails->n];

		l->leaf[i] = wiring_leaf(w, m->node.name, *rail ? rail : m->device);
		if (l->leaf[i] == WIRING_NONE && m->state != MESH_GONE && !r->told_leaves)
			log_note("%s%s%s: %s does not say on which one switch it is: its pairs are judged apart",
				 m->node.name, *rail ? " " : "", rail, r->mesh->cfg.wiring);
	}
	r->told_leaves = true;
}

/* The switches between two ends; 0: not known. */
static uint32_t class_of(const struct mesh_leaves *l, uint32_t a, uint32_t b)
{
	uint32_t **hops;

	if (!l->wiring || l->leaf[a] == WIRING_NONE || l->leaf[b] == WIRING_NONE)
		return 0;
	hops = &l->hops[l->leaf[a]];
	if (!*hops) {
		*hops = must_calloc(l->n, sizeof(**hops));
		wiring_hops(l->wiring, l->leaf[a], *hops);
	}
	return (*hops)[l->leaf[b]];
}

static void drop_leaves(struct mesh_leaves *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		free(l->hops[i]);
	free(l->hops);
	free(l->names);
	free(l->leaf);
}

/* ---- figures */

static bool is_of(const struct mesh_judged *j, const struct mesh_figure *f)
{
	return f->cell == j->cell && f->size_bytes == j->size_bytes && !f->total;
}

/* The class says the rails of both ends, too. */
static struct judge_pair pair_of(struct mesh_judged *j, const struct mesh_figure *f)
{
	const struct mesh_where *w = &f->where;
	const uint32_t client = w->client * j->rails + w->rails.from;
	const uint32_t server = w->server * j->rails + w->rails.to;
	struct judge_pair pair = {
		.from = j->to_client ? server : client, .to = j->to_client ? client : server,
		.value = f->value, .failed = f->failed, .limit = f->limit,
	};

	pair.class = (class_of(&j->leaves, pair.from, pair.to) * j->rails +
		      pair.from % j->rails) * j->rails + pair.to % j->rails;
	return pair;
}

static void describe(struct mesh_judged *j, uint32_t end)
{
	const struct mesh_member *m = &j->root->members[end / j->rails];

	j->gone[end] = m->state == MESH_GONE;
	must_appendf(&j->names[end], "%s", m->node.name);
	if (j->rails > 1 && !j->gone[end])
		must_appendf(&j->names[end], " %s", j->root->mesh->rails.names[end % j->rails]);
}

void mesh_judged_collect(struct mesh_judged *j)
{
	struct mesh_root *r = j->root;

	j->rails = r->mesh->rails.n;
	j->ends = r->n * j->rails;
	j->pairs = must_calloc(r->n_figures, sizeof(*j->pairs));
	j->lost = must_calloc(r->n_figures, sizeof(*j->lost));
	j->rounds = must_calloc(r->n_figures, sizeof(*j->rounds));
	j->gone = must_calloc(j->ends, sizeof(*j->gone));
	j->names = must_calloc(j->ends, sizeof(*j->names));
	for (uint32_t end = 0; end < j->ends; end++)
		describe(j, end);
	find_leaves(&j->leaves, r);
	/* a row that failed does not say it */
	for (size_t i = 0; i < r->n_figures; i++) {
		j->to_client |= is_of(j, &r->figures[i]) && r->figures[i].to_client;
		j->labelled |= is_of(j, &r->figures[i]) && r->figures[i].labelled;
	}
	for (size_t i = 0; i < r->n_figures; i++) {
		const struct mesh_figure *f = &r->figures[i];

		if (f->where.attempt || !is_of(j, f))
			continue;
		j->lost[j->n] = f->lost;
		j->rounds[j->n] = f->where.round;
		j->pairs[j->n++] = pair_of(j, f);
	}
}

void mesh_judged_drop(struct mesh_judged *j)
{
	free(j->pairs);
	free(j->lost);
	free(j->rounds);
	drop_leaves(&j->leaves);
	free(j->gone);
	for (uint32_t end = 0; end < j->ends; end++)
		free(j->names[end]);
	free(j->names);
}

/* ---- again */

bool mesh_judged_is_gone(const struct mesh_judged *j, uint32_t end)
{
	return j->root->members[end / j->rails].state == MESH_GONE;
}

bool mesh_judged_is_found(const struct judge_report *report, uint32_t end)
{
	for (size_t i = 0; i < report->n_findings; i++) {
		const struct judge_finding *f = &report->findings[i];

		if (f->peer == JUDGE_NO_PEER && !judge_is_of_leaf(f) && f->was != JUDGE_ALL_LOW &&
		    f->node == end)
			return true;
	}
	return false;
}

void mesh_judged_take(struct mesh_judged *j, struct judge_pair *pair,
		      const struct judge_report *report, size_t first)
{
	const struct mesh_root *r = j->root;

	for (size_t i = first; i < r->n_figures; i++) {
		const struct mesh_figure *f = &r->figures[i];
		const struct judge_pair measured = pair_of(j, f);

		/* of one that died meanwhile no pair says anything */
		if (!is_of(j, f) || measured.from != pair->from || measured.to != pair->to ||
		    mesh_judged_is_gone(j, pair->from) || mesh_judged_is_gone(j, pair->to))
			continue;
		pair->value = f->value;
		pair->failed = f->failed;
		/* a pair that failed before had none */
		if (f->limit > 0)
			pair->limit = f->limit;
		pair->disturbed = judge_waits_disturb(&(struct judge_waits){
			.limit = judge_limit(pair, report), .latency = j->latency },
			f->value, f->lost);
	}
}

void mesh_judged_alone(struct mesh_judged *j, struct judge_pair *pair,
		       const struct judge_report *report, const struct mesh_again *how)
{
	const uint32_t client = j->to_client ? pair->to : pair->from;
	const uint32_t server = j->to_client ? pair->from : pair->to;
	const struct mesh_where where = {
		.round = MESH_ALONE, .attempt = how->attempt, .client = client / j->rails,
		.server = server / j->rails,
		.rails = { client % j->rails, server % j->rails }, .flow_label = how->flow_label,
	};
	const size_t first = j->root->n_figures;

	mesh_round_alone(j->root, &where, j->cell);
	mesh_judged_take(j, pair, report, first);
}
