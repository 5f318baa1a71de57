/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What the files of cm_links share. */
#ifndef CM_LINKS_OWN_H
#define CM_LINKS_OWN_H

#include "cm/cm_links.h"

#define CM_LINKS_MAGIC 0x7662636du /* "vbcm" */
#define CM_LINKS_REASON 100        /* bytes of the reason of a reject: any CM message holds them */

/* The private data of a connection request, in network order. */
struct cm_links_request {
	uint32_t magic;
	uint32_t thread, qp;
	uint32_t token_high, token_low;
};

/* "connecting QP 3 of thread 1 to 10.0.0.2 port 4711". Returns text. */
#define CM_LINKS_DOING 128
const char *cm_links_doing(const struct cm_links *links, const struct cm_link *link, char *text);

/* Is the id on the planned device and port? -ENODEV with an error message. */
int cm_links_check_device(const struct cm_links *links, const struct rdma_cm_id *id)
	__attribute__((warn_unused_result));

/* What both sides send: reads and atomics as in the plan. private_data is the caller's to fill. */
struct rdma_conn_param cm_links_param(const struct cm_links *links, const struct cm_link *link);

/* RC over IB and RoCE: INIT to RTS by the attributes that the id has. Errors with a message. */
int cm_links_move(struct cm_links *links, struct cm_link *link) __attribute__((warn_unused_result));

/* The link is connected. */
void cm_links_is_up(struct cm_links *links, struct cm_link *link);

struct ep *cm_links_ep(const struct cm_links *links, const struct cm_link *link);
uint32_t cm_links_qp(const struct cm_links *links, const struct cm_link *link);

/* cm_links_client.c: starts what may be started; takes an event. */
int cm_links_ask(struct cm_links *links, const struct cm_wait *wait)
	__attribute__((warn_unused_result));
int cm_links_client_event(struct cm_links *links, const struct cm_event *event,
			  const struct cm_wait *wait) __attribute__((warn_unused_result));

/* cm_links_server.c */
int cm_links_listen(struct cm_links *links) __attribute__((warn_unused_result));
int cm_links_server_event(struct cm_links *links, const struct cm_event *event)
	__attribute__((warn_unused_result));

#endif
