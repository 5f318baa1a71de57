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

/* -EPERM: the peer sent refuse. */
bool conclude_refuses(bool started, int rc)
{
	return !started && (rc == -EINVAL || rc == -EPERM);
}

/* To those that do not know it: a peer that refused the plan waits for the next one. */
static bool refuse(const struct agree *agrees, const struct peers *peers)
{
	bool alive = true;

	for (uint32_t i = 0; i < peers->n; i++)
		if (!agrees[i].refused)
			alive &= ctl_refuse(agrees[i].ctl, err_text());
	return alive;
}

enum session_end conclude_error(const struct agree *agrees, const struct peers *peers, int rc,
				 bool started, bool *alive)
{
	*alive = true;
	if (conclude_refuses(started, rc)) {
		*alive = refuse(agrees, peers);
		return SESSION_REFUSED;
	}
	*alive = false;
	peers_abort(peers, rc, err_text());
	return SESSION_FAILED;
}

enum session_end conclude_plan(const struct points *p, int rc, bool *alive)
{
	if (rc)
		return conclude_error(p->agree, &p->peers, rc, p->started, alive);
	*alive = true;
	return p->not_ok ? SESSION_FAILED : SESSION_MEASURED;
}
