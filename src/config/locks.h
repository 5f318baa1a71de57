/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Locks of a provider around its queues: what is wished for, and what ran. Knows no verbs. */
#ifndef LOCKS_H
#define LOCKS_H

/* --locks. auto: off where the device offers it. */
enum locks_wish { LOCKS_AUTO, LOCKS_ON, LOCKS_OFF };
extern const char *const locks_wish_names[]; /* auto on off, NULL */

/* Bits: which queues have none. */
enum locks {
	LOCKS_OFF_CQ = 1,  /* completion queues */
	LOCKS_OFF_QP = 2,  /* send and receive queues */
	LOCKS_OFF_ALL = LOCKS_OFF_CQ | LOCKS_OFF_QP
};
extern const char *const locks_names[]; /* by bits: on off_cq off_qp off, NULL */

#endif
