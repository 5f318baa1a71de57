/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Address handles of the devices of verbs.h, and the header of a datagram (GRH), from which
 * ibv_init_ah_from_wc(3) makes the address of its sender.
 */
#include "config.h"
#include "verbs.h"

#include <errno.h>
#include <string.h>

#include "verbs_own.h"

#define HOP_LIMIT 64

struct verbs_ah {
	struct ibv_ah ah;
	struct ibv_ah_attr attr;
};

const struct ibv_ah_attr *verbs_ah_attr(struct ibv_ah *ah)
{
	return &VERBS_OF(ah, struct verbs_ah, ah)->attr;
}

bool verbs_grh(struct ibv_grh *grh, const struct verbs_qp *from, struct ibv_ah *ah)
{
	const struct ibv_ah_attr *attr = verbs_ah_attr(ah);

	if (!attr->is_global)
		return false;
	*grh = (struct ibv_grh){ .hop_limit = attr->grh.hop_limit, .dgid = attr->grh.dgid };
	grh->sgid = verbs_gid(verbs_device_of(from->qp.context), attr->grh.sgid_index);
	return true;
}

struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct verbs_ah *ah;

	errno = verbs_check_path(pd->context, attr);
	if (!errno)
		errno = verbs_device_of(pd->context)->ah_errno;
	if (errno)
		return NULL;
	ah = verbs_new(sizeof(*ah));
	ah->ah = (struct ibv_ah){ .context = pd->context, .pd = pd };
	ah->attr = *attr;
	verbs_pd_take(pd);
	return &ah->ah;
}

int ibv_init_ah_from_wc(struct ibv_context *ctx, uint8_t port_num, struct ibv_wc *wc,
			struct ibv_grh *grh, struct ibv_ah_attr *attr)
{
	uint32_t index;

	*attr = (struct ibv_ah_attr){ .dlid = wc->slid, .port_num = port_num };
	if (!(wc->wc_flags & IBV_WC_GRH))
		return 0;
	index = verbs_gid_index(verbs_device_of(ctx), &grh->dgid);
	if (index == VERBS_GIDS) {
		errno = ENOENT;
		return -1;
	}
	attr->is_global = 1;
	attr->grh.dgid = grh->sgid;
	attr->grh.sgid_index = (uint8_t)index;
	attr->grh.hop_limit = HOP_LIMIT;
	return 0;
}

struct ibv_ah *ibv_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc, struct ibv_grh *grh,
				     uint8_t port_num)
{
	struct ibv_ah_attr attr;

	if (ibv_init_ah_from_wc(pd->context, port_num, wc, grh, &attr))
		return NULL;
	return ibv_create_ah(pd, &attr);
}

int ibv_destroy_ah(struct ibv_ah *ah)
{
	verbs_pd_drop(ah->pd);
	verbs_free(VERBS_OF(ah, struct verbs_ah, ah));
	return 0;
}
