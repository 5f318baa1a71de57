/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The attributes and the state of QPs, as programs modify and query them; see qp.h. Which
 * attributes a transition takes: limits/qp_steps.h.
 */
#include "config.h"
#include "objects/qp.h"

#include <errno.h>

#include "base/gid.h"
#include "base/hca.h"
#include "base/lock.h"
#include "limits/qp_steps.h"
#include "objects/ah.h"
#include "objects/cq.h"
#include "objects/device.h"
#include "objects/mode.h"
#include "objects/sq.h"
#include "transport/migrate.h"
#include "transport/object.h"
#include "transport/progress.h"
#include "transport/requester.h"

/* 67 ms, eight times: TCP is patient. */
#define IWARP_TIMEOUT 14

/*
 * RoCE needs a GID, and the kernel refuses an address without one (rdma_check_ah_attr()). On a
 * device without a profile such an address of a QP is valid and reaches all devices: the examples
 * of libibverbs use it if they run without -g.
 */
static int check_path(const struct qp *qp, const struct ibv_ah_attr *ah, uint8_t port)
{
	if (ah->port_num != port || ah_check(ctx_of(qp->ib.context), ah))
		return EINVAL;
	return ah->is_global && ah->grh.sgid_index >= gid_count(qp->s->dev) ? EINVAL : 0;
}

static bool is_port(const struct qp *qp, uint8_t port)
{
	return port && port <= gid_ports(qp->s->dev);
}

static const struct profile *profile_of(const struct qp *qp)
{
	return ctx_of(qp->ib.context)->profile;
}

static bool is_pkey(const struct qp *qp, uint16_t index)
{
	/* the kernel does not check the index; iWARP drivers ignore it, and have no table */
	return index < device_pkeys(qp->s->dev) || !profile_of(qp)->n_pkeys;
}

/* The kernel wants the ports of a path and of its address to be the same (modify_qp()). */
static int check_alternate(const struct qp *qp, const struct ibv_qp_attr *a)
{
	if (!is_port(qp, a->alt_port_num) || !is_pkey(qp, a->alt_pkey_index) ||
	    a->alt_timeout > 31 || !profile_of(qp)->path_migration)
		return EINVAL;
	return check_path(qp, &a->alt_ah_attr, a->alt_port_num);
}

/* A program can ask for REARM, if an alternate path is loaded, and for MIGRATED. */
static int check_migration(const struct qp *qp, const struct ibv_qp_attr *a, int mask)
{
	if (mask & IBV_QP_ALT_PATH && check_alternate(qp, a))
		return EINVAL;
	if (!(mask & IBV_QP_PATH_MIG_STATE) || a->path_mig_state == IBV_MIG_MIGRATED)
		return 0;
	if (a->path_mig_state != IBV_MIG_REARM)
		return EINVAL;
	return mask & IBV_QP_ALT_PATH || qp->attr.alt_port_num ? 0 : EINVAL;
}

static int check_values(const struct qp *qp, const struct ibv_qp_attr *a, int mask)
{
	const uint8_t port = mask & IBV_QP_PORT ? a->port_num : qp->attr.port_num;

	if ((mask & IBV_QP_PORT && !is_port(qp, port)) ||
	    (mask & IBV_QP_PKEY_INDEX && !is_pkey(qp, a->pkey_index)) ||
	    (mask & IBV_QP_AV && check_path(qp, &a->ah_attr, port)))
		return EINVAL;
	if (mask & IBV_QP_PATH_MTU &&
	    (a->path_mtu < IBV_MTU_256 || a->path_mtu > profile_of(qp)->max_mtu))
		return EINVAL;
	if ((mask & IBV_QP_MAX_QP_RD_ATOMIC &&
	     a->max_rd_atomic > profile_of(qp)->max_init_rd_atomic) ||
	    (mask & IBV_QP_MAX_DEST_RD_ATOMIC &&
	     a->max_dest_rd_atomic > profile_of(qp)->max_rd_atomic))
		return EINVAL;
	if ((mask & IBV_QP_MIN_RNR_TIMER && a->min_rnr_timer > 31) ||
	    (mask & IBV_QP_TIMEOUT && a->timeout > 31) ||
	    (mask & IBV_QP_RETRY_CNT && a->retry_cnt > 7) ||
	    (mask & IBV_QP_RNR_RETRY && a->rnr_retry > 7))
		return EINVAL;
	return check_migration(qp, a, mask);
}

/* Stores the attributes of the mask. */
static void keep(struct qp *qp, const struct ibv_qp_attr *a, int mask)
{
	struct ibv_qp_attr *to = &qp->attr;

	if (mask & IBV_QP_PKEY_INDEX)
		to->pkey_index = a->pkey_index;
	if (mask & IBV_QP_PORT)
		to->port_num = a->port_num;
	if (mask & IBV_QP_QKEY)
		to->qkey = a->qkey;
	if (mask & IBV_QP_ACCESS_FLAGS)
		to->qp_access_flags = a->qp_access_flags;
	if (mask & IBV_QP_AV)
		to->ah_attr = a->ah_attr;
	if (mask & IBV_QP_PATH_MTU)
		to->path_mtu = a->path_mtu;
	if (mask & IBV_QP_DEST_QPN)
		to->dest_qp_num = a->dest_qp_num;
	if (mask & IBV_QP_RQ_PSN)
		to->rq_psn = a->rq_psn & 0xffffff;
	if (mask & IBV_QP_SQ_PSN)
		to->sq_psn = a->sq_psn & 0xffffff;
	if (mask & IBV_QP_MAX_DEST_RD_ATOMIC)
		to->max_dest_rd_atomic = a->max_dest_rd_atomic;
	if (mask & IBV_QP_MIN_RNR_TIMER)
		to->min_rnr_timer = a->min_rnr_timer;
	if (mask & IBV_QP_TIMEOUT)
		to->timeout = a->timeout;
	if (mask & IBV_QP_RETRY_CNT)
		to->retry_cnt = a->retry_cnt;
	if (mask & IBV_QP_RNR_RETRY)
		to->rnr_retry = a->rnr_retry;
	if (mask & IBV_QP_MAX_QP_RD_ATOMIC)
		to->max_rd_atomic = a->max_rd_atomic;
	if (mask & IBV_QP_EN_SQD_ASYNC_NOTIFY)
		to->en_sqd_async_notify = a->en_sqd_async_notify;
	if (mask & IBV_QP_ALT_PATH) {
		to->alt_ah_attr = a->alt_ah_attr;
		to->alt_port_num = a->alt_port_num;
		to->alt_pkey_index = a->alt_pkey_index;
		to->alt_timeout = a->alt_timeout;
	}
}

/* Copies the attributes that peers read. Under s->lock. */
static void publish(struct shm_qp *s, const struct ibv_qp_attr *a)
{
	const struct profile *p = hca_profile(s->dev);

	/* iWARP has no P_Keys */
	s->pkey = !p->n_pkeys ? 0xffff : a->pkey_index < p->n_pkeys ? p->pkey[a->pkey_index] : 0;
	s->mtu = (uint8_t)a->path_mtu;
	s->access = a->qp_access_flags;
	s->qkey = a->qkey;
	s->dest_qpn = a->dest_qp_num;
	s->rq_psn = a->rq_psn;
	s->min_rnr_timer = a->min_rnr_timer;
	s->max_dest_rd_atomic = a->max_dest_rd_atomic;
	if (a->port_num)
		s->path.port = a->port_num;
	s->path.alt_port = a->alt_port_num;
}

static void to_reset(struct qp *qp)
{
	struct ibv_qp_cap cap = qp->attr.cap;
	struct ibv_cq *cq = qp->ib.send_cq; /* of sends; NULL: XRC_RECV */

	lock_take_shared(&qp->s->lock);
	atomic_store(&qp->s->state, IBV_QPS_RESET);
	atomic_store(&qp->s->rq.tail, atomic_load(&qp->s->rq.head));
	qp->s->last_wqe = 0;
	lock_drop_shared(&qp->s->lock);
	/* the epoch must not change between cq_peek() and cq_pop() of another thread */
	if (cq)
		lock_take(&container_of(cq, struct cq, ib)->lock);
	lock_take_shared(&qp->s->lock);
	qp->s->epoch++;
	lock_drop_shared(&qp->s->lock);
	if (cq)
		lock_drop(&container_of(cq, struct cq, ib)->lock);
	requester_reset(qp);
	qp->attr = (struct ibv_qp_attr) { .cap = cap };
	migrate_reset(qp->s);
	qp->migrations = 0;
	ctx_of(qp->ib.context)->mode->qp_reset(qp);
}

static struct qp *first_not_reset(const struct ibv_context *ctx)
{
	struct qp *qp;

	pthread_mutex_lock(&hca.mutex);
	qp = hca.qps;
	while (qp && (qp->ib.context != ctx || atomic_load(&qp->s->state) == IBV_QPS_RESET))
		qp = qp->next;
	pthread_mutex_unlock(&hca.mutex);
	return qp;
}

void qp_reset_all(const struct ibv_context *ctx)
{
	struct qp *qp;

	while ((qp = first_not_reset(ctx))) {
		sq_ask(qp);
		to_reset(qp);
		qp->ib.state = IBV_QPS_RESET;
		lock_drop(&qp->lock);
		progress_cancel(qp);
	}
}

static void enter(struct qp *qp, enum ibv_qp_state state, enum ibv_qp_state from)
{
	if (state == IBV_QPS_RESET) {
		to_reset(qp);
		return;
	}
	if (state == IBV_QPS_ERR) {
		requester_error(qp, state);
		return;
	}
	if (qp->attr.port_num)
		qp->port = hca_port(hca.slot, qp->s->dev, qp->attr.port_num);
	lock_take_shared(&qp->s->lock);
	publish(qp->s, &qp->attr);
	if (qp->dc == QP_DCT) {
		qp->s->max_dest_rd_atomic = HCA_MAX_RD_ATOMIC; /* nothing sets it */
		qp->ib.qp_num = state == IBV_QPS_RTR ? qp->s->qpn : 0;
	}
	/* not if a peer has put it into the error state meanwhile */
	if (atomic_load(&qp->s->state) == from)
		atomic_store(&qp->s->state, state);
	lock_drop_shared(&qp->s->lock);
	if (state == IBV_QPS_RTR && qp->attr.dest_qp_num)
		(void)remote_find(&qp->dest, qp->attr.dest_qp_num); /* it may not exist yet */
	qp->sqd_event = state == IBV_QPS_SQD && from != IBV_QPS_SQD &&
			qp->attr.en_sqd_async_notify;
	requester_run(qp);
}

static struct qp *by_number(uint32_t qpn)
{
	struct qp *qp = hca.qps;

	while (qp && qp->ib.qp_num != qpn)
		qp = qp->next;
	return qp;
}

/* TCP has no RNR: a message without a receive ends the connection. Under qp->lock. */
static void make_ready(struct qp *qp, const struct ibv_qp_attr *attr, enum ibv_qp_state from)
{
	qp->attr.dest_qp_num = attr->dest_qp_num;
	qp->attr.ah_attr = attr->ah_attr;
	qp->attr.port_num = attr->ah_attr.port_num;
	qp->attr.path_mtu = attr->path_mtu;
	qp->attr.max_rd_atomic = attr->max_rd_atomic;
	qp->attr.max_dest_rd_atomic = attr->max_dest_rd_atomic;
	qp->attr.timeout = IWARP_TIMEOUT;
	qp->attr.retry_cnt = 7;
	enter(qp, IBV_QPS_RTS, from);
	qp->ib.state = IBV_QPS_RTS;
}

int qp_connect(uint32_t qpn, const struct ibv_qp_attr *attr)
{
	enum ibv_qp_state from;
	struct qp *qp;
	bool fits;

	pthread_mutex_lock(&hca.mutex);
	qp = by_number(qpn);
	if (!qp || !profile_of(qp)->rdma_cm_only) {
		pthread_mutex_unlock(&hca.mutex);
		return -EINVAL;
	}
	sq_ask(qp);
	from = atomic_load(&qp->s->state);
	fits = from == IBV_QPS_INIT || from == IBV_QPS_RTR;
	if (fits)
		make_ready(qp, attr, from);
	lock_drop(&qp->lock);
	pthread_mutex_unlock(&hca.mutex);
	return fits ? 0 : -EINVAL;
}

int qp_modify(struct ibv_qp *ib, struct ibv_qp_attr *attr, int mask)
{
	struct qp *qp = container_of(ib, struct qp, ib);
	struct qp_step step;
	int rc;

	mask = qp_steps_mask(ib->qp_type, mask);
	sq_ask(qp);
	migrate_follow(qp);
	step.mask = mask;
	step.from = atomic_load(&qp->s->state);
	step.to = mask & IBV_QP_STATE ? attr->qp_state : step.from;
	rc = mask & IBV_QP_CUR_STATE && attr->cur_qp_state != step.from ? EINVAL : 0;
	if (!rc)
		rc = profile_of(qp)->rdma_cm_only ? qp_steps_iwarp(&step) :
						    qp_steps_check(ib->qp_type, qp->dc, &step);
	if (!rc)
		rc = check_values(qp, attr, mask);
	if (!rc) {
		keep(qp, attr, mask);
		enter(qp, step.to, step.from);
		if (mask & IBV_QP_PATH_MIG_STATE)
			migrate_request(qp, attr->path_mig_state);
		ib->state = atomic_load(&qp->s->state);
	}
	lock_drop(&qp->lock);
	if (!rc && step.to == IBV_QPS_RESET)
		progress_cancel(qp);
	progress_post();
	return rc;
}

int qp_modify_rate(struct ibv_qp *ib, struct ibv_qp_rate_limit_attr *attr)
{
	struct qp *qp = container_of(ib, struct qp, ib);
	int rc = 0;

	if (attr->comp_mask || attr->max_burst_sz || attr->typical_pkt_sz ||
	    !(profile_of(qp)->paced >> ib->qp_type & 1))
		return EINVAL;
	sq_ask(qp);
	if (atomic_load(&qp->s->state) == IBV_QPS_RTS)
		qp->pace.kbit_s = attr->rate_limit;
	else
		rc = EINVAL;
	lock_drop(&qp->lock);
	return rc;
}

int qp_query(struct ibv_qp *ib, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init)
{
	struct qp *qp = container_of(ib, struct qp, ib);

	(void)mask; /* like most drivers: fills in all attributes */
	sq_ask(qp);
	migrate_follow(qp);
	*attr = qp->attr;
	attr->path_mig_state = atomic_load(&qp->s->path.state);
	attr->qp_state = attr->cur_qp_state = atomic_load(&qp->s->state);
	attr->sq_draining = attr->qp_state == IBV_QPS_SQD && qp->oldest != qp->next_send;
	lock_drop(&qp->lock);
	ib->state = attr->qp_state;
	*init = (struct ibv_qp_init_attr) {
		.qp_context = ib->qp_context,
		.send_cq = ib->send_cq,
		.recv_cq = ib->recv_cq,
		.srq = ib->srq,
		.cap = qp->attr.cap,
		.qp_type = ib->qp_type,
		.sq_sig_all = qp->sig_all,
	};
	return 0;
}
