/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Which transports a device has: no attribute tells it, only the creation of a QP does. */
#ifndef DEV_TRANSPORTS_H
#define DEV_TRANSPORTS_H

#include "rdma/dev.h"

/*
 * After the smallest QP of a transport could not be created, with the error code rc. -EINVAL with
 * an error message that names the transports of the device, if it is this one that it has not; else
 * rc, and the error message stays.
 */
int dev_transports_refuse(const struct dev *dev, enum transport tp, int rc)
	__attribute__((warn_unused_result));

#endif
