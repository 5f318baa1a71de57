/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Results and failures of a worker after its loop; see worker.h. */
#include "config.h"

#include "worker/worker.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "util/minmax.h"
#include "verbs/verbs_error.h"

#define SEEN_QPS 64u

/*
 * The loop writes its counters plainly: they are whole words, and may be late. A loop that never
 * leaves a register for memory does not exist: each poll is a call.
 */
static uint64_t look(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static uint64_t span_ns(struct worker_span span, double scale)
{
	return span.to > span.from ? clock_to_ns(span.to - span.from, scale) : 0;
}

/*
 * Where the peer, not a count, ends the receiving, the receiver is idle from its last arrival until
 * it learns of the end: the window ends with the first look that found nothing. In ticks; 0: the
 * window ends with the loop.
 */
static uint64_t last_arrival(const struct worker *w)
{
	const uint64_t t1 = look(&w->live.rx_t1), since = look(&w->idle.since_ticks);
	const bool idle = look(&w->idle.since_ns) &&
			  look(&w->idle.received) == look(&w->live.received);

	return idle && (!t1 || since < t1) ? since : t1;
}

/* Requests done since the point began. */
static uint64_t sent_so_far(const struct worker_run *run)
{
	const struct worker_fixed *fixed = &run->worker.fixed;
	uint64_t sent = 0;

	for (uint32_t i = 0; i < fixed->n_qps && fixed->sends; i++)
		sent += look(&fixed->sqs[i].done);
	return sent - min_u64(sent, run->worker.live.cut.base);
}

/* A loop that has ended before a second completion came has no window but its whole time. */
static bool is_cut(const struct worker_run *run)
{
	const uint64_t open = look(&run->worker.live.cut.open);

	if (!run->worker.fixed.timed || open == UINT64_MAX)
		return false;
	return !atomic_load(&run->t1) || sent_so_far(run) > open - run->worker.live.cut.base;
}

bool worker_tx_opened(const struct worker_run *run)
{
	return !run->worker.fixed.timed || atomic_load(&run->t1) ||
	       look(&run->worker.live.cut.open) != UINT64_MAX;
}

uint64_t worker_tx_before(const struct worker_run *run)
{
	const struct state_cut *cut = &run->worker.live.cut;

	return is_cut(run) ? look(&cut->open) - cut->base : 0;
}

static uint64_t tx_outside(const struct worker_run *run, uint64_t sent)
{
	const struct state_cut *cut = &run->worker.live.cut;
	const uint64_t close = look(&cut->close);

	if (!worker_tx_opened(run))
		return sent;
	if (!is_cut(run) || close == UINT64_MAX)
		return worker_tx_before(run);
	/* the counters may have been read before it closed */
	return worker_tx_before(run) + sent - min_u64(sent, close - cut->base);
}

struct worker_span worker_tx_span(const struct worker_run *run)
{
	const bool whole = run->worker.fixed.timed && !is_cut(run);
	const uint64_t from = whole ? 0 : look(&run->worker.live.tx_t0);
	const uint64_t to = look(&run->worker.live.tx_t1);

	return (struct worker_span){ from ? from : run->t0, to ? to : run->t1 };
}

bool worker_rx_opened(const struct worker_run *run)
{
	const uint64_t before = look(&run->worker.live.rx_before);

	return before != UINT64_MAX && look(&run->worker.live.received) > before;
}

struct worker_span worker_rx_span(const struct worker_run *run)
{
	const uint64_t from = worker_rx_opened(run) ? look(&run->worker.live.rx_t0) : 0;
	const uint64_t to = last_arrival(&run->worker);

	return (struct worker_span){ from ? from : run->t0, to ? to : run->t1 };
}

/*
 * A window from the last empty poll to the last arrival has all gaps between the arrivals in it:
 * they are one less than the arrivals. If each poll found some, as many as there were receives may
 * have waited when the loop began.
 */
static uint64_t rx_before(const struct worker_run *run, uint64_t received)
{
	const struct worker_fixed *fixed = &run->worker.fixed;
	const uint64_t before = look(&run->worker.live.rx_before);
	const uint64_t waited = (uint64_t)fixed->recv_depth * fixed->n_qps;

	if (kind_test_is_lat(run->in->plan->work.test))
		return 0;
	return min_u64(received, before == UINT64_MAX ? waited : before + 1);
}

double worker_ns_per_tick_at(const struct worker_run *run, const struct clock_anchor *now)
{
	return clock_ns_per_tick(run->in->origin ? run->in->origin : &run->before, now);
}

double worker_ns_per_tick(const struct worker_run *run)
{
	return worker_ns_per_tick_at(run, &run->after);
}

/* Counted before the point. */
static struct worker_warm warm_of(const struct worker_run *run, uint32_t qp)
{
	return run->warm ? run->warm[qp] : (struct worker_warm){ 0 };
}

uint64_t worker_progress(const struct worker_run *run)
{
	return atomic_load_explicit(&run->worker.live.progress, memory_order_relaxed);
}

uint64_t worker_seen(const struct worker_run *run)
{
	const struct worker_fixed *fixed = &run->worker.fixed;
	const uint32_t n = fixed->n_qps < SEEN_QPS ? fixed->n_qps : SEEN_QPS;
	uint64_t done = 0;

	if (kind_test_is_lat(run->in->plan->work.test))
		return worker_progress(run);
	for (uint32_t i = 0; i < n; i++)
		done += look(&fixed->sqs[(uint64_t)i * fixed->n_qps / n].done) -
			warm_of(run, (uint32_t)((uint64_t)i * fixed->n_qps / n)).sent;
	return n ? done / n * fixed->n_qps + done % n * fixed->n_qps / n : 0;
}

struct worker_counts worker_counts(const struct worker_run *run)
{
	const struct worker *w = &run->worker;

	if (!run->t0)
		return (struct worker_counts){ 0 };
	return (struct worker_counts){
		.sent = worker_seen(run),
		.received = look(&w->live.received),
		.sampled = w->histogram ? look(&w->histogram->sum) : 0,
	};
}

uint64_t worker_sent_in_all(const struct worker_run *run)
{
	uint64_t sent = atomic_load(&run->worker.live.sent);

	for (uint32_t i = 0; sent != UINT64_MAX && i < run->worker.fixed.n_qps; i++)
		sent -= warm_of(run, i).sent;
	return sent;
}

uint64_t worker_posted(const struct worker_run *run, uint32_t qp)
{
	return run->worker.fixed.sqs[qp].posted - warm_of(run, qp).sent;
}

uint64_t worker_sent(const struct worker_run *run, uint32_t qp)
{
	return run->worker.fixed.sqs[qp].done - warm_of(run, qp).sent;
}

uint64_t worker_received(const struct worker_run *run, uint32_t qp)
{
	return run->worker.fixed.peers[qp].received - warm_of(run, qp).received;
}

static double quantile(const struct histogram *h, uint64_t num, uint64_t den, double scale)
{
	double ticks;

	return histogram_quantile(h, num, den, &ticks) ? NAN : ticks * scale;
}

/* Half of a sample is reported when it is a round trip, but in an open loop. */
static double per_sample(const struct worker_run *run, double scale)
{
	return run->worker.fixed.pingpong && !run->worker.pace ? scale / 2 : scale;
}

double worker_ns_per_sample(const struct worker_run *run)
{
	return per_sample(run, worker_ns_per_tick(run));
}

void worker_histogram_ps(const struct worker_run *run, struct histogram *ps)
{
	histogram_scaled(ps, run->worker.histogram, worker_ns_per_sample(run) * 1000);
}

static void quantile_bounds(const struct histogram *h, double scale, struct result_lat *lat)
{
	double ticks[2] = { NAN, NAN };

	/* without enough samples they are absent */
	(void)!histogram_quantile_bounds(h, 99, 100, ticks);
	lat->p99_within_low_ns = ticks[0] * scale;
	lat->p99_within_high_ns = ticks[1] * scale;
}

void worker_latency(const struct worker_run *run, struct result_lat *lat,
		    const struct histogram *h, double scale)
{
	worker_samples(lat, h, per_sample(run, scale));
}

void worker_samples(struct result_lat *lat, const struct histogram *h, double scale)
{
	lat->samples = histogram_count(h);
	lat->min_ns = lat->samples ? (double)h->min * scale : NAN;
	lat->max_ns = lat->samples ? (double)h->max * scale : NAN;
	lat->mean_ns = lat->samples ? histogram_mean(h) * scale : NAN;
	lat->stdev_ns = lat->samples > 1 ? histogram_stdev(h) * scale : NAN;
	lat->p50_ns = quantile(h, 1, 2, scale);
	lat->p90_ns = quantile(h, 9, 10, scale);
	lat->p95_ns = quantile(h, 19, 20, scale);
	lat->p99_ns = quantile(h, 99, 100, scale);
	quantile_bounds(h, scale, lat);
	lat->p99_9_ns = quantile(h, 999, 1000, scale);
	lat->p99_99_ns = quantile(h, 9999, 10000, scale);
}

/* The error message for a completion with a bad status. */
static void failure_wc(const struct worker_run *run, char *text, size_t size)
{
	const struct failure *fail = &run->worker.fail;
	const struct plan *plan = run->in->plan;
	const uint32_t qp = run->in->thread * plan->work.qps + fail->qp;
	const char *what = fail->wc.wr_id & STATE_CREDIT_ID ? "credit message" :
			   fail->rx ? "receive" : kind_opcode_names[plan->work.kind.op];

	snprintf(text, size,
		 "%s of message %" PRIu64 " failed on QP 0x%06x (%u of %u): %s (%d), vendor code 0x%x; %s",
		 what, fail->message, run->worker.fixed.sqs[fail->qp].qp->qp_num, qp + 1,
		 plan_total_qps(plan), verbs_error_status_name(fail->wc.status), fail->wc.status,
		 fail->wc.vendor_err, verbs_error_status(fail->wc.status));
}

/* The error message for what stopped the loop. */
static void failure_text(const struct worker_run *run, char *text, size_t size)
{
	const struct failure *fail = &run->worker.fail;
	const uint32_t qpn = run->worker.fixed.sqs[fail->qp].qp->qp_num;
	const char *error = strerror(fail->err);

	switch (fail->what) {
	case FAIL_WC:
		failure_wc(run, text, size);
		break;
	case FAIL_POST_SEND:
	case FAIL_POST_RECV:
		if (fail->wc.wr_id & STATE_CREDIT_ID)
			snprintf(text, size, "post of a credit message on QP 0x%06x failed: %s",
				 qpn, error);
		else
			snprintf(text, size, "post of %s %" PRIu64 " on QP 0x%06x failed: %s",
				 fail->what == FAIL_POST_SEND ? "request" : "receive",
				 fail->message, qpn, error);
		break;
	case FAIL_POLL:
		snprintf(text, size, "poll of the %s completion queue failed: %s",
			 fail->rx ? "receive" : "send", error);
		break;
	case FAIL_LENGTH:
		snprintf(text, size, "message %" PRIu64 " on QP 0x%06x has %u bytes instead of %u",
			 fail->message, qpn, fail->wc.byte_len, fail->expected);
		break;
	case FAIL_IMM:
		snprintf(text, size,
			 "message %" PRIu64 " on QP 0x%06x has immediate %u instead of %u",
			 fail->message, qpn, ntohl(fail->wc.imm_data), fail->expected);
		break;
	case FAIL_ARM:
		snprintf(text, size, "asking for completion events failed: %s", error);
		break;
	case FAIL_WAIT:
		snprintf(text, size, "waiting for completion events failed: %s", error);
		break;
	case FAIL_SRQ_LIMIT:
		snprintf(text, size, "setting the limit of the SRQ to %u failed: %s",
			 run->worker.share.limit, error);
		break;
	case FAIL_UNKNOWN:
		snprintf(text, size, "a message came for QP 0x%06x, which is of no peer",
			 fail->expected);
		break;
	case FAIL_NONE:
		snprintf(text, size, "the loop failed (%d)", run->rc);
		break;
	}
}

/* Are messages numbered by immediates, so that the receiver knows which it has? */
static bool is_numbered(const struct worker_run *run)
{
	return kind_has_imm(run->in->plan->work.kind.op) && !run->worker.fixed.pingpong;
}

static void count_messages(const struct worker_run *run, struct result *r)
{
	const struct worker_fixed *fixed = &run->worker.fixed;

	for (uint32_t i = 0; i < fixed->n_qps; i++) {
		r->sent += worker_sent(run, i);
		r->received += worker_received(run, i);
	}
}

/*
 * While the loop runs. Of latency the rounds are counted: requests are known to be done at the end
 * of a batch. Of streams the peers' counts are ahead where they share receives.
 */
static void count_so_far(const struct worker_run *run, struct result *r)
{
	const struct worker *w = &run->worker;

	if (kind_test_is_lat(run->in->plan->work.test)) {
		r->sent = worker_progress(run);
		r->received = w->fixed.pingpong ? r->sent : 0;
		if (!w->fixed.pingpong || w->fixed.reliable)
			return;
		r->received = 0;
		for (uint32_t i = 0; i < w->fixed.n_qps; i++)
			r->received += look(&w->fixed.peers[i].received) -
				       warm_of(run, i).received;
		return;
	}
	r->sent = sent_so_far(run);
	r->tx_outside = tx_outside(run, r->sent);
	r->received = look(&w->live.received);
	r->rx_before = rx_before(run, r->received);
}

/* All counters but those of messages. They may be read while the loop runs. */
static void put_counters(const struct worker_run *run, struct result *r)
{
	const struct worker *w = &run->worker;
	const bool numbered = is_numbered(run);

	r->locks = run->in->ep->domain.without;
	r->duplicated = numbered ? 0 : UINT64_MAX;
	r->out_of_order = numbered ? 0 : UINT64_MAX;
	/* only UC and UD go on after one */
	for (uint32_t i = 0; i < w->fixed.n_qps && numbered && !w->fixed.reliable; i++) {
		const struct worker_warm warm = warm_of(run, i);

		r->duplicated += look(&w->fixed.peers[i].duplicated) - warm.duplicated;
		r->out_of_order += look(&w->fixed.peers[i].out_of_order) - warm.out_of_order;
	}
	r->lost = look(&w->live.lost);
	r->empty_polls = look(&w->live.empty_polls);
	r->events = look(&w->events.taken);
	r->spurious_events = look(&w->events.spurious);
	r->lost_events = look(&w->events.lost);
	if (run->in->ep->srq_events && role_receives(run->in->plan->work.role[run->in->side]))
		r->srq_limit_events = atomic_load(&run->in->ep->srq_events->limit);
	r->credit_stalls = look(&w->live.credit_stalls);
	/* in a ping-pong or probe every round ends with a poll that found something */
	r->polls = w->fixed.pingpong ? r->empty_polls + r->received :
		   w->histogram ? r->empty_polls + r->sent : look(&w->live.polls);
}

/* Of the thread since its loop began; while it runs, too. Never more than it has at its end. */
static uint64_t cpu_so_far(const struct worker_run *run)
{
	clockid_t clock;
	uint64_t ns = 0;

	if (!atomic_load(&run->t1) && !pthread_getcpuclockid(run->thread, &clock))
		ns = clock_cpu_ns(clock);
	/* after its loop the thread uses its time for other things */
	if (!atomic_load(&run->t1))
		return ns > run->cpu0_ns ? ns - run->cpu0_ns : 0;
	/* a system call of the thread, which waits for nothing */
	while (!atomic_load(&run->cpu_known))
		sched_yield();
	return run->cpu_ns;
}

void worker_result_so_far(const struct worker_run *run, struct result *r)
{
	result_clear(r);
	if (!run->t0)
		return;
	count_so_far(run, r);
	put_counters(run, r);
	r->cpu_ns = cpu_so_far(run);
}

void worker_result(const struct worker_run *run, struct result *r)
{
	const struct worker *w = &run->worker;
	const double scale = worker_ns_per_tick(run);

	result_clear(r);
	count_messages(run, r);
	put_counters(run, r);
	r->rx_before = rx_before(run, r->received);
	r->tx_outside = tx_outside(run, r->sent);
	for (uint32_t i = 0; i < w->fixed.n_qps && !w->fixed.answers; i++)
		r->warm_up += warm_of(run, i).sent;
	if (r->sent)
		r->tx_window_ns = span_ns(worker_tx_span(run), scale);
	if (r->received)
		r->rx_window_ns = span_ns(worker_rx_span(run), scale);
	r->cpu_ns = run->cpu_ns;
	r->voluntary_switches = run->voluntary_switches;
	r->involuntary_switches = run->involuntary_switches;
	if (w->pace)
		worker_pace_result(run, 1, r);
	else if (w->histogram)
		worker_latency(run, &r->lat, w->histogram, scale);
	if (run->rc == -ECANCELED) {
		r->status = RESULT_INCOMPLETE;
	} else if (run->rc) {
		r->status = RESULT_FAILED;
		failure_text(run, r->reason, sizeof(r->reason));
		if (w->fail.what == FAIL_WC)
			snprintf(r->failure, sizeof(r->failure), "%s",
				 verbs_error_status_name(w->fail.wc.status));
	}
}
