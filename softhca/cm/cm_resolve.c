/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Addresses, routes and options of identifiers; see cm_resolve.h. */
#include "config.h"
#include "cm/cm_resolve.h"

#include <errno.h>
#include <infiniband/ib.h>
#include <string.h>

#include "base/gid.h"
#include "base/hca.h"
#include "cm/cm_addr.h"
#include "cm/cm_channel.h"
#include "cm/cm_socket.h"

/*
 * librdmacm binds an identifier to any address of the family AF_IB, to see whether the kernel knows
 * this family; then it uses newer commands. Such an address cannot be used here.
 */
static int bind_ib(struct cm_id *id, const struct sockaddr_storage *addr)
{
	static const struct ib_addr any;
	struct sockaddr_ib sib;

	memcpy(&sib, addr, sizeof(sib));
	if (memcmp(&sib.sib_addr, &any, sizeof(any)))
		return -ENODEV;
	id->src.ss_family = AF_IB;
	id->state = CM_ADDR_BOUND;
	return 0;
}

/* named: takes the port, so that the identifier can listen. */
static int bind_addr(struct cm_id *id, const struct sockaddr_storage *addr, bool named)
{
	int rc = cm_addr_check(addr);

	if (rc)
		return rc;
	if (!cm_addr_is_any(addr)) {
		rc = cm_addr_own(addr, &id->at);
		if (!rc && id->ps == RDMA_PS_IPOIB)
			rc = -EINVAL; /* cma_acquire_dev(): only InfiniBand has it */
		if (rc)
			return rc;
	}
	id->src = *addr;
	rc = named ? cm_socket_bind(id) : -1;
	if (cm_socket_is_taken(rc) && id->reuse && cm_addr_port(addr))
		rc = -1; /* it gets the port when it listens */
	else if (named && rc < 0)
		return rc;
	id->name_fd = rc;
	id->has_dev = !cm_addr_is_any(addr);
	id->state = CM_ADDR_BOUND;
	return 0;
}

int cm_resolve_bind(struct cm_id *id, const struct sockaddr_storage *addr)
{
	if (id->state != CM_IDLE)
		return -EINVAL;
	return addr->ss_family == AF_IB ? bind_ib(id, addr) : bind_addr(id, addr, true);
}

/* rdma_resolve_addr(): any address is the own machine. */
static void set_loopback(struct sockaddr_storage *addr)
{
	union ibv_gid gid = { .raw = { [15] = 1 } }; /* ::1 */

	if (addr->ss_family == AF_INET)
		gid.raw[12] = IN_LOOPBACKNET;
	cm_addr_set(addr, &gid);
}

/*
 * An address of this machine is reached from the same address, as in the kernel; one of another
 * node from the device with the same number, if there is one; a multicast group from the first one.
 */
static void source_of(struct cm_id *id)
{
	bool group = cm_addr_is_multicast(&id->dst);
	uint16_t port = cm_addr_port(&id->src);
	union ibv_gid gid;

	id->at.dev = !group && id->to.dev < hca_settings()->devices ? id->to.dev : 0;
	gid = gid_address(id->at);
	if (!group && id->to.node == id->at.node)
		id->src = id->dst;
	else
		cm_addr_set(&id->src, &gid);
	cm_addr_set_port(&id->src, port);
	id->has_dev = true;
}

static int find_device(struct cm_id *id)
{
	int rc;

	if (cm_addr_is_multicast(&id->dst))
		return hca_settings()->devices ? 0 : -ENODEV;
	rc = cm_addr_find(&id->dst, &id->to);
	if (!rc && id->ps == RDMA_PS_IPOIB)
		rc = -EINVAL;
	return rc == -EADDRNOTAVAIL ? -EHOSTUNREACH : rc;
}

int cm_resolve_addr(struct cm_id *id, const struct sockaddr_storage *src,
		    const struct sockaddr_storage *dst)
{
	struct sockaddr_storage any = { .ss_family = dst->ss_family };
	int rc = cm_addr_check(dst);

	if (!rc && id->state == CM_IDLE) {
		src = src->ss_family ? src : &any;
		rc = bind_addr(id, src, cm_addr_port(src) != 0);
	}
	if (!rc && (id->state != CM_ADDR_BOUND || id->src.ss_family != dst->ss_family))
		rc = -EINVAL;
	if (rc)
		return rc;
	id->dst = *dst;
	if (cm_addr_is_any(dst))
		set_loopback(&id->dst);
	rc = find_device(id);
	if (rc) {
		cm_channel_event(id, CM_EVENT_ADDR_ERROR, rc);
		return 0;
	}
	id->has_dst = true;
	if (!id->has_dev)
		source_of(id);
	if (!cm_addr_port(&id->src))
		cm_addr_set_port(&id->src, cm_socket_port());
	id->state = CM_ADDR_RESOLVED;
	cm_channel_event(id, CM_EVENT_ADDR_RESOLVED, 0);
	return 0;
}

int cm_resolve_route(struct cm_id *id)
{
	if (id->state != CM_ADDR_RESOLVED)
		return -EINVAL;
	id->has_route = true;
	id->state = CM_ROUTE_RESOLVED;
	cm_channel_event(id, CM_EVENT_ROUTE_RESOLVED, 0);
	return 0;
}

static int set_flag(struct cm_id *id, uint32_t name, bool on)
{
	if (name == RDMA_OPTION_ID_AFONLY) {
		if (id->state != CM_IDLE && id->state != CM_ADDR_BOUND)
			return -EINVAL;
		id->afonly = on;
		return 0;
	}
	/* rdma_set_reuseaddr() */
	if (id->state != CM_IDLE && (!on || id->state == CM_LISTEN))
		return -EINVAL;
	id->reuse = on;
	return 0;
}

static int set_byte(struct cm_id *id, uint32_t name, uint8_t value)
{
	if (name == RDMA_OPTION_ID_TOS) {
		id->tos = value;
		return 0;
	}
	/* rdma_set_ack_timeout() */
	if (id->qp_type != IBV_QPT_RC || value > 31)
		return -EINVAL;
	id->ack_timeout = value;
	id->ack_timeout_set = true;
	return 0;
}

int cm_resolve_option(struct cm_id *id, const struct rdma_ucm_set_option *cmd)
{
	const void *value = (const void *)(uintptr_t)cmd->optval;

	if (cmd->level == RDMA_OPTION_IB)
		return -EINVAL; /* paths are those of the emulated devices */
	if (cmd->level != RDMA_OPTION_ID)
		return -ENOSYS;
	switch (cmd->optname) {
	case RDMA_OPTION_ID_TOS:
	case RDMA_OPTION_ID_ACK_TIMEOUT:
		if (cmd->optlen != sizeof(uint8_t))
			return -EINVAL;
		return set_byte(id, cmd->optname, *(const uint8_t *)value);
	case RDMA_OPTION_ID_REUSEADDR:
	case RDMA_OPTION_ID_AFONLY:
		if (cmd->optlen != sizeof(int))
			return -EINVAL;
		return set_flag(id, cmd->optname, *(const int *)value != 0);
	default:
		return -ENOSYS;
	}
}
