/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room endpoint: endpoints, the verbs objects of one thread: QPs, SRQs, memory windows, alternate
 * paths, membership in groups; filling and checking of their memory. It measures nothing.
 *
 * This header: PD, completion channel, CQs, QPs and memory of one thread. All threads share the
 * context of struct dev, so that async events come to one place. What a thread must not share of
 * the context (doorbells) comes with its thread domain.
 */
#ifndef EP_H
#define EP_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "decide/flow_label.h"
#include "decide/plan.h"
#include "device/dev.h"
#include "device/mem.h"
#include "endpoint/ep_addr.h"
#include "options/kind.h"
#include "verbs/api.h"

#define EP_REMOTE_ACCESS \
	(IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

/* ---- halves.c */

/*
 * What receives for an endpoint whose QPs only send (XRC, DC): for each of them a QP that only
 * receives, with an SRQ of its own, so that receives and credits are per QP, as over RC.
 *
 * XRC: a domain, XRC_RECV QPs and their SRQs. The peer's XRC_SEND QP i is connected with XRC_RECV
 * QP i, and names SRQ i in each request. DC: DCTs. The peer's DCI i names DCT i in each request.
 *
 * Sources: ibv_open_xrcd(3), ibv_create_srq_ex(3), ibv_create_qp_ex(3), InfiniBand Architecture
 * Specification vol. 1, annex A14; mlx5dv_create_qp(3).
 */

struct halves {
	struct ibv_xrcd *xrcd; /* XRC */
	struct ibv_srq **srqs; /* NULL: none */
	uint32_t *srqns;       /* XRC: their numbers; else 0 */
	struct ibv_qp **qps;
	uint32_t n;            /* of each */
};

struct halves_want {
	enum transport tp;
	struct ibv_pd *pd;     /* of the memory that requests reach */
	struct ibv_cq *cq;     /* of the receives */
	uint32_t n;
	uint32_t receives;     /* per SRQ; 0: none, the SRQ is only needed */
	uint32_t sges;         /* per receive */
	uint64_t dc_key;       /* DC: what requests to the DCTs must have */
};

/*
 * Makes room for all. Errors of verbs, also of halves_make(), with an error message; halves_close()
 * then closes the rest.
 */
int halves_open(struct halves *h, const struct halves_want *want)
	__attribute__((warn_unused_result));

/* Creates SRQ and QP i: the caller may tell its peer between them that it lives. */
int halves_make(struct halves *h, const struct halves_want *want, uint32_t i)
	__attribute__((warn_unused_result));

/* QP i, before halves_close(). False: there is none. Accepts as that does. */
bool halves_destroy_qp(struct halves *h, uint32_t i);

/* Before the CQ and the PD are destroyed. Accepts a zeroed or half-opened one. */
void halves_close(struct halves *h);

/* ---- endpoints */

#define EP_PSN_MASK 0xffffffu /* 24 bits in the packet: IBA vol. 1, 9.2 */
#define EP_DC_KEY_MAX 0xffffffffffffu /* of 64 bits those that every reader of JSON keeps */

/* Called after each QP that was made, connected or destroyed; -errno ends it, not ep_close(). */
struct ep_pace {
	int (*tick)(void *arg);
	void *arg;
};

struct ep {
	const struct dev *dev;
	const struct ep_pace *pace;       /* NULL: none; set before ep_open(), borrowed */
	struct domain domain;
	struct ibv_comp_channel *channel; /* event only, else NULL; its fd does not block */
	struct ibv_cq *scq, *rcq;         /* rcq NULL when nothing is received */
	struct ibv_ah *ah;                /* UD, DC; of QP 0: ep_ah() */
	struct ibv_ah **ahs;              /* of each label, the first is ah; owned. NULL: one */
	uint32_t n_ahs;
	uint32_t first_qp;                /* of all threads; set before ep_open() */
	struct ibv_srq *srq;              /* of all QPs; NULL: each has its receive queue */
	struct dev_srq_events *srq_events; /* with srq; owned */
	struct ibv_qp **qps;              /* XRC, DC: those that send */
	struct dev_qp_events qp_events;   /* of all qps */
	uint32_t alt_gid_index;           /* of the alternate port: ep_apm_address() */
	struct halves halves;             /* those that receive; zero over other transports */
	struct dc_target *targets;        /* DC: of each QP; owned. NULL: none */
	uint32_t n_qps;
	struct ibv_mw **mws;              /* one per QP; NULL: none; of ep_extras.h */
	uint32_t comp_vector;             /* of its CQs; set before ep_open() */
	union ibv_gid mgid;               /* a receiver of a multicast group: ep_extras.h */
	uint16_t mlid;
	bool attached;
	bool connected;                   /* its QPs are in RTS: ep_activate() */
	struct mem mem;
	struct ep_addr addr;              /* of this side */
};

/*
 * Creates all objects, registers memory and takes the QPs to INIT; receives may be posted then. ep
 * is zeroed except for comp_vector, first_qp and pace. Errors, each with a message: -EINVAL if the
 * plan exceeds a limit of the device, else those of verbs. After an error, too, the caller calls
 * ep_close(): the peer gets to know the error first, since thousands of QPs take long to destroy.
 */
int ep_open(struct ep *ep, const struct dev *dev, const struct plan *plan,
	    const struct point *point, enum side side) __attribute__((warn_unused_result));

/*
 * An endpoint whose QPs are made, moved and destroyed one by one: no memory, no thread domain, and
 * nothing taken from the budget. needs: of one QP; its CQs are for all.
 */
struct ep_bare {
	struct plan_needs needs;
	uint32_t n_qps;         /* room for so many */
};

/* Errors as of ep_open(), and ep_close() is due after them, too. */
int ep_open_bare(struct ep *ep, const struct dev *dev, const struct plan *plan, enum side side,
		 const struct ep_bare *want) __attribute__((warn_unused_result));

/* Creates the i-th QP, of a bare endpoint too. Errors of verbs, with an error message. */
int ep_make_qp(struct ep *ep, uint32_t i, const struct plan *plan, const struct plan_needs *needs)
	__attribute__((warn_unused_result));

/*
 * Checks the peer's address, and over UD and DC creates ep->ah from it, over DC also ep->targets.
 * Requests carry these, so it is called before they are built; else ep_connect() calls it. Errors
 * as there.
 */
int ep_reach(struct ep *ep, const struct plan *plan, const struct ep_addr *peer, enum side side)
	__attribute__((warn_unused_result));

/*
 * INIT to RTS with the peer's address; where rdma_cm connects the QPs it leaves them as they are.
 * -ETIMEDOUT: the peer's GID was not resolved on the netdev.
 */
int ep_connect(struct ep *ep, const struct plan *plan, const struct ep_addr *peer, enum side side)
	__attribute__((warn_unused_result));

/* The transitions alone, unless they are done: over UD they need no address. Errors as there. */
int ep_activate(struct ep *ep, const struct plan *plan, const struct ep_addr *peer, enum side side)
	__attribute__((warn_unused_result));

/*
 * ep_hello.c: the address of a peer from its first messages (UD). A hello is an empty message of
 * each QP of the peer. All before worker_open(), but for ep_hello_send(), which needs ep->ah.
 */
struct ep_hello {
	bool *heard;     /* n, by QP of the side that sends them; owned */
	uint32_t *news;  /* room for n: those that ep_hello_take() heard; owned */
	uint32_t n;
	uint32_t n_news; /* the caller sets it to 0 when it has used them */
	uint32_t left;   /* of n, still silent */
};

/* On both sides, for n QPs. -ENOMEM with an error message; ep_hello_free() in any case. */
int ep_hello_make(struct ep_hello *hello, uint32_t n) __attribute__((warn_unused_result));
/* Accepts a zeroed or half-made one. */
void ep_hello_free(struct ep_hello *hello);

/* QP i has been heard. False: it had been before. */
bool ep_hello_mark(struct ep_hello *hello, uint32_t i);

/* Activates the QPs and posts a receive for each QP of the peer. -errno with an error message. */
int ep_hello_open(struct ep_hello *hello, struct ep *ep, const struct plan *plan,
		  const struct ep_addr *peer) __attribute__((warn_unused_result));

/*
 * Takes the hellos that have come, without blocking; the first one makes ep->ah. After the last,
 * hello->left is 0 and no receive is posted any more. -EPROTO with an error message if one is from
 * a QP or a GID that the peer has not named; -errno.
 */
int ep_hello_take(struct ep_hello *hello, struct ep *ep, const struct ep_addr *peer)
	__attribute__((warn_unused_result));

/*
 * Is a datagram from the GID, or the LID, that the peer has named? grh: the first 40 bytes of its
 * receive. -EPROTO with an error message if not; errors of verbs.
 */
int ep_check_source(const struct dev *dev, struct ibv_wc *wc, struct ibv_grh *grh,
		    const struct ep_addr *peer) __attribute__((warn_unused_result));

/*
 * One hello by each QP that has not been heard, sent when it returns; each may be lost. -errno with
 * an error message.
 */
int ep_hello_send(const struct ep_hello *hello, struct ep *ep, const struct plan *plan,
		  const struct ep_addr *peer) __attribute__((warn_unused_result));

/* What requests of QP i name, over UD and DC. */
static inline struct ibv_ah *ep_ah(const struct ep *ep, uint32_t i)
{
	return ep->n_ahs ? ep->ahs[i % ep->n_ahs] : ep->ah;
}

/* The label of QP i, the same on both sides. */
static inline uint32_t ep_flow_label(const struct ep *ep, const struct plan *plan, uint32_t i)
{
	return flow_label_of(plan->path.flow_label, ep->first_qp + i);
}

static inline int ep_tick(const struct ep *ep)
{
	return ep->pace ? ep->pace->tick(ep->pace->arg) : 0;
}

/* QPs that exist, halves too: ep_close() destroys so many. Accepts a zeroed or half-opened ep. */
uint32_t ep_n_made(const struct ep *ep);

/* Accepts a zeroed or half-opened ep; all CQ events must be acked before, and its group be left. */
void ep_close(struct ep *ep);
void ep_addr_free(struct ep_addr *addr);

/*
 * The attributes of one transition and its mask: exactly what ib_modify_qp_is_ok() of the kernel
 * requires (drivers/infiniband/core/verbs.c, qp_state_table), nothing missing, nothing superfluous.
 */
struct ep_attr {
	struct ibv_qp_attr attr;
	int mask;
};
/* XRC and DC have a QP for each direction; a QP of other transports is both. */
enum ep_half { EP_WHOLE, EP_SENDER, EP_RECEIVER };
struct ep_attr_in {
	enum ep_half half;
	const struct plan *plan;
	const struct limits *local;
	uint32_t gid_index;      /* of this side */
	uint32_t flow_label;     /* ep_flow_label() */
	int access;
	uint32_t qkey;           /* UD */
	struct ep_qp_id own, peer_qp;
	const struct ep_addr *peer; /* from RTR on; of a DCT this side itself */
	const struct ibv_ah_attr *path; /* in place of peer: that of rdma_cm; NULL: none */
};
struct ep_attr ep_attr_init(const struct ep_attr_in *in);
struct ep_attr ep_attr_rtr(const struct ep_attr_in *in);
struct ep_attr ep_attr_rts(const struct ep_attr_in *in);
/*
 * Least rights for the plan on this side, IBV_ACCESS_*: of the QPs, and of the memory region. With
 * memory windows these have the remote rights, and the region has none.
 */
int ep_access(const struct plan *plan, enum side side);
int ep_access_memory(const struct plan *plan, enum side side);
/* Keys of the side's regions that the peer needs; 0: that of the only one, or those of windows. */
uint32_t ep_rkeys(const struct plan *plan, enum side side);
/* The address vector to in->peer: for RTR, and for the AH of UD. */
struct ibv_ah_attr ep_attr_path(const struct ep_attr_in *in);
/*
 * Carries out the transition on the i-th QP, half: as in->half. Errors of verbs, with an error
 * message.
 */
int ep_modify(struct ep *ep, uint32_t i, enum ep_half half, struct ep_attr *attr)
	__attribute__((warn_unused_result));
/*
 * Polls ep->scq until it has one completion, which must be good. -errno with an error message that
 * begins with what; -ETIMEDOUT.
 */
int ep_complete(const struct ep *ep, struct ibv_wc *wc, uint32_t timeout_ms, const char *what)
	__attribute__((warn_unused_result));
/* IBV_MTU_* for bytes in {256, 512, 1024, 2048, 4096}, 0 otherwise. */
enum ibv_mtu ep_mtu(uint32_t bytes);

/*
 * ep_extras.c: the receive queue that all QPs share. Its events come on the async channel of the
 * device: dev_async() counts them in ep->srq_events.
 *
 * Creates ep->srq for so many receives of sges buffers; ep->domain is open, and the
 * device has the room (plan_needs_check()). Errors of verbs, with an error message.
 */
int ep_srq_open(struct ep *ep, uint64_t receives, uint32_t sges)
	__attribute__((warn_unused_result));

/*
 * Asks for one event when fewer than limit receives are left; after the receives are posted, and
 * again after each event. 0: for none. Does nothing without an SRQ. Errors of verbs, with an error
 * message.
 */
int ep_srq_arm(struct ep *ep, uint32_t limit) __attribute__((warn_unused_result));

/*
 * After an error, before ep_close(): takes the QPs to the error state, waits until each has taken
 * its last receive (IBV_EVENT_QP_LAST_WQE_REACHED), and takes the completions that are left. A QP
 * that is destroyed before could leave a receive of the SRQ half used: IBA vol. 1, 10.2.9.4. The
 * wait ends after 100 ms: the rxe driver of Linux 6.1 never raises the event. Does nothing without
 * an SRQ.
 */
void ep_srq_drain(struct ep *ep);

/* All QPs are destroyed before. Accepts an ep without an SRQ. */
void ep_srq_close(struct ep *ep);

#endif
