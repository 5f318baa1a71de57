/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the client's side of a session; see session.h. Called by commands. */
#include "config.h"
#include "session/session.h"

#include <errno.h>
#include <stdlib.h>

#include "session/conclude.h"
#include "session/copying.h"
#include "session/proto.h"
#include "session/setup_session.h"
#include "util/err.h"
#include "util/signals.h"

struct session {
	struct ctl ctl;
	struct agree agree;
	struct clock_anchor origin;
	bool alive;       /* the server waits for a plan or bye */
	bool interrupted; /* by the user of one side */
};

static int connect_server(struct session *s, const struct cfg *cfg)
{
	int rc = ctl_connect(&s->ctl, cfg->host, cfg->tcp_port, cfg->connect_timeout_ms,
			     signals_fd());

	if (rc)
		return rc;
	s->agree.side = SIDE_CLIENT;
	s->agree.ctl = &s->ctl;
	s->agree.local = cfg;
	s->agree.test = *cfg;
	rc = agree_hello(&s->agree);
	if (rc)
		conclude_failed(&s->ctl, rc);
	return rc;
}

int session_open(struct session **session, const struct cfg *cfg)
{
	struct session *s = calloc(1, sizeof(*s));
	int rc;

	*session = NULL;
	if (!s)
		return err_set(-ENOMEM, "no memory for a session");
	s->ctl = (struct ctl)CTL_CLOSED;
	s->origin = clock_anchor();
	rc = connect_server(s, cfg);
	if (rc) {
		ctl_close(&s->ctl);
		free(s);
		return rc;
	}
	s->alive = true;
	*session = s;
	return 0;
}

/* May another plan follow? */
static int check_usable(const struct session *s)
{
	if (!s->alive)
		return err_set(-ENOTCONN, "the session with the peer %s has failed; it takes no further plan", s->ctl.peer);
	if (s->interrupted)
		return err_set(-EINTR, "the session was interrupted; it takes no further plan");
	return 0;
}

int session_copy(struct session *s, const struct cfg *cfg, const struct session_file *file,
		 const struct session_sink *sink, enum session_end *end)
{
	struct copying copying = { .agree = &s->agree, .sink = sink };
	int rc = check_usable(s);

	*end = SESSION_FAILED;
	if (rc)
		return rc;
	s->agree.local = cfg;
	rc = copying_client(&copying, file->file, file->source);
	*end = SESSION_MEASURED;
	if (rc)
		*end = conclude_error(&s->ctl, rc, copying.started, &s->alive);
	agree_end(&s->agree);
	return rc;
}

int session_run(struct session *s, const struct cfg *cfg, const struct session_sink *sink,
		enum session_end *end)
{
	struct points points = { .agree = &s->agree, .sink = sink, .origin = &s->origin };
	int rc = check_usable(s);

	*end = SESSION_FAILED;
	if (rc)
		return rc;
	s->agree.local = cfg;
	rc = agree_client(&s->agree, AGREE_TEST);
	if (!rc) {
		points_start(&points);
		rc = points_client(&points);
	}
	s->interrupted = points.interrupted;
	*end = conclude_plan(&points, rc, &s->alive);
	agree_end(&s->agree);
	return rc;
}

int session_setup(struct session *s, const struct cfg *cfg, const struct session_setup *setup,
		  enum session_end *end)
{
	struct points points = { .agree = &s->agree, .origin = &s->origin };
	int rc = check_usable(s);

	*end = SESSION_FAILED;
	if (rc)
		return rc;
	s->agree.local = cfg;
	rc = agree_client(&s->agree, AGREE_SETUP);
	points.started = !rc;
	if (!rc)
		rc = setup_client(&points, setup);
	s->interrupted = points.interrupted;
	*end = conclude_plan(&points, rc, &s->alive);
	agree_end(&s->agree);
	return rc;
}

int session_close(struct session *s)
{
	int rc = 0;

	if (!s)
		return 0;
	if (s->alive)
		rc = ctl_send(&s->ctl, proto_plain("bye"), s->agree.test.stall_timeout_ms);
	agree_close(&s->agree);
	ctl_close(&s->ctl);
	free(s);
	return rc;
}
