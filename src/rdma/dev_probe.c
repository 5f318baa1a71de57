/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Tries out what cannot be queried and depends on the test: inline sizes, locks, the two ways to
 * post and to poll. Called by dev_open(), and by the session for each further test on an open
 * device. Creates the smallest objects that answer the question, and destroys them.
 */
#include "config.h"

#include "rdma/dev.h"

#include <errno.h>
#include <string.h>

#include "rdma/api.h"
#include "rdma/dc.h"
#include "rdma/dev_transports.h"
#include "rdma/domain.h"
#include "rdma/port.h"
#include "rdma/verbs_code.h"
#include "util/err.h"
#include "util/log.h"
#include "util/minmax.h"

#define LATENCY_INLINE_BYTES 256u /* the largest inline size that auto looks for */

static uint32_t inline_wanted(const struct cfg *test)
{
	if (test->inline_bytes != CFG_AUTO)
		return test->inline_bytes;
	return kind_test_is_lat(test->test) ? LATENCY_INLINE_BYTES : 0;
}

static int code_of_errno(void)
{
	return errno ? -errno : -EIO;
}

/* What the QPs of the probe are made of. */
struct probe {
	struct domain *d;
	struct ibv_cq *cq;
	enum transport tp;
	uint32_t sges;
};

/* *granted: the inline size of a QP that was created with len_bytes; -errno: it was not created. */
static int try_inline(const struct probe *p, uint32_t len_bytes, uint32_t *granted)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = p->cq,
		.recv_cq = p->cq,
		.qp_type = verbs_code_qp_type(p->tp),
		.cap = {
			.max_send_wr = 1,
			.max_recv_wr = 1,
			/* inline data may take the room of SGEs */
			.max_send_sge = p->sges,
			.max_recv_sge = 1,
			.max_inline_data = len_bytes,
		},
	};
	struct ibv_qp *qp;

	errno = 0;
	/* a DCI is always one for ibv_wr_* */
	qp = domain_create_qp(p->d, &attr,
			      kind_names_dct(p->tp) ? IBV_QP_EX_WITH_SEND : 0);
	if (!qp)
		return code_of_errno();
	*granted = attr.cap.max_inline_data;
	return -ibv_destroy_qp(qp);
}

/*
 * The largest size up to inline_wanted(), by bisection between sizes that worked and failed.
 * The device may grant more than it was asked for. An error only if size 0 fails too.
 */
static int search_inline(struct dev *dev, const struct probe *p, const struct cfg *test)
{
	uint32_t *granted = &dev->limits.max_inline_bytes;
	uint32_t try = inline_wanted(test), failed, more;
	int rc = try_inline(p, try, granted);

	if (!rc || !try)
		return rc;
	failed = try;
	rc = try_inline(p, 0, granted);
	while (!rc && failed > *granted + 1) {
		try = *granted + (failed - *granted) / 2;
		if (try_inline(p, try, &more) || more < try)
			failed = try;
		else
			*granted = more;
	}
	return rc;
}

static int probe_inline(struct dev *dev, const struct cfg *test)
{
	/* more SGEs than the device has are refused by the plan */
	struct domain d;
	struct probe p = { .d = &d, .tp = test->transport,
			   .sges = min_u32(test->sges, (uint32_t)dev->attr.max_sge) };
	int rc = domain_open(&d, dev->ctx, 0);

	errno = 0;
	if (!rc)
		p.cq = ibv_create_cq(dev->ctx, 1, NULL, NULL, 0);
	if (!rc)
		rc = p.cq ? search_inline(dev, &p, test) : code_of_errno();
	if (rc)
		err_set(rc, "cannot create a %s QP on %s: %s", kind_transport_names[test->transport],
			dev->limits.device, strerror(-rc));
	if (p.cq && ibv_destroy_cq(p.cq))
		log_note("cannot destroy the probe's CQ: %s", strerror(errno));
	domain_close(&d);
	return rc;
}

/* Capabilities of both sides: sends need those of senders and receivers. ibv_query_device_ex(3) */
static bool has_odp(struct ibv_context *ctx, struct kind k)
{
	static const uint32_t needed[] = {
		[ACCESS_NONE] = IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV,
		[ACCESS_WRITE] = IBV_ODP_SUPPORT_WRITE,
		[ACCESS_READ] = IBV_ODP_SUPPORT_READ,
		[ACCESS_ATOMIC] = IBV_ODP_SUPPORT_ATOMIC,
	};
	const uint32_t need = needed[kind_access(k.op)];
	struct ibv_device_attr_ex attr = { .comp_mask = 0 };

	if (ibv_query_device_ex(ctx, NULL, &attr) ||
	    !(attr.odp_caps.general_caps & IBV_ODP_SUPPORT))
		return false;
	return (verbs_code_odp(&attr, k.tp) & need) == need;
}

/* 0: the device has none. */
static uint64_t dm_bytes(struct ibv_context *ctx)
{
	struct ibv_device_attr_ex attr = { .comp_mask = 0 };

	return ibv_query_device_ex(ctx, NULL, &attr) ? 0 : attr.max_dm_size;
}

int dev_probe(struct dev *dev, const struct cfg *test)
{
	struct limits *l = &dev->limits;
	int rc;

	l->max_inline_bytes = l->unlocked = 0;
	l->post_wr = l->poll_extended = false;
	l->alt_port = 0;
	if (test->migrate_after != CFG_AUTO)
		l->alt_port = port_alternate(dev, test->alternate_port);
	l->dc = LIMITS_DC_UNKNOWN;
	if (kind_names_dct(test->transport))
		l->dc = dc_probe(dev->ctx->device);
	/* the plan refuses these by name */
	if ((l->transport_type == LIMITS_IWARP && kind_is_lossy(test->transport)) ||
	    (kind_names_srq(test->transport) && !l->xrc) ||
	    (kind_names_dct(test->transport) && l->dc != LIMITS_DC_YES))
		return 0;
	rc = probe_inline(dev, test);
	if (rc)
		return dev_transports_refuse(dev, test->transport, rc);
	l->unlocked = test->locks != LOCKS_ON ? domain_probe(dev->ctx) : 0;
	l->odp = test->buffers == BUFFERS_ODP && has_odp(dev->ctx, cfg_kind(test));
	l->max_dm_bytes = test->buffers == BUFFERS_DEVICE ? dm_bytes(dev->ctx) : 0;
	l->resizes_cq = test->disturb == DISTURB_CQ &&
			domain_can_resize(dev->ctx, test->poll_api == APIS_POLL_EXTENDED);
	l->post_wr = cfg_post_api(test) == APIS_POST_WR &&
		     domain_has_ops(dev->ctx, verbs_code_qp_type(test->transport),
				    api_send_ops(APIS_POST_WR, cfg_kind(test).op) |
				    api_bind_ops(APIS_POST_WR, test->mw));
	l->poll_extended = test->poll_api == APIS_POLL_EXTENDED && domain_has_extended(dev->ctx);
	return 0;
}
