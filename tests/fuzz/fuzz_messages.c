/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Each message of the control connection: its decoder must refuse what it cannot use. */
#include "config.h"

#include <jansson.h>

#include "options/options.h"
#include "wire/proto.h"
#include "fuzz.h"
#include "limits/limits.h"
#include "decide/plan.h"

static void read_options(const json_t *msg)
{
	struct cfg cfg = { .test = (enum test)0 };

	if (!field_defaults(&options_table, &cfg) &&
	    !options_from_json(&cfg, json_object_get(msg, "options")))
		(void)!plan_rules(&cfg);
}

static void read_endpoint(const json_t *msg)
{
	struct ep_addr addr;

	for (uint32_t n = 0; n < 3; n++)
		if (!proto_read_endpoint(&addr, msg, n, 3))
			ep_addr_free(&addr);
}

static void read_done(const json_t *msg)
{
	struct proto_interval interval;
	struct result result;

	(void)!proto_read_done(&result, msg);
	(void)!proto_read_interval(&interval, msg);
}

static void read_limits(const json_t *msg)
{
	struct limits *limits = calloc(1, sizeof(*limits));
	struct plan *plan = calloc(1, sizeof(*plan));

	if (!limits || !plan)
		abort();
	(void)!limits_decode(limits, msg);
	(void)!plan_compare(plan, json_object_get(msg, "plan"));
	free(limits);
	free(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *msg = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);
	struct proto_hello hello;
	struct copy_file file;

	if (!json_is_object(msg)) {
		json_decref(msg);
		return 0;
	}
	(void)!proto_read_hello(&hello, msg);
	(void)!proto_read_file(&file, json_object_get(msg, "file"));
	read_options(msg);
	read_endpoint(msg);
	read_done(msg);
	read_limits(msg);
	json_decref(msg);
	return 0;
}
