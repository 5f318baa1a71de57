/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The fabric between the devices of verbs.h: a request is carried out while it is posted, and its
 * completions are queued (verbs_cq.c). Queues are as long as was asked for: a slot is its user's
 * again only after the completion that says so was polled. Statuses are those of IBA vol. 1,
 * 11.6.2. Over RC a request that nobody acknowledges has no end here: no QP of these tests waits
 * for its retries.
 */
#include "config.h"
#include "verbs.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "verbs_own.h"

/* One request on its way. */
struct flight {
	struct verbs_qp *from, *to; /* to: NULL when nobody is there */
	const struct ibv_send_wr *wr;
	const struct verbs_fault *fault; /* of this message, or NULL */
	uint64_t len;
};

/*
 * What a device does to memory no thread does: invisible to ThreadSanitizer, and in address
 * order, as a program that watches the last byte expects.
 */
__attribute__((no_sanitize("thread"), noinline)) static void dma(void *to, const void *from,
								 size_t len)
{
	volatile uint8_t *d = to;
	const volatile uint8_t *s = from;
	size_t i = 0;

	if (!(((uintptr_t)d | (uintptr_t)s) & 7))
		for (; i + 8 < len; i += 8)
			*(volatile uint64_t *)(uintptr_t)(d + i) =
				*(const volatile uint64_t *)(uintptr_t)(s + i);
	for (; i + 1 < len; i++)
		d[i] = s[i];
	if (len) {
		__atomic_thread_fence(__ATOMIC_RELEASE);
		d[len - 1] = s[len - 1];
	}
}

/* NULL: there is none. */
static const struct verbs_recv *next_recv(const struct verbs_qp *qp)
{
	if (verbs_srq_of(qp))
		return verbs_srq_next(verbs_srq_of(qp));
	return qp->rq_taken == qp->rq_posted ? NULL : &qp->rq[qp->rq_taken % qp->cap.max_recv_wr];
}

static void complete_recv(struct verbs_qp *qp, struct ibv_wc *wc)
{
	wc->wr_id = next_recv(qp)->wr_id;
	if (verbs_srq_of(qp))
		verbs_srq_take(verbs_srq_of(qp));
	else
		qp->rq_taken++;
	wc->qp_num = qp->qp.qp_num;
	verbs_push(qp->qp.recv_cq, wc, qp, qp->rq_taken);
}

void verbs_flush_recvs(struct verbs_qp *qp)
{
	if (verbs_srq_of(qp))
		verbs_srq_last(qp);
	while (qp->rq_taken < qp->rq_posted) {
		struct ibv_wc wc = { .status = IBV_WC_WR_FLUSH_ERR, .opcode = IBV_WC_RECV };

		complete_recv(qp, &wc);
	}
}

static void to_error(struct verbs_qp *qp)
{
	qp->qp.state = IBV_QPS_ERR;
	verbs_flush_recvs(qp);
}

int verbs_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct verbs_qp *qp = VERBS_OF(ibqp, struct verbs_qp, qp);
	const bool owned = verbs_has_thread(ibqp->pd);
	int err = 0;

	if (owned)
		verbs_enter(&qp->inside, "QP");
	verbs_lock();
	for (; wr && !err; wr = wr->next) {
		*bad = wr;
		if (ibqp->state == IBV_QPS_RESET || wr->num_sge > (int)qp->cap.max_recv_sge) {
			err = EINVAL;
		} else if (qp->rq_posted - qp->rq_freed >= qp->cap.max_recv_wr) {
			err = ENOMEM;
		} else {
			struct verbs_recv *recv = &qp->rq[qp->rq_posted++ % qp->cap.max_recv_wr];

			recv->wr_id = wr->wr_id;
			recv->num_sge = wr->num_sge;
			if (wr->num_sge)
				recv->sge = *wr->sg_list;
		}
	}
	if (ibqp->state == IBV_QPS_ERR)
		verbs_flush_recvs(qp);
	verbs_unlock();
	if (owned)
		verbs_leave(&qp->inside);
	return err;
}

/* ---- the target's side: what the initiator's completion says */

static bool is_send(const struct flight *f)
{
	return f->wr->opcode == IBV_WR_SEND || f->wr->opcode == IBV_WR_SEND_WITH_IMM;
}

static bool has_imm(const struct flight *f)
{
	return f->wr->opcode == IBV_WR_SEND_WITH_IMM || f->wr->opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
}

static void place(const struct flight *f, uint64_t addr)
{
	uint8_t *to = (uint8_t *)(uintptr_t)addr;

	if (!f->len)
		return;
	if (f->fault && f->fault->what == VERBS_FLIP && f->fault->byte < f->len) {
		uint8_t *copy = malloc(f->len);

		if (!copy)
			verbs_die("out of memory");
		dma(copy, (const void *)(uintptr_t)f->wr->sg_list->addr, f->len);
		copy[f->fault->byte] ^= 0x20;
		dma(to, copy, f->len);
		free(copy);
		return;
	}
	dma(to, (const void *)(uintptr_t)f->wr->sg_list->addr, f->len);
}

/* Takes a receive for the message; its buffer is filled unless data is where a write has put it. */
static enum ibv_wc_status take_recv(const struct flight *f)
{
	const bool ud = f->to->qp.qp_type == IBV_QPT_UD;
	const uint32_t grh = ud ? sizeof(struct ibv_grh) : 0;
	struct ibv_grh header;
	const bool has_grh = ud && verbs_grh(&header, f->from, f->wr->wr.ud.ah);
	const struct verbs_recv *recv = next_recv(f->to);
	struct ibv_wc wc = {
		.opcode = is_send(f) ? IBV_WC_RECV : IBV_WC_RECV_RDMA_WITH_IMM,
		.byte_len = (uint32_t)f->len + grh,
		.src_qp = f->from->qp.qp_num,
		.slid = verbs_lid(verbs_device_of(f->from->qp.context)),
		.wc_flags = (has_imm(f) ? IBV_WC_WITH_IMM : 0u) | (has_grh ? IBV_WC_GRH : 0u),
	};

	if (!recv)
		return IBV_WC_RNR_RETRY_EXC_ERR;
	if (has_imm(f))
		wc.imm_data = f->wr->imm_data;
	if (f->fault && f->fault->what == VERBS_IMM)
		wc.imm_data = htonl(ntohl(wc.imm_data) + 1);
	if (is_send(f) && wc.byte_len) {
		if (!recv->num_sge || recv->sge.length < wc.byte_len)
			wc.status = IBV_WC_LOC_LEN_ERR;
		else if (!verbs_find_mr(f->to->qp.pd, recv->sge.lkey, recv->sge.addr, wc.byte_len,
					IBV_ACCESS_LOCAL_WRITE))
			wc.status = IBV_WC_LOC_PROT_ERR;
		else {
			if (has_grh)
				dma((void *)(uintptr_t)recv->sge.addr, &header, grh);
			place(f, recv->sge.addr + grh);
		}
	}
	complete_recv(f->to, &wc);
	if (!wc.status)
		return IBV_WC_SUCCESS;
	to_error(f->to);
	return IBV_WC_REM_OP_ERR;
}

static enum ibv_wc_status do_write(const struct flight *f)
{
	const struct ibv_send_wr *wr = f->wr;

	if (!(f->to->attr.qp_access_flags & IBV_ACCESS_REMOTE_WRITE) ||
	    !verbs_find_mr(f->to->qp.pd, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr, f->len,
			   IBV_ACCESS_REMOTE_WRITE))
		return IBV_WC_REM_ACCESS_ERR;
	if (has_imm(f) && !next_recv(f->to))
		return IBV_WC_RNR_RETRY_EXC_ERR;
	place(f, wr->wr.rdma.remote_addr);
	return has_imm(f) ? take_recv(f) : IBV_WC_SUCCESS;
}

static enum ibv_wc_status do_read(const struct flight *f)
{
	const struct ibv_send_wr *wr = f->wr;
	void *to = (void *)(uintptr_t)wr->sg_list->addr;

	if (!f->to->attr.max_dest_rd_atomic)
		return IBV_WC_REM_INV_REQ_ERR;
	if (!(f->to->attr.qp_access_flags & IBV_ACCESS_REMOTE_READ) ||
	    !verbs_find_mr(f->to->qp.pd, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr, f->len,
			   IBV_ACCESS_REMOTE_READ))
		return IBV_WC_REM_ACCESS_ERR;
	dma(to, (const void *)(uintptr_t)wr->wr.rdma.remote_addr, f->len);
	if (f->fault && f->fault->what == VERBS_FLIP && f->fault->byte < f->len)
		((volatile uint8_t *)to)[f->fault->byte] ^= 0x20;
	return IBV_WC_SUCCESS;
}

static enum ibv_wc_status do_atomic(const struct flight *f)
{
	const struct ibv_send_wr *wr = f->wr;
	const uint64_t at = wr->wr.atomic.remote_addr;
	uint64_t old, now;

	if (at & 7 || f->len != 8 || !f->to->attr.max_dest_rd_atomic)
		return IBV_WC_REM_INV_REQ_ERR;
	if (!(f->to->attr.qp_access_flags & IBV_ACCESS_REMOTE_ATOMIC) ||
	    !verbs_find_mr(f->to->qp.pd, wr->wr.atomic.rkey, at, 8, IBV_ACCESS_REMOTE_ATOMIC))
		return IBV_WC_REM_ACCESS_ERR;
	dma(&old, (const void *)(uintptr_t)at, 8);
	now = old;
	if (wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
		now = old + wr->wr.atomic.compare_add;
	else if (old == wr->wr.atomic.compare_add)
		now = wr->wr.atomic.swap;
	dma((void *)(uintptr_t)at, &now, 8);
	dma((void *)(uintptr_t)wr->sg_list->addr, &old, 8);
	return IBV_WC_SUCCESS;
}

static enum ibv_wc_status execute(const struct flight *f)
{
	switch (f->wr->opcode) {
	case IBV_WR_SEND:
	case IBV_WR_SEND_WITH_IMM:
		return take_recv(f);
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return do_write(f);
	case IBV_WR_RDMA_READ:
		return do_read(f);
	default:
		return do_atomic(f);
	}
}

/* ---- the initiator's side */

/* Who is reached by the addresses that both QPs were given; NULL nobody. */
static struct verbs_qp *find_target(const struct verbs_qp *from, const struct ibv_send_wr *wr)
{
	const bool ud = from->qp.qp_type == IBV_QPT_UD;
	const struct ibv_ah_attr *path =
		ud ? verbs_ah_attr(wr->wr.ud.ah) : &from->attr.ah_attr;
	struct verbs_qp *to = verbs_find_qp(ud ? wr->wr.ud.remote_qpn : from->attr.dest_qp_num);

	if (!to || to->qp.qp_type != from->qp.qp_type ||
	    (to->qp.state != IBV_QPS_RTR && to->qp.state != IBV_QPS_RTS))
		return NULL;
	if (path->is_global && !verbs_has_gid(verbs_device_of(to->qp.context), &path->grh.dgid))
		return NULL;
	if (ud)
		return to->attr.qkey == wr->wr.ud.remote_qkey ? to : NULL;
	return to->attr.dest_qp_num == from->qp.qp_num && to->attr.rq_psn == from->attr.sq_psn &&
			       to->attr.path_mtu == from->attr.path_mtu ?
		       to :
		       NULL;
}

static bool fetches(const struct ibv_send_wr *wr)
{
	return wr->opcode == IBV_WR_RDMA_READ || wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
	       wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

/* What the provider says at once. */
static int check_post(const struct verbs_qp *qp, const struct ibv_send_wr *wr, uint64_t len)
{
	const bool send = wr->opcode == IBV_WR_SEND || wr->opcode == IBV_WR_SEND_WITH_IMM;

	if (qp->qp.state != IBV_QPS_RTS && qp->qp.state != IBV_QPS_ERR)
		return EINVAL;
	if (wr->num_sge > (int)qp->cap.max_send_sge ||
	    (wr->send_flags & IBV_SEND_INLINE && (fetches(wr) || len > qp->cap.max_inline_data)) ||
	    (qp->qp.qp_type == IBV_QPT_UD &&
	     (!send || len > 128u << verbs_device_of(qp->qp.context)->mtu)) ||
	    (qp->qp.qp_type == IBV_QPT_UC && fetches(wr)))
		return EINVAL;
	return qp->sq_posted - qp->sq_freed >= qp->cap.max_send_wr ? ENOMEM : 0;
}

static enum ibv_wc_status carry(struct flight *f)
{
	const unsigned int access = fetches(f->wr) ? IBV_ACCESS_LOCAL_WRITE : 0;
	const bool reliable = f->from->qp.qp_type == IBV_QPT_RC;
	enum ibv_wc_status status;

	if (f->from->qp.state == IBV_QPS_ERR)
		return IBV_WC_WR_FLUSH_ERR;
	if (f->fault && f->fault->what == VERBS_STATUS)
		return f->fault->status;
	if (f->wr->num_sge && !(f->wr->send_flags & IBV_SEND_INLINE) &&
	    !verbs_find_mr(f->from->qp.pd, f->wr->sg_list->lkey, f->wr->sg_list->addr, f->len,
			   access))
		return IBV_WC_LOC_PROT_ERR;
	f->to = find_target(f->from, f->wr);
	if (!f->to || (f->fault && f->fault->what == VERBS_LOSE)) {
		f->from->silent = reliable;
		return IBV_WC_SUCCESS;
	}
	status = execute(f);
	if (!status && f->fault && f->fault->what == VERBS_TWICE)
		status = execute(f);
	/* without acknowledgements the sender never learns */
	if (!reliable)
		return IBV_WC_SUCCESS;
	if (status == IBV_WC_REM_ACCESS_ERR || status == IBV_WC_REM_INV_REQ_ERR)
		to_error(f->to);
	return status;
}

static void complete_send(struct verbs_qp *qp, const struct ibv_send_wr *wr,
			  enum ibv_wc_status status)
{
	struct ibv_wc wc = { .wr_id = wr->wr_id,
			     .status = status,
			     .qp_num = qp->qp.qp_num,
			     .vendor_err = status ? 0x77 : 0 };

	if (status && qp->qp.state != IBV_QPS_ERR)
		to_error(qp);
	if (status || wr->send_flags & IBV_SEND_SIGNALED)
		verbs_push(qp->qp.send_cq, &wc, qp, qp->sq_posted);
}

/* The fault that befalls this message, NULL none. */
static const struct verbs_fault *next_fault(struct verbs_device *vd, const struct ibv_send_wr *wr)
{
	const struct verbs_fault *fault = &vd->fault;
	uint64_t message;

	if (!wr->num_sge && fault->empty)
		return vd->empty_messages++ == fault->message ? fault : NULL;
	if (!wr->num_sge)
		return fault->what == VERBS_HOLD && vd->messages > fault->message ? fault : NULL;
	message = vd->messages++;
	if (fault->empty)
		return NULL;
	if (fault->what == VERBS_HOLD ? message >= fault->message : message == fault->message)
		return fault->what == VERBS_NO_FAULT ? NULL : fault;
	return NULL;
}

static int post_one(struct verbs_qp *qp, const struct ibv_send_wr *wr)
{
	const struct verbs_ctx *ctx = VERBS_OF(qp->qp.context, struct verbs_ctx, ex.context);
	struct verbs_device *vd = verbs_device_of(qp->qp.context);
	struct flight f = { .from = qp, .wr = wr, .len = wr->num_sge ? wr->sg_list->length : 0 };
	enum ibv_wc_status status = IBV_WC_SUCCESS;
	int err = check_post(qp, wr, f.len);

	if (err)
		return err;
	if (vd->signals_all && !(wr->send_flags & IBV_SEND_SIGNALED))
		return EINVAL;
	f.fault = next_fault(vd, wr);
	if (f.fault && f.fault->what == VERBS_REFUSE)
		return ENOMEM;
	qp->sq_posted++;
	qp->silent |= f.fault && (f.fault->what == VERBS_HOLD || f.fault->what == VERBS_HOLD_QP);
	if (f.fault && f.fault->what == VERBS_ASYNC &&
	    write(ctx->async_write_fd, &f.fault->event, sizeof(f.fault->event)) < 0)
		verbs_die("the queue of async events is full");
	if (!qp->silent)
		status = carry(&f);
	if (!qp->silent)
		complete_send(qp, wr, status);
	if (f.fault && f.fault->what == VERBS_CALL)
		f.fault->call(f.fault->arg);
	return 0;
}

int verbs_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct verbs_qp *qp = VERBS_OF(ibqp, struct verbs_qp, qp);
	const bool owned = verbs_has_thread(ibqp->pd);
	int err = 0;

	if (owned)
		verbs_enter(&qp->inside, "QP");
	verbs_lock();
	for (; wr && !err; wr = wr->next) {
		*bad = wr;
		err = post_one(qp, wr);
	}
	verbs_unlock();
	if (owned)
		verbs_leave(&qp->inside);
	return err;
}
