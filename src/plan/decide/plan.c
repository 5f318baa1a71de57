/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The tables of a plan, its notes, and its JSON form: both sides compare it, and results contain
 * it. Chooses no value.
 */
#include "config.h"
#include "decide/plan.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "util/err.h"

static const struct field kind_rows[] = {
	{ .name = "transport", FIELD_AT(struct kind, tp), .flags = FIELD_WIRE,
	  .absent = FIELD_NEVER, .names = kind_transport_names, .help = "of the queue pairs" },
	{ .name = "opcode", FIELD_AT(struct kind, op), .flags = FIELD_WIRE,
	  .absent = FIELD_NEVER, .names = kind_opcode_names, .help = "of the requests" },
	{ .name = "completion", FIELD_AT(struct kind, cm), .flags = FIELD_WIRE,
	  .absent = FIELD_NEVER, .names = kind_completion_names,
	  .help = "how a thread of the client waits for completions" },
	{ .name = "recv_queue", FIELD_AT(struct kind, sharing), .flags = FIELD_WIRE,
	  .absent = FIELD_NEVER, .names = kind_sharing_names,
	  .help = "whose receives a message takes" },
};

static const struct field_table kind_table = {
	.what = "plan", .rows = kind_rows, .n = FIELD_COUNT(kind_rows),
};

#define FIELD(type, f, ...) FIELD_ROW(struct plan_path, f, __VA_ARGS__)
#define FIELD_TEXT_ROW(n, f, ...) FIELD_ROW(struct plan_path, f, __VA_ARGS__)
static const struct field path_rows[] = {
#include "decide/plan_path.def"
};

static const struct field_table path_table = {
	.what = "plan", .rows = path_rows, .n = FIELD_COUNT(path_rows),
};

#define FIELD(type, f, ...) FIELD_ROW(struct plan_work, f, __VA_ARGS__)
static const struct field work_rows[] = {
#include "decide/plan_work.def"
};

static const struct field_table work_table = {
	.what = "plan", .rows = work_rows, .n = FIELD_COUNT(work_rows),
};

#define FIELD(type, f, ...) FIELD_ROW(struct point, f, __VA_ARGS__)
static const struct field point_rows[] = {
#include "decide/plan_point.def"
};

const struct field_table plan_point_table = {
	.what = "plan point", .rows = point_rows, .n = FIELD_COUNT(point_rows),
};

static const struct field rows[] = {
	{ FIELD_OF(struct plan, work), .flags = FIELD_WIRE | FIELD_FLAT, .table = &work_table },
	{ FIELD_OF(struct plan, path), .flags = FIELD_WIRE | FIELD_FLAT, .table = &path_table },
	{ FIELD_OF(struct plan, stall_timeout_ms), .flags = FIELD_WIRE, .absent = FIELD_NEVER,
	  .unit = "ms", .help = "the client's --stall-timeout, on both sides" },
};

const struct field_table plan_table = {
	.what = "plan", .rows = rows, .n = FIELD_COUNT(rows),
};

json_t *plan_encode(const struct plan *plan)
{
	json_t *json = field_encode(json_object(), &plan_table, plan, FIELD_WIRE);
	json_t *points = json_array();

	for (uint32_t i = 0; points && i < plan->n_points; i++)
		if (json_array_append_new(points, field_encode(json_object(), &plan_point_table,
							       &plan->points[i], FIELD_WIRE))) {
			json_decref(points);
			points = NULL;
		}
	if (json_object_set_new(json, "points", points)) {
		json_decref(json);
		json = NULL;
	}
	return json;
}

int plan_compare(const struct plan *plan, const json_t *peers)
{
	const json_t *theirs = json_object_get(peers, "points"), *ours;
	json_t *own = plan_encode(plan);
	int rc;

	if (!own)
		return err_set(-ENOMEM, "no memory for the plan");
	ours = json_object_get(own, "points");
	rc = field_compare(&plan_table, own, peers);
	if (!rc && json_array_size(ours) != json_array_size(theirs))
		rc = err_set(-EPROTO, "the two sides disagree on the plan: %zu points here, %zu at the peer",
			     json_array_size(ours), json_array_size(theirs));
	for (size_t i = 0; !rc && i < json_array_size(ours); i++)
		rc = field_compare(&plan_point_table, json_array_get(ours, i),
				   json_array_get(theirs, i));
	json_decref(own);
	return rc;
}

__attribute__((format(printf, 2, 0)))
static void add_note(struct plan *plan, const char *fmt, va_list ap, bool changes_figures)
{
	struct plan_remark *note = &plan->notes[plan->n_notes];

	if (plan->n_notes == PLAN_MAX_NOTES)
		return;
	plan->n_notes++;
	note->changes_figures = changes_figures;
	vsnprintf(note->text, sizeof(note->text), fmt, ap);
}

void plan_note(struct plan *plan, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_note(plan, fmt, ap, false);
	va_end(ap);
}

void plan_note_figures(struct plan *plan, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_note(plan, fmt, ap, true);
	va_end(ap);
}
