/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Tries the transports; see dev_transports.h. Called by dev_probe.c after a failure: a device that
 * has what is asked for is not asked for more. XRC and DC have attributes of their own.
 */
#include "config.h"

#include "rdma/dev_transports.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "rdma/domain.h"
#include "verbs/verbs_code.h"
#include "util/err.h"

static bool has(const struct dev *dev, enum transport tp)
{
	return domain_has_ops(dev->ctx, verbs_code_qp_type(tp), 0);
}

int dev_transports_refuse(const struct dev *dev, enum transport tp, int rc)
{
	const struct limits *l = &dev->limits;
	char names[32] = "";
	size_t len = 0;

	if (kind_has_halves(tp) || has(dev, tp))
		return rc;
	for (enum transport other = 0; other < TP_COUNT; other++)
		if (other != tp && !kind_has_halves(other) && has(dev, other))
			len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s",
						len ? ", " : "", kind_transport_names[other]);
	if (!len)
		return rc;
	return err_set(-EINVAL,
		       "-c (--transport) %s: %s of %s makes no queue pairs of it (%s); allowed: %s%s",
		       kind_transport_names[tp], l->device, l->host, strerror(-rc), names,
		       l->transport_type == LIMITS_OTHER ?
			       "; what else it has needs a library of its own (EFA: SRD)" : "");
}
