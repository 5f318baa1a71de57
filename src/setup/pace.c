/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns how many rounds a row has, and what happens between two of them; see series.h. */
#include "config.h"
#include "setup/series.h"

#include <sys/resource.h>

#define AUTO_MOST 10000u
#define AUTO_LEAST 20u           /* a median needs them */
#define AUTO_NS 250000000u
#define AUTO_LATEST_NS 1000000000u
#define AUTO_SLOW 5u             /* of slow operations also after that */
#define ALIVE_NS 100000000u

static uint64_t ns_of(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_usec * 1000u;
}

/* The CPU time of the thread so far, divided by the kernel. */
static void read_usage(uint64_t *user_ns, uint64_t *system_ns)
{
	struct rusage usage = { 0 };

	getrusage(RUSAGE_THREAD, &usage);
	*user_ns = ns_of(&usage.ru_utime);
	*system_ns = ns_of(&usage.ru_stime);
}

struct pace pace_begin(struct setup_run *run, uint32_t operations)
{
	const bool automatic = run->wish->operations == CFG_AUTO64;
	const uint64_t most = automatic ? AUTO_MOST : run->wish->operations;
	struct pace pace = {
		.run = run,
		.limit = (most + operations - 1) / operations,
		.began_ns = clock_ns(),
	};

	pace.until_ns = automatic ? pace.began_ns + AUTO_NS : UINT64_MAX;
	pace.latest_ns = automatic ? pace.began_ns + AUTO_LATEST_NS : UINT64_MAX;
	read_usage(&pace.user_ns, &pace.system_ns);
	return pace;
}

int pace_alive(struct setup_run *run)
{
	const uint64_t now_ns = clock_ns();

	if (now_ns - run->checked_ns < ALIVE_NS)
		return 0;
	run->checked_ns = now_ns;
	return run->peer->alive(run->peer->arg);
}

bool pace_more(struct pace *pace)
{
	const uint64_t now_ns = clock_ns();

	pace->rc = pace_alive(pace->run);
	if (pace->rc)
		return false;
	/* n counts the first round, which is none of the limit */
	if (pace->n > pace->limit || (pace->n > AUTO_LEAST && now_ns >= pace->until_ns) ||
	    (pace->n > AUTO_SLOW && now_ns >= pace->latest_ns))
		return false;
	pace->n++;
	return true;
}

void pace_end(struct pace *pace)
{
	uint64_t user_ns, system_ns;

	read_usage(&user_ns, &system_ns);
	pace->user_ns = user_ns - pace->user_ns;
	pace->system_ns = system_ns - pace->system_ns;
}
