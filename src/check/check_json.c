/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the JSON document of a check, see verbench-check(1). Called by check.c and check_local.c. */
#include "config.h"
#include "check/check.h"

#include <errno.h>

#include "format/format_json_file.h"
#include "util/err.h"
#include "util/text.h"

/* A text of the peer, or of a kernel's file: printable ASCII. */
static json_t *text_json(const char *text)
{
	char clean[RESULT_REASON];

	text_clean(text, clean, sizeof(clean));
	return json_string(clean);
}

/* Absent where it is not known, "" or none. */
static json_t *text_or_null(const char *text)
{
	return text[0] ? text_json(text) : json_null();
}

static json_t *side_json(const struct session_facts *facts, enum side side)
{
	if (!facts->known[side])
		return json_null();
	return json_pack("{s:o,s:o}", "limits", limits_encode(&facts->limits[side]), "machine",
			 field_encode(json_object(), &machine_table, &facts->machine[side],
				      FIELD_WIRE));
}

static json_t *cell_json(const struct check_cell *c)
{
	return json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:o,s:s,s:s,s:o,s:f}",
			 "transport", kind_transport_names[c->kind.tp],
			 "connect", choices_connect[c->by_cm ? CONNECT_RDMA_CM : CONNECT_TCP],
			 "opcode", kind_opcode_names[c->kind.op],
			 "completion", kind_completion_names[c->kind.cm],
			 "size", c->large ? "large" : "small",
			 "requests_of", kind_side_names[c->by],
			 "size_bytes", c->size_bytes == UINT64_MAX ? json_null() :
					       json_integer((json_int_t)c->size_bytes),
			 "status", check_status_names[c->status],
			 "cause", causes_names[c->cause],
			 "reason", text_or_null(c->reason),
			 "seconds", (double)c->ns / 1e9);
}

static json_t *cells_json(const struct check *check)
{
	json_t *all = json_array();

	for (uint32_t i = 0; all && i < check->n_cells; i++)
		json_array_append_new(all, cell_json(&check->cells[i]));
	return all;
}

json_t *check_json_findings(const struct finding *list, uint32_t n)
{
	json_t *all = json_array();

	for (uint32_t i = 0; all && i < n; i++) {
		const struct finding *f = &list[i];

		json_array_append_new(all, json_pack("{s:s,s:o,s:o,s:o,s:o,s:o}", "code", f->code,
						     "side", text_or_null(f->side),
						     "host", text_json(f->host),
						     "device", text_json(f->device),
						     "text", text_json(f->text),
						     "remedy", text_json(f->remedy)));
	}
	return all;
}

static json_t *counts_json(const struct check *check)
{
	json_t *counts = json_object();

	for (int i = 0; check_status_names[i]; i++)
		json_object_set_new(counts, check_status_names[i],
				    json_integer(check->counts[i]));
	return counts;
}

int check_json(const struct check *check)
{
	const struct format_json_file file = { .path = check->cfg->json,
					       .force = check->cfg->force };
	json_t *doc = format_json_file_doc(CHECK_SCHEMA, check->status,
					   check->error[0] ? check->error : NULL);
	int rc;

	if (doc) {
		json_object_set_new(doc, "run",
				    json_pack("{s:s,s:o,s:o,s:f}", "command", "check", "client",
					      side_json(&check->facts, SIDE_CLIENT), "server",
					      side_json(&check->facts, SIDE_SERVER), "seconds",
					      (double)check->ns / 1e9));
		json_object_set_new(doc, "counts", counts_json(check));
		json_object_set_new(doc, "rows", cells_json(check));
		json_object_set_new(doc, "warnings",
				    check_json_findings(check->findings, check->n_findings));
	}
	rc = format_json_file_write(&file, doc);
	json_decref(doc);
	return rc;
}
