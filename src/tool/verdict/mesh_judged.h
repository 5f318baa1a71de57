/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room verdict: which nodes and pairs of a mesh are slow, and why. What is low in rounds the root
 * measures again, alone.
 *
 * This header: the figures of one cell and size, as they are judged, and pairs that are measured
 * again for that. What judge.h calls a node is a rail of a node here, an end: rank * rails + rail.
 */
#ifndef MESH_JUDGED_H
#define MESH_JUDGED_H

#include "judge/judge.h"
#include "mesh/mesh_root.h"

/* The leaves of the ends, by --wiring; zeroed: there are none. */
struct mesh_leaves {
	const struct wiring *wiring; /* NULL: not known */
	uint32_t *leaf;              /* by end, or WIRING_NONE; owned */
	const char **names;          /* of n switches; owned */
	uint32_t n;
	uint32_t **hops;             /* by leaf, to each leaf; NULL: not asked for yet; owned */
};

struct mesh_judged {
	struct mesh_root *root;
	uint32_t cell;
	uint64_t size_bytes;
	bool latency;
	bool to_client;             /* the client of a pair receives: reads, --reverse */
	bool labelled;              /* packets have a flow label */
	struct judge_pair *pairs;   /* n of them; owned */
	double *lost;               /* of the figures of pairs; owned */
	uint32_t *rounds;           /* of pairs; owned */
	size_t n;
	uint32_t rails, ends;
	bool *gone;                 /* by end; owned */
	char **names;               /* by end, of those that are gone of the node; owned */
	struct mesh_leaves leaves;
};

/* What was measured in rounds. root, cell, size_bytes and latency are set. */
void mesh_judged_collect(struct mesh_judged *j);
void mesh_judged_drop(struct mesh_judged *j);

bool mesh_judged_is_gone(const struct mesh_judged *j, uint32_t end);

/* Is there a finding on this end as a node? */
bool mesh_judged_is_found(const struct judge_report *report, uint32_t end);

/* Takes the value of a pair from the figures since the first one; report: of its limit. */
void mesh_judged_take(struct mesh_judged *j, struct judge_pair *pair,
		      const struct judge_report *report, size_t first);

/* How a pair is measured again. */
struct mesh_again {
	uint32_t attempt;
	uint32_t flow_label;        /* 0: as the options say */
};

/* Measures a pair alone. */
void mesh_judged_alone(struct mesh_judged *j, struct judge_pair *pair,
		       const struct judge_report *report, const struct mesh_again *how);

/* ---- mesh_paths.c */

/*
 * Measures pairs that are low, and the worst one of nodes, with several flow labels: some findings
 * become JUDGE_WAYS_LOW, those beside them that are not tried JUDGE_WAYS_UNTRIED.
 */
void mesh_paths_try(struct mesh_judged *j, struct judge_report *report);

/* A verdict on the leaf that all of JUDGE_WAYS_LOW pass, if there is one. */
void mesh_paths_tell(struct mesh_judged *j, const struct judge_report *report);

/* ---- mesh_verdict.c */

/* A mesh_judge. */
void mesh_verdict(struct mesh_root *root, uint32_t cell, uint64_t size_bytes, bool latency);

/* ---- mesh_loopback.c */

/* Measures an end that is low alone with itself, and its other rails; appends what that showed. */
void mesh_loopback_try(struct mesh_judged *j, const struct judge_report *report,
		       const struct judge_finding *found, char *text, size_t size);

/* The same of a node whose rails are low together only: all of them at the same time. */
void mesh_loopback_together(struct mesh_judged *j, const struct judge_report *report,
			    const struct judge_finding *found, char *text, size_t size);

/* ---- mesh_cabling.c */

#define MESH_CABLING_TEXT 256

/* Rails whose leaves show that they are mis-cabled get a verdict, and are not judged. */
void mesh_cabling_mark(struct mesh_judged *j);

/*
 * Measures what is low alone on the other rails, too. text: what that showed, "" if nothing. The
 * finding may become JUDGE_MISCABLED.
 */
void mesh_cabling_try(struct mesh_judged *j, const struct judge_report *report,
		      struct judge_finding *found, char text[MESH_CABLING_TEXT]);

#endif
