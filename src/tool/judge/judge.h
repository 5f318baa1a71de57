/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What the figures of many pairs say: which node, which pair is low. Nothing here opens, measures
 * or prints; no memory ends the program (util/must.h).
 *
 * Per class m is the median, s = max(1.4826 MAD, 1 % of m); a value is low below m - 4 s, or beyond
 * the limit of its pair; with fewer than JUDGE_CLASS_MIN values only the latter. If the lower
 * value is the better one all this is mirrored, and "low" means high. A node sends low, or receives
 * low, if the median of its row is low: its values in this direction with others that are not bad
 * themselves; the worst row is judged first. Pairs are judged where neither end is such a node;
 * those that failed also where neither the sender sends low nor the receiver receives low. A failed
 * pair is lower than any value. What is disturbed is not judged.
 *
 * One class whose figures have two levels without a fault, such as pairs of two leaves with a
 * narrow uplink, is beyond this: with two halves MAD is wide, and little is low; a smaller part is
 * low, alone, too, and the nodes of a small leaf are named. Give each level a class of its own.
 *
 * If leaves are known, they are judged before nodes: by what their good nodes have with other
 * leaves. The reference are the better half of the leaves and one more, among each other; so bad
 * ones may be in most of the pairs, but of two leaves neither is. What a low leaf explains is no
 * figure of a class, a node or a pair.
 *
 *	judge(&report, &ask);
 *	for (pass = 0; pass < JUDGE_PASSES; pass++) {
 *		judge_retests(&list, &report, &ask, seed + pass);
 *		... measure each of list.rows alone, with new QPs; write value, disturbed, failed
 *		judge_again(&report, &list);
 *		judge_list_free(&list);
 *	}
 *
 * What is good alone once is not measured again: so a fault was low JUDGE_PASSES times more.
 */
#ifndef JUDGE_H
#define JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "row/row.h"

#define JUDGE_CLASS_MIN 5u  /* values of a class that have a spread */
#define JUDGE_ROW_MIN 3u    /* values of a row that have a median */
#define JUDGE_PARTNERS 3u   /* with which a node is measured again, in each direction that is low */
#define JUDGE_PASSES 3u
#define JUDGE_NO_PEER UINT32_MAX
#define JUDGE_NO_LEAF UINT32_MAX
#define JUDGE_LEAF_NODES 4u /* of a leaf that is judged: each has a row in its leaf */

/* One directed pair. It may stand more than once; its worst value is named. */
struct judge_pair {
	uint32_t from, to;    /* below nodes, not equal */
	double value;         /* above 0; NAN: none; without failed: it was not measured */
	double limit;         /* that the caller expects; 0: none */
	uint32_t class;       /* small numbers: hops, or 0 */
	bool disturbed;       /* the row has a warning */
	bool failed;
};

struct judge_ask {
	const struct judge_pair *pairs; /* n of them */
	size_t n;
	uint32_t nodes;
	const bool *gone;               /* by node: it died or never came; NULL: none */
	bool lower_is_better;           /* latency */
	const uint32_t *leaf;           /* by node: below leaves, or none; NULL: not known */
	uint32_t leaves;
};

enum judge_what {
	JUDGE_SENDS_LOW,     /* NIC or cable: what the node sends */
	JUDGE_RECEIVES_LOW,  /* what it receives */
	JUDGE_NODE_LOW,      /* both */
	JUDGE_PAIR_LOW,      /* path: one directed pair, between good ends */
	/* the same of a leaf: what its nodes send to other leaves, and receive from them */
	JUDGE_LEAF_SENDS_LOW,
	JUDGE_LEAF_RECEIVES_LOW,
	JUDGE_LEAF_LOW,
	JUDGE_UNREACHABLE,   /* a node: it is gone, or most of a row of it failed */
	JUDGE_PAIR_FAILED,   /* a pair without figure, both nodes alive */
	/*
	 * More than two thirds of a class are beyond the limits of the caller: more than one bad
	 * node of three would make. That is said once: single nodes and pairs of it are low then
	 * only by what the others have. Not measured again.
	 */
	JUDGE_ALL_LOW,
	/* by judge_again() only: */
	JUDGE_CONGESTION,    /* good alone; low, or failed, in rounds */
	JUDGE_CHANCE,        /* the same, once, or of fewer than JUDGE_ROW_MIN: no verdict */
	JUDGE_DISTURBED,     /* low in rounds; alone all was disturbed */
	/* by judge_paths_conclude(): a pair that is low on some of several ways */
	JUDGE_WAYS_LOW,
	/* by the caller only: */
	JUDGE_WAYS_UNTRIED,  /* a pair that may be low for the same cause as others */
	JUDGE_MISCABLED      /* a node that is a rail: good with another rail of other nodes */
};

struct judge_finding {
	enum judge_what what;
	enum judge_what was;   /* what judge() has found; says the direction of JUDGE_CONGESTION */
	uint32_t node;         /* the sender of a pair; a leaf; the class of JUDGE_ALL_LOW */
	uint32_t peer;         /* the receiver of a pair; JUDGE_NO_PEER */
	double value;          /* in rounds; of a node the median of its row; NAN: it failed */
	double median, limit;  /* of the class of this value; NAN: none */
	uint32_t class;
	uint32_t n_low;        /* of these: low, or failed */
	uint32_t only_from, only_to, passes; /* which pair was the only low one alone, how often */
	uint32_t n_values;     /* of the row, with those that failed; of a pair 1; 0: it is gone */
	/* of judge_again(), NAN before: */
	double alone;          /* the last pass; of a node the median; NAN: none, or failed */
	double other;          /* of a node of which one direction is low: the other one, alone */
	uint32_t n_alone;      /* figures of the last pass, with those that failed; 0: not tested */
	uint32_t n_confirmed;  /* of judge_confirm(): figures in its rounds */
	/*
	 * Of judge_paths_conclude(): bit i: alone, flow label i + 1 is low, or good; of
	 * JUDGE_WAYS_LOW alone and other are figures of such labels.
	 */
	uint32_t low_labels, good_labels;
};

struct judge_class {
	double median, spread, limit; /* m, s, and where low begins by these; NAN: none */
	double asked;                 /* the median of the limits of the caller; NAN: none */
	bool all_low;                 /* JUDGE_ALL_LOW: they are no limits of single pairs */
	size_t n_values;              /* judged ones; 0: the class does not occur */
};

/* Owned: findings, classes, low_leaves. */
struct judge_report {
	struct judge_finding *findings; /* the worst first; gone nodes before all */
	size_t n_findings;
	struct judge_class *classes;    /* by class */
	uint32_t n_classes;
	/* Pairs whose nodes are alive: with a judged value, disturbed, failed (no matter how). */
	size_t n_judged, n_disturbed, n_failed;
	size_t n_low;                   /* judged values beyond the limit of class or caller */
	bool *low_leaves;               /* of leaf i: 2 i: it sends low, 2 i + 1: receives low */
	const uint32_t *leaf;           /* of the caller, by node; NULL: not known */
	bool lower_is_better;
};

/* Is the finding, or was it in rounds, of a leaf? */
bool judge_is_of_leaf(const struct judge_finding *f);

/* Where low begins for the pair; NAN: none. */
double judge_limit(const struct judge_pair *pair, const struct judge_report *report);

/* Between two leaves? */
bool judge_is_between(const struct judge_pair *pair, const struct judge_ask *ask);

/* Zeroed: empty. */
struct judge_list {
	struct judge_pair *rows; /* n of them; owned */
	size_t n;
};

void judge(struct judge_report *report, const struct judge_ask *ask);
void judge_free(struct judge_report *report);

/*
 * What is measured again, alone, for the findings that are not settled yet: the pair itself; of a
 * node its worst pair with a good partner and others with good partners, which the seed chooses, in
 * the direction that was low, and one pair in the other direction; partners of its leaf and as many
 * of other leaves. Of a leaf pairs of its good nodes with those of others, likewise. Single pairs
 * are the last. Those that the caller does not measure keep NAN.
 */
void judge_retests(struct judge_list *list, const struct judge_report *report,
		   const struct judge_ask *ask, uint64_t seed);
void judge_list_free(struct judge_list *list);

/*
 * Turns the findings into what they are alone. Most re-tests of a node or leaf are low: it stays,
 * with the direction, and if only some are; if that is the same pair in each of JUDGE_PASSES passes
 * it becomes that one; none: JUDGE_CONGESTION, or JUDGE_CHANCE. A pair that fails alone is
 * JUDGE_PAIR_FAILED, a node whose pairs fail JUDGE_UNREACHABLE. Findings without re-tests stay. The
 * order stays.
 */
void judge_again(struct judge_report *report, const struct judge_list *list);

/* Is this pair one of those that the finding is about? leaf: by node, of a finding of a leaf. */
bool judge_is_about(const struct judge_finding *f, const struct judge_pair *pair,
		    const uint32_t *leaf);

/*
 * What is good alone may have been low by chance, or by what others send at that time. Such pairs,
 * and up to JUDGE_PARTNERS of the worst pairs of such a node, are listed with what they had; the
 * caller measures their rounds again, and judge_confirm() gets what they have then, also more than
 * once. JUDGE_CONGESTION is a pair that is always low, or fails, and a node of which most are low;
 * the others are JUDGE_CHANCE. What has no figures in the list stays.
 */
void judge_suspects(struct judge_list *list, const struct judge_report *report,
		    const struct judge_ask *ask);
void judge_confirm(struct judge_report *report, const struct judge_list *list);

/*
 * Was nothing of it measured again, alone? Where judge_again() had the chance, it was one of too
 * many, or an end of the pair was gone. That a pair was low in rounds says nothing of its path.
 */
bool judge_is_untested(const struct judge_finding *f);

/* How values are written. */
struct judge_words {
	const char *const *names; /* by node */
	const char *const *leaves; /* by leaf; NULL: not known, and there is one class */
	/*
	 * By rail: a class is (hops * rails + rail of the sender) * rails + rail of the receiver.
	 * Up to one rail: a class is hops.
	 */
	const char (*devices)[ROW_NAME];
	uint32_t rails;
	const char *unit;
	int decimals;
	bool lower_is_better;
};

/* How a verdict begins, after what it is about; some go on with "low". */
const char *judge_word(enum judge_what what);

/* One line without its end, cut to size (at least 4); returns out. */
const char *judge_text(const struct judge_finding *f, const struct judge_words *words, char *out,
		       size_t size);

/* Pairs that are told in one line. */
struct judge_many {
	const struct judge_finding **pairs; /* n of them, 1 or more */
	size_t n;
	const char *why;
};

/* How many, why, and what the first ones had in rounds. */
const char *judge_text_many(const struct judge_many *many, const struct judge_words *words,
			    char *out, size_t size);

#endif
