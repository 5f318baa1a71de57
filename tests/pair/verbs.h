/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Two RDMA devices inside the test program, pair0 (the client's) and pair1 (the server's), joined
 * by a fabric that delivers a message while it is being posted. verbs.c and verbs_qp.c define
 * what the program calls of libibverbs; an executable's own definitions win over a library's.
 * Strict: what a real HCA answers with an error is one here, and what would silently go wrong
 * there (CQ overflow, destroying what is in use) ends the test program.
 */
#ifndef VERBS_H
#define VERBS_H

#include <stdbool.h>
#include <stdint.h>
#include <infiniband/verbs.h>

#include "options/kind.h"

#define VERBS_GIDS 4
#define VERBS_PORTS 2 /* the most; QPs use port 1 */
#define VERBS_PKEY 0x8123 /* of both ports, at index 0 */
#define VERBS_PKEYS 4
#define VERBS_ROUTES 16
/* Written to async_fd: an event that is gone when it is read, with the QP that it was about. */
#define VERBS_EVENT_GONE ((enum ibv_event_type)INT32_MAX)

enum verbs_what {
	VERBS_NO_FAULT,
	VERBS_STATUS, /* the completion has this status, the message is not delivered */
	VERBS_FLIP, /* one byte of the payload is another one at the target */
	VERBS_IMM, /* the immediate is one more than was posted */
	VERBS_LOSE, /* not delivered; over UC and UD nobody notices, over RC it never ends */
	VERBS_TWICE, /* delivered again (UC, UD) */
	VERBS_HOLD, /* from this message on nothing is delivered or completed any more */
	VERBS_HOLD_QP, /* the same for the QP of this message alone */
	VERBS_REFUSE, /* post_send answers ENOMEM */
	VERBS_ASYNC, /* an async event for the device */
	VERBS_CALL /* nothing happens to the message; call is called */
};

/* What happens to one message of a device; messages count from 0. */
struct verbs_fault {
	enum verbs_what what;
	bool empty; /* of the messages without data: credits, first messages; else of the others */
	uint64_t message;
	enum ibv_wc_status status;
	enum ibv_event_type event;
	uint64_t byte;
	void (*call)(void *arg);
	void *arg;
};

struct verbs_device {
	const char *name;
	bool absent;
	bool plain; /* knows nothing but the first verbs: no thread domains, no CQs of one thread */
	int td_errno; /* of making thread domains, after the first tds_good */
	uint32_t tds_good;
	int parent_errno, cq_ex_errno; /* of making these */
	int cq_parent_errno, qp_parent_errno; /* of making one in a parent domain */
	int srq_errno; /* of creating an SRQ */
	bool no_last_wqe; /* as rxe of Linux 6.1: no IBV_EVENT_QP_LAST_WQE_REACHED */
	int open_errno, mr_errno, qp_errno; /* of opening, registering, creating a QP that moves */
	int ah_errno; /* of making an address handle */
	uint32_t late_ms; /* from a send to its completion: its acknowledgement is slow */
	int modify_errno; /* of moving a QP to modify_state */
	enum ibv_qp_state modify_state;
	_Atomic uint32_t regions; /* of memory, that were registered */
	bool no_null_mr; /* no null memory regions */
	_Atomic uint32_t nulls; /* requests and receives that used null memory */
	bool no_relaxed; /* memory is not registered with IBV_ACCESS_RELAXED_ORDERING */
	enum ibv_port_state state, state_2; /* of port 1, of port 2 */
	int port_errno[VERBS_PORTS]; /* of querying the port */
	int gid_tbl_len[VERBS_PORTS];
	uint8_t link_layer;
	uint8_t port_flags; /* IBV_QPF_... */
	enum ibv_transport_type transport_type;
	bool no_qp[IBV_QPT_UD + 1]; /* QPs of that type are not made */
	bool signals_all; /* as EFA: an unsignalled request is EINVAL */
	const char *sysfs; /* directory of the device; NULL: none */
	uint64_t speed; /* ibv_query_port_speed(): steps of 100 Mbit/s; 0: not supported */
	uint8_t active_width, active_speed;
	enum ibv_mtu mtu;
	struct ibv_device_attr attr;
	uint32_t max_msg_bytes, max_inline_bytes;
	/*
	 * attr.max_qp_wr counts blocks of 64 bytes, as on mlx5: a request takes 192 bytes with one
	 * element, whole blocks with more elements or inline data; a queue is a power of two.
	 */
	bool in_blocks;
	uint32_t qp_ms; /* that making a QP takes, and destroying it */
	uint64_t qp_free_ns; /* when the last one is over */
	struct {
		const char *text;
		enum ibv_gid_type type;
		uint32_t ndev; /* index of the netdev; 0: none */
		uint32_t port; /* 0: port 1 */
	} gids[VERBS_GIDS];
	uint16_t pkeys[VERBS_PKEYS], pkeys_2[VERBS_PKEYS]; /* of port 1, of port 2; 0: no entry */
	struct verbs_fault fault;
	uint64_t messages; /* with data, posted so far */
	uint32_t moving_qps; /* made so far, without those of the probe */
	uint64_t empty_messages; /* without, while the fault is for these */
	struct ibv_global_route routes[VERBS_ROUTES]; /* of QPs and AHs, the first ones */
	uint32_t n_routes;
	uint32_t opened; /* how often the device was opened */
	int async_fd; /* while open: an enum ibv_event_type that is written there is an event */
};

/* Both devices as good as new, no fault. Nothing may be open. */
void verbs_reset(void);

struct verbs_device *verbs_device(enum side side);

/* Objects that are open: contexts, PDs, MRs, CQs, channels, AHs, QPs. */
uint32_t verbs_open_objects(void);

#endif
