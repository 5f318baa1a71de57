/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Limits made by hand, and plans resolved from them and a command line: for the tests of plans. */
#ifndef PLAN_ENDS_H
#define PLAN_ENDS_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/err.h"
#include "options/options.h"
#include "decide/plan.h"

/* The limits of both sides, changed by each test. */
struct ends {
	struct limits client, server;
};

static inline struct limits limits(const char *host, uint8_t last)
{
	struct limits lim = {
		.port = 1, .ethernet = true, .active_mtu_bytes = 4096, .max_msg_bytes = 1u << 30,
		.max_qps = 1000, .max_wr = 32768, .max_send_wr = 32768,
		.max_recv_wr = 32768, .max_cqe = 32767, .max_mws = 100, .max_mcast_grps = 8,
		.resumes_sq = true, .mw_type_1 = true, .mw_type_2 = true, .max_sge = 30,
		.max_sge_rd = 16, .sge_setters = true, .max_cqs = 512,
		.max_mrs = 512, .max_pds = 512, .max_threads = UINT32_MAX, .max_rd_atomic = 16,
		.max_init_rd_atomic = 16, .max_inline_bytes = 220, .atomics = true,
		.memlock_bytes = UINT64_MAX, .max_total_bytes = UINT64_MAX,
		.max_point_ms = UINT32_MAX,
		.allowed_qps = UINT32_MAX, .gid_index = CFG_AUTO, .n_gids = 1,
		.gids = { { .index = 3, .type = GID_ROCE_V2,
			    .raw = { [10] = 0xff, 0xff, 10, 0, 0, last } } },
	};

	snprintf(lim.host, sizeof(lim.host), "%s", host);
	snprintf(lim.device, sizeof(lim.device), "dev%u", last);
	return lim;
}

static inline struct ends ends(void)
{
	return (struct ends){ .client = limits("alpha", 1), .server = limits("beta", 2) };
}

static inline int resolve(struct plan *plan, const struct ends *e, enum test test, const char *line)
{
	static char copy[256], program[] = "prog", host[] = "host";
	struct cfg cfg = { .test = test };
	char *argv[32];
	int argc = 0;

	snprintf(copy, sizeof(copy), "%s", line);
	argv[argc++] = program;
	argv[argc++] = host;
	for (char *w = strtok(copy, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	argv[argc] = NULL;
	err_clear();
	if (options_parse(&cfg, OPTIONS_TEST, argc, argv) || plan_rules(&cfg))
		fail_msg("%s: %s", line, err_text());
	return plan_resolve(plan, &cfg, &e->client, &e->server);
}

static inline void resolved(struct plan *plan, const struct ends *e, enum test test,
			    const char *line)
{
	if (resolve(plan, e, test, line))
		fail_msg("%s: %s", line, err_text());
}

static inline void refused(const struct ends *e, enum test test, const char *line,
			   const char *message)
{
	struct plan plan;

	assert_int_equal(resolve(&plan, e, test, line), -EINVAL);
	assert_string_equal(err_text(), message);
}

static inline bool noted(const struct plan *plan, const char *text)
{
	for (uint32_t i = 0; i < plan->n_notes; i++) {
		if (strstr(plan->notes[i].text, text))
			return true;
	}
	return false;
}

#endif
