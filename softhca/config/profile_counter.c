/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The counters of a profile, in ports/N/hw_counters; see profile.h. */
#include "config.h"
#include "config/profile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct profile_word words[] = {
	{ "sent", HCA_SENT }, { "sent_bytes", HCA_SENT_BYTES }, { "received", HCA_RECEIVED },
	{ "received_bytes", HCA_RECEIVED_BYTES }, { "timeouts", HCA_TIMEOUTS },
	{ "seq_naks", HCA_SEQ_NAKS }, { "rnr_naks", HCA_RNR_NAKS }, { "rnr_sent", HCA_RNR_SENT },
	{ "out_of_sequence", HCA_OUT_OF_SEQUENCE }, { "discards", HCA_DISCARDS },
	{ "pauses", HCA_PAUSES }, { NULL, 0 },
};

static int add_word(struct profile_counter *counter, const char *word)
{
	for (const struct profile_word *w = words; w->word; w++) {
		if (strcmp(w->word, word))
			continue;
		counter->of |= 1u << w->value;
		return 0;
	}
	return -EINVAL;
}

int profile_counter_add(struct profile *p, const char *value)
{
	struct profile_counter *counter = &p->counter[p->n_counters];
	char copy[256], *save = NULL, *name;

	if (p->no_counters || p->n_counters == PROFILE_COUNTERS)
		return -EINVAL;
	if (!strcmp(value, "none") && !p->n_counters) {
		p->no_counters = true;
		return 0;
	}
	if ((size_t)snprintf(copy, sizeof(copy), "%s", value) >= sizeof(copy))
		return -EINVAL;
	name = strtok_r(copy, " \t", &save);
	if (!name || strchr(name, '/') || strlen(name) >= sizeof(counter->name))
		return -EINVAL;
	*counter = (struct profile_counter) { .of = 0 };
	strcpy(counter->name, name);
	for (char *word = strtok_r(NULL, " \t", &save); word; word = strtok_r(NULL, " \t", &save))
		if (add_word(counter, word))
			return -EINVAL;
	p->n_counters++;
	return 0;
}

/* drivers/infiniband/hw/mlx5/counters.c: retrans_q_cnts, out_of_seq_q_cnts, basic_q_cnts */
void profile_counter_fill(struct profile *p)
{
	static const char *const usual[] = {
		"local_ack_timeout_err timeouts", "packet_seq_err seq_naks",
		"rnr_nak_retry_err rnr_naks", "out_of_sequence out_of_sequence",
		"out_of_buffer rnr_sent", "duplicate_request",
	};

	for (uint32_t i = 0; !p->no_counters && i < sizeof(usual) / sizeof(usual[0]); i++)
		(void)profile_counter_add(p, usual[i]);
}
