/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The functions of libibverbs for devices, contexts and ports; see api.h. A preloaded library comes
 * first, so the program calls these. Calls for a real device go to libibverbs.
 */
#include "config.h"
#include "api/api.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/gid.h"
#include "base/hca.h"
#include "null/null.h"
#include "objects/context.h"
#include "objects/device.h"
#include "objects/event.h"
#include "transport/object.h"

#undef ibv_query_port

/* the headers at hand may not have it */
int ibv_query_port_speed(struct ibv_context *ctx, uint32_t port, uint64_t *speed);

void *api_next_if(const char *name)
{
	void *f = dlsym(RTLD_NEXT, name), *lib;

	if (f)
		return f;
	/* a plugin may have loaded libibverbs for itself (RTLD_LOCAL), as that of UCX does */
	lib = dlopen("libibverbs.so.1", RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
	if (lib)
		dlclose(lib);
	return lib ? dlsym(RTLD_NEXT, name) : NULL;
}

void *api_next(const char *name)
{
	void *f = api_next_if(name);

	if (!f)
		abort(); /* the program has no libibverbs, but an object of it */
	return f;
}

bool api_emulated(const struct ibv_context *ctx)
{
	return device_is_emulated(ctx->device);
}

/* No RDMA in the kernel is no error: there are emulated devices. */
static struct ibv_device **real_devices(int *num)
{
	__typeof__(&ibv_get_device_list) next = api_next_if("ibv_get_device_list");
	struct ibv_device **list = next ? next(num) : NULL;

	if (!list)
		*num = 0;
	return list;
}

/* One block of malloc(), as that of libibverbs: programs (qperf) give it to free(). */
API struct ibv_device **ibv_get_device_list(int *num)
{
	uint32_t own = hca_settings()->devices;
	int real = 0;
	struct ibv_device **list = real_devices(&real);
	struct ibv_device **all = calloc(own + (uint32_t)real + 1, sizeof(*all));

	for (uint32_t i = 0; all && i < own; i++)
		all[i] = device_at(i);
	for (int i = 0; all && i < real; i++)
		all[own + (uint32_t)i] = list[i];
	free(list); /* but the devices stay in use */
	if (!all)
		return NULL;
	if (num)
		*num = (int)own + real;
	errno = 0;
	return all;
}

/* libibverbs gets the list that it has made, in the block of the one that the program has got. */
API void ibv_free_device_list(struct ibv_device **list)
{
	__typeof__(&ibv_free_device_list) next = api_next_if("ibv_free_device_list");
	size_t kept = 0;

	for (size_t i = 0; list[i]; i++)
		if (!device_is_emulated(list[i]))
			list[kept++] = list[i];
	list[kept] = NULL;
	if (next)
		next(list);
	else
		free(list);
}

API const char *ibv_get_device_name(struct ibv_device *dev)
{
	return dev->name;
}

API __be64 ibv_get_device_guid(struct ibv_device *dev)
{
	__typeof__(&ibv_get_device_guid) next;

	if (device_is_emulated(dev))
		return gid_guid((uint32_t)(dev - device_at(0)));
	next = api_next("ibv_get_device_guid");
	return next(dev);
}

API int ibv_get_device_index(struct ibv_device *dev)
{
	__typeof__(&ibv_get_device_index) next;

	if (device_is_emulated(dev))
		return -1; /* as if the kernel has no index */
	next = api_next("ibv_get_device_index");
	return next(dev);
}

static const struct mode *mode(void)
{
	return hca_settings()->null ? &null_mode : &context_normal_mode;
}

API struct ibv_context *ibv_open_device(struct ibv_device *dev)
{
	__typeof__(&ibv_open_device) next;

	if (device_is_emulated(dev))
		return context_open(dev, mode());
	next = api_next("ibv_open_device");
	return next(dev);
}

API int ibv_close_device(struct ibv_context *ctx)
{
	__typeof__(&ibv_close_device) next;

	if (api_emulated(ctx))
		return ctx_is_of_parent(ctx) ? 0 : context_close(ctx);
	next = api_next("ibv_close_device");
	return next(ctx);
}

API int ibv_query_device(struct ibv_context *ctx, struct ibv_device_attr *attr)
{
	__typeof__(&ibv_query_device) next;

	if (api_emulated(ctx))
		return device_query(ctx, attr);
	next = api_next("ibv_query_device");
	return next(ctx, attr);
}

/* The form of old programs, without the last field. */
API int ibv_query_port(struct ibv_context *ctx, uint8_t port, struct _compat_ibv_port_attr *attr)
{
	__typeof__(&ibv_query_port) next;

	if (api_emulated(ctx))
		return device_query_port(ctx, port, (struct ibv_port_attr *)(void *)attr,
					 offsetof(struct ibv_port_attr, port_cap_flags2));
	next = api_next("ibv_query_port");
	return next(ctx, port, attr);
}

API int ibv_query_gid(struct ibv_context *ctx, uint8_t port, int index, union ibv_gid *gid)
{
	__typeof__(&ibv_query_gid) next;
	struct ibv_gid_entry e;

	if (api_emulated(ctx)) {
		e.gid = (union ibv_gid) { .raw = { 0 } };
		errno = device_gid_entry(ctx_of(ctx)->dev, port, (uint32_t)index, &e);
		/* libibverbs: an empty entry is zero (ibv_query_gid() of verbs.c) */
		if (errno && errno != ENODATA)
			return -1;
		errno = 0;
		*gid = e.gid;
		return 0;
	}
	next = api_next("ibv_query_gid");
	return next(ctx, port, index, gid);
}

API int _ibv_query_gid_ex(struct ibv_context *ctx, uint32_t port, uint32_t index,
			  struct ibv_gid_entry *entry, uint32_t flags, size_t size)
{
	__typeof__(&_ibv_query_gid_ex) next;
	struct ibv_gid_entry e;
	int rc;

	if (api_emulated(ctx)) {
		rc = flags ? EINVAL : device_gid_entry(ctx_of(ctx)->dev, port, index, &e);
		if (!rc)
			memcpy(entry, &e, size < sizeof(e) ? size : sizeof(e));
		return rc;
	}
	next = api_next("_ibv_query_gid_ex");
	return next(ctx, port, index, entry, flags, size);
}

API ssize_t _ibv_query_gid_table(struct ibv_context *ctx, struct ibv_gid_entry *entries, size_t max,
				 uint32_t flags, size_t size)
{
	__typeof__(&_ibv_query_gid_table) next;

	if (api_emulated(ctx)) {
		struct ibv_gid_entry e;
		const uint32_t dev = ctx_of(ctx)->dev, each = gid_count(dev);
		const size_t all = (size_t)gid_ports(dev) * each;

		/* rdma_query_gid_table() of the kernel refuses room for none */
		if (flags || !max || max < all)
			return -EINVAL;
		for (uint32_t n = 0; n < all; n++) {
			device_gid_entry(dev, n / each + 1, n % each, &e);
			memcpy((uint8_t *)entries + n * size, &e,
			       size < sizeof(e) ? size : sizeof(e));
		}
		return (ssize_t)all;
	}
	next = api_next("_ibv_query_gid_table");
	return next(ctx, entries, max, flags, size);
}

/*
 * Only libibverbs and its examples use it; 0: IB or RoCE v1, 1: RoCE v2 (enum ibv_gid_type_sysfs of
 * driver.h).
 */
API int ibv_query_gid_type(struct ibv_context *ctx, uint8_t port, unsigned int index,
			   unsigned int *type)
{
	__typeof__(&ibv_query_gid_type) next;

	if (api_emulated(ctx)) {
		struct ibv_gid_entry e = { .gid_type = IBV_GID_TYPE_IB };
		const int rc = device_gid_entry(ctx_of(ctx)->dev, port, index, &e);

		/* libibverbs: the type of an empty entry is IB/RoCE v1 (verbs.c) */
		*type = e.gid_type == IBV_GID_TYPE_ROCE_V2;
		errno = rc;
		return rc && rc != ENODATA ? -1 : 0;
	}
	next = api_next("ibv_query_gid_type");
	return next(ctx, port, index, type);
}

API int ibv_query_pkey(struct ibv_context *ctx, uint8_t port, int index, __be16 *pkey)
{
	__typeof__(&ibv_query_pkey) next;

	if (api_emulated(ctx)) {
		uint16_t value = 0;

		errno = device_pkey(ctx_of(ctx)->dev, port, (uint32_t)index, &value);
		*pkey = htobe16(value);
		return errno ? -1 : 0;
	}
	next = api_next("ibv_query_pkey");
	return next(ctx, port, index, pkey);
}

/*
 * ibv_query_port_speed(3), rdma-core 62: in steps of 100 Mbit/s; of a LAG the sum of its links.
 * Never less than the link has.
 */
API int ibv_query_port_speed(struct ibv_context *ctx, uint32_t port, uint64_t *speed)
{
	__typeof__(&ibv_query_port_speed) next;

	if (api_emulated(ctx)) {
		const uint32_t dev = ctx_of(ctx)->dev;

		if (!port || port > gid_ports(dev))
			return EINVAL;
		*speed = (device_speed(dev).lag_mbit_s + 99) / 100;
		return 0;
	}
	next = api_next_if("ibv_query_port_speed");
	return next ? next(ctx, port, speed) : EOPNOTSUPP;
}

static int pkey_index(uint32_t dev, uint32_t port, uint16_t pkey)
{
	uint16_t own;

	for (uint32_t i = 0; !device_pkey(dev, port, i, &own); i++)
		if (own == pkey)
			return (int)i;
	return -1;
}

API int ibv_get_pkey_index(struct ibv_context *ctx, uint8_t port, __be16 pkey)
{
	__typeof__(&ibv_get_pkey_index) next;

	if (api_emulated(ctx))
		return pkey_index(ctx_of(ctx)->dev, port, be16toh(pkey));
	next = api_next("ibv_get_pkey_index");
	return next(ctx, port, pkey);
}

API int ibv_get_async_event(struct ibv_context *ctx, struct ibv_async_event *event)
{
	__typeof__(&ibv_get_async_event) next;

	if (api_emulated(ctx))
		return event_get_async(ctx, event);
	next = api_next("ibv_get_async_event");
	return next(ctx, event);
}
