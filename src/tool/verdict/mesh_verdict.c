/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the verdicts at the root: what is low in rounds is measured again, alone, and then named.
 *
 * A disturbance makes a figure worse, never better: what is good is good. What is low is disturbed
 * if it would be good without the time for which its threads waited for a CPU. That is measured
 * again as all that is low, and is no verdict if it is good then, or disturbed again.
 *
 * What was low and is good alone is measured again in its rounds, up to ROUNDS_MOST of these: it is
 * congestion if it is low there again. Pairs that are beyond PAIRS_MOST or ROUNDS_MOST are told.
 */
#include "config.h"
#include "verdict/mesh_judged.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "judge/judge_waits.h"
#include "util/log.h"
#include "util/must.h"
#include "util/text.h"

#define PAIRS_MOST 64u /* that are measured again in a pass */
#define ROUNDS_MOST 8u /* that are measured again at a time */
#define CONFIRMATIONS 2u
#define LINE 768

/* ---- again, alone */

/* False: none is measured any more. */
static bool measure_again(struct mesh_judged *j, struct judge_report *report,
			  const struct judge_ask *ask, uint32_t pass)
{
	struct mesh_root *r = j->root;
	struct judge_list list = { .n = 0 };
	bool any;

	judge_retests(&list, report, ask, r->mesh->ask.seed + pass);
	for (size_t i = 0; i < list.n && i < PAIRS_MOST && !r->stopped; i++) {
		struct judge_pair *pair = &list.rows[i];

		log_status("measuring again, alone: pair %zu of %zu", i + 1, list.n);
		mesh_judged_alone(j, pair, report, &(struct mesh_again){ pass + 1, 0 });
	}
	any = list.n && !r->stopped;
	judge_again(report, &list);
	judge_list_free(&list);
	return any;
}

/* ---- again, in rounds */

/* In which it was low; false: not known. */
static bool find_round(const struct mesh_judged *j, const struct judge_pair *suspect,
		       uint32_t *round)
{
	for (size_t i = 0; i < j->n; i++) {
		const struct judge_pair *p = &j->pairs[i];

		*round = j->rounds[i];
		if (p->from == suspect->from && p->to == suspect->to &&
		    (p->failed ? suspect->failed : fabs(p->value - suspect->value) <= 0))
			return true;
	}
	return false;
}

struct confirmer {
	struct mesh_judged *j;
	struct judge_report *report;
	struct judge_list suspects, measured;
};

/* Measures the round, and adds what its suspects had. */
static void repeat_round(struct confirmer *c, const struct mesh_where *where)
{
	struct mesh_root *r = c->j->root;
	struct judge_list *list = &c->measured;
	const size_t first = r->n_figures;
	uint32_t round;

	log_status("measuring round %u again", where->round + 1);
	mesh_round_again(r, where->round, where->attempt, c->j->cell);
	for (size_t i = 0; i < c->suspects.n; i++) {
		struct judge_pair pair = c->suspects.rows[i];

		if (!find_round(c->j, &pair, &round) || round != where->round)
			continue;
		pair.value = NAN;
		pair.failed = false;
		mesh_judged_take(c->j, &pair, c->report, first);
		list->rows = must_realloc(list->rows, list->n + 1, sizeof(*list->rows));
		list->rows[list->n++] = pair;
	}
}

/* Was it good in its round again? */
static bool was_good(const struct confirmer *c, const struct judge_pair *suspect)
{
	for (size_t i = 0; i < c->measured.n; i++) {
		const struct judge_pair *p = &c->measured.rows[i];
		const double limit = judge_limit(p, c->report);

		if (p->from == suspect->from && p->to == suspect->to && !p->failed &&
		    (c->j->latency ? p->value <= limit : p->value >= limit))
			return true;
	}
	return false;
}

static void confirm(struct mesh_judged *j, struct judge_report *report, const struct judge_ask *ask)
{
	struct confirmer c = { .j = j, .report = report };

	judge_suspects(&c.suspects, report, ask);
	for (uint32_t i = 0; i < CONFIRMATIONS; i++) {
		const uint32_t attempt = JUDGE_PASSES + 1 + i;
		uint32_t done[ROUNDS_MOST], n = 0, round, k;

		for (size_t s = 0; s < c.suspects.n && n < ROUNDS_MOST && !j->root->stopped; s++) {
			const struct judge_pair *suspect = &c.suspects.rows[s];

			if (was_good(&c, suspect) || !find_round(j, suspect, &round))
				continue;
			for (k = 0; k < n && done[k] != round; k++)
				;
			if (k < n)
				continue;
			done[n++] = round;
			repeat_round(&c, &(struct mesh_where){ .round = round,
							       .attempt = attempt });
		}
	}
	judge_confirm(report, &c.measured);
	judge_list_free(&c.suspects);
	judge_list_free(&c.measured);
}

/* ---- verdicts */

/* Was the figure in rounds disturbed, of a node half of them in that direction? */
static bool was_disturbed(const struct mesh_judged *j, const struct judge_finding *found)
{
	struct judge_waits w = { .value = found->value, .limit = found->limit,
				.latency = j->latency };

	for (size_t i = 0; i < j->n; i++) {
		const struct judge_pair *p = &j->pairs[i];

		if (judge_is_about(found, p, j->leaves.leaf))
			judge_waits_add(&w, p->value, j->lost[i]);
		/* of a node it may be luck, of the many pairs of a leaf it is not */
		else if (judge_is_of_leaf(found) && p->class == found->class)
			judge_waits_compare(&w, p->value, j->lost[i]);
	}
	return judge_waits_explain(&w);
}

/* A pair of many that are told in one line: which were not measured again. */
static bool is_one_of_many(const struct judge_finding *found)
{
	return found->peer != JUDGE_NO_PEER && judge_is_untested(found);
}

/* A node that is gone is told once, not for each of its rails. */
static bool is_gone_again(const struct mesh_judged *j, const struct judge_finding *found)
{
	return found->what == JUDGE_UNREACHABLE && !found->n_values && found->node % j->rails;
}

/* What is good alone, and was disturbed in rounds, says nothing of the network. */
static bool is_verdict(const struct mesh_judged *j, const struct judge_finding *found)
{
	return found->what != JUDGE_DISTURBED && found->what != JUDGE_CHANCE &&
	       found->what != JUDGE_WAYS_UNTRIED &&
	       !is_one_of_many(found) && !is_gone_again(j, found) &&
	       !(found->what == JUDGE_CONGESTION && was_disturbed(j, found));
}

/* Was it good alone, and not measured again in its round? */
static bool is_unconfirmed(const struct judge_finding *found)
{
	return found->peer != JUDGE_NO_PEER && found->what == JUDGE_CHANCE && !found->n_confirmed;
}

static bool is_untried(const struct judge_finding *found)
{
	return found->what == JUDGE_WAYS_UNTRIED;
}

/* Pairs of which more could have been known. */
static const struct unsure {
	bool (*is)(const struct judge_finding *found);
	const char *why;
	bool verdict;
} unsure[] = {
	{ is_one_of_many, "not tested again", true },
	{ is_unconfirmed, "good alone, not tested again in their rounds", false },
	{ is_untried, "low in rounds, perhaps by the same path", false },
};

static void tell_unsure(struct mesh_judged *j, const struct judge_report *report,
			const struct judge_words *words, const struct unsure *kind)
{
	struct judge_many many = {
		.pairs = must_calloc(report->n_findings, sizeof(*many.pairs)),
		.why = kind->why,
	};
	char line[LINE];

	for (size_t i = 0; i < report->n_findings; i++) {
		const struct judge_finding *f = &report->findings[i];

		if (kind->is(f) && !mesh_judged_is_gone(j, f->node) &&
		    !mesh_judged_is_gone(j, f->peer) && !was_disturbed(j, f))
			many.pairs[many.n++] = f;
	}
	if (many.n) {
		judge_text_many(&many, words, line, sizeof(line));
		if (kind->verdict)
			mesh_rows_verdict(j->root, j->cell, j->size_bytes, line);
		else
			log_note("%s", line);
	}
	free(many.pairs);
}

/* While it was judged. */
static void tell_gone(struct mesh_judged *j)
{
	for (uint32_t i = 0; i < j->ends; i += j->rails) {
		char line[LINE];

		if (j->gone[i] || !mesh_judged_is_gone(j, i))
			continue;
		snprintf(line, sizeof(line), "%s: %s",
			 j->root->members[i / j->rails].node.name, judge_word(JUDGE_UNREACHABLE));
		mesh_rows_verdict(j->root, j->cell, j->size_bytes, line);
	}
}

/* Of a node: what it has with itself, what it counted. */
static void tell_more(struct mesh_judged *j, const struct judge_report *report,
		      const struct judge_finding *found, char *line, size_t size)
{
	mesh_loopback_try(j, report, found, line, size);
	mesh_counters_tell(j->root, &(struct mesh_counters_of){
		.node = found->node / j->rails, .rail = found->node % j->rails, .cell = j->cell,
		.size_bytes = j->size_bytes }, line, size);
}

static void tell(struct mesh_judged *j, const struct judge_report *report)
{
	struct mesh_root *r = j->root;
	const struct judge_words words = {
		.names = (const char *const *)j->names, .unit = j->latency ? "us" : "Gbit/s",
		.decimals = j->latency ? 2 : 4, .lower_is_better = j->latency,
		.leaves = j->leaves.names, .rails = j->rails,
		.devices = j->root->mesh->rails.names,
	};

	for (size_t i = 0; i < report->n_findings; i++) {
		struct judge_finding *found = &report->findings[i];
		char line[LINE], rails[MESH_CABLING_TEXT];

		if (!is_verdict(j, found))
			continue;
		mesh_cabling_try(j, report, found, rails);
		judge_text(found, &words, line, sizeof(line));
		if (found->what == JUDGE_SENDS_LOW || found->what == JUDGE_RECEIVES_LOW ||
		    found->what == JUDGE_NODE_LOW)
			tell_more(j, report, found, line, sizeof(line));
		else if (found->what == JUDGE_CONGESTION && found->peer == JUDGE_NO_PEER &&
			 !judge_is_of_leaf(found))
			mesh_loopback_together(j, report, found, line, sizeof(line));
		text_add(line, sizeof(line), *rails ? "; " : "", "%s", rails);
		mesh_rows_verdict(r, j->cell, j->size_bytes, line);
	}
	mesh_paths_tell(j, report);
	for (size_t i = 0; i < sizeof(unsure) / sizeof(unsure[0]); i++)
		tell_unsure(j, report, &words, &unsure[i]);
}

void mesh_verdict(struct mesh_root *r, uint32_t cell, uint64_t size_bytes, bool latency)
{
	struct mesh_judged j = { .root = r, .cell = cell, .size_bytes = size_bytes,
				 .latency = latency };
	struct judge_report report = { .n_findings = 0 };
	struct judge_ask ask;

	mesh_judged_collect(&j);
	mesh_cabling_mark(&j);
	ask = (struct judge_ask){ .pairs = j.pairs, .n = j.n, .nodes = j.ends, .gone = j.gone,
				  .lower_is_better = latency,
				  .leaf = j.leaves.leaf, .leaves = j.leaves.n };
	judge(&report, &ask);
	for (uint32_t pass = 0; pass < JUDGE_PASSES && report.n_findings; pass++)
		if (!measure_again(&j, &report, &ask, pass))
			break;
	mesh_paths_try(&j, &report);
	confirm(&j, &report, &ask);
	tell(&j, &report);
	tell_gone(&j);
	judge_free(&report);
	mesh_judged_drop(&j);
}
