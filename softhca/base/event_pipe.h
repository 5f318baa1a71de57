/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The pipes of events. As in the kernel (ib_uverbs_release_uevent(), ib_uverbs_release_ucq()), the
 * events of an object end with it: they are removed when it is destroyed, so that poll(2) does not
 * tell of them. One that a peer writes later is dropped by its reader.
 */
#ifndef EVENT_PIPE_H
#define EVENT_PIPE_H

#include <infiniband/verbs.h>
#include <stdint.h>

enum event_object { EVENT_OF_QP, EVENT_OF_CQ, EVENT_OF_SRQ, EVENT_OF_PORT };

/* What an async event is about; type: enum ibv_event_type. */
enum event_object event_object(uint32_t type);

/* Records are numbers of CQs (uint32_t), or struct shm_async. */
struct event_pipe {
	int in, out;
};

/* The CQ of that number has left the lists: removes its completion events. */
void event_forget_cq(struct event_pipe pipe, uint32_t id);
/* An object of that number has left the lists: removes its async events. */
void event_forget_async(struct event_pipe pipe, enum event_object of, uint32_t id);

#endif
