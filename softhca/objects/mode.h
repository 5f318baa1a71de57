/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder objects: the life of the verbs objects: create, modify, query, post, poll, destroy. A
 * public function has the arguments, the result and the errors of the verb that it implements.
 *
 * This header has what a mode of operation may do in another way: the data path of its QPs and CQs.
 * objects/context.c has the normal mode, null/null.c the zero-cost mode.
 */
#ifndef MODE_H
#define MODE_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>

struct cq;
struct qp;

struct mode {
	/* sizes of the structs that begin with struct cq and struct qp */
	size_t cq_bytes, qp_bytes;
	bool has_xrc, has_apm, has_dm; /* XRC; path migration; memory that is not of the program */
	bool has_pacing; /* ibv_modify_qp_rate_limit() */
	/* puts the functions of the data path into *ops */
	void (*open)(struct ibv_context_ops *ops);
	/* after the CQ is there, and before it is freed; 0 or -errno */
	int (*cq_open)(struct cq *cq);
	void (*cq_close)(struct cq *cq);
	/* the ring has another size now; 0 or -errno */
	int (*cq_resize)(struct cq *cq);
	/* the QP is there, goes to the state RESET, is destroyed */
	void (*qp_open)(struct qp *qp);
	void (*qp_reset)(struct qp *qp);
	void (*qp_close)(struct qp *qp);
};

#endif
