/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the object that keeps others off an offset of siw; see dev_siw.h. Called by dev_open.c and
 * dev.c.
 */
#include "config.h"

#include "rdma/dev_siw.h"

#include <errno.h>
#include <string.h>

#include "verbs/quirks.h"
#include "util/log.h"

#define SIW_BAD_OFFSET 0x90000u
#define SIW_CQE_BYTES 32u /* rdma/siw-abi.h: struct siw_cqe */

struct ibv_cq *dev_siw_open(struct ibv_context *ctx, const char *driver)
{
	struct ibv_cq *cq;

	if (!quirks_has(driver, QUIRK_SIW_OFFSET))
		return NULL;
	errno = 0;
	cq = ibv_create_cq(ctx, SIW_BAD_OFFSET / SIW_CQE_BYTES + 1, NULL, NULL, 0);
	if (!cq)
		log_note("%s: no CQ to keep queues off an offset at which libsiw cannot create them: %s",
			 ibv_get_device_name(ctx->device), strerror(errno));
	return cq;
}

void dev_siw_close(struct ibv_cq *cq)
{
	const int err = cq ? ibv_destroy_cq(cq) : 0;

	if (err)
		log_note("cannot destroy the CQ that keeps queues off an offset: %s", strerror(err));
}
