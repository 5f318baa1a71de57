/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The spellings of choices.h, for the tables of options, plan, limits and results. */
#include "config.h"
#include "options/choices.h"

#include <stdio.h>

const char *const choices_atomic[] = {
	[ATOMIC_CMP_SWAP] = "cmp_swap", [ATOMIC_FETCH_ADD] = "fetch_add",
	[ATOMIC_WRITE] = "write", NULL
};

const char *const choices_flush[] = {
	[FLUSH_NONE] = "none", [FLUSH_GLOBAL] = "global", [FLUSH_PERSISTENT] = "persistent",
	[FLUSH_GLOBAL_MR] = "global_mr", [FLUSH_PERSISTENT_MR] = "persistent_mr", NULL
};

const char *const choices_audit_format[] = {
	[AUDIT_TEXT] = "text", [AUDIT_JSON] = "json", NULL
};

const char *const choices_sandbox[] = {
	[SANDBOX_AUTO] = "auto", [SANDBOX_ON] = "on", [SANDBOX_OFF] = "off", NULL
};

const char *const choices_check_by[] = {
	[CHECK_NONE] = "none", [CHECK_BY_CLIENT] = "client", [CHECK_BY_SERVER] = "server", NULL
};

const char *const choices_walk[] = {
	[WALK_AUTO] = "auto", [WALK_SEQ] = "seq", [WALK_RANDOM] = "random", [WALK_SAME] = "same",
	NULL
};

const char *const choices_like[] = {
	[LIKE_NONE] = "none", [LIKE_PERFTEST] = "perftest", NULL
};

const char *const choices_hugepages[] = {
	[HUGEPAGES_AUTO] = "auto", [HUGEPAGES_ON] = "on", [HUGEPAGES_OFF] = "off", NULL
};

const char *const choices_relaxed[] = {
	[RELAXED_AUTO] = "auto", [RELAXED_ON] = "on", [RELAXED_OFF] = "off", NULL
};

const char *const choices_locks_asked[] = {
	[LOCKS_AUTO] = "auto", [LOCKS_ON] = "on", [LOCKS_OFF] = "off", NULL
};

const char *const choices_locks[] = {
	[0] = "on", [LOCKS_OFF_CQ] = "off_cq", [LOCKS_OFF_QP] = "off_qp", [LOCKS_OFF_ALL] = "off",
	NULL
};

const char *const choices_ah[] = {
	[AH_ADDRESS] = "address", [AH_FIRST] = "first", NULL
};

const char *const choices_report_format[] = {
	[REPORT_TEXT] = "text", [REPORT_MARKDOWN] = "markdown", [REPORT_CSV] = "csv",
	[REPORT_JSON] = "json", [REPORT_PROMETHEUS] = "prometheus", NULL
};

const char *const choices_rails[] = {
	[RAILS_NONE] = "none", [RAILS_SAME] = "same", [RAILS_CROSS] = "cross",
	[RAILS_EACH] = "each", [RAILS_ALL] = "all", NULL
};

const char *const choices_mw[] = {
	[MW_NONE] = "none", [MW_TYPE_1] = "1", [MW_TYPE_2] = "2", NULL
};

const char *const choices_buffers[] = {
#define BUFFERS(kind, name, noun, can) [BUFFERS_##kind] = name,
#include "options/buffers.def"
	NULL
};

const char *const choices_peer_buffers[] = {
#define BUFFERS(kind, name, noun, can) [BUFFERS_##kind] = name,
#include "options/buffers.def"
	[BUFFERS_SAME] = "same", NULL
};

bool choices_buffers_can(enum buffers_kind kind, enum buffers_can what)
{
	static const unsigned of_kind[] = {
#define BUFFERS(kind, name, noun, can) [BUFFERS_##kind] = can,
#include "options/buffers.def"
	};

	return of_kind[kind] & what;
}

const char *choices_buffers_noun(enum buffers_kind kind)
{
	static const char *const of_kind[] = {
#define BUFFERS(kind, name, noun, can) [BUFFERS_##kind] = noun,
#include "options/buffers.def"
	};

	return of_kind[kind];
}

const char *const choices_arrival[] = {
	[ARRIVAL_FIXED] = "fixed", [ARRIVAL_POISSON] = "poisson", NULL
};

const char *const choices_disturb[] = {
	[DISTURB_NONE] = "none", [DISTURB_CQ] = "cq", [DISTURB_SQ] = "sq", NULL
};

const char *const choices_post_api[] = {
	[APIS_POST_SEND] = "send", [APIS_POST_WR] = "wr", [APIS_POST_AUTO] = "auto", NULL
};

const char *const choices_poll_api[] = {
	[APIS_POLL_CLASSIC] = "classic", [APIS_POLL_EXTENDED] = "extended", NULL
};

const char *const choices_connect[] = {
	[CONNECT_TCP] = "tcp", [CONNECT_RDMA_CM] = "rdma_cm", NULL
};

const char *const choices_mcast_join[] = {
	[MCAST_JOIN_VERBS] = "verbs", [MCAST_JOIN_CM] = "cm", [MCAST_JOIN_AUTO] = "auto", NULL
};

const char *choices_list(uint32_t mask, const char *const *names, char *text, size_t size)
{
	size_t len = 0;

	text[0] = '\0';
	for (int i = 0; names[i] && len < size; i++) {
		if (mask >> i & 1)
			len += (size_t)snprintf(text + len, size - len, "%s%s", len ? ", " : "",
						names[i]);
	}
	return text;
}
