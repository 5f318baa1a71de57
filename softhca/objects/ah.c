/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Address handles; see ah.h. */
#include "config.h"
#include "objects/ah.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/gid.h"
#include "objects/device.h"
#include "transport/object.h"

static int refuse_without_grh(const struct profile *p, const struct ibv_ah_attr *attr)
{
	if (attr->is_global || p->transport_type == IBV_TRANSPORT_IWARP)
		return 0;
	return p->grh_required || p->link_layer == IBV_LINK_LAYER_ETHERNET ? EINVAL : 0;
}

int ah_check(const struct ctx *ctx, const struct ibv_ah_attr *attr)
{
	return profile_is_set(ctx->profile) ? refuse_without_grh(ctx->profile, attr) : 0;
}

struct ibv_ah *ah_create(struct ibv_pd *pd, const struct ibv_ah_attr *attr)
{
	struct ah *ah;

	errno = refuse_without_grh(ctx_of(pd->context)->profile, attr);
	if (errno)
		return NULL;
	errno = EINVAL;
	if (!attr->port_num || attr->port_num > gid_ports(ctx_of(pd->context)->dev) ||
	    (attr->is_global && attr->grh.sgid_index >= gid_count(ctx_of(pd->context)->dev)))
		return NULL;
	ah = calloc(1, sizeof(*ah));
	if (!ah)
		return NULL;
	ah->ib.context = pd->context;
	ah->ib.pd = pd;
	ah->attr = *attr;
	atomic_fetch_add(&container_of(pd, struct pd, ib)->refs, 1);
	return &ah->ib;
}

int ah_destroy(struct ibv_ah *ib)
{
	atomic_fetch_sub(&container_of(ib->pd, struct pd, ib)->refs, 1);
	free(container_of(ib, struct ah, ib));
	return 0;
}

int ah_init_from_wc(struct ibv_context *ctx, uint8_t port, const struct ibv_wc *wc,
		    const struct ibv_grh *grh, struct ibv_ah_attr *attr)
{
	*attr = (struct ibv_ah_attr) { .sl = wc->sl, .port_num = port, .dlid = wc->slid };
	if (!(wc->wc_flags & IBV_WC_GRH))
		return 0;
	attr->is_global = 1;
	attr->grh.dgid = grh->sgid;
	attr->grh.hop_limit = 0xff;
	for (uint8_t i = 0; i < gid_count(ctx_of(ctx)->dev); i++) {
		union ibv_gid own = gid_of_port(ctx_of(ctx)->dev, port, i);

		if (!memcmp(&own, &grh->dgid, sizeof(own)))
			attr->grh.sgid_index = i;
	}
	return 0;
}
