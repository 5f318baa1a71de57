/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Verdicts in words. */
#include "config.h"
#include "judge/judge.h"

#include <math.h>
#include <stdbool.h>

#include "util/text.h"

#define NAMED 10u /* pairs of a line for many */

/* How a verdict begins. */
static const struct {
	const char *head;
	bool low;              /* "low" or "high" follows */
	bool beside_median;    /* say the median and the limit */
} kinds[] = {
	[JUDGE_SENDS_LOW] = { "NIC or cable: what it sends is", true, true },
	[JUDGE_RECEIVES_LOW] = { "NIC or cable: what it receives is", true, true },
	[JUDGE_NODE_LOW] = { "NIC or cable: what it sends and receives is", true, true },
	[JUDGE_LEAF_SENDS_LOW] = { "leaf: what it sends to other leaves is", true, true },
	[JUDGE_LEAF_RECEIVES_LOW] = { "leaf: what it receives from other leaves is", true, true },
	[JUDGE_LEAF_LOW] = { "leaf: what it sends to other leaves and receives from them is", true,
			     true },
	[JUDGE_PAIR_LOW] = { "path", false, true },
	[JUDGE_UNREACHABLE] = { "unreachable", false, false },
	[JUDGE_PAIR_FAILED] = { "failed", false, false },
	[JUDGE_ALL_LOW] = { "the median is", true, false },
	[JUDGE_CONGESTION] = { "congestion", false, false },
	[JUDGE_CHANCE] = { "chance", false, false },
	[JUDGE_DISTURBED] = { "disturbed", false, false },
	[JUDGE_WAYS_LOW] = { "path", false, true },
	[JUDGE_MISCABLED] = { "mis-cabled rail", false, true },
};

/* What was judged, where the verdict itself does not say it. */
static const char *const directions[] = {
	[JUDGE_SENDS_LOW] = "sends",
	[JUDGE_RECEIVES_LOW] = "receives",
	[JUDGE_NODE_LOW] = "sends and receives",
	[JUDGE_LEAF_SENDS_LOW] = "sends to other leaves",
	[JUDGE_LEAF_RECEIVES_LOW] = "receives from other leaves",
	[JUDGE_LEAF_LOW] = "sends to other leaves and receives from them",
	[JUDGE_ALL_LOW] = NULL,
};

struct writer {
	const struct judge_finding *f;
	const struct judge_words *words;
	char *out;
	size_t size;
	bool has_unit, has_facts;
};

/* The unit stands once. */
static void add_value(struct writer *w, const char *before, double value, const char *after)
{
	const char *between = w->has_facts ? ", " : ": ";

	if (isnan(value))
		text_add(w->out, w->size, between, "%s%s%s", before,
			 w->f->peer == JUDGE_NO_PEER ? "most pairs fail" : "no figure", after);
	else
		text_add(w->out, w->size, between, "%s%.*f%s%s%s", before, w->words->decimals,
			 value, w->has_unit ? "" : " ", w->has_unit ? "" : w->words->unit, after);
	w->has_unit |= !isnan(value);
	w->has_facts = true;
}

/* Those of one class with several rails. */
static void add_rails(struct writer *w)
{
	const uint32_t rails = w->words->rails;
	const char (*devices)[ROW_NAME] = w->words->devices;
	const uint32_t from = w->f->class / rails % rails, to = w->f->class % rails;

	if (from == to)
		text_add(w->out, w->size, " ", "of %s", devices[from]);
	else
		text_add(w->out, w->size, " ", "of %s>%s", devices[from], devices[to]);
}

/* Those that one median is of. */
static void add_class(struct writer *w, const char *separator, const char *before)
{
	const uint32_t rails = w->words->rails > 1 ? w->words->rails : 1;
	const uint32_t hops = w->f->class / (rails * rails);

	if (!w->words->leaves)
		text_add(w->out, w->size, separator, "%sall pairs", before);
	else if (!hops)
		text_add(w->out, w->size, separator, "%spairs of unknown leaves", before);
	else if (hops == 1)
		text_add(w->out, w->size, separator, "%spairs of one leaf", before);
	else
		text_add(w->out, w->size, separator, "%spairs over %u switches", before, hops);
	if (rails > 1)
		add_rails(w);
}

static void add_head(struct writer *w)
{
	const struct judge_finding *f = w->f;
	const bool settled = f->what == JUDGE_CONGESTION || f->what == JUDGE_CHANCE ||
			     f->what == JUDGE_DISTURBED;
	const char *low = w->words->lower_is_better ? " high" : " low";
	const size_t direction = settled && f->peer == JUDGE_NO_PEER ? f->was : JUDGE_ALL_LOW;

	if (f->what == JUDGE_ALL_LOW)
		add_class(w, "", "");
	else if (f->peer == JUDGE_NO_PEER && judge_is_of_leaf(f))
		text_add(w->out, w->size, "", "%s", w->words->leaves[f->node]);
	else if (f->peer == JUDGE_NO_PEER)
		text_add(w->out, w->size, "", "%s", w->words->names[f->node]);
	else
		text_add(w->out, w->size, "", "%s>%s", w->words->names[f->node],
			 w->words->names[f->peer]);
	text_add(w->out, w->size, ": ", "%s%s", kinds[f->what].head, kinds[f->what].low ? low : "");
	if (directions[direction])
		text_add(w->out, w->size, ", ", "what it %s", directions[direction]);
}

/* What a pair of a node that was low had in rounds is not known. */
static bool knows_rounds(const struct judge_finding *f)
{
	return f->peer == JUDGE_NO_PEER || f->was == JUDGE_PAIR_LOW || f->was == JUDGE_PAIR_FAILED;
}

static void add_median(struct writer *w)
{
	char before[64] = "";
	struct writer head = { .f = w->f, .words = w->words, .out = before,
			       .size = sizeof(before) };

	add_class(&head, "", "the median of ");
	text_add(before, sizeof(before), " ", "is ");
	add_value(w, before, w->f->median, "");
}

/* "with flow label 3", "with flow labels 1,4": a list as --flow-label has it */
static void add_labels(struct writer *w, uint32_t labels)
{
	const bool one = !(labels & (labels - 1));
	bool any = false;

	text_add(w->out, w->size, " ", "with flow label%s", one ? "" : "s");
	for (uint32_t i = 0; labels; i++, labels >>= 1) {
		if (labels & 1)
			text_add(w->out, w->size, any ? "," : " ", "%u", i + 1);
		any |= labels & 1;
	}
}

/* Alone: by flow label, if that makes a difference. */
static void add_alone(struct writer *w)
{
	const struct judge_finding *f = w->f;

	if (f->what == JUDGE_WAYS_LOW) {
		add_value(w, "", f->alone, "");
		add_labels(w, f->low_labels);
		add_value(w, "", f->other, "");
		add_labels(w, f->good_labels);
	} else if (f->n_alone) {
		add_value(w, "", f->alone, " alone");
		if (f->low_labels && f->peer != JUDGE_NO_PEER)
			text_add(w->out, w->size, " ", "with any flow label");
	}
}

static void add_facts(struct writer *w)
{
	const struct judge_finding *f = w->f;
	const bool again = f->n_alone || f->what == JUDGE_DISTURBED;

	add_alone(w);
	if (knows_rounds(f))
		add_value(w, "", f->value, again ? " in rounds" : "");
	if (f->what == JUDGE_DISTURBED)
		text_add(w->out, w->size, ", ", "not judged alone");
	if (judge_is_untested(f))
		text_add(w->out, w->size, ", ", "not tested again");
	if (f->peer == JUDGE_NO_PEER && !isnan(f->other))
		add_value(w, "", f->other, " in the other direction");
	if (kinds[f->what].beside_median && !isnan(f->median))
		add_median(w);
	if ((kinds[f->what].beside_median || f->what == JUDGE_ALL_LOW) && !isnan(f->limit))
		add_value(w, "the limit is ", f->limit, "");
}

const char *judge_word(enum judge_what what)
{
	return kinds[what].head;
}

const char *judge_text(const struct judge_finding *f, const struct judge_words *words, char *out,
		       size_t size)
{
	struct writer w = { .f = f, .words = words, .out = out, .size = size };

	out[0] = '\0';
	add_head(&w);
	if (f->peer != JUDGE_NO_PEER || f->n_values)
		add_facts(&w);
	return out;
}

const char *judge_text_many(const struct judge_many *many, const struct judge_words *words,
			    char *out, size_t size)
{
	const size_t n = many->n;

	out[0] = '\0';
	text_add(out, size, "", "%zu pair%s: %s", n, text_plural(n), many->why);
	for (size_t i = 0; i < n && i < NAMED; i++) {
		const struct judge_finding *f = many->pairs[i];

		text_add(out, size, i ? ", " : ": ", "%s>%s ", words->names[f->node],
			 words->names[f->peer]);
		if (isnan(f->value))
			text_add(out, size, "", "failed");
		else
			text_add(out, size, "", "%.*f %s", words->decimals, f->value, words->unit);
	}
	if (n > NAMED)
		text_add(out, size, " ", "and %zu more", n - NAMED);
	return out;
}
