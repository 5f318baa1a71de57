/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The commands of the ABI, but for GET_EVENT, which waits. */
#ifndef CM_HANDLERS_H
#define CM_HANDLERS_H

#include <stddef.h>

#include "cm/cm.h"

union cm_command {
	struct rdma_ucm_create_id create_id;
	struct rdma_ucm_destroy_id destroy_id;
	struct rdma_ucm_bind_ip bind_ip;
	struct rdma_ucm_bind bind;
	struct rdma_ucm_resolve_ip resolve_ip;
	struct rdma_ucm_resolve_addr resolve_addr;
	struct rdma_ucm_resolve_route resolve_route;
	struct rdma_ucm_query query;
	struct rdma_ucm_connect connect;
	struct rdma_ucm_listen listen;
	struct rdma_ucm_accept accept;
	struct rdma_ucm_reject reject;
	struct rdma_ucm_disconnect disconnect;
	struct rdma_ucm_init_qp_attr init_qp_attr;
	struct rdma_ucm_get_event get_event;
	struct rdma_ucm_set_option set_option;
	struct rdma_ucm_notify notify;
	struct rdma_ucm_join_ip_mcast join_ip_mcast;
	struct rdma_ucm_join_mcast join_mcast;
	struct rdma_ucm_migrate_id migrate_id;
};

/* A command; out: bytes that the program has for the response. */
struct cm_request {
	struct cm_channel *ch;
	struct cm_id *id; /* of commands for one */
	union cm_command c;
	uint16_t out;
};

struct cm_handler;

/*
 * Fills *r, but for the channel, from the bytes that the program wrote. 0 with what runs the
 * command, NULL for GET_EVENT; or -EINVAL, -ENOSYS.
 */
int cm_handlers_parse(struct cm_request *r, const void *buf, size_t len,
		      const struct cm_handler **h);
/* Runs the command; 0 or -errno. */
int cm_handlers_run(struct cm_request *r, const struct cm_handler *h);
/* Copies a response to the program, which may have room for less. Returns 0. */
int cm_handlers_reply(const struct cm_request *r, uint64_t to, const void *from, size_t size);

#endif
