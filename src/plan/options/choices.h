/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The other enums of options, plan, limits and results, besides the axes of kind.h, and their
 * spellings: indexed by the enum, NULL-terminated. Knows no verbs and no host.
 */
#ifndef CHOICES_H
#define CHOICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --atomic */
enum atomic_op { ATOMIC_CMP_SWAP, ATOMIC_FETCH_ADD, ATOMIC_WRITE, ATOMIC_COUNT };
extern const char *const choices_atomic[]; /* cmp_swap fetch_add write */

/*
 * --flush: where the data of a write are when it is done: all see them, or they persist. MR: all of
 * the memory region is flushed, and not what was written alone.
 */
enum flush {
	FLUSH_NONE, FLUSH_GLOBAL, FLUSH_PERSISTENT, FLUSH_GLOBAL_MR, FLUSH_PERSISTENT_MR,
	FLUSH_COUNT
};
extern const char *const choices_flush[]; /* none global ... persistent_mr */

static inline bool choices_flush_persists(enum flush flush)
{
	return flush == FLUSH_PERSISTENT || flush == FLUSH_PERSISTENT_MR;
}

/*
 * The side that posts the requests of a cell of "verbench check": the client, as in every test, or
 * the server. none: for other commands.
 */
enum check_by { CHECK_NONE, CHECK_BY_CLIENT, CHECK_BY_SERVER };
extern const char *const choices_check_by[]; /* none client server */

/*
 * --walk: the order in which messages use the buffers. auto: seq if messages can use several
 * buffers, else same. Never auto in a plan.
 */
enum walk_order { WALK_AUTO, WALK_SEQ, WALK_RANDOM, WALK_SAME, WALK_COUNT };
extern const char *const choices_walk[]; /* auto seq random same */

/* --format of report */
enum report_format {
	REPORT_TEXT, REPORT_MARKDOWN, REPORT_CSV, REPORT_JSON, REPORT_PROMETHEUS
};
extern const char *const choices_report_format[]; /* text markdown csv json prometheus */

/* --audit-format */
enum audit_format { AUDIT_TEXT, AUDIT_JSON };
extern const char *const choices_audit_format[]; /* text json */

/* --sandbox: restricts the system calls of a session. auto: on if kernel and build support it. */
enum sandbox_choice { SANDBOX_AUTO, SANDBOX_ON, SANDBOX_OFF };
extern const char *const choices_sandbox[]; /* auto on off */

/* --like: the tool whose defaults are used. */
enum like { LIKE_NONE, LIKE_PERFTEST };
extern const char *const choices_like[]; /* none perftest */

/* --hugepages: the page size of the buffers. auto: hugepages if enough are free, on each side. */
enum hugepages_use { HUGEPAGES_AUTO, HUGEPAGES_ON, HUGEPAGES_OFF, HUGEPAGES_COUNT };
extern const char *const choices_hugepages[]; /* auto on off */

/* --locks: the provider's locks around its queues. auto: off if the device supports it. */
enum locks_asked { LOCKS_AUTO, LOCKS_ON, LOCKS_OFF };
extern const char *const choices_locks_asked[]; /* auto on off */

/* Queues without a lock, as bits: what a device supports, and what was used. */
enum locks {
	LOCKS_OFF_CQ = 1,  /* completion queues */
	LOCKS_OFF_QP = 2,  /* send and receive queues */
	LOCKS_OFF_ALL = LOCKS_OFF_CQ | LOCKS_OFF_QP
};
extern const char *const choices_locks[]; /* on off_cq off_qp off */

/* --mw: the memory window behind the R_Keys of one-sided tests. */
enum mw_type { MW_NONE, MW_TYPE_1, MW_TYPE_2 };
extern const char *const choices_mw[]; /* none 1 2 */

/*
 * --buffers: where the buffers are and how they are registered. null: what a side sends and
 * receives is in a null memory region (ibv_alloc_null_mr), what its peer addresses is in memory of
 * the host.
 */
enum buffers_kind {
#define BUFFERS(kind, name, noun, can) BUFFERS_##kind,
#include "options/buffers.def"
	BUFFERS_SAME /* of --peer-buffers, as --buffers */
};
extern const char *const choices_buffers[]; /* host odp prefetch device cuda null */
extern const char *const choices_peer_buffers[]; /* as those, and same */

/* What a kind of buffers can do. */
enum buffers_can {
	BUFFERS_CPU = 1,       /* the CPU can access it: inline data, polling of a byte */
	BUFFERS_ON_DEMAND = 2, /* it is registered for on-demand paging (limits: odp) */
	BUFFERS_SCARCE = 4,    /* the device limits it (limits: max_dm_bytes) */
	BUFFERS_RELAXED = 8,   /* --relaxed-ordering auto allows relaxed ordering */
	BUFFERS_OFF_HOST = 16, /* not in pages of the host, which may be huge or locked */
};

bool choices_buffers_can(enum buffers_kind kind, enum buffers_can what);

/* "device memory": of the lines above a table. */
const char *choices_buffers_noun(enum buffers_kind kind);

/* --relaxed-ordering of the device's writes to memory. auto: on unless a thread polls a byte. */
enum relaxed_asked { RELAXED_AUTO, RELAXED_ON, RELAXED_OFF };
extern const char *const choices_relaxed[]; /* auto on off */

/* --arrival: the gaps between the intended sends of an open loop: all equal, or exponential. */
enum arrival { ARRIVAL_FIXED, ARRIVAL_POISSON };
extern const char *const choices_arrival[]; /* fixed poisson */

/* --disturb: how the main thread disturbs the queues of running loops. */
enum disturb_what { DISTURB_NONE, DISTURB_CQ, DISTURB_SQ };
extern const char *const choices_disturb[]; /* none cq sq */

/*
 * --ah: the source of the client's address on the server: the control connection, or the first
 * message of each QP.
 */
enum ah_from { AH_ADDRESS, AH_FIRST };
extern const char *const choices_ah[]; /* address first */

/* --post-api. send: ibv_post_send(3), wr: ibv_wr_post(3); auto: send. Never auto in a plan. */
enum apis_post { APIS_POST_SEND, APIS_POST_WR, APIS_POST_AUTO };
extern const char *const choices_post_api[]; /* send wr auto */

/* --poll-api. classic: ibv_poll_cq(3), extended: ibv_start_poll and so on, ibv_create_cq_ex(3). */
enum apis_poll { APIS_POLL_CLASSIC, APIS_POLL_EXTENDED };
extern const char *const choices_poll_api[]; /* classic extended */

/* How QPs exchange their addresses: over TCP, or by rdma_cm (--cm). */
enum connect_by { CONNECT_TCP, CONNECT_RDMA_CM };
extern const char *const choices_connect[]; /* tcp rdma_cm */

/*
 * --mcast-join: how a receiver joins its group: by ibv_attach_mcast(3) alone, or also by rdma_cm.
 * auto: by rdma_cm if all sides support it. Never auto in a plan.
 */
enum mcast_join { MCAST_JOIN_VERBS, MCAST_JOIN_CM, MCAST_JOIN_AUTO };
extern const char *const choices_mcast_join[]; /* verbs cm auto */

/* --rails of mesh: which devices of two nodes measure with each other. */
enum rails { RAILS_NONE, RAILS_SAME, RAILS_CROSS, RAILS_EACH, RAILS_ALL };
extern const char *const choices_rails[]; /* none same cross each all */

/* "RC, UC": the names of the bits in mask. Returns text. */
const char *choices_list(uint32_t mask, const char *const *names, char *text, size_t size);

#endif
