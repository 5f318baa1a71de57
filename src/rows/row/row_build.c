/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The computed columns of a row, above all the choice of the counts: over RC those of the side
 * that prints, if it has any; over UC and UD those of the receiver, because a sender there only
 * knows what it has sent. The count of the other side is another column.
 */
#include "config.h"

#include "row/row_build.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "limits/gid.h"
#include "limits/gid_text.h"
#include "decide/layout.h"
#include "util/minmax.h"

static void copy(char *to, const char *from)
{
	snprintf(to, ROW_NAME, "%.*s", ROW_NAME - 1, from);
}

static void put_gid(char *text, const struct limits *l, uint32_t index)
{
	const struct plan_gid *gid = gid_find(l, index);

	if (gid)
		gid_text(gid->raw, text, ROW_NAME);
}

static void put_where(struct row *row, const struct row_build_in *in)
{
	const enum side self = in->side, peer = kind_other_side(self);
	const struct limits *a = in->limits[self], *b = in->limits[peer];

	row->gid_index = plan_gid_index(in->plan, self);
	row->peer_gid_index = plan_gid_index(in->plan, peer);
	put_gid(row->gid, a, plan_gid_index(in->plan, self));
	put_gid(row->peer_gid, b, plan_gid_index(in->plan, peer));
	copy(row->link_layer, limits_link_name(a));
	row->link_gbit_s = a->rate_mbit_s ? (double)a->rate_mbit_s / 1000 : NAN;
	row->emulated = a->emulated || b->emulated;
}

static void put_asked(struct row *row, const struct row_build_in *in)
{
	const enum side self = in->side, peer = kind_other_side(self);

	row->completion = plan_completion(in->plan, self);
	if (plan_completion(in->plan, peer) != plan_completion(in->plan, self))
		row->peer_completion = plan_completion(in->plan, peer);
	row->buffers = plan_buffers(in->plan, self);
	if (plan_buffers(in->plan, peer) != plan_buffers(in->plan, self))
		row->peer_buffers = plan_buffers(in->plan, peer);
	copy(row->pin, in->pin[self]);
	copy(row->mem, in->mem[self]);
	copy(row->peer_pin, in->pin[peer]);
	copy(row->peer_mem, in->mem[peer]);
}

static void put_plan(struct row *row, const struct row_build_in *in, enum side from)
{
	const enum side other = kind_other_side(from);
	struct walk walk;

	row->size_bytes = plan_payload_bytes(in->plan, in->point, from);
	row->peer_size_bytes = plan_payload_bytes(in->plan, in->point, other);
	if (row->peer_size_bytes == row->size_bytes)
		row->peer_size_bytes = ROW_NONE;
	layout_walk_tx(&walk, in->plan, in->point);
	row->walk = walk.order;
	row->walk_buffers = walk.bufs;
	row->qps = plan_total_qps(in->plan);
	row->role = in->side;
	if (plan_is_open(in->plan))
		row->rate_intended_per_s = row->rate_asked_per_s =
			(double)in->plan->work.rate_milli / 1000;
	copy(row->clock, in->clock);
	row->clock_step_ns = in->clock_step_ns > 0 ? in->clock_step_ns : NAN;
	if (in->receiver)
		copy(row->receiver, in->receiver);
}

/* The counts of one direction: requests of the initiator, arrivals at the target. */
struct way {
	const struct result *initiator, *target; /* NULL: unknown */
	enum side from; /* the initiator */
	bool receives; /* the target counts arrivals */
	bool pingpong;
};

static void put_direction(struct row *row, const struct row_build_in *in, const struct way *way)
{
	bool to_server = way->from == SIDE_CLIENT;

	if (kind_fetches(in->plan->work.kind.op))
		to_server = !to_server;
	row->direction = way->pingpong ? ROW_BOTH_WAYS : to_server ? ROW_TO_SERVER : ROW_TO_CLIENT;
}

static void put_losses(struct row *row, const struct row_build_in *in, const struct way *way)
{
	const struct result *a = way->initiator, *b = way->target;

	if (way->pingpong) {
		if (a)
			row->lost = a->lost;
		return;
	}
	if (!a || !b || !way->receives || in->status == RESULT_INCOMPLETE ||
	    in->status == RESULT_INTERRUPTED)
		return;
	row->duplicated = b->duplicated;
	row->out_of_order = b->out_of_order;
	/* what is under way at the end of an interval is not lost */
	if (in->interval)
		return;
	/* a duplicate is no arrival; where they are unknown, each hides one loss */
	row->lost = b->received - (b->duplicated == UINT64_MAX ? 0 : b->duplicated);
	if (a->sent >= row->lost)
		row->lost = a->sent - row->lost;
	else
		/* there are duplicates, and nobody knows how many */
		row->lost = b->duplicated == UINT64_MAX ? ROW_NONE : 0;
}

static void put_worst_label(struct row *row, const struct plan *plan, uint32_t qp)
{
	/* with --one-qp a receiver counts those of several QPs together */
	if (flow_label_count(plan->path.flow_label) > 1 &&
	    plan->work.kind.sharing != SHARING_ONE_QP)
		snprintf(row->flow_label_worst, sizeof(row->flow_label_worst), "%#x",
			 flow_label_of(plan->path.flow_label, qp));
}

/* Shares of QPs are absent if each QP sent the number that was asked for: they were given. */
static void put_shares(struct row *row, const struct row_build_in *in, const struct fairness *qps,
		       const struct fairness *threads)
{
	const double asked = (double)in->point->messages;
	const bool given = in->point->messages && qps->min == asked && qps->max == asked;

	if (!isnan(qps->index) && !given) {
		row->qp_messages_min = (uint64_t)qps->min;
		row->qp_messages_max = (uint64_t)qps->max;
		row->qp_fairness = qps->index;
		put_worst_label(row, in->plan, qps->least);
	}
	row->thread_rate_min_per_s = threads->min;
	row->thread_rate_max_per_s = threads->max;
	row->thread_fairness = threads->index;
}

/* Do the counts of the row come from the target? */
static bool counted_by_target(const struct row_build_in *in, const struct way *way)
{
	const bool own = in->side == way->from || (in->by_sender && in->plan->work.bidir);
	const bool prefers_target =
		kind_is_lossy(in->plan->work.kind.tp) ? !way->pingpong : !own;

	return way->receives && way->target && (prefers_target || !way->initiator);
}

static void put_counts(struct row *row, const struct row_build_in *in, const struct way *way)
{
	const struct result *a = way->initiator, *b = way->target;
	const bool by_target = counted_by_target(in, way);

	row->sent_messages = a ? a->sent : ROW_NONE;
	row->warm_up_messages = a && !in->interval ? a->warm_up : ROW_NONE;
	row->received_messages = way->receives && b ? b->received : ROW_NONE;
	if (by_target) {
		row->counted_by = ROW_BY_RECEIVER;
		/* a duplicate is no message; where duplicates are unknown, they count as one */
		row->messages = b->received;
		if (b->duplicated != UINT64_MAX)
			row->messages -= b->duplicated;
		row->window_messages = row->messages > b->rx_before ?
					       row->messages - b->rx_before : 0;
		row->window_ns = b->rx_window_ns;
		put_shares(row, in, &b->qp_received, &b->thread_rx);
	} else if (a) {
		row->counted_by = ROW_BY_SENDER;
		row->messages = a->sent;
		/* a peer may send any number */
		row->window_messages = a->sent > a->tx_outside ? a->sent - a->tx_outside : 0;
		row->window_ns = a->tx_window_ns;
		put_shares(row, in, &a->qp_sent, &a->thread_tx);
	} else {
		return;
	}
	/* the client's window of a ping-pong: the server's includes the wait for the first ping */
	if (way->pingpong && by_target) {
		row->window_messages = row->messages;
		row->window_ns = a ? a->tx_window_ns : ROW_NONE;
	}
	row->bytes = row->messages * row->size_bytes;
	if (!row->window_ns)
		row->window_ns = ROW_NONE;
	put_losses(row, in, way);
	row_rates(row);
}

/* Of the side that prints, if it has a loop. */
static void put_own(struct row *row, const struct row_build_in *in)
{
	const struct result *own = in->result[in->side];

	if (!own || !role_has_loop(in->plan->work.role[in->side]))
		return;
	row->harness_ns_per_msg = in->overhead.ns_per_msg;
	row->harness_lat_ns = in->overhead.lat_ns;
}

/* CPU time per message of a side; absent without a loop, without a message, or not known. */
static double cpu_per_message(const struct row_build_in *in, enum side side)
{
	const struct result *r = in->result[side];
	const uint64_t messages = r ? r->sent + r->received : 0;

	if (!messages || !r->cpu_ns || !role_has_loop(in->plan->work.role[side]))
		return NAN;
	return (double)r->cpu_ns / (double)messages;
}

/* The side that gets the payload checks it. Of atomics both check a part: the printing side's. */
static void put_verified(struct row *row, const struct row_build_in *in)
{
	const struct result *own = in->result[in->side];
	const struct result *peer = in->result[kind_other_side(in->side)];

	if (own && own->verified != UINT64_MAX)
		row->verified_messages = own->verified;
	else if (peer)
		row->verified_messages = peer->verified;
}

static const struct result_lat *latency(const struct row_build_in *in, const struct way *way)
{
	const struct result_lat *lat = way->initiator ? &way->initiator->lat : NULL;

	return kind_test_is_lat(in->plan->work.test) && lat && lat->samples ? lat : NULL;
}

/* Of an open loop. */
static const struct result_lat *times(const struct result_lat *lat)
{
	return lat->samples ? lat : NULL;
}

static void put_sources(struct row *row, const struct row_build_in *in, const struct way *way)
{
	const enum side self = in->side, peer = kind_other_side(self);
	const struct result *from = way->initiator;
	const struct row_sources sources = {
		.obj = {
			[ROW_OWN] = in->result[self],
			[ROW_PEER] = in->result[peer],
			[ROW_OWN_LIMITS] = in->limits[self],
			[ROW_PEER_LIMITS] = in->limits[peer],
			[ROW_PLAN] = in->plan,
			[ROW_POINT] = in->point,
			[ROW_LATENCY] = latency(in, way),
			[ROW_INITIATOR] = from,
			[ROW_RESPONSE] = from ? times(&from->response) : NULL,
			[ROW_SERVICE] = from ? times(&from->service) : NULL,
			[ROW_LATE] = from ? times(&from->late) : NULL,
		},
		.holds = row_source_conditions(in),
	};

	row_source_fill(row, &sources);
	if (latency(in, way))
		row->lat_kind = way->pingpong ? ROW_LAT_HALF_RTT : ROW_LAT_COMPLETION;
}

void row_build_time(char text[ROW_NAME])
{
	struct timespec now;
	struct tm utc;
	size_t len;

	if (clock_gettime(CLOCK_REALTIME, &now) || !gmtime_r(&now.tv_sec, &utc))
		return;
	len = strftime(text, ROW_NAME, "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(text + len, ROW_NAME - len, ".%03ldZ", now.tv_nsec / 1000000);
}

/* What is known only when the point has ended is absent. */
static void put_interval(struct row *row, const struct row_build_in *in, const struct way *way)
{
	row->kind = in->interval ? ROW_KIND_INTERVAL : ROW_KIND_RESULT;
	if (!in->interval)
		return;
	row->interval = in->interval->number;
	row->interval_start_ns = in->interval->start_ns[way->from];
	row->page_bytes = row->peer_page_bytes = ROW_NONE;
	row->relaxed_ordering = row->peer_relaxed_ordering = ROW_NONE;
	row->voluntary_switches = row->involuntary_switches = ROW_NONE;
	row->disturbances = ROW_NONE;
	row->path_migrations = row->peer_path_migrations = ROW_NONE;
}

/* The result with the counts of a direction; NULL: unknown. */
static const struct result *counted_result(const struct row_build_in *in, const struct way *way)
{
	return counted_by_target(in, way) ? way->target : way->initiator;
}

/* The window of the counts of a direction. The server starts within the slack of the client. */
static struct row_window window_of(const struct row_build_in *in, const struct way *way)
{
	const struct result *client = in->result[SIDE_CLIENT];
	const bool by_target = counted_by_target(in, way);
	const struct result *r = counted_result(in, way);
	const enum side side = by_target ? kind_other_side(way->from) : way->from;

	return (struct row_window){
		.start_ns = !r ? UINT64_MAX : by_target ? r->rx_start_ns : r->tx_start_ns,
		.window_ns = !r ? 0 : by_target ? r->rx_window_ns : r->tx_window_ns,
		.slack_ns = side == SIDE_CLIENT ? 0 : client ? client->start_slack_ns : UINT64_MAX,
		.clock = side,
	};
}

static void put_start(struct row *row, const struct row_build_in *in, const struct way *way)
{
	const struct row_window w = window_of(in, way);
	const struct result *r = counted_result(in, way);

	if (w.start_ns == UINT64_MAX || w.slack_ns == UINT64_MAX)
		return;
	row->start_ns = w.start_ns;
	row->start_slack_ns = w.slack_ns;
	if (r->started_ns != UINT64_MAX)
		row->window_at_ns = r->started_ns + w.start_ns;
}

/*
 * By how many messages the count of an interval can be ahead: those of a sender come a signal
 * interval of each QP at a time. And where its loop had lost the processor at the cut, what was
 * done by then is counted in the next interval: no more than was under way. Of an interval so short
 * that this is more than 1 % the rate would say nothing.
 */
static uint64_t count_step(const struct row_build_in *in, const struct way *way,
			   uint64_t window_messages)
{
	const struct plan_work *work = &in->plan->work;
	const uint64_t qps = plan_total_qps(in->plan);
	const bool target = counted_by_target(in, way);
	const uint64_t depth = target ? work->recv_depth : work->depth;

	if (!in->interval)
		return 0;
	return max_u64(target ? 1 : work->signal_interval * qps,
		       min_u64(depth * qps, window_messages / 100));
}

/* Of the side and direction that the counts are of. The code of the warning, or 0. */
static unsigned int put_slices(struct row *row, const struct row_build_in *in,
			       const struct way *way)
{
	const bool by_target = counted_by_target(in, way) && !way->pingpong;
	const struct result *r = by_target ? way->target : way->initiator;
	const struct steady *slices = !r ? &steady_none : by_target ? &r->rx_slices : &r->tx_slices;

	row->slices = slices->slices;
	row->slices_first_pct = slices->first_pct;
	row->slices_last_pct = slices->last_pct;
	row->slices_correlation = slices->correlation;
	row->slices_outliers_mild = slices->mild;
	row->slices_outliers_severe = slices->severe;
	return slices->unsteady == 1 ? WARNING_CODES_UNSTEADY : 0;
}

static void make_row(struct row *row, const struct row_build_in *in, const struct way *way)
{
	unsigned int codes;

	row_init(row);
	put_sources(row, in, way);
	put_where(row, in);
	put_asked(row, in);
	put_plan(row, in, way->from);
	put_direction(row, in, way);
	put_counts(row, in, way);
	put_start(row, in, way);
	codes = row_link(row, in, count_step(in, way, row->window_messages));
	if (way->initiator && way->initiator->saturated == 1)
		codes |= WARNING_CODES_SATURATED;
	codes |= put_slices(row, in, way);
	put_own(row, in);
	row->cpu_ns_per_msg = cpu_per_message(in, in->side);
	row->peer_cpu_ns_per_msg = cpu_per_message(in, kind_other_side(in->side));
	put_verified(row, in);
	put_interval(row, in, way);
	row_warnings(row, in, codes);
	row_build_time(row->time);
	row->status = in->status;
	if (in->reason)
		snprintf(row->reason, sizeof(row->reason), "%s", in->reason);
}

static void make_sum(struct row rows[ROW_BUILD_MAX], const struct row_build_in *in,
		     const struct way ways[2])
{
	const struct row_window windows[2] = { window_of(in, &ways[0]), window_of(in, &ways[1]) };
	struct row *sum = &rows[2];

	*sum = rows[0];
	row_sum(sum, &rows[1], windows);
	/* a link carries both directions at once */
	sum->bandwidth_pct_of_link = isnan(rows[0].bandwidth_pct_of_link) ||
				     isnan(rows[1].bandwidth_pct_of_link) ?
					     NAN : row_link_share(sum, in) / 2;
}

uint32_t row_build(struct row rows[ROW_BUILD_MAX], const struct row_build_in *in)
{
	const uint32_t n = in->plan->work.bidir ? 2 : 1;
	struct way ways[2];

	for (uint32_t i = 0; i < n; i++) {
		const bool by_server = i || in->plan->work.reverse;
		const enum side from = by_server ? SIDE_SERVER : SIDE_CLIENT;
		const enum side to = kind_other_side(from);

		ways[i] = (struct way){
			.initiator = in->result[from],
			.target = in->result[to],
			.from = from,
			.receives = role_receives(in->plan->work.role[to]),
			.pingpong = in->plan->work.pattern == PATTERN_PINGPONG,
		};
		make_row(&rows[i], in, &ways[i]);
	}
	if (n == 1 || in->interval)
		return n;
	make_sum(rows, in, ways);
	return ROW_BUILD_MAX;
}
