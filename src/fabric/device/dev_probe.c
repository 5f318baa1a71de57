/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Tries out what cannot be queried and depends on the test: queues, locks, the two ways to post and
 * to poll. Creates the smallest objects that answer the question, and destroys them.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/dev.h"
#include "device/gpu.h"
#include "decide/plan.h"
#include "util/err.h"
#include "util/minmax.h"
#include "util/text.h"
#include "verbs/api.h"
#include "verbs/verbs_error.h"

#define PAGE_BYTES 4096u

/* What is tried out, in a domain of its own. */
struct probe {
	const struct probe_queue *ask;
	struct domain d;
	struct ibv_cq *cq;
	uint32_t max_sge;
};

/* Opens a domain with the smallest CQ. locks: to leave out. -errno; close_probe() in any case. */
static int open_probe(struct probe *p, struct ibv_context *ctx, unsigned int locks, bool extended)
{
	const struct domain_cq smallest = { .entries = 1, .extended = extended };
	const int rc = domain_open(&p->d, ctx, locks);

	errno = 0;
	p->cq = rc ? NULL : domain_create_cq(&p->d, &smallest);
	return rc || p->cq ? rc : err_code();
}

static void close_probe(struct probe *p)
{
	if (p->cq)
		verbs_warn("destroy the probe's CQ", ibv_destroy_cq(p->cq));
	domain_close(&p->d);
}

/* Can QPs of that type be created with these send operations, IBV_QP_EX_WITH_*? */
static bool has_ops(struct ibv_context *ctx, enum ibv_qp_type type, uint64_t ops)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = type,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_qp *qp = NULL;
	struct probe p;

	if (!open_probe(&p, ctx, 0, false)) {
		attr.send_cq = attr.recv_cq = p.cq;
		qp = domain_create_qp(&p.d, &attr, ops);
	}
	if (qp)
		verbs_warn("destroy the probe's QP", ibv_destroy_qp(qp));
	close_probe(&p);
	return qp != NULL;
}

/* Can CQs be created for ibv_start_poll() (extended), and can their size be changed? */
static bool has_cq(struct ibv_context *ctx, bool extended, bool resized)
{
	struct probe p;
	const bool has = !open_probe(&p, ctx, 0, extended) &&
			 (!resized || !ibv_resize_cq(p.cq, 2 * p.cq->cqe));

	close_probe(&p);
	return has;
}

/* ---- queues */

/*
 * Tries out which queues the QPs of a test can have. Length, elements and inline data of a queue
 * are not limited apart from each other: mlx5 counts max_qp_wr in blocks of 64 bytes, and a request
 * takes more of them with inline data or with more elements (rdma-core, providers/mlx5/verbs.c:
 * mlx5_calc_sq_size()); others take inline data from the room of the elements. So all of them are
 * asked for together, as the test will ask.
 */

/* What a QP of the test is asked for on this side. */
struct probe_queue {
	struct plan_needs needs; /* inline_bytes: as asked, or the most that is of use */
	enum transport tp;
	uint64_t ops;            /* IBV_QP_EX_WITH_*; 0: ibv_post_send() */
	bool inline_is_auto;     /* the length comes first: no less of it for more inline data */
};

struct size {
	uint32_t send_wr, recv_wr, inline_bytes;
};

/* *granted: the inline size of a QP that was created; -errno: it was not created. */
static int try(struct probe *p, const struct size *size, uint32_t *granted)
{
	const struct plan_needs *needs = &p->ask->needs;
	struct ibv_qp_init_attr attr = {
		.send_cq = p->cq,
		.recv_cq = p->cq,
		.qp_type = api_code_qp_type(p->ask->tp),
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

/*
 * Fills max_inline_bytes, max_send_wr and max_recv_wr of dev->limits. All fits: the last two are
 * max_wr. Else they are the most that can be had with the inline data that is granted. -errno with
 * an error message: not even the smallest QP can be created.
 */
static int probe_queue(struct dev *dev, const struct probe_queue *ask)
{
	struct probe p = { .ask = ask, .max_sge = (uint32_t)dev->attr.max_sge };
	int rc = open_probe(&p, dev->ctx, 0, false);

	if (!rc)
		rc = search(dev, &p);
	if (rc)
		verbs_error_create(rc, "cannot create a %s QP on %s", kind_transport_names[ask->tp],
				   dev->limits.device);
	close_probe(&p);
	return rc;
}

/* ---- transports */

/* XRC and DC have attributes of their own. */
static bool has(const struct dev *dev, enum transport tp)
{
	return has_ops(dev->ctx, api_code_qp_type(tp), 0);
}

/*
 * Which transports a device has: no attribute tells it, only the creation of a QP does. After the
 * smallest QP of a transport could not be created, with the error code rc. -EINVAL with
 * an error message that names the transports of the device, if it is this one that it has not; else
 * rc, and the error message stays.
 */
static int refuse_transport(const struct dev *dev, enum transport tp, int rc)
{
	const struct limits *l = &dev->limits;
	char names[32] = "";

	if (kind_has_halves(tp) || has(dev, tp))
		return rc;
	for (enum transport other = 0; other < TP_COUNT; other++)
		if (other != tp && !kind_has_halves(other) && has(dev, other))
			text_add(names, sizeof(names), ", ", "%s", kind_transport_names[other]);
	if (!names[0])
		return rc;
	err_set(-EINVAL, "%s of %s makes no queue pairs of it (%s)", l->device, l->host,
		strerror(-rc));
	err_wrap(-EINVAL, "-c (--transport) %s", kind_transport_names[tp]);
	return err_advise(-EINVAL, "allowed: %s%s", names,
			  l->transport_type == LIMITS_OTHER ?
				  "; what else it has needs a library of its own (EFA: SRD)" : "");
}

/* ---- all */

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

	plan_like_defaults(&full);
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
		[ACCESS_STORE] = NEWER_ODP_ATOMIC_WRITE,
		[ACCESS_FLUSH] = IBV_ODP_SUPPORT_WRITE | NEWER_ODP_FLUSH,
	};
	const uint32_t need = needed[kind_access(k.op)];
	struct ibv_device_attr_ex attr = { .comp_mask = 0 };

	if (ibv_query_device_ex(ctx, NULL, &attr) ||
	    !(attr.odp_caps.general_caps & IBV_ODP_SUPPORT))
		return false;
	return (api_code_odp(&attr, k.tp) & need) == need;
}

/* Of a region of one page. */
static bool has_prefetch(struct ibv_context *ctx)
{
	void *page = aligned_alloc(PAGE_BYTES, PAGE_BYTES);
	struct ibv_sge sge = { .addr = (uintptr_t)page, .length = PAGE_BYTES };
	struct ibv_mr *mr = NULL;
	bool has = false;
	struct probe p;

	if (!open_probe(&p, ctx, 0, false) && page)
		mr = ibv_reg_mr(p.d.pd, memset(page, 0, PAGE_BYTES), PAGE_BYTES,
				IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND);
	if (mr) {
		sge.lkey = mr->lkey;
		has = !ibv_advise_mr(p.d.pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE,
				     IBV_ADVISE_MR_FLAG_FLUSH, &sge, 1);
		verbs_warn("deregister the probe's page", ibv_dereg_mr(mr));
	}
	close_probe(&p);
	free(page);
	return has;
}

/* 0: the device has none. */
static uint64_t dm_bytes(struct ibv_context *ctx)
{
	struct ibv_device_attr_ex attr = { .comp_mask = 0 };

	return ibv_query_device_ex(ctx, NULL, &attr) ? 0 : attr.max_dm_size;
}

/* Another error than that of a provider without the function comes again when the test begins. */
static bool has_null_mr(struct ibv_context *ctx)
{
	struct ibv_mr *mr = NULL;
	bool has = true;
	struct probe p;

	if (!open_probe(&p, ctx, 0, false)) {
		mr = ibv_alloc_null_mr(p.d.pd);
		has = mr || (errno != EOPNOTSUPP && errno != ENOSYS);
	}
	if (mr)
		verbs_warn("free the probe's null memory region", ibv_dereg_mr(mr));
	close_probe(&p);
	return has;
}

/* IBV_QP_EX_WITH_* of the QPs of the test; *wr: whether there are QPs for ibv_wr_*. */
static uint64_t probe_ops(const struct dev *dev, const struct cfg *test, bool *wr)
{
	const uint64_t ops = api_send_ops(cfg_post_api(test), cfg_kind(test).op) |
			     api_bind_ops(cfg_post_api(test), test->mw);

	*wr = ops && has_ops(dev->ctx, api_code_qp_type(test->transport), ops);
	if (*wr)
		return ops;
	/* a DCI is always one for ibv_wr_* */
	return kind_names_dct(test->transport) ? IBV_QP_EX_WITH_SEND : 0;
}

/* Some providers grant a CQ of one thread, and lock it when it is polled. */
static void probe_locks(struct dev *dev, bool extended)
{
	const char *driver = dev->limits.driver;
	struct probe p;

	(void)open_probe(&p, dev->ctx, LOCKS_OFF_ALL, false);
	dev->limits.unlocked = dev->unlocks = p.d.pd ? p.d.without : 0;
	close_probe(&p);
	if (verbs_quirk(driver, QUIRK_CQ_LOCKED_ALWAYS) ||
	    (!extended && verbs_quirk(driver, QUIRK_CQ_LOCKED)))
		dev->limits.unlocked &= ~(unsigned int)LOCKS_OFF_CQ;
}

void dev_probe_gpu(struct dev *dev, uint32_t n)
{
	gpu_probe(&dev->limits, dev->ctx, n);
}

int dev_probe(struct dev *dev, const struct cfg *test, enum side side)
{
	const bool extended = test->poll_api == APIS_POLL_EXTENDED;
	const enum buffers_kind buffers = cfg_buffers(test, side);
	struct limits *l = &dev->limits;
	struct probe_queue ask;
	int rc;

	l->max_inline_bytes = l->unlocked = dev->unlocks = 0;
	l->inline_ignored = verbs_quirk(l->driver, QUIRK_INLINE_IGNORED);
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
		return refuse_transport(dev, test->transport, rc);
	if (l->inline_ignored)
		l->max_inline_bytes = 0;
	if (test->locks != LOCKS_ON)
		probe_locks(dev, extended);
	l->odp = choices_buffers_can(buffers, BUFFERS_ON_DEMAND) &&
		 has_odp(dev->ctx, cfg_kind(test));
	l->prefetch = l->odp && buffers == BUFFERS_PREFETCH && has_prefetch(dev->ctx);
	l->max_dm_bytes = buffers == BUFFERS_DEVICE ? dm_bytes(dev->ctx) : 0;
	l->null_mr = buffers == BUFFERS_NULL && has_null_mr(dev->ctx);
	l->gpu[0] = l->gpu_missing[0] = '\0';
	if (buffers == BUFFERS_CUDA)
		dev_probe_gpu(dev, cfg_gpu(test, side));
	l->resizes_cq = test->disturb == DISTURB_CQ && has_cq(dev->ctx, extended, true);
	l->poll_extended = extended && has_cq(dev->ctx, true, false);
	return 0;
}
