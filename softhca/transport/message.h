/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* A message: what the requester sends to the responder. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include <infiniband/verbs.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/shm.h"

struct msg {
	uint32_t opcode, type; /* enum ibv_wr_opcode; shm_qp.type of the QP that it is for */
	uint32_t imm, len, src_qpn, dest_qpn, qkey, rkey, rq_psn;
	uint32_t srqn; /* XRC */
	uint32_t number; /* of the request in the send queue */
	uint64_t dc_key;
	uint8_t solicited, sl, has_grh, multicast;
	uint32_t mig_state; /* enum ibv_mig_state of the sender */
	struct shm_port *from; /* the port of the sender */
	uint16_t dlid, pkey;
	uint8_t sgid_index, mtu; /* of the path; enum ibv_mtu */
	union ibv_gid sgid, dgid;
	uint64_t raddr, compare, swap;
	uint64_t old; /* atomics: the value before the operation */
	const struct iovec *src;  /* send, write: the data */
	const struct iovec *into; /* read: where the data go */
	uint32_t n_iov;
};

#endif
