/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * --like: the defaults of perftest by option and test. Source: perftest 6.29 (00b55b6) and 4.5,
 * perftest_parameters.h (DEF_*), init_perftest_params() and force_dependecies() in
 * perftest_parameters.c, increase_loc_addr() in perftest_resources.h. Options that are not listed
 * have the same default in both tools, or do not exist: size, MTU, QP timeout, post list, reads in
 * flight.
 */
#include "config.h"
#include "decide/plan.h"

#include "options/options.h"
#include "util/minmax.h"

#define TX_DEPTH 128u
#define RX_DEPTH 512u
#define RX_DEPTH_LOSSY 16000u /* UC_MAX_RX */
#define CQ_MOD 100u
#define CQ_MOD_SIZE 8192u     /* MSG_SIZE_CQ_MOD_LIMIT */
#define ITERS 1000u
#define ITERS_WRITE_BW 5000u
#define PAGE_BYTES 4096u      /* cycle_buffer: 4096 on every machine, whatever its page size */
#define SIZE_BW 65536u

static bool by_time(const struct cfg *cfg)
{
	return cfg->duration_ms != CFG_AUTO;
}

static uint64_t iters(const struct cfg *cfg)
{
	return !kind_test_is_lat(cfg->test) && kind_family(cfg->test) == FAMILY_WRITE ?
		       ITERS_WRITE_BW : ITERS;
}

/* At most the number of messages of the run. */
static uint64_t capped(const struct cfg *cfg, uint32_t value)
{
	return by_time(cfg) || cfg->messages > value ? value : cfg->messages;
}

static uint64_t tx_depth(const struct cfg *cfg)
{
	return capped(cfg, TX_DEPTH);
}

/* The minimum is what a ping-pong needs. */
static uint64_t rx_depth(const struct cfg *cfg)
{
	const bool all = kind_is_lossy(cfg->transport) && !by_time(cfg) && cfg->messages > RX_DEPTH;

	return max_u32(2, (uint32_t)capped(cfg, all ? RX_DEPTH_LOSSY : RX_DEPTH));
}

static uint64_t cq_mod(const struct cfg *cfg)
{
	const uint64_t size = cfg->size_bytes == CFG_AUTO64 ? SIZE_BW : cfg->size_bytes;
	const bool each = size > CQ_MOD_SIZE && !kind_is_datagram(cfg->transport) &&
			  !cfg->all_sizes && cfg->completion == CM_POLL &&
			  kind_family(cfg->test) != FAMILY_ATOMIC;

	if (cfg->post_list > 1)
		return cfg->post_list;
	return each ? 1 : min_u32(CQ_MOD, cfg->depth);
}

static uint64_t messages(const struct cfg *cfg)
{
	return by_time(cfg) ? CFG_AUTO64 : iters(cfg);
}

/* A latency test has one buffer; a stream walks over a page, see plan_like_qp_bytes(). */
static uint64_t walk(const struct cfg *cfg)
{
	return kind_test_is_lat(cfg->test) && cfg->footprint_bytes == CFG_AUTO64 ? WALK_SAME :
										 WALK_AUTO;
}

static uint64_t no_hugepages(const struct cfg *cfg)
{
	(void)cfg;
	return HUGEPAGES_OFF;
}

static uint64_t with_locks(const struct cfg *cfg)
{
	(void)cfg;
	return LOCKS_ON;
}

static uint64_t no_warm_up(const struct cfg *cfg)
{
	(void)cfg;
	return 0;
}

enum {
	LAT = 1u << TEST_SEND_LAT | 1u << TEST_WRITE_LAT | 1u << TEST_READ_LAT |
	      1u << TEST_ATOMIC_LAT,
	BW = 1u << TEST_SEND_BW | 1u << TEST_WRITE_BW | 1u << TEST_READ_BW | 1u << TEST_ATOMIC_BW,
	TAKES = 1u << TEST_SEND_BW | 1u << TEST_SEND_LAT | 1u << TEST_WRITE_BW |
		1u << TEST_WRITE_LAT,
	ALL = LAT | BW,
};

/* In this order: a row may depend on earlier ones. */
static const struct {
	enum cfg_row row;
	uint32_t tests;
	uint64_t (*value)(const struct cfg *cfg);
} perftest[] = {
	{ CFG_ROW_messages, ALL, messages },
	{ CFG_ROW_depth, BW, tx_depth },
	{ CFG_ROW_recv_depth, TAKES, rx_depth },
	{ CFG_ROW_signal_interval, BW, cq_mod },
	{ CFG_ROW_walk, ALL, walk },
	{ CFG_ROW_hugepages, ALL, no_hugepages },
	{ CFG_ROW_locks, ALL, with_locks },
	{ CFG_ROW_warm_up, ALL, no_warm_up },
};

static bool is_auto(const struct field *f, const struct cfg *cfg)
{
	const uint64_t v = field_integer(f, cfg);

	if (f->names)
		return f->names[v][0] == 'a' && f->names[v][1] == 'u';
	return v == (f->type == FIELD_U32 ? CFG_AUTO : CFG_AUTO64);
}

void plan_like_defaults(struct cfg *cfg)
{
	for (size_t i = 0; cfg->like == LIKE_PERFTEST && i < FIELD_COUNT(perftest); i++) {
		const struct field *f = &options_table.rows[perftest[i].row];

		if (perftest[i].tests >> cfg->test & 1 && is_auto(f, cfg))
			field_set_integer(f, cfg, perftest[i].value(cfg));
	}
}

uint64_t plan_like_qp_bytes(enum like like)
{
	return like == LIKE_PERFTEST ? PAGE_BYTES : 0;
}

/*
 * DEF_INLINE_*; other values of some vendors are left out: a device that supports less grants less.
 */
uint32_t plan_like_inline_bytes(enum like like, enum family family, enum transport tp)
{
	if (like != LIKE_PERFTEST)
		return UINT32_MAX;
	if (kind_names_dct(tp))
		return 150;
	if (family == FAMILY_WRITE)
		return 220;
	return kind_is_datagram(tp) ? 188 : 236;
}
