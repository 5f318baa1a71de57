/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns what is said to all peers; see peers.h. Called by the files of session. */
#include "config.h"
#include "control/peers.h"

#include <errno.h>
#include <stdio.h>

#include "util/err.h"

int peers_send(const struct peers *p, json_t *msg, uint32_t timeout_ms)
{
	int rc = 0;

	for (uint32_t i = 0; i < p->n && !rc; i++)
		rc = ctl_send(p->ctl[i], json_incref(msg), timeout_ms);
	json_decref(msg);
	return rc;
}

int peers_recv_plain(const struct peers *p, const char *type, uint32_t timeout_ms)
{
	int rc = 0;

	for (uint32_t i = 0; i < p->n && !rc; i++) {
		json_t *msg = NULL;

		rc = ctl_recv(p->ctl[i], type, &msg, timeout_ms);
		json_decref(msg);
	}
	return rc;
}

void peers_abort(const struct peers *p, int rc, const char *reason)
{
	const struct err err = err_keep();
	char kept[ERR_TEXT_MAX];

	/* gone, or another program, which knows no frames */
	if (p->n == 1 && (rc == -ECONNABORTED || rc == -ECONNRESET || rc == -EPROTOTYPE))
		return;
	snprintf(kept, sizeof(kept), "%s", reason);
	for (uint32_t i = 0; i < p->n; i++) {
		ctl_abort(p->ctl[i], rc, kept);
		err_restore(&err);
	}
}

uint64_t peers_rtt_ns(const struct peers *p)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < p->n; i++) {
		const uint64_t one = ctl_rtt_ns(p->ctl[i]);

		most = one > most ? one : most;
	}
	return most;
}

void peers_forget_signals(const struct peers *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		p->ctl[i]->signals_fd = -1;
}
