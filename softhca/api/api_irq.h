/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * /proc/interrupts with a line for each completion vector of the emulated devices whose profile
 * names them, and the files of /proc/irq that say which CPU serves them.
 */
#ifndef API_IRQ_H
#define API_IRQ_H

#include <stdbool.h>

/* As api_sysfs_open(): true if the path is one of these. */
bool api_irq_open(const char *path, int flags, int *fd);

#endif
