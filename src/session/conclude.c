/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the choice between measured, refused and failed, and between the messages refuse and abort.
 * Called by session_client.c and session_server.c.
 */
#include "config.h"
#include "session/conclude.h"

#include <errno.h>

#include "util/err.h"

/* Before the plan is agreed, what is invalid is the plan. -EPERM: the peer sent refuse. */
static bool is_refusal(bool started, int rc)
{
	return !started && (rc == -EINVAL || rc == -EPERM);
}

void conclude_failed(struct ctl *ctl, int rc)
{
	/* the peer sent abort itself, or it is gone */
	if (rc != -ECONNABORTED && rc != -ECONNRESET)
		ctl_abort(ctl, err_text());
}

enum session_end conclude_error(struct ctl *ctl, int rc, bool started, bool *alive)
{
	if (is_refusal(started, rc)) {
		*alive = rc == -EPERM || ctl_refuse(ctl, err_text());
		return SESSION_REFUSED;
	}
	*alive = false;
	conclude_failed(ctl, rc);
	return SESSION_FAILED;
}

enum session_end conclude_plan(const struct points *p, int rc, bool *alive)
{
	if (rc)
		return conclude_error(p->agree->ctl, rc, p->started, alive);
	*alive = true;
	return p->not_ok ? SESSION_FAILED : SESSION_MEASURED;
}
