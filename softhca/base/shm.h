/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Layout of the memory that processes share; no code. There are two kinds of memory, both memfds
 * of a fixed size (shared.h) that the kernel frees with their last user:
 *   - the fabric, one per user and name: processes, directory of QP numbers, multicast groups;
 *   - an arena per process: its QPs, CQs, SRQs and memory keys, and their rings.
 * A process writes its own arena without a lock. It writes to the arena of a peer only while it
 * holds the lock of the object.
 */
#ifndef SHM_H
#define SHM_H

#include <stdatomic.h>
#include <stdint.h>

#include "config/limits.h"
#include "config/settings.h"
#include "config/topology.h"

enum {
	SHM_MAGIC = 0x76627368,
	SHM_VERSION = 14,
	SHM_PROCS = 4000,
	SHM_SLOT_BITS = 12, /* of a slot in an entry of the directory, of slot + 1 in a lock */
	SHM_SLOT_MASK = (1 << SHM_SLOT_BITS) - 1,
	SHM_DEVS = SETTINGS_DEVS,
	SHM_PORTS = SETTINGS_PORTS,
	SHM_NODES = SETTINGS_NODES,
	SHM_PIPES = 2 * TOPOLOGY_UPLINKS, /* in each direction */
	SHM_QPN_FIRST = 16, /* 0 and 1 are special QPs (IBA vol. 1, 10.2.4.5); 2 to 15 are unused */
	SHM_QPNS = 65520,
	SHM_MEMBERS = 64,
	SHM_VECTORS = 256, /* completion vectors of a device */
};

/*
 * The file of an arena. The byte of a registered buffer at address V is at offset V of the file;
 * the arena is above all addresses.
 */
#define SHM_ARENA_OFF (UINT64_C(1) << 48)
#define SHM_ARENA_BYTES (UINT64_C(1) << 32) /* for SHM_CQS CQs with a thousand entries */
#define SHM_HEAP_OFF (UINT64_C(32) << 20)
#define SHM_LINE _Alignas(64)

/* A lock, see lock.h. */
struct lock {
	_Atomic uint32_t owner;  /* 0: free; else hca.self of the process that holds it */
	_Atomic uint32_t spoilt; /* it was taken from a living process */
};

struct shm_gid {
	uint8_t raw[16];
	uint8_t type; /* enum ibv_gid_type */
	uint16_t vlan;
};

/* How other ports reach a port; written before its process is published. */
struct shm_address {
	uint8_t link_layer, iwarp;
	uint8_t mtu; /* enum ibv_mtu */
	uint16_t lid;
	uint64_t prefix; /* subnet prefix */
	uint32_t n_gids;
	struct shm_gid gid[PROFILE_GIDS];
};

/*
 * What the link of a port has carried. Written by the process that sends, and by a peer whose read
 * this port answers. Times and durations are in ps, as those of struct shm_port.
 */
struct shm_link_counts {
	_Atomic uint64_t sent, lost, duplicated, reordered; /* messages of QPs; retries included */
	_Atomic uint64_t dropped;         /* of sent, on their way, by full buffers */
	_Atomic uint64_t retries;         /* of sent, those that a QP had sent before */
	_Atomic uint64_t messages, bytes; /* all that took its turn: sent, and responses of reads */
	_Atomic uint64_t busy_ps;         /* bytes were leaving */
	_Atomic uint64_t wait_ps, wait_max_ps; /* of a message for its turn: sum, longest */
	/* first byte of the first, last byte of the last; 0: there is none */
	_Atomic uint64_t departed_first_ps, departed_last_ps;
	_Atomic uint64_t arrived_first_ns, arrived_last_ns; /* last bytes; CLOCK_MONOTONIC */
};

/*
 * What passes one message after the other. Without its pauses: a message is there at free_ps +
 * paused_ps, if it is not paused again until then.
 */
struct shm_turn {
	_Atomic uint64_t free_ps; /* when the last byte of the last message is there */
	_Atomic uint64_t paused_ps, paused_until_ps; /* for so long, in whole ns */
};

/*
 * What a port of a node has received. Written by the processes that send to it. Times as above.
 */
struct shm_received {
	struct shm_turn turn; /* until when it has received what has arrived at it so far */
	_Atomic uint64_t messages, bytes, busy_ps, wait_ps, wait_max_ps;
};

/*
 * A port of a device of a process or of a node, on the link. Times are in ps since the fabric's
 * origin_ns.
 */
struct shm_port {
	SHM_LINE struct shm_turn turn; /* until when the last message leaves */
	uint64_t fs_per_byte; /* 0: as fast as memory */
	uint64_t delay_ps;
	uint64_t stall_ps, period_ps;
	uint64_t buffer_bytes; /* of what waits to be received; 0: without a limit */
	uint32_t pauses; /* if it is full: who sends waits. Else messages are dropped */
	uint32_t used; /* the link is not as fast as memory, or loses, delays or duplicates */
	uint32_t of_node; /* the port receives at the rate at which it sends: base/fabric.h */
	_Atomic uint32_t down;
	_Atomic uint32_t qkey_violations, pkey_violations;
	struct shm_link_counts link; /* counted if used */
	struct shm_received received;
	_Atomic uint64_t count[HCA_COUNTERS];
	SHM_LINE struct shm_address addr;
};

struct shm_proc {
	_Atomic uint32_t used;
	uint32_t gen;
	int32_t pid;
	int32_t arena_fd;
	int32_t wake_fd;
	uint32_t node; /* its number + 1; 0: the process is a host of its own, with port[] */
	/* of the process itself: its polls of CQs, and where the last one was: processor + 1 */
	SHM_LINE _Atomic uint32_t polls;
	_Atomic uint32_t poll_cpu;
	/* slot + 1 of the process that it last had a message for or from; 0: none */
	SHM_LINE _Atomic uint32_t partner;
	_Atomic uint32_t waits; /* enum shm_waits; a futex */
	_Atomic uint64_t crowded_until_ns; /* a third thread wants the processor, too */
	struct shm_port port[SHM_DEVS][SHM_PORTS];
};

/* The processes with one SOFTHCA_NODE; written under the join lock. */
struct shm_node {
	char name[sizeof(((struct settings *)0)->node)]; /* "": there was none */
	struct shm_port port[SHM_DEVS][SHM_PORTS];
};

struct shm_group {
	uint8_t gid[16];
	uint32_t n;
	uint32_t qpn[SHM_MEMBERS];
};

struct shm_fabric {
	uint32_t magic, version;
	char name[sizeof(((struct settings *)0)->fabric)];
	uint64_t origin_ns;
	struct lock lock;
	uint32_t next_qpn, next_gen;
	uint32_t n_procs; /* entries that have been in use: the first ones */
	uint32_t next_swept; /* where the next process that joins looks for killed ones: fabric.c */
	struct shm_proc proc[SHM_PROCS];
	struct shm_node node[SHM_NODES]; /* by number */
	uint64_t topology; /* its digest; 0: none yet. Under the join lock, as the next */
	struct shm_port pipe[SHM_PIPES]; /* the uplinks, which receive as the port of a node */
	struct shm_group group[SHM_GROUPS];
	_Atomic uint64_t dir[SHM_QPNS]; /* see qpn.h; 0: free */
	uint8_t dir_gen[SHM_QPNS];
	_Atomic uint32_t irq[SHM_DEVS][SHM_VECTORS]; /* interrupts: completion events */
};

_Static_assert(SHM_PROCS <= SHM_SLOT_MASK, "slot + 1 fits into its bits");

/* The types of QPs that verbs do not have. */
enum { SHM_QPT_DCI = 0x100, SHM_QPT_DCT };

/* Of struct shm_proc: whether a thread that polls sleeps until a peer has a message for it. */
enum shm_waits { SHM_WAITS_NOT, SHM_WAITS_SOON, SHM_WAITS };

enum shm_mr_kind { SHM_MR_SHARED = 1, SHM_MR_PRIVATE };
enum shm_mr_type { SHM_MR = 1, SHM_MW1, SHM_MW2, SHM_NULL };

struct shm_mr {
	_Atomic uint32_t key; /* 0: no entry; written last */
	uint32_t pd;
	uint64_t addr, iova, len;
	uint32_t access;
	uint8_t kind, type;
	uint16_t spare;
	uint32_t qpn;    /* type 2 window: the QP that it is bound to */
	uint32_t parent; /* window: key of its region */
	_Atomic uint32_t windows;
};

struct shm_cqe {
	SHM_LINE uint64_t wr_id;
	uint32_t byte_len, imm, qp_num, src_qp;
	uint32_t sq_idx; /* send: the slots of WQEs up to this one are free */
	uint32_t vendor_err;
	uint16_t qp_idx, epoch;
	uint8_t status, opcode, flags, sl;
	uint16_t slid, spare;
	_Atomic uint32_t seq; /* valid if it equals the ring index + 1 */
};

/*
 * Which completions raise an event. Any other value: none do, and the value is the process (as the
 * owner of a struct lock) that is about to write the event. If it dies before that, the process of
 * the CQ writes the event.
 */
#define SHM_ARM_NONE 0u
#define SHM_ARM_SOLICITED (UINT32_MAX - 1)
#define SHM_ARM_ANY UINT32_MAX

struct shm_cq {
	SHM_LINE struct lock lock; /* of the producers */
	uint32_t head;
	_Atomic uint32_t armed; /* SHM_ARM_* */
	uint32_t mask, cap;
	uint64_t ring; /* offset in the arena */
	uint32_t id;   /* 0: no CQ; else its number in events */
	int32_t event_fd, async_fd;
	uint32_t overrun;
	uint16_t dev, vector; /* its interrupt */
	_Atomic uint32_t announced; /* zero-cost mode: counts announcements to QPs of this CQ */
	SHM_LINE _Atomic uint32_t tail; /* of the consumer */
};

/* A posted receive. */
struct shm_rwr {
	uint64_t wr_id;
	uint32_t n_sge, spare;
	struct {
		uint64_t addr;
		uint32_t len, lkey;
	} sge[];
};

struct shm_ring {
	uint64_t ring; /* offset in the arena */
	uint32_t mask, cap, stride, max_sge;
	SHM_LINE _Atomic uint32_t head; /* of the producer, which is the owner */
	SHM_LINE _Atomic uint32_t tail; /* of the consumer, under the lock of the QP or SRQ */
};

struct shm_srq {
	SHM_LINE struct lock lock;
	uint32_t id;
	uint32_t pd;
	uint32_t limit;
	int32_t async_fd;
	_Atomic uint32_t num; /* XRC: its number; 0: no XRC SRQ. Written under the lock */
	uint32_t xrcd; /* XRC: its domain */
	uint32_t cq;   /* XRC: the CQ of its receives */
	struct shm_ring rq;
};

/*
 * Zero-cost mode, see null/null.h: what the peer announces to this QP. It is written under the lock
 * of the QP and is in the same cache line: a cache line that two processes write is expensive.
 */
struct shm_announce {
	_Atomic uint32_t gen;     /* counts the changes of the fields below */
	_Atomic uint32_t written; /* the peer was the first to write to memory */
	uint32_t len, src_qp;     /* of messages with payload */
	uint8_t opcode, flags;    /* of their completions */
	uint32_t empty, imm;      /* number of empty messages; immediate of the last one */
};

/* Zero-cost mode, without a lock: the owner reads this line only when it has no completion. */
struct shm_sent {
	SHM_LINE _Atomic uint64_t sent; /* messages with payload that the peer has posted */
	_Atomic uint32_t sleeping;      /* the owner waits for a completion event */
};

/* Path migration of a connected QP, see transport/migrate.h. */
struct shm_path {
	uint32_t port, alt_port;      /* from 1; alt_port 0: none is loaded */
	_Atomic uint32_t state;       /* enum ibv_mig_state */
	_Atomic uint32_t migrations;  /* by messages of the peer */
	uint32_t failed;              /* IBV_EVENT_PATH_MIG_ERR was raised */
};

struct shm_qp {
	SHM_LINE struct lock lock; /* of the responder: held while a message is delivered */
	uint32_t qpn;              /* 0: no QP */
	struct shm_announce announce;
	SHM_LINE _Atomic uint32_t state;
	uint32_t type; /* enum ibv_qp_type, or SHM_QPT_ */
	uint32_t pd, access, qkey, dest_qpn, dev, rq_psn;
	uint16_t pkey;
	uint8_t mtu; /* of the path, enum ibv_mtu; 0: UD */
	uint32_t recv_cq, send_cq;
	uint32_t srq; /* index + 1 */
	uint32_t xrcd; /* XRC_RECV: its domain */
	uint64_t dc_key; /* DCT: what requests must have */
	uint32_t idx;
	int32_t async_fd;
	uint16_t epoch;
	uint8_t min_rnr_timer, max_dest_rd_atomic;
	uint32_t id;
	uint32_t last_wqe; /* IBV_EVENT_QP_LAST_WQE_REACHED was raised */
	struct shm_path path;
	struct shm_ring rq;
	struct shm_sent sent;
};

struct shm_arena {
	uint32_t magic, slot, gen;
	SHM_LINE _Atomic uint32_t errors; /* counts the QPs and CQs that peers put into error */
	_Atomic uint32_t n_mrs; /* rows of mr that were taken so far, round-robin */
	struct shm_mr mr[SHM_MRS];
	struct shm_qp qp[SHM_QPS];
	struct shm_cq cq[SHM_CQS];
	struct shm_srq srq[SHM_SRQS];
};

_Static_assert(sizeof(struct shm_arena) <= SHM_HEAP_OFF, "the tables fit below the heap");
_Static_assert(sizeof(struct shm_cqe) == 64, "a completion is one cache line");

/* An async event in the pipe of a context. id: number of the object at its owner, or the port. */
struct shm_async {
	uint32_t type, id;
};

#endif
