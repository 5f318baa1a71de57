/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Whose counts are the result: over RC the printing side's own, where it has any; over UC and UD
 * the receiver's, because a sender there only knows what it has sent. The other side's count stands
 * beside.
 */
#include "config.h"

#include "report/row_build.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "plan/gid.h"

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
	const uint32_t gids[2] = { in->plan->path.client_gid, in->plan->path.server_gid };

	copy(row->host, a->host);
	copy(row->peer_host, b->host);
	copy(row->device, a->device);
	copy(row->peer_device, b->device);
	row->port = a->port;
	row->peer_port = b->port;
	row->gid_index = gids[self];
	row->peer_gid_index = gids[peer];
	put_gid(row->gid, a, gids[self]);
	put_gid(row->peer_gid, b, gids[peer]);
	copy(row->driver, a->driver);
	copy(row->peer_driver, b->driver);
	copy(row->firmware, a->firmware);
	copy(row->peer_firmware, b->firmware);
	copy(row->netdev, a->netdev);
	copy(row->link_layer, a->ethernet ? "Ethernet" : "InfiniBand");
	row->link_gbit_s = a->rate_mbit_s ? (double)a->rate_mbit_s / 1000 : NAN;
	row->emulated = a->emulated || b->emulated;
}

static void put_buffers(struct row *row, const struct row_build_in *in)
{
	const struct result *own = in->result[in->side];
	const struct result *peer = in->result[kind_other_side(in->side)];
	struct walk walk;

	walk_tx(&walk, in->plan, in->point);
	row->footprint_bytes = in->point->footprint_bytes;
	copy(row->walk, walk_names[walk.order]);
	row->walk_buffers = walk.bufs;
	if (own && own->page_bytes)
		row->page_bytes = own->page_bytes;
	if (peer && peer->page_bytes)
		row->peer_page_bytes = peer->page_bytes;
}

static uint64_t number(uint32_t v)
{
	return v == TOPO_NONE ? ROW_NONE : v;
}

static void copy_list(char *to, const char *from)
{
	snprintf(to, ROW_TEXT, "%s", from);
}

static void put_affinity(struct row *row, const struct row_build_in *in)
{
	const enum side self = in->side, peer = kind_other_side(self);
	const struct result *a = in->result[self], *b = in->result[peer];

	copy(row->pin, in->pin[self]);
	copy(row->mem, in->mem[self]);
	copy(row->peer_pin, in->pin[peer]);
	copy(row->peer_mem, in->mem[peer]);
	if (a) {
		copy_list(row->cpus, a->affinity.cpus);
		copy_list(row->nodes, a->affinity.nodes);
		copy_list(row->mem_nodes, a->affinity.mem_nodes);
		row->hca_node = number(a->affinity.hca_node);
		row->distance = number(a->affinity.distance);
		row->mem_distance = number(a->affinity.mem_distance);
		copy(row->placement, topo_near_names[a->affinity.placement]);
	}
	if (b) {
		copy_list(row->peer_cpus, b->affinity.cpus);
		copy_list(row->peer_nodes, b->affinity.nodes);
		copy_list(row->peer_mem_nodes, b->affinity.mem_nodes);
		copy(row->peer_placement, topo_near_names[b->affinity.placement]);
	}
}

/* After put_own()'s: "client: ...; server: ...", of those who have something to say. */
static void put_warnings(struct row *row, const struct row_build_in *in)
{
	size_t len = strlen(row->warnings);

	for (enum side side = SIDE_CLIENT; side <= SIDE_SERVER; side++) {
		const struct result *r = in->result[side];

		if (!r || !r->affinity.warnings[0] || len >= sizeof(row->warnings))
			continue;
		len += (size_t)snprintf(row->warnings + len, sizeof(row->warnings) - len,
					"%s%s: %s", len ? "; " : "", kind_side_names[side],
					r->affinity.warnings);
	}
}

static void put_plan(struct row *row, const struct row_build_in *in)
{
	const struct plan *p = in->plan;
	const bool reliable = !kind_is_lossy(p->work.kind.tp);
	const bool fetches = kind_fetches(p->work.kind.op);

	copy(row->test, kind_test_names[p->work.test]);
	copy(row->transport, kind_transport_names[p->work.kind.tp]);
	copy(row->opcode, kind_opcode_names[p->work.kind.op]);
	copy(row->completion, kind_completion_names[p->work.kind.cm]);
	copy(row->pattern, kind_pattern_names[p->work.pattern]);
	copy(row->role, kind_side_names[in->side]);
	copy(row->clock, in->clock);
	row->size_bytes = in->point->size_bytes;
	row->threads = p->work.threads;
	row->qps = plan_total_qps(p);
	row->depth = p->work.depth;
	row->recv_depth = kind_takes_recv(p->work.kind.op) ? p->work.recv_depth : ROW_NONE;
	row->post_list = p->work.post_list;
	row->signal_interval = p->work.signal_interval;
	row->spin_us = p->work.kind.cm == CM_HYBRID ? p->work.spin_us : ROW_NONE;
	row->inline_bytes = fetches ? ROW_NONE : p->work.inline_bytes;
	put_buffers(row, in);
	row->mtu_bytes = p->path.mtu_bytes;
	row->outstanding = fetches ? p->work.outstanding : ROW_NONE;
	row->qp_timeout = reliable ? p->path.qp_timeout : ROW_NONE;
	row->retry = reliable ? p->path.retry : ROW_NONE;
	row->rnr_retry = reliable ? p->path.rnr_retry : ROW_NONE;
	row->min_rnr_timer = reliable ? p->path.min_rnr_timer : ROW_NONE;
	copy(row->post_api, apis_post_names[p->work.post_api]);
	copy(row->poll_api, apis_poll_names[p->work.poll_api]);
	row->sl = p->path.sl;
	row->tclass = p->path.tclass;
	row->bidir = p->work.bidir;
}

/* What one direction is counted by: requests of initiator, arrivals at target. */
struct way {
	const struct result *initiator, *target; /* NULL: not known */
	enum side from; /* the initiator */
	bool receives; /* the target counts arrivals */
	bool pingpong;
};

static void put_direction(struct row *row, const struct row_build_in *in, const struct way *way)
{
	const enum opcode op = in->plan->work.kind.op;
	bool to_server = way->from == SIDE_CLIENT;

	if (kind_fetches(op))
		to_server = !to_server;
	copy(row->direction, way->pingpong ? "both" : to_server ? "to_server" : "to_client");
}

static void put_losses(struct row *row, const struct row_build_in *in, const struct way *way)
{
	const struct result *a = way->initiator, *b = way->target;

	if (way->pingpong) {
		if (a)
			row->lost = a->lost;
		return;
	}
	if (!a || !b || !way->receives || in->status == RESULT_INCOMPLETE)
		return;
	row->duplicated = b->duplicated;
	row->out_of_order = b->out_of_order;
	/* copies are not arrivals; where they cannot be told apart they hide as many losses */
	row->lost = b->received - (b->duplicated == UINT64_MAX ? 0 : b->duplicated);
	row->lost = a->sent > row->lost ? a->sent - row->lost : 0;
}

/*
 * Where all QPs ended with the number of messages that was asked of each, their shares are the
 * plan's.
 */
static void put_shares(struct row *row, const struct row_build_in *in, const struct fairness *qps,
		       const struct fairness *threads)
{
	const double asked = (double)in->point->messages;
	const bool given = in->point->messages && qps->min == asked && qps->max == asked;

	if (!isnan(qps->index) && !given) {
		row->qp_messages_min = (uint64_t)qps->min;
		row->qp_messages_max = (uint64_t)qps->max;
		row->qp_fairness = qps->index;
	}
	row->thread_rate_min_per_s = threads->min;
	row->thread_rate_max_per_s = threads->max;
	row->thread_fairness = threads->index;
}

static void put_counts(struct row *row, const struct row_build_in *in, const struct way *way)
{
	const struct result *a = way->initiator, *b = way->target;
	const bool prefers_target =
		kind_is_lossy(in->plan->work.kind.tp) ? !way->pingpong : in->side != way->from;
	const bool by_target = way->receives && b && (prefers_target || !a);

	row->sent_messages = a ? a->sent : ROW_NONE;
	row->received_messages = way->receives && b ? b->received : ROW_NONE;
	if (by_target) {
		copy(row->counted_by, "receiver");
		/* a copy is no message; where copies cannot be told apart they pass for one */
		row->messages = b->received;
		if (b->duplicated != UINT64_MAX)
			row->messages -= b->duplicated;
		row->window_ns = b->rx_window_ns;
		put_shares(row, in, &b->qp_received, &b->thread_rx);
	} else if (a) {
		copy(row->counted_by, "sender");
		row->messages = a->sent;
		row->window_ns = a->tx_window_ns;
		put_shares(row, in, &a->qp_sent, &a->thread_tx);
	} else {
		return;
	}
	/*
	 * a ping-pong's window is the client's: the server's opens with the wait for the first ping
	 */
	if (way->pingpong && by_target)
		row->window_ns = a ? a->tx_window_ns : ROW_NONE;
	row->bytes = row->messages * in->point->size_bytes;
	if (!row->window_ns)
		row->window_ns = ROW_NONE;
	put_losses(row, in, way);
	row_rates(row);
}

static void put_locks(char text[ROW_NAME], const struct row_build_in *in, enum side side)
{
	const struct result *r = in->result[side];

	if (r && role_has_loop(in->plan->work.role[side]))
		copy(text, locks_names[r->locks & LOCKS_OFF_ALL]);
}

/* Of the side that prints; the passive one has no loop, and nothing to say. */
static void put_own(struct row *row, const struct row_build_in *in)
{
	const struct plan *p = in->plan;
	const struct result *own = in->result[in->side];
	uint64_t messages;

	if (!own || !role_has_loop(p->work.role[in->side]))
		return;
	row->polls = own->polls;
	row->empty_polls = own->empty_polls;
	row->events = own->events;
	row->spurious_events = own->spurious_events;
	if (own->lost_events)
		snprintf(row->warnings, sizeof(row->warnings),
			 "completion events that did not come: %" PRIu64 "; the completions were "
			 "found by looking every 20 ms, which is in the figures", own->lost_events);
	if (p->work.pattern == PATTERN_STREAM && kind_is_lossy(p->work.kind.tp) &&
	    kind_takes_recv(p->work.kind.op))
		row->credit_stalls = own->credit_stalls;
	row->cpu_ns = own->cpu_ns;
	row->harness_ns_per_msg = in->overhead.ns_per_msg;
	row->harness_lat_ns = in->overhead.lat_ns;
	row->voluntary_switches = own->voluntary_switches;
	row->involuntary_switches = own->involuntary_switches;
	messages = own->sent + own->received;
	if (messages && own->cpu_ns)
		row->cpu_ns_per_msg = (double)own->cpu_ns / (double)messages;
}

/*
 * The side that gets the payload checks it; of atomics both do, each its part: the printing side's.
 */
static void put_verified(struct row *row, const struct row_build_in *in)
{
	const struct result *own = in->result[in->side];
	const struct result *peer = in->result[kind_other_side(in->side)];

	if (own && own->verified != UINT64_MAX)
		row->verified_messages = own->verified;
	else if (peer)
		row->verified_messages = peer->verified;
}

static void put_latency(struct row *row, const struct row_build_in *in, const struct way *way)
{
	const struct result_lat *lat = way->initiator ? &way->initiator->lat : NULL;

	if (!kind_test_is_lat(in->plan->work.test) || !lat || !lat->samples)
		return;
	copy(row->lat_kind, way->pingpong ? "half_rtt" : "completion");
	row->lat_samples = lat->samples;
	row->lat_min_ns = lat->min_ns;
	row->lat_p50_ns = lat->p50_ns;
	row->lat_p90_ns = lat->p90_ns;
	row->lat_p99_ns = lat->p99_ns;
	row->lat_p99_9_ns = lat->p99_9_ns;
	row->lat_p99_99_ns = lat->p99_99_ns;
	row->lat_max_ns = lat->max_ns;
	row->lat_mean_ns = lat->mean_ns;
	row->lat_stdev_ns = lat->stdev_ns;
}

static void put_time(char text[ROW_NAME])
{
	time_t now = time(NULL);
	struct tm utc;

	if (gmtime_r(&now, &utc))
		strftime(text, ROW_NAME, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

static void make_row(struct row *row, const struct row_build_in *in, const struct way *way)
{
	row_init(row);
	put_where(row, in);
	put_affinity(row, in);
	put_plan(row, in);
	put_direction(row, in, way);
	put_counts(row, in, way);
	put_latency(row, in, way);
	put_own(row, in);
	put_locks(row->locks, in, in->side);
	put_locks(row->peer_locks, in, kind_other_side(in->side));
	put_verified(row, in);
	put_warnings(row, in);
	put_time(row->time);
	copy(row->status, result_status_names[in->status]);
	if (in->reason)
		snprintf(row->reason, sizeof(row->reason), "%s", in->reason);
}

uint32_t row_build(struct row rows[ROW_BUILD_MAX], const struct row_build_in *in)
{
	const uint32_t n = in->plan->work.bidir ? 2 : 1;

	for (uint32_t i = 0; i < n; i++) {
		const enum side from = i ? SIDE_SERVER : SIDE_CLIENT;
		const enum side to = i ? SIDE_CLIENT : SIDE_SERVER;
		const struct way way = {
			.initiator = in->result[from],
			.target = in->result[to],
			.from = from,
			.receives = role_receives(in->plan->work.role[to]),
			.pingpong = in->plan->work.pattern == PATTERN_PINGPONG,
		};

		make_row(&rows[i], in, &way);
	}
	return n;
}
