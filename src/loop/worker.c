/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Building a worker and running its loop; see worker.h. */
#include "config.h"

#include "loop/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "util/err.h"
#include "host/affinity_bind.h"
#include "loop/ring.h"

#define QUANTUM 16u /* requests of one QP before the next has its turn */
#define RESYNC_MIN_NS 20000000u
#define QUIET_MIN_NS 200000000u
#define LOSS_MIN_NS 100000000u
#define RTT_FACTOR 4u /* longer than this many round trips nothing is under way */

static int build_flow(struct worker *l, struct flow *f, const struct worker_setup *in)
{
	const struct point *point = in->point;
	const uint32_t group =
		l->post_list > l->signal_interval ? l->post_list : l->signal_interval;
	int rc;

	f->qp = in->ep->qps[f->index];
	f->target = point->messages ? point->messages : UINT64_MAX;
	f->bulk = f->target - f->target % group;
	f->allowed = l->recv_depth;
	f->credit = l->credits ? l->recv_depth : UINT64_MAX;
	f->refill_at = l->refill;
	f->next = &l->flows[f->index + 1 == l->n_flows ? 0 : f->index + 1];
	flow_set_limit(f, l->depth);
	if (!l->reliable && l->receives && kind_has_imm(in->plan->work.kind.op)) {
		f->sequence = calloc(1, sizeof(*f->sequence));
		if (!f->sequence)
			return err_set(-ENOMEM, "allocate the gaps of a QP");
	}
	rc = ring_requests(f, in);
	if (!rc)
		rc = ring_receives(f, in);
	if (!rc && l->credits)
		rc = ring_credit(f, in);
	f->tx_flag = in->ep->mem.base + layout_tx_off(&in->ep->mem.layout, f->index, 0) +
		     point->size_bytes - 1;
	f->rx_flag = in->ep->mem.base + layout_rx_off(&in->ep->mem.layout, f->index, 0) +
		     point->size_bytes - 1;
	return rc;
}

static void set_times(struct worker *l, uint64_t rtt_ns)
{
	uint64_t flight_ns = RTT_FACTOR * rtt_ns;

	l->resync_ns = flight_ns > RESYNC_MIN_NS ? flight_ns : RESYNC_MIN_NS;
	l->quiet_ns = flight_ns > QUIET_MIN_NS ? flight_ns : QUIET_MIN_NS;
	l->loss_ns = flight_ns > LOSS_MIN_NS ? flight_ns : LOSS_MIN_NS;
}

static void set_numbers(struct worker *l, const struct worker_setup *in, enum role role)
{
	const struct plan *plan = in->plan;
	const uint32_t grh = in->ep->mem.layout.grh_bytes;
	const bool stream_rx = role_takes_stream(role);
	const uint64_t total = in->point->messages * plan->work.qps;

	l->depth = plan->work.depth;
	l->post_list = plan->work.post_list;
	l->signal_interval = plan->work.signal_interval;
	/* one QP takes turns with nobody */
	l->spin_ns = UINT64_C(1000) * plan->work.spin_us;
	l->quantum = plan->work.qps == 1 ? plan->work.depth :
		     plan->work.post_list > QUANTUM ? plan->work.post_list : QUANTUM;
	l->recv_depth = plan->work.recv_depth;
	l->refill = plan_refill(plan);
	l->recv_bytes = (uint32_t)in->point->size_bytes + grh;
	l->credit_bytes = grh;
	l->sums = l->recv_bytes <= UINT32_MAX / FLOW_BATCH;
	l->reliable = !kind_is_lossy(plan->work.kind.tp);
	l->sends = role_streams(role);
	l->receives = stream_rx;
	l->tx_open = role != ROLE_STREAM_BOTH || in->side == SIDE_CLIENT;
	l->credits = !role_is_pingpong(role) && kind_takes_recv(plan->work.kind.op);
	l->pingpong = role_is_pingpong(role);
	l->answers = role == ROLE_PONG;
	set_times(l, in->rtt_ns);
	l->recv_target = stream_rx && total ? total : UINT64_MAX;
	/* what answers over UC and UD goes on until the client has finished */
	l->rounds = total && (l->reliable || !l->answers) ? total : UINT64_MAX;
	l->tidy = plan_batch(plan);
	l->tidy_first = l->tidy - ring_first(plan, in->point);
	l->sent = UINT64_MAX;
	l->wake_fd = -1;
	l->note_fd = -1;
}

static int build_worker(struct worker *l, const struct worker_setup *in, enum role role)
{
	uint32_t work = 1;

	l->scq = in->ep->scq;
	l->rcq = in->ep->rcq;
	l->channel = in->ep->channel;
	l->post = api_post(in->plan->work.post_api, in->ep->qps[0], in->plan->work.kind.op);
	l->post_credit = api_post(in->plan->work.post_api, in->ep->qps[0], OP_SEND_IMM);
	l->poll_sent = api_poll_sent(in->plan->work.poll_api, in->ep->scq);
	l->poll_came = api_poll_came(in->plan->work.poll_api, in->ep->scq);
	l->n_flows = in->plan->work.qps;
	while (work < l->n_flows)
		work *= 2;
	l->work_mask = work - 1;
	l->work = calloc(work, sizeof(struct flow *));
	l->flows = aligned_alloc(_Alignof(struct flow), l->n_flows * sizeof(*l->flows));
	if (l->flows)
		memset(l->flows, 0, l->n_flows * sizeof(*l->flows));
	if (!l->work || !l->flows)
		return err_set(-ENOMEM, "allocate the state of %u QPs", l->n_flows);
	for (uint32_t i = 0; i < l->n_flows; i++) {
		int rc;

		l->flows[i].index = i;
		rc = build_flow(l, &l->flows[i], in);
		if (rc)
			return rc;
		if (l->sends)
			flow_list(l, &l->flows[i]);
	}
	l->unfinished = l->work_n;
	if (role_samples(role)) {
		l->histogram = malloc(sizeof(*l->histogram));
		if (!l->histogram)
			return err_set(-ENOMEM, "allocate a histogram");
		histogram_reset(l->histogram);
	}
	return 0;
}

int worker_open(struct worker_run *run, const struct worker_setup *in)
{
	enum role role = in->plan->work.role[in->side];

	memset(run, 0, sizeof(*run));
	run->in = in;
	run->loop = engine_find(in->plan->work.kind, role);
	set_numbers(&run->worker, in, role);
	run->worker.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	run->worker.note_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (run->worker.wake_fd < 0 || run->worker.note_fd < 0)
		return err_set(-errno, "create an eventfd: %s", strerror(errno));
	return build_worker(&run->worker, in, role);
}

static void signal_fd(int fd)
{
	uint64_t one = 1;

	/* an eventfd can only refuse when it is full, and then it is readable already */
	if (write(fd, &one, sizeof(one)) < 0)
		return;
}

static uint64_t thread_cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A QP that fails flushes its receives, which may be seen first: the cause is in the other CQ. */
static void find_cause(struct worker *l)
{
	struct ibv_cq *const cqs[] = { l->scq, l->rcq };
	api_poll_fn *const poll[] = { l->poll_sent, l->poll_came };
	struct flow_failure *fail = &l->fail;
	struct ibv_wc wc;

	for (int i = 0; i < 2; i++) {
		while (fail->what == FLOW_WC && fail->wc.status == IBV_WC_WR_FLUSH_ERR && cqs[i] &&
		       poll[i](cqs[i], 1, &wc) > 0) {
			const struct flow *f = flow_of_any(l, wc.wr_id);

			if (!wc.status || wc.status == IBV_WC_WR_FLUSH_ERR)
				continue;
			fail->wc = wc;
			fail->rx = cqs[i] == l->rcq;
			fail->flow = f->index;
			fail->message = fail->rx ? flow_recvd(f) : f->done;
		}
	}
}

/* Ping-pong and probe: the last own completions. */
static int reap_all(struct worker *l)
{
	uint64_t sent = 0;

	for (uint32_t i = 0; i < l->n_flows; i++) {
		int rc = flow_reap(l, &l->flows[i], 0);

		if (rc)
			return rc;
		sent += l->flows[i].done;
	}
	atomic_store(&l->sent, sent);
	return 0;
}

static void *thread_main(void *arg)
{
	struct worker_run *run = arg;
	struct worker *l = &run->worker;
	struct rusage u0, u1;
	uint64_t cpu0;

	affinity_observed_begin(&run->observed);
	run->before = clock_anchor();
	if (run->in->barrier)
		barrier_pass(run->in->barrier);
	affinity_observed_loop(&run->observed);
	getrusage(RUSAGE_THREAD, &u0);
	cpu0 = thread_cpu_ns();
	run->t0 = clock_ticks();
	run->rc = run->loop(l);
	run->t1 = clock_ticks();
	run->after = clock_anchor();
	run->cpu_ns = thread_cpu_ns() - cpu0;
	getrusage(RUSAGE_THREAD, &u1);
	affinity_observed_end(&run->observed);
	run->voluntary_switches = (uint64_t)(u1.ru_nvcsw - u0.ru_nvcsw);
	run->involuntary_switches = (uint64_t)(u1.ru_nivcsw - u0.ru_nivcsw);
	if (!run->rc && (l->pingpong || l->histogram))
		run->rc = reap_all(l);
	if (run->rc)
		find_cause(l);
	atomic_store(&run->ended, true);
	signal_fd(l->note_fd);
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
		return err_set(-rc, "start measuring thread %u: %s", run->in->thread, strerror(rc));
	run->started = true;
	return 0;
}

void worker_stop(struct worker_run *run, enum flow_stop how)
{
	atomic_store(&run->worker.stop, how);
	if (how == FLOW_LEAVE || !run->worker.answers)
		atomic_store(&run->worker.rounds, 0);
	signal_fd(run->worker.wake_fd);
}

void worker_peer_finished(struct worker_run *run, uint64_t sent)
{
	struct worker *l = &run->worker;

	if (l->reliable && l->receives)
		atomic_store(&l->recv_target, sent);
	atomic_store(&l->peer_finished, true);
	signal_fd(l->wake_fd);
}

int worker_join(struct worker_run *run)
{
	if (run->started)
		pthread_join(run->thread, NULL);
	run->started = false;
	return run->rc;
}

void worker_close(struct worker_run *run)
{
	struct worker *l = &run->worker;
	const int fds[] = { l->wake_fd, l->note_fd };

	if (!run->in)
		return;
	if (run->started) {
		worker_stop(run, FLOW_LEAVE);
		worker_join(run);
	}
	flow_ack_all(l);
	for (uint32_t i = 0; l->flows && i < l->n_flows; i++) {
		ring_close(&l->flows[i]);
		free(l->flows[i].sequence);
	}
	free(l->flows);
	free(l->work);
	free(l->histogram);
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	memset(run, 0, sizeof(*run));
}
