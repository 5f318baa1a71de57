/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Creates QPs of different sizes and destroys them; see probe_queue.h. Called by dev_probe.c. */
#include "config.h"

#include "rdma/probe_queue.h"

#include <errno.h>
#include <string.h>

#include "rdma/domain.h"
#include "verbs/verbs_code.h"
#include "verbs/verbs_error.h"
#include "util/err.h"
#include "util/log.h"
#include "util/minmax.h"

struct size {
	uint32_t send_wr, recv_wr, inline_bytes;
};

struct probe {
	const struct probe_queue *ask;
	struct domain d;
	struct ibv_cq *cq;
	uint32_t max_sge;
};

/* *granted: the inline size of a QP that was created; -errno: it was not created. */
static int try(struct probe *p, const struct size *size, uint32_t *granted)
{
	const struct plan_needs *needs = &p->ask->needs;
	struct ibv_qp_init_attr attr = {
		.send_cq = p->cq,
		.recv_cq = p->cq,
		.qp_type = verbs_code_qp_type(p->ask->tp),
		.cap = {
			.max_send_wr = size->send_wr,
			.max_recv_wr = size->recv_wr,
			/* more than the device has are refused by the plan */
			.max_send_sge = min_u32(needs->send_sges, p->max_sge),
			.max_recv_sge = min_u32(needs->recv_sges, p->max_sge),
			.max_inline_data = size->inline_bytes,
		},
	};
	struct ibv_qp *qp;

	errno = 0;
	qp = domain_create_qp(&p->d, &attr, p->ask->ops);
	if (!qp)
		return err_code();
	*granted = attr.cap.max_inline_data;
	return -ibv_destroy_qp(qp);
}

/*
 * The largest inline size up to most at this length, by bisection between sizes that worked and
 * failed. The device may grant more than it was asked for, or less. -errno: 0 fails too.
 */
static int search_inline(struct probe *p, struct size size, uint32_t most, uint32_t *granted)
{
	uint32_t failed = most, more;
	int rc;

	size.inline_bytes = most;
	rc = try(p, &size, granted);
	if (!rc || !most)
		return rc;
	size.inline_bytes = 0;
	rc = try(p, &size, granted);
	while (!rc && failed > *granted + 1) {
		size.inline_bytes = *granted + (failed - *granted) / 2;
		if (try(p, &size, &more) || more < size.inline_bytes)
			failed = size.inline_bytes;
		else
			*granted = more;
	}
	return rc;
}

/* length: a member of size, which is 1. Raises it to the most up to wanted that works. */
static void search_length(struct probe *p, struct size *size, uint32_t *length, uint32_t wanted)
{
	uint32_t good = 1, failed = wanted, ignored;

	*length = wanted;
	if (!try(p, size, &ignored))
		return;
	while (failed > good + 1) {
		*length = good + (failed - good) / 2;
		if (try(p, size, &ignored))
			failed = *length;
		else
			good = *length;
	}
	*length = good;
}

/* wanted is no limit of the device: only that the test needs no more is known. */
static uint32_t most_of(uint32_t found, uint32_t wanted, uint32_t max_wr)
{
	return found == wanted ? max_wr : found;
}

static int search(struct dev *dev, struct probe *p)
{
	const struct plan_needs *needs = &p->ask->needs;
	struct limits *l = &dev->limits;
	const struct size wanted = {
		.send_wr = (uint32_t)(needs->send_wr < l->max_wr ? needs->send_wr : l->max_wr),
		.recv_wr = needs->recv_wr > l->max_wr ? l->max_wr :
			   needs->recv_wr ? (uint32_t)needs->recv_wr : 1,
	};
	struct size size = { .send_wr = 1, .recv_wr = 1 };
	uint32_t ignored;
	int rc;

	l->max_send_wr = l->max_recv_wr = l->max_wr;
	if (!try(p, &wanted, &ignored)) {
		rc = search_inline(p, wanted, needs->inline_bytes, &l->max_inline_bytes);
		if (rc || p->ask->inline_is_auto || l->max_inline_bytes >= needs->inline_bytes)
			return rc;
	}
	/* not both: what the smallest queue grants, and how long a queue with that can be */
	rc = search_inline(p, size, needs->inline_bytes, &l->max_inline_bytes);
	if (rc)
		return rc;
	size.inline_bytes = min_u32(needs->inline_bytes, l->max_inline_bytes);
	search_length(p, &size, &size.send_wr, wanted.send_wr);
	search_length(p, &size, &size.recv_wr, wanted.recv_wr);
	l->max_send_wr = most_of(size.send_wr, wanted.send_wr, l->max_wr);
	l->max_recv_wr = most_of(size.recv_wr, wanted.recv_wr, l->max_wr);
	return 0;
}

int probe_queue(struct dev *dev, const struct probe_queue *ask)
{
	struct probe p = { .ask = ask, .max_sge = (uint32_t)dev->attr.max_sge };
	char why[VERBS_ERROR_TEXT];
	int rc = domain_open(&p.d, dev->ctx, 0);

	errno = 0;
	if (!rc)
		p.cq = ibv_create_cq(dev->ctx, 1, NULL, NULL, 0);
	if (!rc)
		rc = p.cq ? search(dev, &p) : err_code();
	if (rc)
		err_set_cause(rc, verbs_error_cause(-rc), "cannot create a %s QP on %s: %s",
			      kind_transport_names[ask->tp], dev->limits.device,
			      verbs_error_queue(why, -rc));
	if (p.cq && ibv_destroy_cq(p.cq))
		log_note("cannot destroy the probe's CQ: %s", strerror(errno));
	domain_close(&p.d);
	return rc;
}
