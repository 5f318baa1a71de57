/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Counts the memory of a session. */
#include "config.h"
#include "limits/budget.h"

#include <errno.h>
#include <inttypes.h>

#include "util/err.h"

#define STEP (UINT64_C(1) << 20) /* requested at once, so that requests are rare */
#define KEEP (16 * STEP)         /* not returned: the next point needs it again */

/* In whole steps, but not more than the limit. */
static uint64_t round_up(const struct memory_budget *b, uint64_t bytes)
{
	const uint64_t up = (bytes + STEP - 1) / STEP * STEP;

	return up > b->most ? b->most : up;
}

int budget_take(struct memory_budget *b, uint64_t bytes, const char *what)
{
	uint64_t want;
	int rc;

	if (!b)
		return 0;
	if (bytes > b->most || b->used > b->most - bytes)
		return err_set_cause(-ENOMEM, "owner",
			       "--max-memory %" PRIu64 " of the server's owner: the test asks for %" PRIu64 " (%s) beyond %" PRIu64,
			       b->most, bytes, what, b->used);
	want = b->used + bytes;
	if (want > b->granted) {
		want = round_up(b, want);
		rc = b->ask ? b->ask(b->arg, want) : 0;
		if (rc)
			return rc;
		b->granted = want;
	}
	b->used += bytes;
	return 0;
}

uint64_t budget_mark(const struct memory_budget *b)
{
	return b ? b->used : 0;
}

void budget_back(struct memory_budget *b, uint64_t mark)
{
	if (!b)
		return;
	b->used = mark;
	if (b->granted - b->used <= KEEP)
		return;
	b->granted = round_up(b, b->used);
	/* a reduction is never refused */
	if (b->ask && b->ask(b->arg, b->granted))
		err_clear();
}
