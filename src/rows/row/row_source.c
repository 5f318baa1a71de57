/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The way from a source to a column: see row_build.h. */
#include "config.h"
#include "row/row_build.h"

#include "worker/result.h"
#include "decide/plan.h"

#define COMPUTED { .from = ROW_COMPUTED }
#define FROM(source, conditions, s, f) \
	{ .from = (source), .when = (conditions), .off = offsetof(struct s, f) }
#define OWN(f) FROM(ROW_OWN, 0, result, f)
#define OWN_LOOP(f) FROM(ROW_OWN, ROW_OWN_HAS_LOOP, result, f)
#define OWN_IF(condition, f) FROM(ROW_OWN, ROW_OWN_HAS_LOOP | ROW_##condition, result, f)
#define PEER(f) FROM(ROW_PEER, 0, result, f)
#define PEER_LOOP(f) FROM(ROW_PEER, ROW_PEER_HAS_LOOP, result, f)
#define OWN_LIMITS(f) FROM(ROW_OWN_LIMITS, 0, limits, f)
#define PEER_LIMITS(f) FROM(ROW_PEER_LIMITS, 0, limits, f)
#define PLAN(f) FROM(ROW_PLAN, 0, plan, f)
#define PLAN_IF(condition, f) FROM(ROW_PLAN, ROW_##condition, plan, f)
#define POINT(f) FROM(ROW_POINT, 0, point, f)
#define LATENCY(f) FROM(ROW_LATENCY, 0, result_lat, f)
#define INITIATOR(f) FROM(ROW_INITIATOR, 0, result, f)
#define RESPONSE(f) FROM(ROW_RESPONSE, 0, result_lat, f)
#define SERVICE(f) FROM(ROW_SERVICE, 0, result_lat, f)
#define LATE(f) FROM(ROW_LATE, 0, result_lat, f)

#define COLUMN(type, f, source, ...) source,
#define COLUMN_TEXT(n, f, source, ...) source,
const struct row_source row_source_table[] = {
#include "row/row.def"
};

static const struct field_table *const tables[ROW_FROMS] = {
	[ROW_OWN] = &result_table,
	[ROW_PEER] = &result_table,
	[ROW_OWN_LIMITS] = &limits_table,
	[ROW_PEER_LIMITS] = &limits_table,
	[ROW_PLAN] = &plan_table,
	[ROW_POINT] = &plan_point_table,
	[ROW_LATENCY] = &result_lat_table,
	[ROW_INITIATOR] = &result_table,
	[ROW_RESPONSE] = &result_lat_table,
	[ROW_SERVICE] = &result_lat_table,
	[ROW_LATE] = &result_lat_table,
};

const struct field *row_source_field(const struct row_source *source, size_t *base)
{
	const struct field_table *table = tables[source->from];

	return table ? field_at(table, source->off, base) : NULL;
}

static void convert(const struct field *to, struct row *row, const struct field *from,
		    const void *obj)
{
	char text[FIELD_TEXT_MAX];

	if (field_is_absent(from, obj))
		return;
	if (to->type == FIELD_TEXT)
		field_set_text(to, row, field_format(from, obj, text, sizeof(text)));
	else if (to->type == FIELD_F64 && from->type == FIELD_F64)
		field_set_real(to, row, field_real(from, obj));
	else if (to->type == FIELD_F64)
		field_set_real(to, row, (double)field_integer(from, obj));
	else
		field_set_integer(to, row, field_integer(from, obj));
}

void row_source_fill(struct row *row, const struct row_sources *sources)
{
	for (size_t i = 0; i < row_table.n; i++) {
		const struct row_source *source = &row_source_table[i];
		const char *obj = sources->obj[source->from];
		const struct field *from;
		size_t base = 0;

		if (!obj || (source->when & sources->holds) != source->when)
			continue;
		from = row_source_field(source, &base);
		if (from)
			convert(&row_table.rows[i], row, from, obj + base);
	}
}

unsigned int row_source_conditions(const struct row_build_in *in)
{
	const struct plan *p = in->plan;
	const bool reliable = !kind_is_lossy(p->work.kind.tp);
	const bool receives = kind_takes_recv(p->work.kind.op);
	const struct { bool holds; enum row_when when; } all[] = {
		{ role_has_loop(p->work.role[in->side]), ROW_OWN_HAS_LOOP },
		{ role_has_loop(p->work.role[kind_other_side(in->side)]), ROW_PEER_HAS_LOOP },
		{ reliable, ROW_RELIABLE },
		{ receives, ROW_RECEIVES },
		{ kind_takes_response(p->work.kind.op), ROW_RESPONDS },
		{ kind_can_inline(p->work.kind.op), ROW_CARRIES },
		{ plan_spins(p), ROW_HYBRID },
		{ p->work.pattern != PATTERN_STREAM, ROW_SAMPLES },
		{ p->work.kind.sharing == SHARING_SRQ, ROW_SHARES },
		{ kind_is_datagram(p->work.kind.tp), ROW_DATAGRAM },
		{ p->work.pattern == PATTERN_STREAM && !reliable && receives && !plan_is_mcast(p),
		  ROW_CREDITS },
		{ plan_is_mcast(p), ROW_MCAST },
		{ plan_is_open(p), ROW_OPEN },
		{ p->path.global_route && p->path.connect == CONNECT_TCP, ROW_ROUTED },
	};
	unsigned int holds = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		holds |= all[i].holds ? all[i].when : 0;
	return holds;
}
