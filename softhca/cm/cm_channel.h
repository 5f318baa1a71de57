/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Channels: their events, deadlines and the descriptor that becomes readable. */
#ifndef CM_CHANNEL_H
#define CM_CHANNEL_H

#include "cm/cm.h"

/* 0 or -errno, with *ch. */
int cm_channel_open(struct cm_channel **ch);
/* Without its identifiers, which must be destroyed. Leaves the descriptor of the program open. */
void cm_channel_close(struct cm_channel *ch);
/*
 * Adds an event of the identifier and returns it. NULL: it has no uid yet and is not a connect
 * request, or there is no memory; the event is then dropped.
 */
struct rdma_ucm_event_resp *cm_channel_event(struct cm_id *id, enum cm_event_type type, int status);
/* The same for an event of a multicast group. */
struct rdma_ucm_event_resp *cm_channel_group_event(struct cm_group *group, int status);
/* The connect request of a new identifier, as an event of its listener. */
struct rdma_ucm_event_resp *cm_channel_request(struct cm_id *id);
/* The next event, removed from the queue; the caller frees it. NULL: none. */
struct cm_event *cm_channel_next(struct cm_channel *ch);
/*
 * Drops the events of the identifier, or of the group if it is not NULL. Returns the identifiers of
 * connect requests that were dropped, as a list by wait_next.
 */
struct cm_id *cm_channel_drop(struct cm_id *id, const struct cm_group *group);
/* The identifier, its events and its sockets belong to another channel from now on. 0 or -errno. */
int cm_channel_move(struct cm_id *id, struct cm_channel *to);
/* Sets and ends the deadline of the identifier. */
void cm_channel_wait(struct cm_id *id, enum cm_wait wait);
void cm_channel_wait_end(struct cm_id *id);
/* An identifier whose deadline has passed; its wait is ended. NULL: none. */
struct cm_id *cm_channel_expired(struct cm_channel *ch);
/* After each change: the descriptor is readable when there is an event or a deadline has passed. */
void cm_channel_arm(struct cm_channel *ch);

#endif
