/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Finds out why there is no device, or why one cannot be opened: modules, containers, rights. */
#ifndef DEV_NONE_H
#define DEV_NONE_H

#include <stdbool.h>

#include "remedy/remedy.h"

/* Is the emulated HCA in this process, by --soft or by "softhca COMMAND"? */
bool dev_none_emulates(void);

/* Why libibverbs lists no device. root: as below. */
enum remedy dev_none_cause(const char *root);

/*
 * libibverbs lists no device: sets the error message, with the cause and the remedy, and returns
 * -ENODEV. root: before /sys and /dev, "" but for tests.
 */
int dev_none_found(const char *root);

/*
 * ibv_open_device() failed with rc, a negative errno: sets the error message and returns rc. root:
 * as above. file: of the device in /dev/infiniband; the emulated HCA calls its own softhca0, ...
 */
int dev_none_open(const char *root, int rc, const char *device, const char *file);

#endif
