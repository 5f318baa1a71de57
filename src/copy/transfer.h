/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The two sides of the data path, from connected QPs to the answer of the receiver. */
#ifndef TRANSFER_H
#define TRANSFER_H

#include "copy/link.h"
#include "copy/source.h"
#include "copy/target.h"

struct transfer {
	struct link *link;
	const struct point *point;
	const struct copy_file *file;
	const struct copy_progress *progress;
};

/*
 * The client: sends the whole file and waits until the peer has it. Errors of link.h and source.h,
 * -EILSEQ: the two SHA-256 differ. Fills report's ns and sha256.
 */
int transfer_send(const struct transfer *t, const struct source *source, const struct ep_addr *peer,
		  struct copy_report *report) __attribute__((warn_unused_result));

/*
 * The server: receives the file, compares, commits and answers. Errors of link.h and target.h, and
 * -EILSEQ as above; -EBADMSG: the peer announces a window that is not the next one.
 */
int transfer_receive(const struct transfer *t, struct target *target, struct copy_report *report)
	__attribute__((warn_unused_result));

/* Windows of the file. */
uint64_t transfer_windows(const struct transfer *t);

/* Extra time for a side that reads or writes so much of a file, ms: 10 MB/s at least. */
uint64_t transfer_disk_ms(uint64_t bytes);

/* How long the whole copy may take, ms: four stall timeouts, and 1 MB/s at least. */
uint64_t transfer_most_ms(const struct transfer *t);

#endif
