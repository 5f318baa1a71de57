/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the signals of the program and the descriptor that reports them. Called by main, before any
 * thread, and by serve_child in each session; ctl, serve and monitor poll the descriptor.
 * The handler calls only what signal-safety(7) allows: clock_gettime, signal, raise, write.
 */
#include "config.h"
#include "util/signals.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "util/err.h"

static const int stops[] = { SIGINT, SIGTERM, SIGHUP };

#define STOPS (sizeof(stops) / sizeof(stops[0]))

static int stop_event = -1;
static bool ends_at_second = true;
static _Atomic bool came[STOPS];           /* since signals_take() */
static _Atomic uint64_t first_ms[STOPS]; /* when the first one came; 0: none */

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "a handler may only use what is free of locks");

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000 + 1;
}

/* The user does not want to wait: the signal then does what it does by default. */
static bool is_second(int signo)
{
	const uint64_t now = now_ms();

	for (size_t i = 0; i < STOPS; i++) {
		uint64_t none = 0;

		if (stops[i] == signo && !atomic_compare_exchange_strong(&first_ms[i], &none, now))
			return now - none >= SIGNALS_TWIN_MS;
	}
	return false;
}

static void stop_handler(int signo)
{
	const int saved = errno;
	const uint64_t one = 1;

	for (size_t i = 0; i < STOPS; i++)
		if (stops[i] == signo)
			atomic_store(&came[i], true);
	if (ends_at_second && is_second(signo)) {
		signal(signo, SIG_DFL);
		raise(signo); /* it comes when this handler returns */
	}
	/* fails only by overflow, and it is readable then */
	if (write(stop_event, &one, sizeof(one)) < 0)
		errno = 0;
	errno = saved;
}

static int catch_signal(int signo)
{
	struct sigaction action, before;

	memset(&action, 0, sizeof(action));
	action.sa_handler = stop_handler;
	sigemptyset(&action.sa_mask);
	if (sigaction(signo, NULL, &before))
		return -errno;
	if (signo == SIGHUP && before.sa_handler == SIG_IGN)
		return 0;
	return sigaction(signo, &action, NULL) ? -errno : 0;
}

int signals_init(void)
{
	struct sigaction ignore;
	const int before = stop_event;
	int rc = 0;

	stop_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (before >= 0)
		close(before);
	if (stop_event < 0)
		return err_set(-errno, "cannot create the eventfd for signals: %s",
			       strerror(errno));

	for (size_t i = 0; i < STOPS && !rc; i++) {
		atomic_store(&first_ms[i], 0);
		rc = catch_signal(stops[i]);
	}
	if (!rc)
		rc = catch_signal(SIGNALS_ASK);
	if (rc)
		return err_set(rc, "cannot catch signals: %s", strerror(-rc));

	/* these return an error instead: EPIPE of a peer that has left, EFBIG of a long file */
	memset(&ignore, 0, sizeof(ignore));
	ignore.sa_handler = SIG_IGN;
	sigemptyset(&ignore.sa_mask);
	if (sigaction(SIGPIPE, &ignore, NULL) || sigaction(SIGXFSZ, &ignore, NULL))
		return err_set(-errno, "cannot ignore SIGPIPE and SIGXFSZ: %s", strerror(errno));
	return 0;
}

int signals_init_session(void)
{
	ends_at_second = false;
	return signals_init();
}

void signals_count(void)
{
	ends_at_second = false;
}

unsigned int signals_take(void)
{
	unsigned int bits = 0;
	uint64_t n;

	/* first: what comes later makes it readable again */
	if (read(stop_event, &n, sizeof(n)) < 0)
		errno = 0;
	for (size_t i = 0; i < STOPS; i++)
		if (atomic_exchange(&came[i], false))
			bits |= stops[i] == SIGHUP ? SIGNALS_HANGUP : SIGNALS_STOP;
	return bits;
}

int signals_ignore_terminal(void)
{
	struct sigaction ignore;

	memset(&ignore, 0, sizeof(ignore));
	ignore.sa_handler = SIG_IGN;
	sigemptyset(&ignore.sa_mask);
	if (sigaction(SIGTTOU, &ignore, NULL))
		return err_set(-errno, "cannot ignore SIGTTOU: %s", strerror(errno));
	return 0;
}

int signals_fd(void)
{
	return stop_event;
}
