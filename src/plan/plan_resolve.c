/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Resolves the plan step by step. Called by the session on both sides with
 * the same input, for each plan of a connection. Must not open a device or print.
 */
#include "config.h"
#include "plan/plan_resolve.h"

#include <errno.h>

#include "plan/plan_steps.h"
#include "util/err.h"

int plan_resolve(struct plan *plan, const struct cfg *cfg, const struct limits *client,
		 const struct limits *server)
{
	struct cfg full = *cfg;
	const struct plan_input in = { .cfg = &full, .client = client, .server = server };
	const char *refusal = kind_refusal((enum test)cfg->test, cfg_kind(cfg));
	int rc;

	if (refusal)
		return err_set(-EINVAL, "%s", refusal);
	like_defaults(&full);
	rc = plan_check_transport(&in);
	if (!rc)
		rc = plan_resolve_loops(plan, &in);
	if (!rc)
		rc = plan_resolve_path(plan, &in);
	if (!rc)
		rc = plan_resolve_outstanding(plan, &in);
	if (!rc)
		rc = plan_resolve_points(plan, &in);
	if (!rc)
		rc = plan_check_requests(plan, &in);
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
