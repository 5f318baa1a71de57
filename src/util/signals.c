/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the signals of the program and the descriptor that reports them. Called by main, before any
 * thread, and by serve_child in each session; ctl, serve and monitor poll the descriptor.
 * The handler does nothing but write(2) to it (signal-safety(7)).
 */
#include "config.h"
#include "util/signals.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "util/err.h"

static int stop_event = -1;

static void stop_handler(int signo)
{
	const int saved = errno;
	const uint64_t one = 1;

	(void)signo;
	/* fails only by overflow, and it is readable then */
	if (write(stop_event, &one, sizeof(one)) < 0)
		errno = 0;
	errno = saved;
}

int signals_init(void)
{
	static const int signals[] = { SIGINT, SIGTERM };
	struct sigaction action, ignore;
	const int before = stop_event;

	stop_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (before >= 0)
		close(before);
	if (stop_event < 0)
		return err_set(-errno, "cannot create the eventfd for signals: %s",
			       strerror(errno));

	memset(&action, 0, sizeof(action));
	action.sa_handler = stop_handler;
	action.sa_flags = (int)SA_RESETHAND; /* so that the second signal kills */
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], &action, NULL))
			return err_set(-errno, "cannot catch signal %d: %s", signals[i],
				       strerror(errno));

	/* these return an error instead: EPIPE of a peer that has left, EFBIG of a long file */
	memset(&ignore, 0, sizeof(ignore));
	ignore.sa_handler = SIG_IGN;
	sigemptyset(&ignore.sa_mask);
	if (sigaction(SIGPIPE, &ignore, NULL) || sigaction(SIGXFSZ, &ignore, NULL))
		return err_set(-errno, "cannot ignore SIGPIPE and SIGXFSZ: %s", strerror(errno));
	return 0;
}

int signals_fd(void)
{
	return stop_event;
}
