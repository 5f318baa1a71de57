/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The names of devices, for what opens none: it needs no verbs. */
#ifndef DEV_NAMES_H
#define DEV_NAMES_H

#include <stdbool.h>

#include "causes/remedy.h"

#define DEV_NAME_BYTES 64

struct dev_names {
	char (*names)[DEV_NAME_BYTES]; /* for free(), NULL: none */
	int n;                         /* 0 on a kernel without RDMA */
	bool found;                    /* one of them is the device of --device */
};

/* device: the word of --device, NULL none. 0; -errno with an error message. */
int dev_names(struct dev_names *names, const char *device) __attribute__((warn_unused_result));

/* Why libibverbs lists no device. root: the directory to take for /, normally "". */
enum remedy dev_none_cause(const char *root);

#endif
