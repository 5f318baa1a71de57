/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room agree: the two sides agree on a plan, run its points, and exchange results, in the order
 * of docs/dev/protocol.md. It prints nothing, opens no file and knows no exit status: errors go to
 * the caller, results to the caller as events.
 *
 * This header: a session: two sides on one control connection, one plan after another.
 */
#ifndef SESSION_H
#define SESSION_H

#include "options/cfg.h"
#include "copy/copy.h"
#include "copy/copy_files.h"
#include "wire/ctl.h"
#include "wire/session_host.h"
#include "place/machine.h"
#include "objects/measure.h"

/* The outcome of a plan or of a whole session. */
enum session_end {
	SESSION_MEASURED, /* every point is ok, every copy is complete */
	SESSION_FAILED,   /* an error, or a point that is incomplete or failed */
	SESSION_REFUSED,  /* the plan cannot be run; nothing has failed */
	SESSION_NO_CLIENT, /* server: the peer sent no plan */
	SESSION_PERFTEST  /* server: the peer sent no plan and is perftest */
};

/* The measurements of session_setup(), and the sink of its rows. Borrowed. */
struct session_setup {
	const struct setup_options *options;
	const struct event_sink *events;
};

/*
 * early.c: before a session. Has this side the device and the port of cfg, and a link? 0 without
 * any device: the server tells whether it uses the emulated one. Errors and *end as of
 * session_run().
 */
int early_client(const struct cfg *cfg, enum session_end *end)
	__attribute__((warn_unused_result));

struct session; /* the client's side */

/*
 * Connects to the server of cfg (host, tcp_port, connect_timeout_ms) and exchanges hello. Of host,
 * only EVENT_WAITING is used. The user's stop (signals_fd()) ends every step. -errno with an error
 * message: *session is NULL.
 */
int session_open(struct session **session, const struct cfg *cfg, const struct session_host *host)
	__attribute__((warn_unused_result));

/*
 * Measures one plan: the test of cfg, on the device of cfg, which stays open for the next plan. cfg
 * is read until the call returns. *end is set in every case.
 *   0        both sides have every result; *end is SESSION_MEASURED or SESSION_FAILED
 *   -EINVAL  refused by this side, -EPERM by the peer; *end is SESSION_REFUSED
 *   -errno   the session has failed; every further plan is -ENOTCONN
 * all negative ones with an error message. Another plan can follow a refusal or a point that is not
 * ok, but not a plan interrupted by the user of one side (-EINTR).
 */
int session_run(struct session *session, const struct cfg *cfg, const struct session_host *host,
		enum session_end *end) __attribute__((warn_unused_result));

/* The facts that "verbench check" asks of both sides before its cells. By enum side. */
struct session_facts {
	bool known[SIDE_COUNT];
	struct limits limits[SIDE_COUNT];
	struct machine machine[SIDE_COUNT];
};

/*
 * Opens the devices of cfg on both sides, which stay open for the plans that follow, and collects
 * facts about them and their machines. -errno with an error message: facts that are not known of a
 * side stay so; *end and what may follow are as with session_run().
 */
int session_facts(struct session *session, const struct cfg *cfg, struct session_facts *facts,
		  enum session_end *end) __attribute__((warn_unused_result));

/* A copy: source is sent to file->name below the directory of the server. */
struct session_file {
	const struct copy_file *file;
	const struct source *source;
};

/*
 * Copies a file. cfg as completed by copy_options(). Returns as session_run(), and the same may
 * follow.
 */
int session_copy(struct session *session, const struct cfg *cfg, const struct session_file *file,
		 const struct session_host *host, enum session_end *end)
	__attribute__((warn_unused_result));

/*
 * The same, but measures the cost of setup (objects/measure.h). cfg is a bandwidth test of send
 * over RC: it gives the path, and the queues of a QP. A failed or incomplete row makes *end
 * SESSION_FAILED.
 */
int session_setup(struct session *session, const struct cfg *cfg, const struct session_setup *setup,
		  enum session_end *end) __attribute__((warn_unused_result));

/*
 * Sends bye unless the session has failed, and frees it. -errno with an error message: the server
 * does not know that the session ended well. NULL is accepted.
 */
int session_close(struct session *session) __attribute__((warn_unused_result));

/*
 * The server's side of a connection: every plan until bye, also those of setup. cfg is the server's
 * own: device, port, timeouts. Returns the worst outcome of all plans: failed, then refused.
 * SESSION_NO_CLIENT, SESSION_PERFTEST: the peer did not send hello and a plan; err_text() gives the
 * reason, and host was not called.
 */
enum session_end session_server(const struct cfg *cfg, struct ctl *ctl,
				const struct session_host *host);

#endif
