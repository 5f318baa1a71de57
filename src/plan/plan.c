/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Resolves the plan step by step and collects the notes. Called by the session on both sides with
 * the same input, for each plan of a connection. Must not open a device or print.
 */
#include "config.h"
#include "plan/plan.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "plan/plan_steps.h"
#include "util/err.h"

void plan_note(struct plan *plan, const char *fmt, ...)
{
	va_list ap;

	if (plan->n_notes == PLAN_MAX_NOTES)
		return;
	va_start(ap, fmt);
	vsnprintf(plan->notes[plan->n_notes++], sizeof(plan->notes[0]), fmt, ap);
	va_end(ap);
}

int plan_resolve(struct plan *plan, const struct cfg *cfg, const struct limits *client,
		 const struct limits *server)
{
	const struct plan_input in = { .cfg = cfg, .client = client, .server = server };
	const char *refusal = kind_refusal((enum test)cfg->test, cfg_kind(cfg));
	int rc;

	if (refusal)
		return err_set(-EINVAL, "%s", refusal);
	rc = plan_resolve_loops(plan, &in);
	if (!rc)
		rc = plan_resolve_path(plan, &in);
	if (!rc)
		rc = plan_resolve_outstanding(plan, &in);
	if (!rc)
		rc = plan_resolve_points(plan, &in);
	if (!rc)
		rc = plan_resolve_inline(plan, &in);
	if (!rc)
		rc = plan_resolve_buffers(plan, &in);
	if (rc)
		return rc;
	plan->stall_timeout_ms = cfg->stall_timeout_ms;
	plan_note_locks(plan, &in);
	rc = plan_caps(plan, client, SIDE_CLIENT);
	return rc ? rc : plan_caps(plan, server, SIDE_SERVER);
}
