/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What the files of monitor share. */
#ifndef MONITOR_OWN_H
#define MONITOR_OWN_H

#include "session/monitor.h"

/* A thread of this side, and the thread of the peer with the same number. */
struct monitor_thread {
	uint64_t moved_ns;   /* when its loop last made progress */
	uint64_t progress;
	bool sent_reported;  /* this side sent "sent" for it */
	bool peer_finished;  /* the peer sent "sent" for its thread */
};

/* ---- messages: monitor_messages.c */

/* Sends "sent" for each thread that has posted its last message. */
int monitor_send_sent(struct monitor *m) __attribute__((warn_unused_result));

/* Takes the messages that have arrived, a few at most. *received_ns: when the last one came. */
int monitor_receive(struct monitor *m, uint64_t *received_ns) __attribute__((warn_unused_result));

/* The user of this side asks to stop: both sides stop posting, and their rows are incomplete. */
int monitor_user_stop(struct monitor *m) __attribute__((warn_unused_result));

/* The peer posts nothing more: each of its threads sent "sent", or it never posts. */
bool monitor_peer_over(const struct monitor *m);

#endif
