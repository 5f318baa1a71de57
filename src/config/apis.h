/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The words for the ways to post and to poll: options, plan, rows. Knows no verbs. */
#ifndef APIS_H
#define APIS_H

/* --post-api. send: ibv_post_send(3), wr: ibv_wr_post(3); auto: send. */
enum apis_post { APIS_POST_SEND, APIS_POST_WR, APIS_POST_AUTO };
extern const char *const apis_post_names[]; /* send wr auto, NULL */

/* --poll-api. classic: ibv_poll_cq(3), extended: ibv_start_poll and so on, ibv_create_cq_ex(3). */
enum apis_poll { APIS_POLL_CLASSIC, APIS_POLL_EXTENDED };
extern const char *const apis_poll_names[]; /* classic extended, NULL */

#endif
