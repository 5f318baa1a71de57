/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns what a server reads again; see serve_reload.h. Called by serve_life.c. */
#include "config.h"
#include "serve/serve_reload.h"

#include "control/ctl_tls.h"
#include "plan/plan_rules.h"
#include "serve/serve_limits.h"
#include "serve/serve_state.h"
#include "util/log.h"

/* The options anew; cfg borrows from file. */
static int read_options(const struct serve *s, struct cfg *cfg, struct serve_file *file)
{
	int rc;

	*cfg = *s->source->given;
	rc = serve_file_read(file, cfg);
	if (!rc)
		rc = plan_rules_server(cfg);
	if (!rc)
		rc = serve_limits_fill(cfg, s->how_many);
	cfg->adds = s->cfg->adds;
	cfg->lines = s->cfg->lines;
	/* what cannot change while the server runs */
	cfg->soft = s->cfg->soft;
	cfg->tcp_port = s->cfg->tcp_port;
	return rc;
}

int serve_reload(struct serve *s)
{
	struct serve_file file = { .n = 0 };
	struct audit audit = { .fd = -1 };
	struct ctl_tls *tls = NULL;
	struct cfg cfg;
	int rc;

	if (!s->source)
		return 0;
	rc = read_options(s, &cfg, &file);
	if (!rc && cfg.key)
		rc = ctl_tls_open(&tls, cfg.key);
	/* the path of the old one may be a text of the old file */
	if (!rc)
		rc = audit_open(&audit, cfg.audit, cfg.audit_format);
	if (!rc)
		rc = serve_listen_allow(&s->listen, &cfg);
	if (!rc)
		rc = log_serve(cfg.max_log_rate);
	if (rc) {
		audit_close(&audit);
		ctl_tls_close(tls);
		serve_file_free(&file);
		return rc;
	}
	*s->current = cfg;
	ctl_tls_close(s->tls);
	s->tls = tls;
	audit_replace(&s->account.audit, &audit);
	file.found |= s->source->file->found;
	serve_file_free(s->source->file);
	*s->source->file = file;
	return 0;
}
