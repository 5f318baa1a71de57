/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The steps of a copy on each side, from the message copy to the whole file at the server. */
#ifndef COPYING_H
#define COPYING_H

#include <jansson.h>

#include "session/agree.h"
#include "session/session.h"

struct copying {
	struct agree *agree;              /* after hello; borrowed */
	const struct session_sink *sink;
	bool started;                     /* the plan is agreed: what follows is no refusal */
};

/*
 * The client: agree->local has the options (copy_options()). 0: the peer has the whole file, and
 * sink->copied was called. Else the first error, with an error message; -EINVAL and -EPERM before
 * it started are refusals.
 */
int copying_client(struct copying *c, const struct copy_file *file, const struct source *source)
	__attribute__((warn_unused_result));

/* The server: msg is the message copy, which must live until agree_end(). Returns as above. */
int copying_server(struct copying *c, const json_t *msg) __attribute__((warn_unused_result));

#endif
