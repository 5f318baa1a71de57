/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the root: its thread, its rounds from the first to the last, its exit status. */
#include "config.h"
#include "mesh/mesh_root.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "frame/command.h"
#include "util/clock.h"
#include "tables/tables.h"
#include "util/err.h"
#include "util/log.h"
#include "util/must.h"
#include "util/signals.h"
#include "util/text.h"
#include "wire/proto.h"

/* Returns how many were begun. */
static uint32_t run_rounds(struct mesh_root *r)
{
	const struct mesh *mesh = r->mesh;
	const uint32_t rounds = schedule_rounds(mesh->schedule);
	const uint32_t limit_ms = mesh->cfg.limit_time_ms;
	const uint64_t end_ns =
		limit_ms == CFG_AUTO ? UINT64_MAX : clock_ns() + limit_ms * UINT64_C(1000000);
	uint32_t round = 0;

	for (; round < rounds && !r->stopped && clock_ns() < end_ns; round++) {
		log_status("round %u of %u", round + 1, rounds);
		for (uint32_t cell = 0; cell < mesh->cells.n && !r->stopped; cell++)
			mesh_round_cell(r, round, cell);
	}
	log_status_end();
	return round;
}

/* Tells all agents that it is over: rc 0 as it should be. */
static void end_all(struct mesh_root *r, int rc)
{
	for (uint32_t i = 0; i < r->n; i++) {
		struct mesh_member *m = &r->members[i];

		if (m->state == MESH_GONE || m->state == MESH_AWAITED)
			continue;
		if (rc)
			ctl_abort(&m->ctl, rc);
		else if (ctl_send(&m->ctl, proto_plain("mesh_end"), MESH_SEND_MS))
			log_note("%s: %s", m->node.name, err_text());
		ctl_close(&m->ctl);
	}
}

static bool any_gone(const struct mesh_root *r)
{
	for (uint32_t i = 0; i < r->n; i++)
		if (r->members[i].state == MESH_GONE)
			return true;
	return false;
}

static void tell(struct mesh_root *r)
{
	const struct cfg *cfg = &r->mesh->cfg;
	char *text;
	size_t len;
	FILE *out;

	if (!output_for_people(cfg) || cfg->quiet)
		return;
	out = must_memstream(&text, &len);
	mesh_rows_tell(r, out);
	must_close(out);
	screen_fold(stdout, text, cfg->wide ? SCREEN_UNLIMITED : screen_columns());
	free(text);
}

static void see(void *page, const struct row *row)
{
	live_row(page, row);
}

static int open_page(struct mesh_root *r)
{
	int rc;

	if (!r->mesh->cfg.report_html)
		return 0;
	rc = live_open(&r->page, &r->mesh->cfg);
	r->results.seen = see;
	r->results.seen_arg = r->page;
	return rc;
}

/* False: it is lost. */
static bool write_page(struct mesh_root *r)
{
	if (!r->page || !live_write(r->page, r->verdicts))
		return true;
	log_error("%s", err_text());
	return false;
}

static int measure(struct mesh_root *r)
{
	const uint32_t rounds = schedule_rounds(r->mesh->schedule), begun = run_rounds(r);
	struct event_part part = { .key = "verdicts" };

	if (!r->stopped)
		mesh_rows_each(r, mesh_verdict);
	part.value = r->found;
	output_take(&r->results.output, &(struct event){ EVENT_PART, .part = &part });
	if (r->lost_rows)
		return err_set(-EIO, "rows cannot be written: the run is incomplete");
	if (r->stopped)
		return err_set(-EINTR, "interrupted: not all rounds are measured");
	return begun == rounds ? 0 : err_set(-ETIME, "--limit-time: %u of %u rounds are measured",
					     begun, rounds);
}

static void *root_main(void *arg)
{
	struct mesh_root *r = arg;
	enum session_end end = SESSION_MEASURED;
	int rc = results_begin(&r->results);

	if (!rc)
		rc = mesh_join_all(r);
	if (!rc)
		rc = mesh_resume_take(r);
	if (!rc)
		rc = measure(r);
	if (rc)
		results_error(&r->results, rc, err_text());
	mesh_serve_close(r->serve);
	r->serve = NULL;
	end_all(r, rc);
	results_end(&r->results);
	tell(r);
	if (!write_page(r) || (rc ? rc != -EINVAL : r->n_bad || any_gone(r)))
		end = SESSION_FAILED;
	else if (rc || !r->n_ok)
		end = SESSION_REFUSED;
	r->status = results_exit(&r->results, end);
	if (r->status == COMMAND_OK && r->n_verdicts)
		r->status = COMMAND_UNEXPECTED;
	return NULL;
}

static void free_root(struct mesh_root *r)
{
	pthread_mutex_destroy(&r->lock);
	mesh_rows_free(r);
	free(r->verdicts);
	mesh_incast_free(r);
	json_decref(r->found);
	free(r->members);
	live_free(r->page);
	free(r);
}

int mesh_root_open(struct mesh_root **root, const struct mesh *mesh)
{
	struct mesh_root *r = must_calloc(1, sizeof(*r));
	const struct mesh_server server = { mesh_join_serve, r };
	uint32_t port = mesh->root.port;
	const struct ctl closed = CTL_CLOSED;
	int rc;

	r->mesh = mesh;
	r->n = mesh->rank.size;
	r->results = (struct results){ .cfg = &mesh->cfg };
	r->found = json_array();
	mesh_run_name(mesh, r->run);
	r->members = must_calloc(r->n, sizeof(*r->members));
	for (uint32_t i = 0; i < r->n; i++)
		r->members[i].ctl = closed;
	pthread_mutex_init(&r->lock, NULL);
	rc = open_page(r);
	if (!rc)
		rc = mesh_serve_open(&r->serve, mesh, &server, &port);
	if (!rc && pthread_create(&r->thread, NULL, root_main, r))
		rc = err_set(-EAGAIN, "cannot start the thread of the root");
	*root = r;
	if (!rc)
		return 0;
	mesh_serve_close(r->serve);
	free_root(r);
	*root = NULL;
	return rc;
}

int mesh_root_close(struct mesh_root *r)
{
	int status;

	pthread_join(r->thread, NULL);
	status = r->status;
	free_root(r);
	return status;
}
