/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Requests posted to the fake by ibv_wr_*: builds the list that ibv_post_send() would get, and
 * passes it on to fake_post.c, which checks it. Notes calls in a wrong order (ibv_wr_post(3)).
 */
#include "config.h"

#include "fake.h"

#include <errno.h>
#include <string.h>

static struct fake_qp *qp_of(struct ibv_qp_ex *ex)
{
	return (struct fake_qp *)ex;
}

/* The request that is being built; a spare one if there is none. */
static struct ibv_send_wr *current(struct fake_qp *q)
{
	if (!q->building || !q->n_built) {
		fake_bad(q->side->fake, "a part of a request before its opcode");
		return &q->built[0];
	}
	return &q->built[q->n_built - 1];
}

static struct ibv_send_wr *begin(struct ibv_qp_ex *ex, enum ibv_wr_opcode opcode)
{
	struct fake_qp *q = qp_of(ex);

	if (!q->building)
		fake_bad(q->side->fake, "a request outside ibv_wr_start() and ibv_wr_complete()");
	if (ex->wr_flags & IBV_SEND_INLINE)
		fake_bad(q->side->fake, "flags 0x%x for ibv_wr_*", ex->wr_flags);
	if (q->n_built == FAKE_LIST) {
		fake_bad(q->side->fake, "a list of more than %u requests", FAKE_LIST);
		q->n_built--;
	}
	q->built[q->n_built] = (struct ibv_send_wr){
		.wr_id = ex->wr_id, .opcode = opcode, .send_flags = ex->wr_flags
	};
	return &q->built[q->n_built++];
}

static void start(struct ibv_qp_ex *ex)
{
	struct fake_qp *q = qp_of(ex);

	if (q->building)
		fake_bad(q->side->fake, "ibv_wr_start() twice");
	q->building = true;
	q->n_built = 0;
}

static int complete(struct ibv_qp_ex *ex)
{
	struct fake_qp *q = qp_of(ex);
	struct ibv_send_wr *bad;

	if (!q->building || !q->n_built)
		return fake_bad(q->side->fake, "ibv_wr_complete() of nothing");
	q->building = false;
	for (uint32_t i = 0; i < q->n_built; i++) {
		struct ibv_send_wr *wr = &q->built[i];

		wr->next = i + 1 < q->n_built ? wr + 1 : NULL;
		wr->sg_list = &q->built_sge[i];
	}
	return fake_post_send(&q->ibv, q->built, &bad);
}

static void send(struct ibv_qp_ex *ex)
{
	begin(ex, IBV_WR_SEND);
}

static void send_imm(struct ibv_qp_ex *ex, __be32 imm)
{
	begin(ex, IBV_WR_SEND_WITH_IMM)->imm_data = imm;
}

static void rdma(struct ibv_qp_ex *ex, enum ibv_wr_opcode opcode, uint32_t rkey, uint64_t addr)
{
	struct ibv_send_wr *wr = begin(ex, opcode);

	wr->wr.rdma.rkey = rkey;
	wr->wr.rdma.remote_addr = addr;
}

static void rdma_write(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr)
{
	rdma(ex, IBV_WR_RDMA_WRITE, rkey, addr);
}

static void rdma_write_imm(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, __be32 imm)
{
	rdma(ex, IBV_WR_RDMA_WRITE_WITH_IMM, rkey, addr);
	current(qp_of(ex))->imm_data = imm;
}

static void rdma_read(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr)
{
	rdma(ex, IBV_WR_RDMA_READ, rkey, addr);
}

static void cmp_swap(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, uint64_t compare,
		     uint64_t swap)
{
	struct ibv_send_wr *wr = begin(ex, IBV_WR_ATOMIC_CMP_AND_SWP);

	wr->wr.atomic.rkey = rkey;
	wr->wr.atomic.remote_addr = addr;
	wr->wr.atomic.compare_add = compare;
	wr->wr.atomic.swap = swap;
}

static void fetch_add(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, uint64_t add)
{
	struct ibv_send_wr *wr = begin(ex, IBV_WR_ATOMIC_FETCH_AND_ADD);

	wr->wr.atomic.rkey = rkey;
	wr->wr.atomic.remote_addr = addr;
	wr->wr.atomic.compare_add = add;
}

static void set_ud_addr(struct ibv_qp_ex *ex, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey)
{
	struct ibv_send_wr *wr = current(qp_of(ex));

	wr->wr.ud.ah = ah;
	wr->wr.ud.remote_qpn = qpn;
	wr->wr.ud.remote_qkey = qkey;
}

static void set_xrc_srqn(struct ibv_qp_ex *ex, uint32_t srqn)
{
	current(qp_of(ex))->qp_type.xrc.remote_srqn = srqn;
}

/* No bytes: a message without payload. */
static void set_sge(struct ibv_qp_ex *ex, uint32_t lkey, uint64_t addr, uint32_t length)
{
	struct fake_qp *q = qp_of(ex);
	struct ibv_send_wr *wr = current(q);

	if (wr->num_sge)
		fake_bad(q->side->fake, "two payloads of one request");
	q->built_sge[wr - q->built] =
		(struct ibv_sge){ .addr = addr, .length = length, .lkey = lkey };
	wr->num_sge = length != 0;
}

/* fake_post.c also checks the key, which this call does not have. */
static void set_inline_data(struct ibv_qp_ex *ex, void *addr, size_t length)
{
	struct fake_qp *q = qp_of(ex);

	set_sge(ex, q->side->mr.lkey, (uintptr_t)addr, (uint32_t)length);
	current(q)->send_flags |= IBV_SEND_INLINE;
}

/* As if it had an SGE: fake_post.c checks that the word is the one of that request. */
static void atomic_write(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, const void *word)
{
	struct fake_qp *q = qp_of(ex);

	rdma(ex, IBV_WR_ATOMIC_WRITE, rkey, addr);
	set_sge(ex, q->side->mr.lkey, (uintptr_t)word, 8);
}

/*
 * Of the write before it, which nobody is told of. Both become one request, which completes as the
 * flush does.
 */
static void wr_flush(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, size_t len, uint8_t type,
		     uint8_t level)
{
	struct fake_qp *q = qp_of(ex);
	struct ibv_send_wr *wr = current(q);
	const size_t wrote = wr->num_sge ? q->built_sge[wr - q->built].length : 0;

	if (wr->opcode != IBV_WR_RDMA_WRITE || wr->send_flags & IBV_SEND_SIGNALED ||
	    wr->wr_id != ex->wr_id || wr->wr.rdma.rkey != rkey ||
	    wr->wr.rdma.remote_addr != addr || len != wrote)
		fake_bad(q->side->fake, "a flush of something else than the write before it");
	if (type != IBV_FLUSH_PERSISTENT || level != IBV_FLUSH_MR ||
	    ex->wr_flags & ~(unsigned)IBV_SEND_SIGNALED)
		fake_bad(q->side->fake, "a flush of type %u, level %u, flags %x", type, level,
			 ex->wr_flags);
	wr->opcode = IBV_WR_FLUSH;
	wr->send_flags |= ex->wr_flags;
}

int fake_wrong_post(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	*bad = wr;
	return fake_bad(((struct fake_qp *)qp)->side->fake, "ibv_post_send() for ibv_wr_*");
}

void fake_wr_open(struct fake_qp *q)
{
	q->ex.wr_start = start;
	q->ex.wr_complete = complete;
	q->ex.wr_send = send;
	q->ex.wr_send_imm = send_imm;
	q->ex.wr_rdma_write = rdma_write;
	q->ex.wr_rdma_write_imm = rdma_write_imm;
	q->ex.wr_rdma_read = rdma_read;
	q->ex.wr_atomic_cmp_swp = cmp_swap;
	q->ex.wr_atomic_fetch_add = fetch_add;
	newer_qp_ex(&q->ex)->wr_atomic_write = atomic_write;
	newer_qp_ex(&q->ex)->wr_flush = wr_flush;
	q->ex.wr_set_ud_addr = set_ud_addr;
	q->ex.wr_set_xrc_srqn = set_xrc_srqn;
	q->ex.wr_set_sge = set_sge;
	q->ex.wr_set_inline_data = set_inline_data;
}
