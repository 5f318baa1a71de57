/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the verdicts at the root: what is low in rounds is measured again, alone, and then named.
 *
 * A disturbance makes a figure worse, never better: what is good is good. What is low is disturbed
 * if it would be good without the time for which its threads waited for a CPU. That is measured
 * again as all that is low, and is no verdict if it is good then, or disturbed again.
 */
#include "config.h"
#include "mesh/mesh_root.h"

#include <math.h>
#include <stdlib.h>

#include "judge/judge.h"
#include "util/log.h"
#include "util/must.h"

#define PAIRS_MOST 64u /* that are measured again in a pass */
#define LINE 512

/* The figures of one cell and size. */
struct judged {
	struct mesh_root *root;
	uint32_t cell;
	uint64_t size_bytes;
	bool latency;
	bool to_client;             /* the client of a pair receives: reads, --reverse */
	struct judge_pair *pairs;   /* n of them; owned */
	double *lost;               /* of the figures of pairs; owned */
	size_t n;
	bool *gone;                 /* by node; owned */
	const char **names;         /* by node; owned */
};

static bool is_of(const struct judged *j, const struct mesh_figure *f)
{
	return f->cell == j->cell && f->size_bytes == j->size_bytes;
}

/* From the sender to the receiver. */
static void collect(struct judged *j)
{
	struct mesh_root *r = j->root;

	j->pairs = must_calloc(r->n_figures, sizeof(*j->pairs));
	j->lost = must_calloc(r->n_figures, sizeof(*j->lost));
	j->gone = must_calloc(r->n, sizeof(*j->gone));
	j->names = must_calloc(r->n, sizeof(*j->names));
	for (uint32_t i = 0; i < r->n; i++) {
		j->gone[i] = r->members[i].state == MESH_GONE;
		j->names[i] = r->members[i].node.name;
	}
	/* a row that failed does not say it */
	for (size_t i = 0; i < r->n_figures; i++)
		j->to_client |= is_of(j, &r->figures[i]) && r->figures[i].to_client;
	for (size_t i = 0; i < r->n_figures; i++) {
		const struct mesh_figure *f = &r->figures[i];

		if (f->where.attempt || !is_of(j, f))
			continue;
		j->lost[j->n] = f->lost;
		j->pairs[j->n++] = (struct judge_pair){
			.from = j->to_client ? f->where.server : f->where.client,
			.to = j->to_client ? f->where.client : f->where.server,
			.value = f->value, .failed = f->failed,
		};
	}
}

static void drop(struct judged *j)
{
	free(j->pairs);
	free(j->lost);
	free(j->gone);
	free(j->names);
}

/* ---- again, alone */

/* lost: the share of the time for which a thread waited for a CPU. NAN is never disturbed. */
static bool is_disturbed(const struct judged *j, double value, double lost, double limit)
{
	return j->latency ? value > limit && value * (1 - lost) <= limit :
			    value < limit && value >= limit * (1 - lost);
}

static void take_figure(const struct judged *j, struct judge_pair *pair, double limit,
			size_t first)
{
	const struct mesh_root *r = j->root;

	for (size_t i = first; i < r->n_figures; i++) {
		const struct mesh_figure *f = &r->figures[i];

		if (!is_of(j, f))
			continue;
		pair->value = f->value;
		pair->failed = f->failed;
		pair->disturbed = is_disturbed(j, f->value, f->lost, limit);
	}
}

/* False: none is measured any more. */
static bool measure_again(const struct judged *j, struct judge_report *report,
			  const struct judge_ask *ask, uint32_t pass)
{
	struct mesh_root *r = j->root;
	struct judge_list list = { .n = 0 };
	bool any;

	judge_retests(&list, report, ask, r->mesh->ask.seed + pass);
	for (size_t i = 0; i < list.n && i < PAIRS_MOST && !r->stopped; i++) {
		struct judge_pair *pair = &list.rows[i];
		const struct mesh_where where = {
			.round = MESH_ALONE, .attempt = pass + 1,
			.client = j->to_client ? pair->to : pair->from,
			.server = j->to_client ? pair->from : pair->to,
		};
		const size_t first = r->n_figures;

		log_status("measuring again, alone: pair %zu of %zu", i + 1, list.n);
		mesh_round_alone(r, &where, j->cell);
		take_figure(j, pair, report->classes[pair->class].limit, first);
	}
	any = list.n && !r->stopped;
	judge_again(report, &list);
	judge_list_free(&list);
	return any;
}

/* ---- verdicts */

/* Is the finding about this pair? */
static bool is_about(const struct judge_finding *found, const struct judge_pair *pair)
{
	if (found->peer != JUDGE_NO_PEER)
		return pair->from == found->node && pair->to == found->peer;
	return (pair->from == found->node && found->was != JUDGE_RECEIVES_LOW) ||
	       (pair->to == found->node && found->was != JUDGE_SENDS_LOW);
}

/* Was the figure in rounds disturbed, of a node half of them in that direction? */
static bool was_disturbed(const struct judged *j, const struct judge_finding *found)
{
	size_t n = 0, disturbed = 0;

	for (size_t i = 0; i < j->n; i++) {
		if (!is_about(found, &j->pairs[i]))
			continue;
		n++;
		disturbed += is_disturbed(j, j->pairs[i].value, j->lost[i], found->limit);
	}
	return disturbed * 2 >= n;
}

/* What is good alone, and was disturbed in rounds, says nothing of the network. */
static bool is_verdict(const struct judged *j, const struct judge_finding *found)
{
	return found->what != JUDGE_DISTURBED &&
	       !(found->what == JUDGE_CONGESTION && was_disturbed(j, found));
}

static void tell(struct judged *j, const struct judge_report *report)
{
	struct mesh_root *r = j->root;
	const struct judge_words words = {
		.names = j->names, .unit = j->latency ? "us" : "Gbit/s",
		.decimals = j->latency ? 2 : 4, .lower_is_better = j->latency,
	};

	for (size_t i = 0; i < report->n_findings; i++) {
		const struct judge_finding *found = &report->findings[i];
		char line[LINE];

		if (!is_verdict(j, found))
			continue;
		judge_text(found, &words, line, sizeof(line));
		mesh_rows_verdict(r, j->cell, j->size_bytes, line);
	}
}

void mesh_verdict(struct mesh_root *r, uint32_t cell, uint64_t size_bytes, bool latency)
{
	struct judged j = { .root = r, .cell = cell, .size_bytes = size_bytes, .latency = latency };
	struct judge_report report = { .n_findings = 0 };
	struct judge_ask ask;

	collect(&j);
	ask = (struct judge_ask){ .pairs = j.pairs, .n = j.n, .nodes = r->n, .gone = j.gone,
				  .lower_is_better = latency, .limit = NAN };
	judge(&report, &ask);
	for (uint32_t pass = 0; pass < JUDGE_PASSES && report.n_findings; pass++)
		if (!measure_again(&j, &report, &ask, pass))
			break;
	tell(&j, &report);
	judge_free(&report);
	drop(&j);
}
