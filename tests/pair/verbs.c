/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The devices of verbs.h and all of their objects but QPs: what of libibverbs is called before and
 * after the data moves; domains and memory are in verbs_pd.c. Of the extensions that a context may
 * have it has those that make objects of one thread, unless the device is plain, so that the
 * other inline functions of <infiniband/verbs.h> come here as well. One lock for everything.
 */
#include "config.h"
#include "verbs.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "verbs_own.h"

/* the header wraps this name in an inline function, which calls what is defined here */
#undef ibv_query_port

static struct verbs_device devices[2];
static struct ibv_device handles[2];
static uint32_t n_open;
static int complain_fd = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void verbs_lock(void)
{
	pthread_mutex_lock(&lock);
}

void verbs_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

void verbs_die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	dprintf(complain_fd, "verbs: ");
	vdprintf(complain_fd, fmt, ap);
	dprintf(complain_fd, "\n");
	va_end(ap);
	abort();
}

uint32_t verbs_open_objects(void)
{
	uint32_t n;

	verbs_lock();
	n = n_open;
	verbs_unlock();
	return n;
}

void *verbs_new(size_t size)
{
	void *object = calloc(1, size);

	if (!object)
		verbs_die("out of memory");
	verbs_lock();
	n_open++;
	verbs_unlock();
	return object;
}

void verbs_free(void *object)
{
	verbs_lock();
	n_open--;
	verbs_unlock();
	free(object);
}

struct verbs_device *verbs_device(enum side side)
{
	return &devices[side];
}

struct verbs_device *verbs_device_of(const struct ibv_context *ctx)
{
	return &devices[ctx->device - handles];
}

void verbs_reset(void)
{
	static const char *const names[] = { "pair0", "pair1" };
	static const char *const addresses[] = { "::ffff:10.0.0.1", "::ffff:10.0.0.2" };

	/* standard error may be redirected later, and then nobody would see the last words */
	if (complain_fd < 0)
		complain_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (verbs_open_objects())
		verbs_die("%u objects are still open", n_open);
	for (int i = 0; i < 2; i++) {
		snprintf(handles[i].name, sizeof(handles[i].name), "%s", names[i]);
		devices[i] = (struct verbs_device){
			.name = names[i],
			.state = IBV_PORT_ACTIVE,
			.state_2 = IBV_PORT_ACTIVE,
			.gid_tbl_len = { VERBS_GIDS, VERBS_GIDS },
			.link_layer = IBV_LINK_LAYER_ETHERNET,
			.transport_type = IBV_TRANSPORT_IB,
			.active_width = 2,
			.active_speed = 32,
			.mtu = IBV_MTU_4096,
			.max_msg_bytes = 1u << 30,
			.max_inline_bytes = 220,
			.gids = { { addresses[i], IBV_GID_TYPE_ROCE_V2, 0, 0 } },
			.pkeys = { VERBS_PKEY },
			.pkeys_2 = { VERBS_PKEY },
			.attr = {
				.fw_ver = "1.0 pair",
				.max_qp = 64,
				.max_qp_wr = 4096,
				.max_cq = 64,
				.max_cqe = 65536,
				.max_mr = 64,
				.max_pd = 64,
				.max_mcast_grp = 8,
				.max_sge = 1,
				.max_srq = 8,
				.max_srq_wr = 8192,
				.max_srq_sge = 1,
				.max_qp_rd_atom = 16,
				.max_qp_init_rd_atom = 16,
				.atomic_cap = IBV_ATOMIC_HCA,
				.phys_port_cnt = 1,
			},
		};
	}
}

/* ---- devices and contexts */

struct ibv_device **ibv_get_device_list(int *num_devices)
{
	struct ibv_device **list = calloc(3, sizeof(*list));
	int n = 0;

	for (int i = 0; list && i < 2; i++) {
		handles[i].transport_type = devices[i].transport_type;
		snprintf(handles[i].ibdev_path, sizeof(handles[i].ibdev_path), "%s",
			 devices[i].sysfs ? devices[i].sysfs : "");
		if (!devices[i].absent)
			list[n++] = &handles[i];
	}
	if (num_devices)
		*num_devices = n;
	return list;
}

void ibv_free_device_list(struct ibv_device **list)
{
	free(list);
}

const char *ibv_get_device_name(struct ibv_device *device)
{
	return device->name;
}

__be64 ibv_get_device_guid(struct ibv_device *device)
{
	return htobe64(UINT64_C(0x0002c90300abcd00) + (uint64_t)(device - handles));
}

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct verbs_device *vd = &devices[device - handles];
	struct ibv_context *ctx;
	struct verbs_ctx *c;
	int fds[2];

	if (vd->open_errno) {
		errno = vd->open_errno;
		return NULL;
	}
	if (pipe2(fds, O_CLOEXEC))
		return NULL;
	vd->opened++;
	vd->async_fd = fds[1];
	c = verbs_new(sizeof(*c));
	ctx = &c->ex.context;
	c->device = vd;
	c->async_write_fd = fds[1];
	ctx->device = device;
	ctx->cmd_fd = -1;
	ctx->async_fd = fds[0];
	ctx->num_comp_vectors = 1;
	ctx->ops.poll_cq = verbs_poll_cq;
	ctx->ops.req_notify_cq = verbs_req_notify_cq;
	ctx->ops.post_send = verbs_post_send;
	ctx->ops.post_recv = verbs_post_recv;
	ctx->ops.post_srq_recv = verbs_post_srq_recv;
	if (vd->plain)
		return ctx;
	ctx->abi_compat = __VERBS_ABI_IS_EXTENDED;
	c->ex.sz = sizeof(c->ex);
	c->ex.create_cq_ex = verbs_create_cq_ex;
	verbs_fill_domains(&c->ex);
	return ctx;
}

int ibv_close_device(struct ibv_context *context)
{
	struct verbs_ctx *c = VERBS_OF(context, struct verbs_ctx, ex.context);

	close(context->async_fd);
	close(c->async_write_fd);
	verbs_free(c);
	return 0;
}

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	*attr = verbs_device_of(context)->attr;
	return 0;
}

int ibv_query_port(struct ibv_context *context, uint8_t port_num,
		   struct _compat_ibv_port_attr *attr)
{
	const struct verbs_device *vd = verbs_device_of(context);
	struct ibv_port_attr *port = (struct ibv_port_attr *)(void *)attr;

	if (!port_num || port_num > vd->attr.phys_port_cnt)
		return EINVAL;
	if (vd->port_errno[port_num - 1])
		return vd->port_errno[port_num - 1];
	port->state = port_num == 1 ? vd->state : vd->state_2;
	port->max_mtu = IBV_MTU_4096;
	port->active_mtu = vd->mtu;
	port->gid_tbl_len = vd->gid_tbl_len[port_num - 1];
	port->pkey_tbl_len = VERBS_PKEYS;
	port->max_msg_sz = vd->max_msg_bytes;
	port->link_layer = vd->link_layer;
	port->lid = verbs_lid(vd);
	port->flags = vd->port_flags;
	port->active_width = vd->active_width;
	port->active_speed = vd->active_speed;
	return 0;
}

/* Newer versions of rdma-core have it; the program looks for its name. */
int ibv_query_port_speed(struct ibv_context *context, uint32_t port_num, uint64_t *port_speed);

int ibv_query_port_speed(struct ibv_context *context, uint32_t port_num, uint64_t *port_speed)
{
	*port_speed = verbs_device_of(context)->speed;
	return port_num == 1 && *port_speed ? 0 : EOPNOTSUPP;
}

/* false: no GID at that index */
static bool gid_entry(const struct verbs_device *vd, uint32_t index, struct ibv_gid_entry *entry)
{
	memset(entry, 0, sizeof(*entry));
	if (index >= VERBS_GIDS || !vd->gids[index].text)
		return false;
	if (inet_pton(AF_INET6, vd->gids[index].text, entry->gid.raw) != 1)
		verbs_die("GID %s", vd->gids[index].text);
	entry->gid_index = index;
	entry->port_num = vd->gids[index].port ? vd->gids[index].port : 1;
	entry->gid_type = vd->gids[index].type;
	entry->ndev_ifindex = vd->gids[index].ndev;
	return true;
}

uint32_t verbs_gid_index(const struct verbs_device *device, const union ibv_gid *gid)
{
	struct ibv_gid_entry entry;
	uint32_t i = 0;

	while (i < VERBS_GIDS &&
	       (!gid_entry(device, i, &entry) || memcmp(&entry.gid, gid, sizeof(*gid))))
		i++;
	return i;
}

uint16_t verbs_lid(const struct verbs_device *device)
{
	if (device->link_layer != IBV_LINK_LAYER_INFINIBAND)
		return 0;
	return (uint16_t)(1 + (device - devices));
}

bool verbs_has_gid(const struct verbs_device *device, const union ibv_gid *gid)
{
	return verbs_gid_index(device, gid) < VERBS_GIDS;
}

union ibv_gid verbs_gid(const struct verbs_device *device, uint32_t index)
{
	struct ibv_gid_entry entry;

	if (!gid_entry(device, index, &entry))
		verbs_die("%s has no GID %u", device->name, index);
	return entry.gid;
}

/* Linux, rdma_query_gid_table(): room for 0 entries, or for fewer than there are, is EINVAL. */
ssize_t _ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries,
			     size_t max_entries, uint32_t flags, size_t entry_size)
{
	struct ibv_gid_entry entry;
	size_t n = 0;

	if (flags || entry_size != sizeof(*entries) || !max_entries)
		return -EINVAL;
	for (uint32_t i = 0; i < VERBS_GIDS; i++) {
		if (!gid_entry(verbs_device_of(context), i, &entry))
			continue;
		if (n == max_entries)
			return -EINVAL;
		entries[n++] = entry;
	}
	return (ssize_t)n;
}

int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port_num, uint32_t gid_index,
		      struct ibv_gid_entry *entry, uint32_t flags, size_t entry_size)
{
	if (flags || entry_size != sizeof(*entry))
		return EINVAL;
	return gid_entry(verbs_device_of(context), gid_index, entry) &&
			       entry->port_num == port_num ? 0 : ENODATA;
}

int ibv_query_pkey(struct ibv_context *context, uint8_t port_num, int index, __be16 *pkey)
{
	const struct verbs_device *vd = verbs_device_of(context);

	if (!port_num || port_num > vd->attr.phys_port_cnt || index < 0 || index >= VERBS_PKEYS)
		return -1;
	*pkey = htobe16(port_num == 1 ? vd->pkeys[index] : vd->pkeys_2[index]);
	return 0;
}

/* No other thread of a test writes events while one waits for them: it would wait for ever. */
static void check_waits(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (!(fcntl(fd, F_GETFL) & O_NONBLOCK) && poll(&p, 1, 0) == 0)
		verbs_die("ibv_get_async_event() waits, and no event comes");
}

int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
	const int fd = context->async_fd;

	*event = (struct ibv_async_event){ .element.port_num = 1 };
	do {
		check_waits(fd);
		if (read(fd, &event->event_type, sizeof(event->event_type)) !=
		    sizeof(event->event_type))
			return -1;
	} while (event->event_type == VERBS_EVENT_GONE);
	verbs_srq_event(context, event);
	return 0;
}

void ibv_ack_async_event(struct ibv_async_event *event)
{
	(void)event;
}
