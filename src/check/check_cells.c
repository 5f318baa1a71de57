/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the cells of a check, their order, and the options of each. Called by check.c and
 * check_run.c. A cell is a bandwidth test of few messages; session runs it.
 */
#include "config.h"
#include "check/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/err.h"

#define MESSAGES 16u
#define DEPTH 8u
#define STALL_MS 2000u /* of a cell, unless --stall-timeout says otherwise */

const char *const check_status_names[] = {
	[CHECK_OK] = "ok",
	[CHECK_FAILED] = "failed",
	[CHECK_NOT_OFFERED] = "not_offered",
	[CHECK_NOT_TRIED] = "not_tried",
	NULL,
};

/* A way to connect, and what is tried over it, in the order of the table for people. */
static const struct way {
	enum transport tp;
	bool by_cm;               /* one cell each way is enough */
} ways[] = {
	{ TP_RC, false }, { TP_UC, false }, { TP_UD, false }, { TP_XRC, false }, { TP_DC, false },
	{ TP_RC, true },
};

#define N_WAYS (sizeof(ways) / sizeof(ways[0]))

static const enum completion completions[] = { CM_POLL, CM_EVENT };

const enum transport check_asked[CHECK_ASKED] = { TP_RC, TP_UD, TP_UC };

/* ---- the list */

bool check_same_way(const struct check_cell *a, const struct check_cell *b)
{
	return a->kind.tp == b->kind.tp && a->by_cm == b->by_cm;
}

static void add(struct check *check, const struct check_cell *cell)
{
	struct check_cell *to = &check->cells[check->n_cells++];

	*to = *cell;
	to->status = CHECK_NOT_TRIED;
	to->size_bytes = UINT64_MAX;
	snprintf(to->reason, sizeof(to->reason), "the check ended before");
}

/* Both sizes, by each side. */
static void add_sizes(struct check *check, struct check_cell *cell)
{
	const bool atomic = kind_is_atomic(cell->kind.op);

	for (int large = 0; large < (atomic || cell->by_cm ? 1 : 2); large++) {
		cell->large = large;
		for (enum side by = SIDE_CLIENT; by <= SIDE_SERVER; by++) {
			cell->by = by;
			add(check, cell);
		}
	}
}

static void add_way(struct check *check, const struct way *way)
{
	/* a connection by rdma_cm is the same for all: the first opcode is enough */
	for (enum opcode op = 0; op < (way->by_cm ? 1 : OP_COUNT); op++) {
		struct check_cell cell = { .by_cm = way->by_cm };

		cell.kind = (struct kind){ .tp = way->tp, .op = op };
		for (int i = 0; i < (way->by_cm ? 1 : 2); i++) {
			cell.kind.cm = completions[i];
			if (kind_exists(cell.kind))
				add_sizes(check, &cell);
		}
	}
}

int check_list(struct check *check)
{
	check->cells = calloc(N_WAYS * OP_COUNT * 8, sizeof(*check->cells));
	if (!check->cells)
		return err_set(-ENOMEM, "no memory for the cells of a check");
	for (size_t i = 0; i < N_WAYS; i++)
		add_way(check, &ways[i]);
	return 0;
}

void check_free(struct check *check)
{
	free(check->cells);
	free(check->findings);
}

/* ---- the options of one cell */

/* Of the bandwidths, as they verify. */
static enum test test_of(enum opcode op)
{
	enum test test = 0;

	while (kind_family(test) != kind_opcodes[op].family || kind_test_is_lat(test))
		test++;
	return test;
}

/* iWARP has no other way to connect, and has only RC. */
static bool needs_cm(const struct check *check, const struct check_cell *cell)
{
	const bool is_rc = !kind_is_lossy(cell->kind.tp) && !kind_has_halves(cell->kind.tp);

	return is_rc && check->facts.known[SIDE_CLIENT] &&
	       check->facts.limits[SIDE_CLIENT].transport_type == LIMITS_IWARP;
}

struct cfg check_cfg(const struct check *check, const struct check_cell *cell)
{
	struct cfg cfg = *check->cfg;

	cfg.test = test_of(cell->kind.op);
	cfg.transport = cell->kind.tp;
	cfg.completion = cell->kind.cm;
	cfg.imm = kind_has_imm(cell->kind.op);
	cfg.atomic = kind_compares(cell->kind.op) ? ATOMIC_CMP_SWAP : ATOMIC_FETCH_ADD;
	cfg.rdma_cm = cell->by_cm || needs_cm(check, cell);
	cfg.check_by = cell->by == SIDE_CLIENT ? CHECK_BY_CLIENT : CHECK_BY_SERVER;
	cfg.verify = true;
	cfg.messages = MESSAGES;
	cfg.depth = DEPTH;
	if (kind_takes_recv(cell->kind.op))
		cfg.recv_depth = DEPTH;
	if (!cell->large && !kind_is_atomic(cell->kind.op))
		cfg.size_bytes = CHECK_SMALL_BYTES;
	if (!cfg.given.stall_timeout_ms)
		cfg.stall_timeout_ms = STALL_MS;
	return cfg;
}
