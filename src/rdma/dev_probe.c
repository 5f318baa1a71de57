/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Tries out what cannot be queried and depends on the test: queues, locks, the two ways to
 * post and to poll. Called by dev_open(), and by the session for each further test on an open
 * device. Creates the smallest objects that answer the question, and destroys them.
 */
#include "config.h"

#include "rdma/dev.h"

#include <errno.h>
#include <string.h>

#include "verbs/api.h"
#include "verbs/dc.h"
#include "rdma/dev_transports.h"
#include "rdma/domain.h"
#include "rdma/port.h"
#include "rdma/probe_queue.h"
#include "verbs/quirks.h"
#include "verbs/verbs_code.h"
#include "util/err.h"

#define LATENCY_INLINE_BYTES 256u /* the largest inline size that auto looks for */

/* What the QPs of this side will be asked for; without what only the devices decide. */
static struct probe_queue queue_wanted(const struct cfg *test, enum side side, uint64_t ops)
{
	struct probe_queue ask = {
		.tp = test->transport,
		.ops = ops,
		.inline_is_auto = test->inline_bytes == CFG_AUTO,
		.needs = { .send_wr = 1, .recv_wr = 1, .send_sges = test->sges, .recv_sges = 1 },
	};
	const struct plan_room no_limit = PLAN_NO_ROOM_LIMIT;
	struct cfg full = *test;
	struct plan plan;

	like_defaults(&full);
	/* options that fit no device are refused by the plan */
	if (plan_loops(&plan, &full, &no_limit)) {
		err_clear();
		return ask;
	}
	plan.work.inline_bytes = !ask.inline_is_auto ? test->inline_bytes :
				 kind_test_is_lat(test->test) ? LATENCY_INLINE_BYTES : 0;
	ask.needs = plan_needs(&plan, side);
	return ask;
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

/* IBV_QP_EX_WITH_* of the QPs of the test; *wr: whether there are QPs for ibv_wr_*. */
static uint64_t probe_ops(const struct dev *dev, const struct cfg *test, bool *wr)
{
	const uint64_t ops = api_send_ops(cfg_post_api(test), cfg_kind(test).op) |
			     api_bind_ops(cfg_post_api(test), test->mw);

	*wr = ops && domain_has_ops(dev->ctx, verbs_code_qp_type(test->transport), ops);
	if (*wr)
		return ops;
	/* a DCI is always one for ibv_wr_* */
	return kind_names_dct(test->transport) ? IBV_QP_EX_WITH_SEND : 0;
}

/* Some providers grant a CQ of one thread, and lock it when it is polled. */
static void probe_locks(struct dev *dev, bool extended)
{
	const char *driver = dev->limits.driver;

	dev->limits.unlocked = dev->unlocks = domain_probe(dev->ctx);
	if (quirks_has(driver, QUIRK_CQ_LOCKED_ALWAYS) ||
	    (!extended && quirks_has(driver, QUIRK_CQ_LOCKED)))
		dev->limits.unlocked &= ~(unsigned int)LOCKS_OFF_CQ;
}

int dev_probe(struct dev *dev, const struct cfg *test, enum side side)
{
	struct limits *l = &dev->limits;
	struct probe_queue ask;
	int rc;

	l->max_inline_bytes = l->unlocked = dev->unlocks = 0;
	l->inline_ignored = quirks_has(l->driver, QUIRK_INLINE_IGNORED);
	l->max_send_wr = l->max_recv_wr = l->max_wr;
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
	ask = queue_wanted(test, side, probe_ops(dev, test, &l->post_wr));
	rc = probe_queue(dev, &ask);
	if (rc)
		return dev_transports_refuse(dev, test->transport, rc);
	if (l->inline_ignored)
		l->max_inline_bytes = 0;
	if (test->locks != LOCKS_ON)
		probe_locks(dev, test->poll_api == APIS_POLL_EXTENDED);
	l->odp = test->buffers == BUFFERS_ODP && has_odp(dev->ctx, cfg_kind(test));
	l->max_dm_bytes = test->buffers == BUFFERS_DEVICE ? dm_bytes(dev->ctx) : 0;
	l->resizes_cq = test->disturb == DISTURB_CQ &&
			domain_can_resize(dev->ctx, test->poll_api == APIS_POLL_EXTENDED);
	l->poll_extended = test->poll_api == APIS_POLL_EXTENDED && domain_has_extended(dev->ctx);
	return 0;
}
