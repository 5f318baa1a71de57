/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The signals of the program and the descriptor that reports them. The handler calls only functions
 * that signal-safety(7) allows: clock_gettime, signal, raise, write.
 */
#include "config.h"
#include "util/signals.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/err.h"

static const int stops[] = { SIGINT, SIGTERM, SIGHUP };

#define STOPS (sizeof(stops) / sizeof(stops[0]))

static int stop_event = -1;
static bool ends_at_second = true;
static _Atomic bool came[STOPS];           /* since signals_take() */
static _Atomic uint64_t first_ms[STOPS]; /* when the first one came; 0: none */

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "a handler may only use what is free of locks");

/* The user does not want to wait: the signal then takes its default action. */
static bool is_second(int signo)
{
	const uint64_t now = clock_ns() / 1000000 + 1;

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
		raise(signo); /* delivered when this handler returns */
	}
	/* fails only by overflow, and then it is readable */
	if (write(stop_event, &one, sizeof(one)) < 0)
		errno = 0;
	errno = saved;
}

static int catch_signal(int signo)
{
	const struct sigaction action = { .sa_handler = stop_handler };
	struct sigaction before;

	if (sigaction(signo, NULL, &before))
		return -errno;
	if (signo == SIGHUP && before.sa_handler == SIG_IGN)
		return 0;
	return sigaction(signo, &action, NULL) ? -errno : 0;
}

static int ignore_signal(int signo, const char *name)
{
	const struct sigaction action = { .sa_handler = SIG_IGN };

	if (sigaction(signo, &action, NULL))
		return err_set(-errno, "cannot ignore %s: %s", name, strerror(errno));
	return 0;
}

int signals_init(void)
{
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

	/* these return an error instead: EPIPE if the peer has left, EFBIG for a long file */
	rc = ignore_signal(SIGPIPE, "SIGPIPE");
	return rc ? rc : ignore_signal(SIGXFSZ, "SIGXFSZ");
}

int signals_init_session(void)
{
	signals_count();
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

	/* first: a later signal makes it readable again */
	if (read(stop_event, &n, sizeof(n)) < 0)
		errno = 0;
	for (size_t i = 0; i < STOPS; i++)
		if (atomic_exchange(&came[i], false))
			bits |= stops[i] == SIGHUP ? SIGNALS_HANGUP : SIGNALS_STOP;
	return bits;
}

int signals_ignore_terminal(void)
{
	return ignore_signal(SIGTTOU, "SIGTTOU");
}

int signals_fd(void)
{
	return stop_event;
}

bool signals_asked(void)
{
	struct pollfd p = { .fd = stop_event, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}
