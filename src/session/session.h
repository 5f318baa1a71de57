/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder session: the two sides agree on a plan, run its points, and exchange results, in the order
 * of docs/protocol.md. It prints nothing, opens no file and knows no exit status: errors go to the
 * caller, results to the caller's sink.
 *
 * This header: a session: two sides on one control connection, one plan after another.
 */
#ifndef SESSION_H
#define SESSION_H

#include "config/cfg.h"
#include "copy/copy.h"
#include "copy/source.h"
#include "format/format.h"
#include "control/ctl.h"
#include "control/sink.h"
#include "host/machine.h"
#include "setup/measure.h"

/* How a plan ended, or a whole session. */
enum session_end {
	SESSION_MEASURED, /* every point is ok, every copy is complete */
	SESSION_FAILED,   /* an error, or a point that is incomplete or failed */
	SESSION_REFUSED,  /* the plan cannot be run; nothing has failed */
	SESSION_NO_CLIENT, /* server: the peer sent no plan */
	SESSION_PERFTEST  /* server: the same, and it is perftest */
};

/* What session_setup() measures, and where its rows go. Borrowed. */
struct session_setup {
	const struct setup_wish *wish;
	const struct setup_sink *sink;
};

struct session; /* the client's side */

/*
 * Connects to the server of cfg (host, tcp_port, connect_timeout_ms) and exchanges hello. Calls
 * nothing of sink but waiting. The user's stop (signals_fd()) ends every step. -errno with an error
 * message: *session is NULL.
 */
int session_open(struct session **session, const struct cfg *cfg, const struct session_sink *sink)
	__attribute__((warn_unused_result));

/*
 * Measures one plan: what cfg asks for, on the device of cfg, which stays open for the next plan.
 * cfg is read until the call returns. *end is set in every case.
 *   0        both sides have every result; *end is SESSION_MEASURED or SESSION_FAILED
 *   -EINVAL  refused by this side, -EPERM by the peer; *end is SESSION_REFUSED
 *   -errno   the session has failed; every further plan is -ENOTCONN
 * all negative ones with an error message. After a refusal another plan can follow, and after a
 * point that is not ok; not after the user of one side interrupted a plan (-EINTR).
 */
int session_run(struct session *session, const struct cfg *cfg, const struct session_sink *sink,
		enum session_end *end) __attribute__((warn_unused_result));

/* What "verbench check" asks of both sides before its cells. By enum side. */
struct session_facts {
	bool known[SIDE_COUNT];
	struct limits limits[SIDE_COUNT];
	struct machine machine[SIDE_COUNT];
};

/*
 * Opens the devices of cfg on both sides, which stay open for the plans that follow, and asks what
 * they and their machines are like. -errno with an error message: the facts of a side that are not
 * known stay so; *end as of session_run(), and the same may follow.
 */
int session_facts(struct session *session, const struct cfg *cfg, struct session_facts *facts,
		  enum session_end *end) __attribute__((warn_unused_result));

/* A copy: source to file->name below the directory of the server. */
struct session_file {
	const struct copy_file *file;
	const struct source *source;
};

/*
 * Copies a file. cfg as completed by copy_options(). Returns as session_run(), and the same may
 * follow.
 */
int session_copy(struct session *session, const struct cfg *cfg, const struct session_file *file,
		 const struct session_sink *sink, enum session_end *end)
	__attribute__((warn_unused_result));

/*
 * The same, but measures the cost of setting up (setup/measure.h). cfg is a bandwidth test of send
 * over RC: it gives the path, and the queues of a QP. A row that is failed or incomplete makes *end
 * SESSION_FAILED.
 */
int session_setup(struct session *session, const struct cfg *cfg, const struct session_setup *setup,
		  enum session_end *end) __attribute__((warn_unused_result));

/*
 * Says bye when the session has not failed, and frees it. -errno with an error message: the
 * server does not know that the session ended well. NULL is accepted.
 */
int session_close(struct session *session) __attribute__((warn_unused_result));

/*
 * The server's side of a connection: every plan until bye, also those of setup. cfg is the
 * server's own: device, port, timeouts. Returns the end of the worst plan: failed, then refused.
 * SESSION_NO_CLIENT, SESSION_PERFTEST: the peer did not send hello and a plan; err_text() says why,
 * and sink was not called.
 */
enum session_end session_server(const struct cfg *cfg, struct ctl *ctl,
				const struct session_sink *sink);

#endif
