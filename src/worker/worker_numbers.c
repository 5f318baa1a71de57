/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* From the plan to the numbers of a worker; see worker_numbers.h. Called by worker.c. */
#include "config.h"

#include "worker/worker_numbers.h"

#include "plan/role.h"
#include "worker/ring.h"

#define QUANTUM 16u /* requests of one QP before the next has its turn */
#define RESYNC_MIN_NS 20000000u
#define QUIET_MIN_NS 200000000u
#define LOSS_MIN_NS 100000000u
#define RTT_FACTOR 4u /* longer than this many round trips nothing is under way */

static void set_times(struct worker *w, uint64_t rtt_ns)
{
	uint64_t flight_ns = RTT_FACTOR * rtt_ns;

	w->fixed.resync_ns = flight_ns > RESYNC_MIN_NS ? flight_ns : RESYNC_MIN_NS;
	w->fixed.quiet_ns = flight_ns > QUIET_MIN_NS ? flight_ns : QUIET_MIN_NS;
	w->fixed.loss_ns = flight_ns > LOSS_MIN_NS ? flight_ns : LOSS_MIN_NS;
}

void worker_numbers(struct worker *w, const struct worker_setup *in, enum role role)
{
	const struct plan *plan = in->plan;
	const uint32_t grh = in->ep->mem.layout.grh_bytes;
	const bool stream_rx = role_takes_stream(role);
	const uint64_t total = in->point->messages * plan->work.qps;

	w->fixed.n_qps = plan->work.qps;
	w->fixed.depth = plan->work.depth;
	w->fixed.post_list = plan->work.post_list;
	w->fixed.signal_interval = plan->work.signal_interval;
	w->fixed.solicited = plan->work.solicited;
	/* one QP takes turns with nobody */
	w->fixed.spin_ns = UINT64_C(1000) * plan->work.spin_us;
	w->fixed.quantum = plan->work.qps == 1 ? plan->work.depth :
		     plan->work.post_list > QUANTUM ? plan->work.post_list : QUANTUM;
	w->fixed.recv_depth = plan->work.recv_depth;
	w->fixed.refill = plan_refill(plan);
	w->fixed.recv_bytes = (uint32_t)in->point->size_bytes + grh;
	w->fixed.recv_last = layout_rx_last(&in->ep->mem.layout);
	w->fixed.credit_bytes = grh;
	w->fixed.sums = w->fixed.recv_bytes <= UINT32_MAX / STATE_BATCH;
	w->fixed.reliable = !kind_is_lossy(plan->work.kind.tp);
	w->fixed.sends = role == ROLE_STREAM_TX || role == ROLE_STREAM_BOTH;
	w->fixed.receives = stream_rx;
	w->live.tx_open = role != ROLE_STREAM_BOTH || in->side == SIDE_CLIENT;
	w->fixed.credits =
		role != ROLE_PING && role != ROLE_PONG && kind_takes_recv(plan->work.kind.op) &&
		!plan_is_mcast(plan);
	w->fixed.counted = plan->path.iwarp;
	w->fixed.pingpong = role == ROLE_PING || role == ROLE_PONG;
	w->fixed.answers = role == ROLE_PONG;
	set_times(w, in->rtt_ns);
	w->control.recv_target = stream_rx && total ? total : UINT64_MAX;
	/* what answers over UC and UD goes on until the client has finished */
	w->control.rounds = total && (w->fixed.reliable || !w->fixed.answers) ? total : UINT64_MAX;
	w->fixed.batch = plan_batch(plan);
	w->fixed.rounds = (uint64_t)w->fixed.batch * plan->work.qps;
	/* so that the last of all is whole */
	w->fixed.first_rounds =
		(uint64_t)(w->fixed.batch - ring_first(plan, in->point)) * plan->work.qps;
	w->live.sent = UINT64_MAX;
	w->live.rx_before = UINT64_MAX;
	w->fixed.wake_fd = -1;
	w->fixed.note_fd = -1;
}
