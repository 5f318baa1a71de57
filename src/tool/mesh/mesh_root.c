/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the root: its thread, its rounds from the first to the last, its exit status. */
#include "config.h"
#include "mesh/mesh_root.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frame/command.h"
#include "tree/join_file.h"
#include "util/clock.h"
#include "tables/tables.h"
#include "util/err.h"
#include "util/log.h"
#include "util/must.h"
#include "util/signals.h"
#include "util/text.h"

#define LOOK_MS 100u
#define DRAIN_NS 5000000000u /* agents have ended by then, or are not waited for */

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

/* Tells all agents that it is over: rc 0 as it should be. They close their connections. */
static void end_all(struct mesh_root *r, int rc)
{
	const uint64_t until_ns = clock_ns() + DRAIN_NS;
	struct mesh_end why = { .interrupted = rc == -EINTR };

	if (rc)
		text_clean(err_text(), why.reason, sizeof(why.reason));
	links_send_below(r->links, mesh_wire_end(&why));
	r->over = true;
	while (links_have_below(r->links) && clock_ns() < until_ns)
		links_work(r->links, LOOK_MS);
}

static void take_message(void *arg, uint32_t id, json_t *msg)
{
	struct mesh_root *r = arg;

	if (!r->over)
		mesh_members_message(r, id, msg);
}

static void take_lost(void *arg, uint32_t id, int rc)
{
	struct mesh_root *r = arg;

	(void)rc;
	if (!r->over)
		mesh_members_lost(r, id);
}

static void take_mail(void *arg, struct links_mail *mail)
{
	struct mesh_root *r = arg;

	if (!r->over) {
		mesh_members_join(r, mail);
		return;
	}
	json_decref(mail->msg);
	ctl_abort(&mail->ctl, err_set(-ESTALE, "the mesh has ended"));
	ctl_close(&mail->ctl);
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
		mesh_rows_each(r, r->judge);
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
		rc = mesh_members_all(r);
	if (!rc)
		rc = mesh_resume_take(r);
	if (!rc)
		rc = measure(r);
	if (rc)
		results_error(&r->results, rc, err_text());
	end_all(r, rc);
	mesh_serve_close(r->serve);
	r->serve = NULL;
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
	join_file_remove(r->mesh->cfg.join, r->join_line);
	links_close(r->links);
	mesh_rows_free(r);
	free(r->verdicts);
	mesh_incast_free(r);
	condition_rules_free(&r->expected);
	json_decref(r->found);
	for (uint32_t i = 0; i < r->n; i++)
		ctl_close(&r->members[i].ctl);
	free(r->members);
	free(r->clients);
	live_free(r->page);
	free(r);
}

/* Others connect to --bind, else to the name of this host. */
static int write_join_file(struct mesh_root *r, uint32_t port)
{
	const struct cfg *cfg = &r->mesh->cfg;
	struct hosts_one own = { .port = port };

	if (cfg->bind)
		snprintf(own.host, sizeof(own.host), "%s", cfg->bind);
	else if (gethostname(own.host, sizeof(own.host) - 1))
		return err_set(-errno, "the name of this host: %s", strerror(errno));
	return join_file_write(cfg->join, &own, &r->join_line);
}

int mesh_root_open(struct mesh_root **root, const struct mesh *mesh, mesh_judge *judge)
{
	struct mesh_root *r = must_calloc(1, sizeof(*r));
	const struct mesh_server server = { mesh_join_serve, r, true };
	uint32_t port = mesh->root.port;
	const struct links_host links = { take_message, take_lost, take_mail, r };
	int rc;

	r->mesh = mesh;
	r->judge = judge;
	r->n = mesh->rank.size;
	r->fingerprint = mesh_fingerprint(mesh);
	r->results = (struct results){ .cfg = &mesh->cfg };
	r->found = json_array();
	mesh_run_name(mesh, r->run);
	r->lanes = schedule_lanes(mesh->schedule);
	r->clients = must_calloc((size_t)r->n * r->lanes, sizeof(*r->clients));
	r->members = must_calloc(r->n, sizeof(*r->members));
	for (uint32_t i = 0; i < r->n; i++)
		r->members[i] = (struct mesh_member){ .ctl = CTL_CLOSED, .parent = LINKS_NONE };
	rc = links_open(&r->links, &links, r->n);
	if (!rc && mesh->cfg.expect)
		rc = condition_rules_parse(&r->expected, EXPECT_LABEL, mesh->cfg.expect);
	if (!rc)
		rc = open_page(r);
	if (!rc)
		rc = mesh_serve_open(&r->serve, mesh, &server, &port);
	if (!rc && !mesh->root.host[0])
		rc = write_join_file(r, port);
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
