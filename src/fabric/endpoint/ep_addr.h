/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The addresses of the QPs of one thread. Rows name them, so it needs no verbs. */
#ifndef EP_ADDR_H
#define EP_ADDR_H

#include <stdint.h>

#define EP_CM_ADDRESS_MAX 46 /* INET6_ADDRSTRLEN */

struct ep_qp_id {
	uint32_t qpn, psn;
	uint32_t recv_qpn, srqn; /* XRC, DC: the QP that receives; XRC: its SRQ; else 0 */
	uint32_t rkey;          /* of its memory window, once bound; 0: none */
};

/* What the peer must know; travels in the endpoint message. */
struct ep_addr {
	uint32_t lid;
	uint8_t gid[16];
	uint32_t alt_lid;       /* of the alternate path, if there is one: ep_extras.h */
	uint8_t alt_gid[16];
	uint32_t qkey;          /* UD */
	uint64_t dc_key;        /* DC: what requests to its DCTs must have */
	uint64_t buf_addr;      /* 0 and rkey 0 unless the peer may reach this memory */
	uint32_t rkey;          /* 0 also if there are several regions */
	uint32_t n_rkeys;       /* of several regions, in the order of their bytes; else 0 */
	uint32_t *rkeys;        /* owned: ep_addr_free */
	char cm_address[EP_CM_ADDRESS_MAX]; /* IP address that rdma_cm listens on; "": none */
	uint32_t cm_port;       /* its port, 0 none */
	uint64_t cm_token;      /* a connection request must have it; of the server */
	uint32_t proof_qpn;     /* of the first thread: ep_extras.h; 0 none */
	uint32_t proof_qkey;
	uint32_t n_qps;
	struct ep_qp_id *qps;   /* owned: ep_addr_free */
};

#endif
