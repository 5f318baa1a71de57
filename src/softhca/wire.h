/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The link of known truth, one per process and device, in the direction out of the process. Only
 * the bytes of the payload take time on it: 64 KiB messages at 10 Gbit/s carry 10 Gbit/s. Chances
 * are per message and drawn from the seed, the QP's ordinal and the message's number on it.
 */
#ifndef WIRE_H
#define WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "cfg.h"
#include "shm.h"

enum wire_fate { WIRE_LOST = 1, WIRE_REORDERED = 2, WIRE_DUPLICATED = 4 };

struct wire_times {
	uint64_t sent_ns;    /* the last byte has left */
	uint64_t arrives_ns; /* and is there */
};

void wire_setup(struct shm_port *port, const struct cfg_dev *cfg);
struct wire_times wire_send(struct shm_port *port, uint64_t now_ns, uint64_t len_bytes);
uint64_t wire_delay_ns(const struct shm_port *port);
unsigned int wire_fate(const struct cfg_dev *cfg, uint32_t ordinal, uint32_t message);
void wire_count(struct shm_port *port, unsigned int fate);
void wire_report(uint32_t dev);

#endif
