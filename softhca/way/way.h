/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder way: what a message passes between the port that sends it and the one that receives it.
 * Without a topology, that is nothing; the port of a node that receives it is a hop, too.
 */
#ifndef WAY_H
#define WAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/shm.h"

#define WAY_HOPS 5

struct way_end {
	uint32_t slot, dev, port; /* port: from 1 */
};

struct way_ends {
	struct way_end from, to;
	uint32_t label; /* of the flow */
};

struct way {
	uint32_t n;
	struct shm_port *hop[WAY_HOPS]; /* each receives the message behind those before it */
	bool has_delay;    /* it comes to the next one after the delay of the hop */
	uint64_t delay_ns; /* of all hops, if so */
	uint32_t loss;     /* on the hops: probability times 2^32 */
	bool cut;          /* there is no way now: the message is lost */
};

void way_find(const struct way_ends *ends, uint64_t now_ns, struct way *way);
/* Whether there is no way now from this device of the process to that one: for what QPs 1 send. */
bool way_is_cut(uint32_t dev, struct profile_of to, uint64_t now_ns);
/* Whether the cable of this device of the process is down, by the topology. */
bool way_is_down(uint32_t dev, uint64_t now_ns);

/* The label of a flow that has none, as the kernel makes it: rdma_calc_flow_label(), ib_verbs.h. */
static inline uint32_t way_label(uint32_t label, uint32_t qpn, uint32_t remote_qpn)
{
	uint64_t v = (uint64_t)qpn * remote_qpn;

	v ^= v >> 20;
	v ^= v >> 40;
	return label ? label : (uint32_t)v & 0xfffff;
}

#endif
