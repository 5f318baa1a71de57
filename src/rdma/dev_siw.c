/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the object that keeps others off an offset of siw; see dev_siw.h. Called by dev_open.c. */
#include "config.h"

#include "rdma/dev_siw.h"

#include <errno.h>
#include <string.h>

#include "util/log.h"

/* siw.h of the kernel: SIW_NODE_DESC_COMMON; struct limits has it as the driver */
#define SIW_NODE_DESC "Software iWARP stack"
#define SIW_BAD_OFFSET 0x90000u
#define SIW_CQE_BYTES 32u /* rdma/siw-abi.h: struct siw_cqe */

void dev_siw_open(struct dev *dev)
{
	if (strcmp(dev->limits.driver, SIW_NODE_DESC) != 0)
		return;
	errno = 0;
	dev->siw_below = ibv_create_cq(dev->ctx, SIW_BAD_OFFSET / SIW_CQE_BYTES + 1, NULL, NULL, 0);
	if (!dev->siw_below)
		log_note("%s: no CQ to keep queues off an offset at which libsiw cannot create them: %s",
			 dev->limits.device, strerror(errno));
}

void dev_siw_close(struct dev *dev)
{
	const int err = dev->siw_below ? ibv_destroy_cq(dev->siw_below) : 0;

	if (err)
		log_note("%s: cannot destroy a CQ: %s", dev->limits.device, strerror(err));
	dev->siw_below = NULL;
}
