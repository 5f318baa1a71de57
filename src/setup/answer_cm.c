/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the server's connections by rdma_cm while a client measures setup; see answer_cm.h. Called
 * by the session, which waits for the events. The client is not trusted: a request without the
 * token is rejected.
 */
#include "config.h"
#include "setup/answer_cm.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "cm/cm_address.h"
#include "util/err.h"
#include "util/log.h"

#define TOKEN_MASK 0xffffffffffffull /* as of the messages: docs/protocol.md */
#define BACKLOG 128

static int listen_on(struct answer_cm *a)
{
	static const char doing[] = "listening by rdma_cm";
	struct sockaddr *own = (struct sockaddr *)&a->objects.own;

	errno = 0;
	if (rdma_create_id(a->objects.cm.channel, &a->listener, NULL, RDMA_PS_TCP)) {
		a->listener = NULL;
		return cm_call_failed("rdma_create_id", doing);
	}
	if (rdma_bind_addr(a->listener, own))
		return cm_call_failed("rdma_bind_addr", doing);
	if (rdma_listen(a->listener, BACKLOG))
		return cm_call_failed("rdma_listen", doing);
	return 0;
}

int answer_cm_open(struct answer_cm *a, struct answer *answer, struct ep_addr *addr)
{
	const struct conn *conn = &answer->conn;
	int rc;

	*a = (struct answer_cm){ .answer = answer };
	a->ids = calloc(conn->max, sizeof(*a->ids));
	if (!a->ids)
		return err_set(-ENOMEM, "no memory for %u connections", conn->max);
	if (getrandom(&a->token, sizeof(a->token), 0) != (ssize_t)sizeof(a->token))
		return err_set(err_code(), "cannot get random bytes: %s", strerror(errno));
	a->token &= TOKEN_MASK;
	rc = cm_objects_open(&a->objects, conn->dev, conn->plan, SIDE_SERVER);
	if (!rc)
		rc = listen_on(a);
	if (rc)
		return rc;
	cm_address_plain(&a->objects.own, addr->cm_address, sizeof(addr->cm_address));
	addr->cm_port = ntohs(rdma_get_src_port(a->listener));
	addr->cm_token = a->token;
	return 0;
}

static void destroy(struct rdma_cm_id *id)
{
	if (id->qp)
		rdma_destroy_qp(id);
	if (rdma_destroy_id(id))
		log_note("rdma_cm: cannot destroy an id: %s", strerror(errno));
}

static bool has_token(const struct answer_cm *a, const struct cm_event *event)
{
	const uint64_t token = htobe64(a->token);

	return event->private_len >= sizeof(token) &&
	       !memcmp(event->private_data, &token, sizeof(token));
}

static int accept_taken(struct answer_cm *a, struct rdma_cm_id *id)
{
	struct rdma_conn_param param = cm_objects_param(&a->objects);
	int rc = cm_objects_take(&a->objects, id);

	if (rc)
		return rc;
	rc = -cm_objects_qp(&a->objects, id);
	if (rc)
		return err_set(rc, "rdma_create_qp failed: %s", strerror(-rc));
	errno = 0;
	return rdma_accept(id, &param) ? cm_call_failed("rdma_accept", "setup") : 0;
}

/* 0, or -errno with an error message: the id is still there. */
static int accept_request(struct answer_cm *a, struct rdma_cm_id *id)
{
	int rc = answer_take(a->answer, 1);

	if (rc)
		return rc;
	rc = accept_taken(a, id);
	if (rc)
		answer_give(a->answer, 1);
	return rc;
}

static void reject(struct rdma_cm_id *id, const char *reason)
{
	log_note("rdma_cm: a connection request is rejected: %s", reason);
	if (rdma_reject(id, reason, (uint8_t)(strlen(reason) < 100 ? strlen(reason) : 100)))
		log_note("rdma_cm: rdma_reject failed: %s", strerror(errno));
	destroy(id);
}

static void take_request(struct answer_cm *a, const struct cm_event *event)
{
	if (!has_token(a, event)) {
		reject(event->id, "verbench: this is not a request of this run");
	} else if (accept_request(a, event->id)) {
		reject(event->id, err_text());
	} else {
		event->id->context = &a->ids[a->n];
		a->ids[a->n++] = event->id;
	}
}

/* The last one takes its place. */
static void end(struct answer_cm *a, struct rdma_cm_id *id)
{
	struct rdma_cm_id **slot = id->context;

	*slot = a->ids[--a->n];
	(*slot)->context = slot;
	destroy(id);
	answer_give(a->answer, 1);
}

void answer_cm_event(struct answer_cm *a, const struct cm_event *event)
{
	char text[CM_EVENT_TEXT];

	if (event->type == RDMA_CM_EVENT_CONNECT_REQUEST) {
		take_request(a, event);
		return;
	}
	if (event->id == a->listener || event->type == RDMA_CM_EVENT_ESTABLISHED)
		return;
	/* the answer to the client's request to disconnect */
	if (event->type == RDMA_CM_EVENT_DISCONNECTED)
		rdma_disconnect(event->id);
	else
		log_note("setup: %s", cm_event_text(event, text, sizeof(text)));
	end(a, event->id);
}

void answer_cm_close(struct answer_cm *a)
{
	for (uint32_t i = 0; i < a->n; i++)
		destroy(a->ids[i]);
	if (a->n)
		answer_give(a->answer, a->n);
	if (a->listener)
		destroy(a->listener);
	free(a->ids);
	cm_objects_close(&a->objects);
	*a = (struct answer_cm){ 0 };
}
