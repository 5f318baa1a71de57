/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The conditions of each limiter; see limiter.h. */
#include "config.h"
#include "row/limiter.h"

#include <math.h>

#include "device/counters.h"

#define LINK_PERCENT 95
#define PCIE_PERCENT 85
#define OFTEN 1000      /* one in so many messages */
#define WAIT_PERCENT 10
#define CORE_PERCENT 95
#define SMALL_BYTES 4096

static bool is_stream(const struct row *row)
{
	return row->pattern == PATTERN_STREAM && !isnan(row->bandwidth_gbit_s);
}

static bool is_link(const struct row *row)
{
	return is_stream(row) && row->bandwidth_pct_of_link >= LINK_PERCENT;
}

static bool is_pcie(const struct row *row)
{
	const double slower = fmin(row->pcie_gbit_s, row->peer_pcie_gbit_s);

	return is_stream(row) && row->bandwidth_gbit_s * 100 >= slower * PCIE_PERCENT;
}

static bool is_often(const struct row *row, uint64_t times)
{
	return times && times != ROW_NONE && row->messages && row->messages != ROW_NONE &&
	       times >= row->messages / OFTEN;
}

static bool is_loss(const struct row *row)
{
	return (is_often(row, row->retransmissions) || is_often(row, row->peer_retransmissions)) &&
	       !kind_is_lossy(row->transport);
}

/* What one side counted of a class. */
static uint64_t count_of(const char *list, enum counters_class class)
{
	struct counters_item item;
	uint64_t sum = 0;

	while ((list = counters_next(list, &item)))
		sum += counters_class_of(item.name) == class ? item.delta : 0;
	return sum;
}

static bool is_rnr(const struct row *row)
{
	return is_often(row, count_of(row->device_counters, COUNTERS_RNR)) ||
	       is_often(row, count_of(row->peer_device_counters, COUNTERS_RNR));
}

/* Of both sides; a NAN is less than any number. */
static bool is_cpu_share(const struct row *row)
{
	return fmax(row->cpu_wait_pct, row->peer_cpu_wait_pct) >= WAIT_PERCENT ||
	       fmax(row->steal_pct, row->peer_steal_pct) >= WAIT_PERCENT;
}

static bool is_one_core(const struct row *row)
{
	const bool below = isnan(row->bandwidth_pct_of_link) || row->bandwidth_pct_of_link < 50;

	return is_stream(row) && below && row->threads == 1 && row->size_bytes <= SMALL_BYTES &&
	       row->cpu_ns != ROW_NONE && row->window_ns != ROW_NONE && row->polls != ROW_NONE &&
	       (double)row->cpu_ns * 100 >= (double)row->window_ns * CORE_PERCENT &&
	       row->empty_polls <= row->polls / 5;
}

static bool is_far(const struct row *row)
{
	return is_stream(row) && row->size_bytes >= SMALL_BYTES &&
	       (row->placement == TOPO_FAR || row->peer_placement == TOPO_FAR);
}

enum row_limiter limiter_of(const struct row *row, bool takes_link)
{
	const struct {
		bool holds;
		enum row_limiter limiter;
	} all[] = {
		{ takes_link && is_link(row), LIMITER_LINK },
		{ is_pcie(row), LIMITER_PCIE },
		{ is_loss(row), LIMITER_LOSS },
		{ is_rnr(row), LIMITER_RNR },
		{ is_cpu_share(row), LIMITER_CPU_SHARE },
		{ is_one_core(row), LIMITER_ONE_CORE },
		{ is_far(row), LIMITER_FAR_MEMORY },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].holds)
			return all[i].limiter;
	return (enum row_limiter)UINT32_MAX;
}

const char *limiter_sentence(enum row_limiter limiter)
{
	switch (limiter) {
	case LIMITER_LINK:
		return "the link is full";
	case LIMITER_PCIE:
		return "the PCIe link of a device is full (verbench list --topology)";
	case LIMITER_ONE_CORE:
		return "one core posts no more messages: --threads, -l";
	case LIMITER_FAR_MEMORY:
		return "threads or memory are far from the device: --pin near";
	default:
		return NULL;
	}
}
