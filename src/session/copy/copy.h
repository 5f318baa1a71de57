/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room copy: a file goes to the other side by RDMA write. It opens, reads and writes the files,
 * and moves their windows over a connected endpoint. It knows no message of the control connection
 * and prints nothing.
 *
 * A window is a part of the file, and a buffer of that size on each side: COPY_WINDOWS of them are
 * all the memory that is registered, whatever the size of the file. The sender reads the file into
 * a free window, writes it into the same window of the receiver, and announces it by a send on the
 * same QP: when the send has arrived, the data has (IBA vol. 1, 9.5). The receiver writes the
 * window to its file and says by a send that the window is free again. After the last window the
 * sender sends the SHA-256 of the file, and the receiver answers with its own.
 *
 * This header: what is copied, the plan of the endpoint, and the two sides.
 */
#ifndef COPY_H
#define COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "options/cfg.h"
#include "decide/plan.h"

#define COPY_WINDOWS 8u
#define COPY_WINDOW_BYTES (1u << 20) /* without -s */
#define COPY_WINDOW_MIN 4096u
#define COPY_WINDOW_MAX (64u << 20)
#define COPY_NAME_MAX 1024u
#define COPY_SHA256_BYTES 32
#define COPY_SHA256_TEXT 65

struct ep_addr;
struct link;
struct source;
struct target;

/* The file, as the client describes it. */
struct copy_file {
	char name[COPY_NAME_MAX]; /* below the directory of the server */
	uint64_t size_bytes;
	uint32_t mode;            /* permission bits, at most 0777 */
	bool overwrite;
};

struct copy_report {
	const struct copy_file *file;
	uint64_t ns; /* from the connected QPs to the receiver's answer: with reading and writing */
	char sha256[COPY_SHA256_TEXT]; /* of both sides, in hexadecimal */
	bool emulated;
};

/* Called after each window. */
struct copy_progress {
	void (*moved)(void *arg, uint64_t bytes, uint64_t of_bytes);
	void *arg;
};

/*
 * Completes the options of the client: a stream of write_imm over one QP of RC, of which the copy
 * uses QP, CQs and buffers, and posts requests of its own. -EINVAL with an error message: the
 * window (-s) is too small or too large.
 */
int copy_options(struct cfg *cfg) __attribute__((warn_unused_result));

/* -EINVAL with an error message: the client asks for a plan that copy_options() does not make. */
int copy_check_plan(const struct plan *plan) __attribute__((warn_unused_result));

/*
 * A name that can only be below a directory: not absolute, no "." or "..", nothing empty, nothing
 * that a terminal would act on. -EINVAL with an error message.
 */
int copy_check_name(const char *name) __attribute__((warn_unused_result));

/* The two sides of the data path, from connected QPs to the answer of the receiver. */
struct transfer {
	struct link *link;
	const struct point *point;
	const struct copy_file *file;
	const struct copy_progress *progress;
};

/*
 * The client: sends the whole file and waits until the peer has it. Errors of link.h and
 * copy_files.h, -EILSEQ: the two SHA-256 differ. Fills report's ns and sha256.
 */
int copy_send(const struct transfer *t, const struct source *source, const struct ep_addr *peer,
	      struct copy_report *report) __attribute__((warn_unused_result));

/*
 * The server: receives the file, compares, commits and answers. Errors as above; -EBADMSG: the peer
 * announces a window that is not the next one.
 */
int copy_receive(const struct transfer *t, struct target *target, struct copy_report *report)
	__attribute__((warn_unused_result));

#endif
