/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What the files of verbs*.c share; tests include verbs.h. */
#ifndef VERBS_OWN_H
#define VERBS_OWN_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <infiniband/verbs.h>

#include "verbs.h"

#define VERBS_OF(ptr, type, member) ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

struct verbs_td {
	struct ibv_td td;
	uint32_t users;
};

struct verbs_pd {
	struct ibv_pd pd;
	struct ibv_pd *parent_of; /* of a parent domain: the PD it stands for */
	struct verbs_td *td;
	_Atomic uint32_t users; /* objects that live in it */
};

struct verbs_mr {
	bool null; /* has all addresses, and no key for peers */
	struct ibv_mr mr;
	unsigned int access;
	struct verbs_mr *next;
};

struct verbs_qp;

/* A completion and what its poll frees. */
struct verbs_cqe {
	struct ibv_wc wc;
	struct verbs_qp *qp;
	uint64_t freed_to; /* requests or receives of the QP up to here are its user's again */
	uint64_t at_ns;    /* when it came */
};

struct verbs_cq {
	union {
		struct ibv_cq cq;
		struct ibv_cq_ex ex; /* begins with the same members (ibv_cq_ex_to_cq) */
	};
	struct ibv_pd *parent; /* NULL: none */
	bool single; /* one thread uses it at a time */
	_Atomic bool inside;
	struct verbs_cqe *ring;
	uint32_t size, head;
	_Atomic uint32_t n; /* looked at without the lock: who polls in vain is in nobody's way */
	bool armed;
	uint32_t events; /* taken by ibv_get_cq_event */
};

struct verbs_channel {
	struct ibv_comp_channel channel;
	int write_fd;
};

struct verbs_recv {
	uint64_t wr_id;
	struct ibv_sge sge;
	int num_sge;
};

struct verbs_qp {
	struct ibv_qp qp;
	_Atomic bool inside; /* looked at when it is of a thread domain */
	struct ibv_qp_cap cap;
	struct ibv_qp_attr attr; /* merged from every modify */
	struct verbs_recv *rq; /* ring of cap.max_recv_wr */
	uint64_t rq_posted, rq_taken, rq_freed;
	uint64_t sq_posted, sq_freed;
	bool last_wqe; /* of an SRQ: IBV_EVENT_QP_LAST_WQE_REACHED was raised */
	bool silent; /* waits for an acknowledgement that does not come */
	struct verbs_qp *next;
};

struct verbs_srq {
	struct ibv_srq srq;
	struct verbs_recv *rq; /* ring of max_wr */
	uint32_t max_wr, limit, qps;
	uint64_t posted, taken;
	bool low; /* its limit event is in the channel */
	struct verbs_qp *last_qp; /* the last one that raised an event */
	struct verbs_srq *next;
};

struct verbs_ctx {
	struct verbs_context ex;
	struct verbs_device *device;
	int async_write_fd;
};

/* verbs.c */
struct verbs_device *verbs_device_of(const struct ibv_context *ctx);
uint16_t verbs_lid(const struct verbs_device *device); /* 0: not InfiniBand */
/* The MR of that key with these rights over [addr, addr + len), NULL without. */
struct verbs_mr *verbs_find_mr(const struct ibv_pd *pd, uint32_t key, uint64_t addr, uint64_t len,
			       unsigned int access);
bool verbs_has_gid(const struct verbs_device *device, const union ibv_gid *gid);
/* VERBS_GIDS: it has none of that value. */
uint32_t verbs_gid_index(const struct verbs_device *device, const union ibv_gid *gid);
/* Ends the program without. */
union ibv_gid verbs_gid(const struct verbs_device *device, uint32_t index);
/* Violations of the program under test that no real device would forgive. */
_Noreturn void verbs_die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void verbs_lock(void);
void verbs_unlock(void);
/* Zeroed objects that verbs_open_objects() counts. */
void *verbs_new(size_t size);
void verbs_free(void *object);

/* verbs_pd.c */
void verbs_fill_domains(struct verbs_context *ex);
void verbs_pd_take(struct ibv_pd *pd);
void verbs_pd_drop(struct ibv_pd *pd);
/* What rights are checked against: of a parent domain the PD it stands for. */
const struct ibv_pd *verbs_protection(const struct ibv_pd *pd);
bool verbs_has_thread(const struct ibv_pd *pd);
/* Around what one thread may do at a time. */
void verbs_enter(_Atomic bool *inside, const char *what);
void verbs_leave(_Atomic bool *inside);

/* verbs_cq.c; push and forget under the lock */
struct ibv_cq_ex *verbs_create_cq_ex(struct ibv_context *ctx, struct ibv_cq_init_attr_ex *attr);
int verbs_poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc);
int verbs_req_notify_cq(struct ibv_cq *cq, int solicited_only);
void verbs_push(struct ibv_cq *cq, const struct ibv_wc *wc, struct verbs_qp *qp, uint64_t freed_to);
void verbs_forget_qp(struct verbs_cq *cq, const struct verbs_qp *qp);

/* verbs_post.c; flush under the lock */
int verbs_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);
int verbs_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
void verbs_flush_recvs(struct verbs_qp *qp);

/* verbs_srq.c; next, take and last under the lock */
int verbs_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
struct verbs_srq *verbs_srq_of(const struct verbs_qp *qp); /* NULL: it has none */
const struct verbs_recv *verbs_srq_next(const struct verbs_srq *srq); /* NULL: it is empty */
void verbs_srq_take(struct verbs_srq *srq);
void verbs_srq_last(struct verbs_qp *qp);
/* Fills in what an event of an SRQ is about. */
void verbs_srq_event(const struct ibv_context *ctx, struct ibv_async_event *event);

/* verbs_ah.c */
const struct ibv_ah_attr *verbs_ah_attr(struct ibv_ah *ah);
/* What a device puts before a datagram; false: it goes without. */
bool verbs_grh(struct ibv_grh *grh, const struct verbs_qp *from, struct ibv_ah *ah);

/*
 * verbs_qp.c: an errno unless the path can be used. RoCE resolves the address of the peer when an
 * address vector is made.
 */
int verbs_check_path(const struct ibv_context *ctx, const struct ibv_ah_attr *ah);
/* under the lock */
struct verbs_qp *verbs_find_qp(uint32_t qpn);

#endif
