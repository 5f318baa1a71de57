/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Building a worker and running its loop; see worker.h. */
#include "config.h"

#include "worker/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "util/err.h"
#include "place/affinity.h"
#include "loop/calls.h"
#include "decide/role.h"
#include "util/minmax.h"
#include "worker/ring.h"
#include "loop/send.h"

#define IDLE_POLLS 64u /* empty polls between two looks at the clock; a power of two */
#define QUANTUM 16u /* requests of one QP before the next has its turn */
#define RESYNC_MIN_NS 20000000u
#define QUIET_MIN_NS 200000000u
#define LOSS_MIN_NS 100000000u
#define RTT_FACTOR 4u /* longer than this many round trips nothing is under way */

static void set_times(struct worker *w, uint64_t rtt_ns)
{
	uint64_t flight_ns = RTT_FACTOR * rtt_ns;

	w->fixed.resync_ns = max_u64(flight_ns, RESYNC_MIN_NS);
	w->fixed.quiet_ns = max_u64(flight_ns, QUIET_MIN_NS);
	w->fixed.loss_ns = max_u64(flight_ns, LOSS_MIN_NS);
}

static void set_numbers(struct worker *w, const struct worker_setup *in, enum role role)
{
	const struct plan *plan = in->plan;
	const uint32_t grh = in->ep->mem.layout.grh_bytes;
	const enum completion cm = plan_completion(plan, in->side);

	w->fixed.n_qps = plan->work.qps;
	w->fixed.depth = plan->work.depth;
	w->fixed.post_list = plan->work.post_list;
	w->fixed.group = max_u32(plan->work.post_list, plan->work.signal_interval);
	w->fixed.solicited = plan->work.solicited;
	w->fixed.cm = cm;
	w->fixed.idle_mask = cm == CM_EVENT ? 0 : IDLE_POLLS - 1;
	w->fixed.spin_ns = UINT64_C(1000) * plan->work.spin_us;
	/* one QP takes turns with nobody */
	w->fixed.quantum = plan->work.qps == 1 ? plan->work.depth :
			   max_u32(plan->work.post_list, QUANTUM);
	w->fixed.recv_depth = plan->work.recv_depth;
	w->fixed.refill = plan_refill(plan);
	w->fixed.recv_bytes = (uint32_t)in->ep->mem.layout.rx_pieces.bytes + grh;
	w->fixed.recv_last = layout_rx_last(&in->ep->mem.layout);
	w->fixed.credit_bytes = grh;
	w->fixed.sums = w->fixed.recv_bytes <= UINT32_MAX / STATE_BATCH;
	w->fixed.reliable = !kind_is_lossy(plan->work.kind.tp);
	w->fixed.sends = role == ROLE_STREAM_TX || role == ROLE_STREAM_BOTH;
	w->fixed.receives = role_takes_stream(role);
	w->fixed.credits =
		role != ROLE_PING && role != ROLE_PONG && kind_takes_recv(plan->work.kind.op) &&
		!plan_is_mcast(plan);
	w->fixed.counted = plan->path.iwarp;
	w->fixed.pingpong = role == ROLE_PING || role == ROLE_PONG;
	w->fixed.answers = role == ROLE_PONG;
	set_times(w, in->rtt_ns);
	w->fixed.gap_ns = plan->work.gap_us * UINT64_C(1000);
	w->fixed.wake_fd = -1;
	w->fixed.note_fd = -1;
}

/* How much there is to do, of which nothing is done. base: requests done before. */
static void set_course(struct worker *w, const struct worker_setup *in, uint64_t base)
{
	const uint64_t total = in->point->messages * in->plan->work.qps;
	const uint32_t batch = in->closed ? 1 : plan_batch(in->plan);
	/* so that the last of all is whole */
	const uint32_t first = in->closed ? 1 : batch - ring_first(in->plan, in->point);

	w->fixed.signal_interval = ring_signal_interval(in);
	w->fixed.batch = batch;
	w->fixed.rounds = (uint64_t)batch * in->plan->work.qps;
	w->fixed.first_rounds = (uint64_t)first * in->plan->work.qps;
	w->control.recv_target = w->fixed.receives && total ? total : UINT64_MAX;
	/* what answers over UC and UD goes on until the client has finished */
	w->control.rounds = total && (w->fixed.reliable || !w->fixed.answers) ? total : UINT64_MAX;
	w->live.tx_open = !w->fixed.sends || !w->fixed.receives || in->side == SIDE_CLIENT;
	w->live.sent = UINT64_MAX;
	w->live.rx_before = UINT64_MAX;
	w->live.rx_none = 0;
	w->fixed.timed = w->fixed.sends && !total;
	if (w->fixed.timed)
		w->live.stop_seen = STATE_OPENS;
	w->live.cut = (struct state_cut){ .base = base, .done = base, .open = UINT64_MAX,
					  .stop = UINT64_MAX, .close = UINT64_MAX };
}

/* After what this queue has sent. */
static void aim(const struct worker *w, struct send_queue *sq, const struct point *point)
{
	const uint32_t group = w->fixed.group;

	sq->target = point->messages ? sq->posted + point->messages : UINT64_MAX;
	sq->whole = sq->target - (point->messages ? point->messages : UINT64_MAX) % group;
	/* the last message must wake its receiver: then it is one of the tail */
	if (w->fixed.solicited && point->messages % w->fixed.solicited && sq->whole == sq->target)
		sq->whole -= group;
}

static void build_send(struct worker *w, uint32_t i, const struct worker_setup *in)
{
	const struct worker_fixed *fixed = &w->fixed;
	const struct mem *mem = &in->ep->mem;
	struct send_queue *sq = &fixed->sqs[i];

	sq->index = i;
	sq->qp = in->ep->qps[in->ep->n_qps == 1 ? 0 : i];
	sq->peer = &fixed->peers[i];
	sq->next = &fixed->sqs[i + 1 == fixed->n_qps ? 0 : i + 1];
	aim(w, sq, in->point);
	sq->credit = fixed->credits ? fixed->recv_depth : UINT64_MAX;
	if (mem->base)
		sq->mark = mem->base + layout_tx_off(&mem->layout, i, 0) +
			   layout_tx_last(&mem->layout);
}

static void build_recv(struct worker *w, uint32_t i, const struct worker_setup *in)
{
	struct recv_queue *rq = &w->fixed.rqs[i];

	rq->index = i;
	rq->has_srq = in->ep->halves.srqs != NULL;
	if (rq->has_srq)
		rq->srq = in->ep->halves.srqs[i];
	else
		rq->qp = in->ep->qps[i];
	rq->peer = &w->fixed.peers[i];
	rq->refill_at = w->fixed.refill;
}

static int build_peer(struct worker *w, uint32_t i, const struct worker_setup *in)
{
	const struct mem *mem = &in->ep->mem;
	struct peer *peer = &w->fixed.peers[i];

	peer->sq = &w->fixed.sqs[i];
	peer->rq = &w->fixed.rqs[i];
	peer->allowed = w->fixed.recv_depth;
	if (mem->base)
		peer->mark = mem->base + layout_rx_off(&mem->layout, i, 0) +
			     layout_rx_last(&mem->layout);
	if (w->fixed.reliable || !w->fixed.receives || !kind_has_imm(in->plan->work.kind.op))
		return 0;
	peer->sequence = calloc(1, sizeof(*peer->sequence));
	return peer->sequence ? 0 : err_set(-ENOMEM, "cannot allocate the sequence window of a QP");
}

static int build_qp(struct worker *w, uint32_t i, const struct worker_setup *in)
{
	int rc;

	build_send(w, i, in);
	if (w->share.sharing == SHARING_NONE)
		build_recv(w, i, in);
	rc = build_peer(w, i, in);
	if (!rc)
		rc = ring_requests(&w->fixed.sqs[i], in);
	if (!rc && w->share.sharing == SHARING_NONE)
		rc = ring_receives(&w->fixed.rqs[i], in);
	/* the probes of a group are credit messages to it */
	if (!rc && (w->fixed.credits || plan_is_mcast(in->plan)))
		rc = ring_credit(&w->fixed.peers[i], in);
	return rc;
}

/* n zeroed structs of a cache line or several. */
static void *alloc_lines(uint32_t n, size_t bytes)
{
	void *lines = aligned_alloc(STATE_ALIGN, n * bytes);

	return lines ? memset(lines, 0, n * bytes) : NULL;
}

static enum state_post post_by(const struct plan_work *work)
{
	/* with the call of another transport's loops: kind_loops() */
	if (work->post_api != APIS_POST_WR || kind_loops(work->kind.tp) != work->kind.tp)
		return STATE_POST_SEND;
	if (work->sges > 1)
		return STATE_WR_SGES;
	return work->post_list == 1 ? STATE_WR_ONE : STATE_WR_LIST;
}

static void set_calls(struct worker_fixed *fixed, const struct worker_setup *in)
{
	const struct plan_work *work = &in->plan->work;

	fixed->scq = in->ep->scq;
	fixed->rcq = in->ep->rcq;
	fixed->channel = in->ep->channel;
	fixed->post_by = post_by(work);
	fixed->post = api_post(work->post_api, in->ep->qps[0], work->kind.op, work->sges);
	fixed->post_credit = api_post(work->post_api, in->ep->qps[0],
				      in->plan->path.iwarp ? OP_SEND : OP_SEND_IMM, 0);
	fixed->poll_sent = api_poll_sent(work->poll_api, in->ep->scq);
	/* of a group, too, the sender is known by its QP */
	fixed->poll_came = api_poll_came(work->poll_api, in->ep->scq,
					 plan_is_mcast(in->plan) ? SHARING_ONE_QP :
					 plan_side_kind(in->plan, in->side).sharing);
}

static int alloc_qps(struct worker *w, const struct worker_setup *in)
{
	struct worker_fixed *fixed = &w->fixed;
	const uint32_t n = fixed->n_qps;
	uint32_t work = 1;
	int rc;

	rc = budget_take(worker_budget(in),
			 n * (sizeof(*fixed->sqs) + sizeof(*fixed->rqs) + sizeof(*fixed->peers) +
			      sizeof(*fixed->peers->sequence)),
			 "state of queue pairs");
	if (rc)
		return rc;
	while (work < n)
		work *= 2;
	w->live.work_mask = work - 1;
	w->live.work = calloc(work, sizeof(struct send_queue *));
	fixed->sqs = alloc_lines(n, sizeof(*fixed->sqs));
	fixed->rqs = alloc_lines(n, sizeof(*fixed->rqs));
	fixed->peers = alloc_lines(n, sizeof(*fixed->peers));
	if (!w->live.work || !fixed->sqs || !fixed->rqs || !fixed->peers)
		return err_set(-ENOMEM, "cannot allocate the state of %u QPs", n);
	return 0;
}

static int open_histogram(struct worker *w, const struct worker_setup *in)
{
	int rc = budget_take(worker_budget(in), sizeof(*w->histogram), "a histogram");

	if (rc)
		return rc;
	w->histogram = malloc(sizeof(*w->histogram));
	if (!w->histogram)
		return err_set(-ENOMEM, "cannot allocate a histogram");
	histogram_reset(w->histogram);
	return 0;
}

int worker_open(struct worker_run *run, const struct worker_setup *in)
{
	const enum role role = in->plan->work.role[in->side];
	const struct kind kind = plan_side_kind(in->plan, in->side);
	struct worker *w = &run->worker;
	int rc;

	memset(run, 0, sizeof(*run));
	run->in = in;
	w->share.sharing = kind.sharing;
	set_numbers(w, in, role);
	set_course(w, in, 0);
	w->fixed.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	w->fixed.note_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->fixed.wake_fd < 0 || w->fixed.note_fd < 0)
		return err_set(-errno, "cannot create an eventfd: %s", strerror(errno));
	set_calls(&w->fixed, in);
	rc = alloc_qps(w, in);
	for (uint32_t i = 0; i < w->fixed.n_qps && !rc; i++) {
		rc = build_qp(w, i, in);
		if (!rc && w->fixed.sends)
			send_list(w, &w->fixed.sqs[i]);
	}
	if (!rc && kind.sharing != SHARING_NONE)
		rc = ring_shared(w, in);
	w->live.unfinished = w->live.work_n;
	if (!rc && role_samples(role))
		rc = open_histogram(w, in);
	if (!rc && plan_is_open(in->plan) && role_initiates(role))
		rc = worker_pace_open(run);
	if (!rc)
		rc = worker_kept_open(run);
	return rc ? rc : worker_pace_set(run);
}

/* ---- the same queue pairs again */

static int note_warm(struct worker_run *run)
{
	const struct worker *w = &run->worker;
	const uint32_t n = w->fixed.n_qps;
	int rc = budget_take(worker_budget(run->in), n * sizeof(*run->warm), "counts");

	if (rc)
		return rc;
	run->warm = calloc(n, sizeof(*run->warm));
	if (!run->warm)
		return err_set(-ENOMEM, "cannot allocate the counts of %u QPs", n);
	for (uint32_t i = 0; i < n; i++) {
		const struct peer *peer = &w->fixed.peers[i];

		run->warm[i] = (struct worker_warm){
			.sent = w->fixed.sqs[i].done,
			/* over RC it follows from the rounds: state_count_received() */
			.received = w->fixed.pingpong && w->fixed.reliable ? 0 : peer->received,
			.duplicated = peer->duplicated,
			.out_of_order = peer->out_of_order,
		};
	}
	return 0;
}

/* What a loop leaves; what is posted, armed, owed or numbered goes on. */
static void forget(struct worker *w)
{
	w->live = (struct worker_live){ .work = w->live.work,
					.work_mask = w->live.work_mask,
					.owing = w->live.owing };
	w->control = (struct worker_control){ .rounds = 0 };
	w->idle = (struct worker_idle){ .received = 0 };
	w->events = (struct worker_events){ .armed = w->events.armed,
					    .unacked_s = w->events.unacked_s,
					    .unacked_r = w->events.unacked_r };
	w->fail = (struct failure){ .what = FAIL_NONE };
}

int worker_again(struct worker_run *run, const struct worker_setup *in)
{
	struct worker *w = &run->worker;
	int rc = note_warm(run);

	/* an answering side ends in the middle of a batch */
	if (!rc && w->fixed.pingpong)
		rc = batch_end(w);
	if (rc)
		return rc == -EIO ? err_set(rc, "cannot post receives after the warm-up") : rc;
	run->in = in;
	forget(w);
	set_course(w, in, send_done(w));
	for (uint32_t i = 0; i < w->fixed.n_qps; i++) {
		struct send_queue *sq = &w->fixed.sqs[i];
		struct peer *peer = &w->fixed.peers[i];

		sq->listed = sq->starved = peer->idle_known = false;
		peer->starved_since_ns = 0;
		ring_restart(sq, in);
		aim(w, sq, in->point);
		if (w->fixed.sends)
			send_list(w, sq);
		if (w->share.sharing != SHARING_NONE && w->fixed.receives)
			state_expect(w, peer);
	}
	w->live.unfinished = w->live.work_n;
	if (w->histogram)
		histogram_reset(w->histogram);
	run->t0 = run->t1 = 0;
	run->ended = run->cpu_known = false;
	return worker_pace_set(run);
}

static void signal_fd(int fd)
{
	uint64_t one = 1;

	/* an eventfd can only refuse when it is full, and then it is readable already */
	if (write(fd, &one, sizeof(one)) < 0)
		return;
}

/* A flushed completion is not the cause: is this one? */
static void take_cause(struct worker *w, const struct ibv_wc *wc, bool rx)
{
	struct failure *fail = &w->fail;
	const struct peer *peer;

	if (!wc->status || wc->status == IBV_WC_WR_FLUSH_ERR)
		return;
	peer = rx				? state_peer(w, wc) :
	       wc->wr_id & STATE_CREDIT_ID	? state_credit_peer(w, wc->wr_id) :
						  state_send(w, wc->wr_id)->peer;
	fail->wc = *wc;
	fail->rx = rx;
	fail->qp = peer->sq->index;
	fail->message = rx ? peer->received : peer->sq->done;
}

/* A QP that fails flushes its receives, which may be seen first: the cause is in the other CQ. */
static void find_cause(struct worker *w)
{
	struct ibv_cq *const cqs[] = { w->fixed.scq, w->fixed.rcq };
	api_poll_fn *const poll[] = { w->fixed.poll_sent, w->fixed.poll_came };
	struct ibv_wc wc;

	for (int i = 0; i < 2; i++)
		while (w->fail.what == FAIL_WC && w->fail.wc.status == IBV_WC_WR_FLUSH_ERR &&
		       cqs[i] && poll[i](cqs[i], 1, &wc) > 0)
			take_cause(w, &wc, cqs[i] == w->fixed.rcq);
}

/* Ping-pong and probe: the last own completions. */
static int reap_all(struct worker *w)
{
	uint64_t sent = 0;

	for (uint32_t i = 0; i < w->fixed.n_qps; i++) {
		int rc = batch_reap(w, &w->fixed.sqs[i], 0);

		if (rc)
			return rc;
		sent += w->fixed.sqs[i].done;
	}
	atomic_store(&w->live.sent, sent);
	return 0;
}

static void *thread_main(void *arg)
{
	struct worker_run *run = arg;
	struct worker *w = &run->worker;
	struct rusage u0, u1;

	/* a thread that sleeps until a message is due wakes up then, not 50 us later: prctl(2) */
	if (w->pace && w->fixed.cm != CM_POLL)
		(void)prctl(PR_SET_TIMERSLACK, 1UL);
	affinity_observed_begin(&run->observed);
	run->before = clock_anchor();
	if (run->in->barrier)
		barrier_pass(run->in->barrier);
	affinity_observed_loop(&run->observed);
	getrusage(RUSAGE_THREAD, &u0);
	run->cpu0_ns = clock_cpu_ns(CLOCK_THREAD_CPUTIME_ID);
	atomic_store_explicit(&run->t0, clock_ticks(), memory_order_release);
	run->rc = run->loop(w);
	/* what another thread reads of this one's clock before it sees t1 is no more than cpu_ns */
	atomic_store(&run->t1, clock_ticks());
	run->cpu_ns = clock_cpu_ns(CLOCK_THREAD_CPUTIME_ID) - run->cpu0_ns;
	atomic_store(&run->cpu_known, true);
	run->after = clock_anchor();
	getrusage(RUSAGE_THREAD, &u1);
	affinity_observed_end(&run->observed);
	run->voluntary_switches = (uint64_t)(u1.ru_nvcsw - u0.ru_nvcsw);
	run->involuntary_switches = (uint64_t)(u1.ru_nivcsw - u0.ru_nivcsw);
	state_count_received(w);
	if (!run->rc && (w->fixed.pingpong || w->histogram))
		run->rc = reap_all(w);
	if (run->rc)
		find_cause(w);
	atomic_store(&run->ended, true);
	signal_fd(w->fixed.note_fd);
	return NULL;
}

/* The new thread inherits the binding; its stack is allocated on the bound node too. */
int worker_start(struct worker_run *run)
{
	struct affinity_saved saved;
	int rc = affinity_bind(&saved, run->in->affinity, run->in->thread);

	if (rc)
		return rc;
	rc = pthread_create(&run->thread, NULL, thread_main, run);
	affinity_restore(&saved);
	if (rc)
		return err_set(-rc, "cannot start measuring thread %u: %s", run->in->thread,
			       strerror(rc));
	run->started = true;
	return 0;
}

void worker_stop(struct worker_run *run, enum state_stop how)
{
	atomic_store(&run->worker.control.stop, how);
	if (how == STATE_LEAVE || !run->worker.fixed.answers)
		atomic_store(&run->worker.control.rounds, 0);
	signal_fd(run->worker.fixed.wake_fd);
}

void worker_wake_low(struct worker_run *run)
{
	const struct dev_srq_events *events = run->in->ep->srq_events;
	const uint64_t raised = events ? atomic_load(&events->limit) : 0;

	if (raised == run->limits_woken)
		return;
	run->limits_woken = raised;
	signal_fd(run->worker.fixed.wake_fd);
}

void worker_peer_finished(struct worker_run *run, uint64_t sent)
{
	struct worker *w = &run->worker;

	if (w->fixed.reliable && w->fixed.receives)
		atomic_store(&w->control.recv_target, sent);
	atomic_store(&w->control.peer_finished, true);
	signal_fd(w->fixed.wake_fd);
}

int worker_join(struct worker_run *run)
{
	if (run->started)
		pthread_join(run->thread, NULL);
	run->started = false;
	return run->rc;
}

static void free_qps(struct worker *w)
{
	struct worker_fixed *fixed = &w->fixed;

	for (uint32_t i = 0; i < fixed->n_qps; i++) {
		if (fixed->sqs)
			free(fixed->sqs[i].ring);
		if (fixed->rqs)
			free(fixed->rqs[i].ring);
		if (fixed->peers) {
			free(fixed->peers[i].credit_wr);
			free(fixed->peers[i].sequence);
		}
	}
	free(w->share.table);
	free(fixed->sqs);
	free(fixed->rqs);
	free(fixed->peers);
	free(w->live.work);
}

void worker_close(struct worker_run *run)
{
	struct worker *w = &run->worker;

	if (!run->in)
		return;
	if (run->started) {
		worker_stop(run, STATE_LEAVE);
		worker_join(run);
	}
	idle_ack_all(w);
	free_qps(w);
	free(run->warm);
	free(w->histogram);
	worker_pace_close(run);
	worker_kept_close(run);
	if (w->fixed.wake_fd >= 0)
		close(w->fixed.wake_fd);
	if (w->fixed.note_fd >= 0)
		close(w->fixed.note_fd);
	memset(run, 0, sizeof(*run));
}
