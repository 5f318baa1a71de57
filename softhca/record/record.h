/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder record: writes down what the links of this process did, for who compares a result with it:
 * what happened to each message and when, in the file SOFTHCA_RECORD, and counters, in the file
 * SOFTHCA_STATS. softhca(1) describes the lines. A file that cannot be written is reported on
 * stderr.
 */
#ifndef RECORD_H
#define RECORD_H

#include "base/hca.h"

/* A message is put on a link. Times are of clock_now(). */
struct record_departure {
	uint64_t queued_ns;          /* it is there */
	uint64_t begun_ns, left_ns;  /* its first byte leaves, its last byte leaves */
	uint32_t bytes;
};

/* A device was opened: begins the record, if it is asked for and has not begun. */
void record_open(void);
/* Writes what is not yet written to the file. */
void record_flush(void);

/* A device is closed: appends the counters of its links, if they are asked for. */
void record_counts(uint32_t dev);

/* Without SOFTHCA_RECORD, what follows is one comparison. */

/* For the functions below; they may be called by any thread. */
void record_leaves(const char *event, uint32_t qpn, uint32_t number,
		   const struct record_departure *d);
void record_comes(const char *event, uint32_t qpn, uint32_t number, uint64_t due_ns);
void record_takes(uint32_t qpn, uint32_t bytes);

/* Request number of the QP leaves. */
static inline void record_sent(uint32_t qpn, uint32_t number, struct record_departure d)
{
	if (hca.record)
		record_leaves("sent", qpn, number, &d);
}

/* The data of a read leave the peer. */
static inline void record_response(uint32_t qpn, uint32_t number, struct record_departure d)
{
	if (hca.record)
		record_leaves("response", qpn, number, &d);
}

/* What arrives at due_ns is visible to the peer now. */
static inline void record_arrived(uint32_t qpn, uint32_t number, uint64_t due_ns)
{
	if (hca.record)
		record_comes("arrived", qpn, number, due_ns);
}

/* The request that completes at due_ns has its completion now. */
static inline void record_completed(uint32_t qpn, uint32_t number, uint64_t due_ns)
{
	if (hca.record)
		record_comes("completed", qpn, number, due_ns);
}

/* The program polls the completion of a message that this QP has received. */
static inline void record_polled(uint32_t qpn, uint32_t bytes)
{
	if (hca.record)
		record_takes(qpn, bytes);
}

#endif
