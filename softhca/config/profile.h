/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A device profile: what a device reports, grants and refuses. It is read from a file of lines
 * "key = value", with comments from '#' on. profile.def has the keys; their defaults are the
 * emulated HCA without a profile. profiles/soft.conf has all keys.
 *
 * Sizes are in bytes, times in ns.
 */
#ifndef PROFILE_H
#define PROFILE_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/limits.h"

#define SETTINGS_DEVS 8
#define SETTINGS_PORTS 2
#define SETTINGS_NODES 2048

#define PROFILE_NAME 32
#define PROFILE_TEXT 128
#define PROFILE_GIDS 16 /* of each port */
#define PROFILE_PKEYS 16
#define PROFILE_COUNTERS 16
#define PROFILE_VECTORS 16
/* 0xbfff is the last unicast LID (IBA vol. 1, 4.1.3). Those of all ports follow the first one. */
#define PROFILE_LAST_LID (0xbfff - PROFILE_HOST_PORTS + 1)
#define PROFILE_HOST_PORTS (SETTINGS_DEVS * SETTINGS_PORTS) /* of a host, at most */
#define PROFILE_NO_NODE UINT64_MAX

/* Opcodes, and flags, of send requests. */
enum profile_op {
	PROFILE_NONE = 0,
	PROFILE_SEND = 1 << 0,
	PROFILE_SEND_IMM = 1 << 1,
	PROFILE_WRITE = 1 << 2,
	PROFILE_WRITE_IMM = 1 << 3,
	PROFILE_READ = 1 << 4,
	PROFILE_FETCH_ADD = 1 << 5,
	PROFILE_CMP_SWAP = 1 << 6,
	PROFILE_SEND_INV = 1 << 7,
	PROFILE_BIND = 1 << 8,
	PROFILE_LOCAL_INV = 1 << 9,
	PROFILE_FENCE = 1 << 10,
	PROFILE_SIGNALED = 1 << 11,
	PROFILE_SOLICITED = 1 << 12,
	PROFILE_INLINE = 1 << 13,
	PROFILE_ATOMIC_WRITE = 1 << 14,
	PROFILE_FLUSH_GLOBAL = 1 << 15,
	PROFILE_FLUSH_PERSISTENT = 1 << 16,
	PROFILE_ANNEX_19 = PROFILE_ATOMIC_WRITE | PROFILE_FLUSH_GLOBAL | PROFILE_FLUSH_PERSISTENT,
	PROFILE_FLAGS = PROFILE_FENCE | PROFILE_SIGNALED | PROFILE_SOLICITED | PROFILE_INLINE,
	PROFILE_DATAGRAM = PROFILE_SEND | PROFILE_SEND_IMM,
	PROFILE_UNRELIABLE = PROFILE_DATAGRAM | PROFILE_WRITE | PROFILE_WRITE_IMM |
			     PROFILE_SEND_INV | PROFILE_BIND | PROFILE_LOCAL_INV,
	PROFILE_RELIABLE = PROFILE_UNRELIABLE | PROFILE_READ | PROFILE_FETCH_ADD |
			   PROFILE_CMP_SWAP,
};

enum profile_inline { PROFILE_INLINE_REFUSE, PROFILE_INLINE_LESS, PROFILE_INLINE_IGNORE };
enum profile_round { PROFILE_ROUND_NONE, PROFILE_ROUND_POW2 };

/*
 * What a port counts: messages, and the payload in them. Those of a link only if it is used; the
 * reasons for which requests are sent again always.
 */
enum hca_counter {
	HCA_SENT, HCA_SENT_BYTES, HCA_RECEIVED, HCA_RECEIVED_BYTES,
	HCA_TIMEOUTS,        /* requester: sent again after the ACK timeout */
	HCA_SEQ_NAKS,        /* requester: sent again after a NAK for a gap */
	HCA_RNR_NAKS,        /* requester: sent again after an RNR NAK */
	HCA_RNR_SENT,        /* responder: RNR NAKs */
	HCA_OUT_OF_SEQUENCE, /* responder: requests behind a gap */
	HCA_DISCARDS,        /* messages for which the buffer before the port had no room */
	HCA_PAUSES,          /* how often a full buffer behind the port held it back, how long */
	HCA_PAUSED_NS,
	HCA_COUNTERS
};

/* A file in ports/N/hw_counters: the sum of some counters. */
struct profile_counter {
	char name[48];
	uint32_t of; /* bits: 1 << enum hca_counter; 0: the file has 0 */
};

/* enum ibv_qp_type as bits, as in struct ibv_packet_pacing_caps */
enum profile_paced {
	PROFILE_PACED_NONE = 0,
	PROFILE_PACED_RC = 1 << IBV_QPT_RC,
	PROFILE_PACED_UC_UD = 1 << IBV_QPT_UC | 1 << IBV_QPT_UD,
	PROFILE_PACED_RAW = 1 << IBV_QPT_RAW_PACKET,
	PROFILE_PACED_ALL = PROFILE_PACED_RC | PROFILE_PACED_UC_UD | 1 << IBV_QPT_XRC_SEND,
};

struct profile_gid {
	char text[64]; /* the address, with its templates */
	uint8_t raw[SETTINGS_PORTS][16]; /* at each port */
	enum ibv_gid_type type;
	uint16_t vlan; /* 0: none */
};

struct profile {
	char name[PROFILE_NAME]; /* of the file; "": there is no profile */
#define TEXT(key, help) char key[PROFILE_TEXT];
#define NUMBER(key, value, min, max, help) uint64_t key;
#define CODE(key, value, words, help) uint64_t key;
#define FLAG(key, value, help) uint64_t key;
#define OPS(key, value, help) uint64_t key;
#define TIME(key, help) uint64_t key;
#include "config/profile.def"
#undef TEXT
#undef NUMBER
#undef CODE
#undef FLAG
#undef OPS
#undef TIME
	uint32_t n_gids, n_pkeys, n_counters;
	bool no_gids; /* "gid = none": the table is empty, not the default one */
	struct profile_gid gid[PROFILE_GIDS];
	uint16_t pkey[PROFILE_PKEYS];
	bool no_counters; /* "counter = none": the device has no hw_counters */
	struct profile_counter counter[PROFILE_COUNTERS];
};

/* A device is one that was described: its addresses are checked as the kernel does. */
static inline bool profile_is_set(const struct profile *p)
{
	return p->name[0];
}

/* Which device it is: addresses follow from it. */
struct profile_of {
	uint32_t dev;
	uint32_t node; /* settings.node_id */
};

/* The emulated HCA without a profile, as that device. */
void profile_default(struct profile *p, struct profile_of of);

/*
 * Reads a profile of that device. 0, or -EINVAL after a message on stderr for each line that cannot
 * be used.
 */
int profile_load(struct profile *p, const char *path, struct profile_of of);

/*
 * profile_find.c: the file of a profile: the path itself if it has a '/', else NAME.conf where
 * profiles are. 0, or -ENOENT after a message on stderr. SIZE: of path.
 */
int profile_find(const char *name, char *path, size_t size);

/* profile_gid.c */

/* Adds "roce_v2 {ip4} vlan=5" to the table; 0 or -EINVAL. */
int profile_gid_add(struct profile *p, const char *value);
/* Makes the addresses of the table, for that device; the index of an invalid entry, or -1. */
int profile_gid_fill(struct profile *p, struct profile_of of);
/*
 * The EUI-64 of a port of a device; its first byte says that no manufacturer gave it (IEEE 802,
 * 8.4). port: from 1.
 */
uint64_t profile_guid(struct profile_of of, uint32_t port);
/* The IPv4 address of a port; in the block for benchmarks (RFC 2544, 198.18.0.0/15). */
uint32_t profile_ip4(struct profile_of of, uint32_t port);
/*
 * The only device of a node whose port 1 may have this address from the templates of profiles: they
 * end with the number of the port. Whether it has it is not said.
 */
struct profile_of profile_at(const uint8_t gid[16]);
/* How far the LID of a port is from that of the profile. */
uint32_t profile_lid_step(struct profile_of of, uint32_t ports, uint32_t port);

/* profile_counter.c */

/* Adds "rnr_nak_retry_err rnr_naks" to the counters; 0 or -EINVAL. */
int profile_counter_add(struct profile *p, const char *value);
/* Those of a profile that names none: the names of mlx5. */
void profile_counter_fill(struct profile *p);

/* profile_value.c: keys and their values */

enum profile_kind {
	PROFILE_IS_TEXT, PROFILE_IS_NUMBER, PROFILE_IS_CODE, PROFILE_IS_FLAG, PROFILE_IS_OPS,
	PROFILE_IS_TIME,
};

struct profile_word {
	const char *word; /* NULL: the end of a table */
	uint64_t value;
};

struct profile_key {
	const char *name;
	enum profile_kind kind;
	size_t offset; /* in struct profile */
	uint64_t value, min, max;
	const struct profile_word *words;
	const char *help; /* for profiles/soft.conf */
};

extern const struct profile_key profile_keys[];
extern const uint32_t profile_n_keys;

const struct profile_key *profile_key(const char *name);
/* Sets a key. 0, or -EINVAL; allowed: what it may be. */
int profile_set(struct profile *p, const struct profile_key *key, const char *value,
		char *allowed, size_t size);

#endif
