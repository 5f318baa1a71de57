/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The steps of --ah first between the endpoints and the workers: the client repeats a hello on each
 * QP until the server reports that it has received this QP's hello; UD may lose some. That QP must
 * then fall silent: where QPs share a receive queue, its hello would consume the receive that
 * another QP needs. Not in the timed region.
 */
#include "config.h"

#include "point/point.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "wire/proto.h"
#include "file/json_build.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/text.h"

#define MS_NS MONITOR_MS_NS
#define STEP "the first messages were sent"
#define FIRST_WAIT_MS 50 /* most answers come sooner, so the hellos are sent once */
#define MOST_WAIT_MS 400
#define LATE_MS 20u      /* a hello that was sent twice can be in flight for this long */

int point_came(struct ctl *ctl, const char *type, const char *during, json_t **msg)
{
	char got[33];
	int rc = ctl_try_recv(ctl, msg);

	if (rc <= 0)
		return rc;
	text_clean(json_string_value(json_object_get(*msg, "type")), got, sizeof(got));
	if (type && !strcmp(got, type))
		return 1;
	json_decref(*msg);
	return !strcmp(got, "heartbeat") ? 0 :
	       err_set(-EBADMSG, "the peer %s sent '%s' while %s", ctl->peer, got, during);
}

int point_wait(struct ctl *ctl, int ms, const char *during)
{
	struct pollfd fds[2] = { { .fd = ctl->fd, .events = POLLIN },
				 { .fd = ctl->signals_fd, .events = POLLIN } };

	if (poll(fds, 2, ms) < 0 && errno != EINTR)
		return err_set(-errno, "cannot wait while %s: %s", during, strerror(errno));
	return fds[1].revents ? err_set(-EINTR, "%s while %s", ctl_stop_reason(ctl, "interrupted"),
					during) : 0;
}

static void free_hellos(struct ep_hello *hellos, uint32_t threads)
{
	for (uint32_t i = 0; hellos && i < threads; i++)
		ep_hello_free(&hellos[i]);
	free(hellos);
}

/* One per thread; n is the number of QPs not received yet. NULL with an error message. */
static struct ep_hello *make_hellos(uint32_t threads, uint32_t n)
{
	struct ep_hello *hellos = calloc(threads, sizeof(*hellos));
	int rc = 0;

	if (!hellos)
		rc = err_set(-ENOMEM, "no memory for the first messages of %u threads", threads);
	for (uint32_t i = 0; i < threads && !rc; i++)
		rc = ep_hello_make(&hellos[i], n);
	if (!rc)
		return hellos;
	free_hellos(hellos, threads);
	return NULL;
}

static uint32_t silent(const struct ep_hello *hellos, uint32_t threads)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < threads; i++)
		n += hellos[i].left;
	return n;
}

/* ---- the client */

/* The server has received some QPs; they are numbered over all threads. */
static int read_heard(struct ep_hello *hellos, uint32_t threads, const json_t *msg)
{
	const json_int_t n = hellos[0].n, all = n * threads;
	const json_t *qps = json_object_get(msg, "qps"), *qp;
	size_t i;

	if (!json_is_array(qps))
		return err_set(-EBADMSG, "the peer's 'heard': field \"qps\" is missing or not an array");
	json_array_foreach(qps, i, qp) {
		const json_int_t number = json_integer_value(qp);

		if (!json_is_integer(qp) || number < 0 || number >= all)
			return err_set(-EBADMSG, "the peer's 'heard': a QP is not a number below %u",
				       (unsigned int)all);
		ep_hello_mark(&hellos[number / n], (uint32_t)(number % n));
	}
	return 0;
}

/* Until all QPs are received or ms have passed. */
static int await_heard(struct ctl *ctl, struct ep_hello *hellos, uint32_t threads, uint32_t ms)
{
	const uint64_t end_ns = clock_ns() + ms * MS_NS;
	uint64_t now_ns;
	json_t *msg;
	int rc;

	do {
		rc = point_came(ctl, "heard", STEP, &msg);
		if (rc > 0) {
			rc = read_heard(hellos, threads, msg);
			json_decref(msg);
		}
		now_ns = clock_ns();
		if (!rc && silent(hellos, threads) && now_ns < end_ns)
			rc = point_wait(ctl, (int)((end_ns - now_ns) / MS_NS) + 1, STEP);
	} while (!rc && silent(hellos, threads) && now_ns < end_ns);
	return rc;
}

static int send_round(struct point_state *s, struct ep_hello *hellos)
{
	int rc = 0;

	for (uint32_t i = 0; i < s->in->plan->work.threads && !rc; i++)
		rc = ep_hello_send(&hellos[i], &s->threads[i].ep, s->in->plan,
				   &s->threads[i].peer);
	return rc;
}

/* *rounds: number of hellos sent by each QP that was not received. */
static int send_rounds(struct point_state *s, struct ep_hello *hellos, uint32_t *rounds)
{
	const uint32_t timeout_ms = s->in->plan->stall_timeout_ms;
	const uint32_t threads = s->in->plan->work.threads;
	const uint64_t end_ns = clock_ns() + timeout_ms * MS_NS;
	struct ctl *const ctl = s->in->peers->ctl[0];
	uint32_t ms = FIRST_WAIT_MS;
	int rc = 0;

	*rounds = 0;
	while (silent(hellos, threads) && !rc) {
		if (clock_ns() > end_ns)
			return err_set(-ETIMEDOUT,
				       "the peer %s got no first message of %u QPs within %u ms",
				       ctl->peer, silent(hellos, threads), timeout_ms);
		rc = send_round(s, hellos);
		++*rounds;
		if (!rc)
			rc = await_heard(ctl, hellos, threads, ms);
		ms = 2 * ms > MOST_WAIT_MS ? MOST_WAIT_MS : 2 * ms;
	}
	return rc;
}

int point_hello_send(struct point_state *s)
{
	const uint32_t threads = s->in->plan->work.threads;
	struct ep_hello *hellos = make_hellos(threads, s->threads[0].ep.n_qps);
	uint32_t rounds;
	json_t *msg;
	int rc;

	if (!hellos)
		return -ENOMEM;
	rc = send_rounds(s, hellos, &rounds);
	free_hellos(hellos, threads);
	if (rc)
		return rc;
	msg = proto_plain("greeted");
	json_build_set(&msg, "rounds", json_integer(rounds));
	return ctl_send(s->in->peers->ctl[0], msg, s->in->plan->stall_timeout_ms);
}

/* ---- the server */

/* Sends the newly received QPs to the client. */
static int send_heard(struct point_state *s, struct ep_hello *hellos)
{
	json_t *msg = proto_plain("heard"), *qps = json_array();

	for (uint32_t i = 0; i < s->in->plan->work.threads; i++) {
		for (uint32_t k = 0; k < hellos[i].n_news; k++)
			json_build_add(&qps, json_integer((json_int_t)i * hellos[i].n +
							  hellos[i].news[k]));
		hellos[i].n_news = 0;
	}
	json_build_set(&msg, "qps", qps);
	return ctl_send(s->in->peers->ctl[0], msg, s->in->plan->stall_timeout_ms);
}

/* *news: QPs received for the first time. */
static int take_all(struct point_state *s, struct ep_hello *hellos, uint32_t *news)
{
	int rc = 0;

	*news = 0;
	for (uint32_t i = 0; i < s->in->plan->work.threads && !rc; i++) {
		rc = ep_hello_take(&hellos[i], &s->threads[i].ep, &s->threads[i].peer);
		*news += hellos[i].n_news;
	}
	return rc;
}

/* The first messages of all threads: the server polls for as long as the client may repeat them. */
static int hear(struct point_state *s, struct ep_hello *hellos)
{
	const uint32_t timeout_ms = 2 * s->in->plan->stall_timeout_ms;
	const uint64_t end_ns = clock_ns() + timeout_ms * MS_NS;
	struct ctl *const ctl = s->in->peers->ctl[0];
	uint32_t left, news, before = 0;
	json_t *msg;
	int rc;

	do {
		rc = take_all(s, hellos, &news);
		left = silent(hellos, s->in->plan->work.threads);
		/* those of one round arrive together: one message names them all */
		if (!rc && news && (news == before || !left)) {
			rc = send_heard(s, hellos);
			news = 0;
		}
		before = news;
		if (!rc && left && clock_ns() > end_ns)
			rc = err_set(-ETIMEDOUT, "no first message of %u of the client's QPs came within %u ms",
				     left, timeout_ms);
		if (!rc && left)
			rc = point_wait(ctl, 1, STEP);
		if (!rc && left)
			rc = point_came(ctl, NULL, STEP, &msg);
	} while (left && !rc);
	return rc;
}

/* A repeated hello must not reach the loop: it finds no receive yet. */
static int await_greeted(struct point_state *s)
{
	struct ctl *const ctl = s->in->peers->ctl[0];
	const uint64_t rtt_ms = ctl_rtt_ns(ctl) / MS_NS;
	json_t *msg = NULL;
	int rc = ctl_recv(ctl, "greeted", &msg, 2 * s->in->plan->stall_timeout_ms);
	const json_int_t rounds = json_integer_value(json_object_get(msg, "rounds"));

	json_decref(msg);
	if (!rc && rounds < 1)
		rc = err_set(-EBADMSG, "the peer's 'greeted': field \"rounds\" is missing or not a count");
	if (!rc && rounds > 1)
		rc = point_wait(ctl, (int)(4 * rtt_ms > LATE_MS ? 4 * rtt_ms : LATE_MS), STEP);
	return rc;
}

int point_hello_receive(struct point_state *s)
{
	const uint32_t threads = s->in->plan->work.threads;
	struct ep_hello *hellos = make_hellos(threads, s->threads[0].peer.n_qps);
	int rc = 0;

	if (!hellos)
		return -ENOMEM;
	for (uint32_t i = 0; i < threads && !rc; i++)
		rc = ep_hello_open(&hellos[i], &s->threads[i].ep, s->in->plan,
				   &s->threads[i].peer);
	if (!rc)
		rc = point_send_endpoints(s);
	if (!rc)
		rc = hear(s, hellos);
	free_hellos(hellos, threads);
	return rc ? rc : await_greeted(s);
}
