/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder config: turns the text of the environment (SOFTHCA_*) and of the file SOFTHCA_CONF into
 * settings. It knows no shared memory and no verbs object.
 *
 * base/hca.c loads the settings once per process. A setting that cannot be used is reported on
 * stderr, and the process then gets no emulated device.
 */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "config/profile.h"

#define SETTINGS_PATH 256
#define SETTINGS_FILE 1024
#define SETTINGS_FAULTS 16
#define SETTINGS_TEXT 64 /* bytes of fw_ver in struct ibv_device_attr */

enum settings_fault_kind {
	SETTINGS_FAULT_WC = 1,      /* the n-th completion of a send gets this status */
	SETTINGS_FAULT_POST,        /* the n-th posting call fails with this errno */
	SETTINGS_FAULT_EVENT_LOST,  /* the n-th completion event is not delivered */
	SETTINGS_FAULT_EVENT_EXTRA, /* the n-th completion event is delivered twice */
	SETTINGS_FAULT_DOWN,        /* a port is down from at_ns, for for_ns */
	SETTINGS_FAULT_ASYNC,       /* this async event occurs at at_ns */
	SETTINGS_FAULT_QUERY,       /* ibv_query_port() of port n fails with this errno */
};

enum settings_jitter { SETTINGS_JITTER_NONE, SETTINGS_JITTER_EXP, SETTINGS_JITTER_UNIFORM };

struct settings_fault {
	enum settings_fault_kind kind;
	uint32_t value; /* enum ibv_wc_status, errno, enum ibv_event_type or a port */
	uint64_t n;     /* counted from 1, per opened device; a port */
	uint64_t at_ns, for_ns; /* at_ns: time since the device was opened */
};

struct settings_dev {
	uint64_t bit_s; /* 0: as fast as memory */
	uint64_t delay_ns;
	uint64_t stall_ns, period_ns; /* the link stands still for stall_ns of every period_ns */
	uint64_t reorder_ns; /* delay that is added to a reordered message */
	enum settings_jitter jitter;
	uint64_t jitter_ns; /* exp: mean; uniform: maximum */
	uint32_t loss, reorder, duplicate; /* probability times 2^32 */
	uint64_t seed;
	uint32_t n_faults;
	struct settings_fault fault[SETTINGS_FAULTS];
	char profile[SETTINGS_PATH]; /* its name or file; "": none */
};

struct topology; /* config/topology.h */

struct settings {
	bool null;    /* zero-cost mode, see null/null.h */
	bool mlx5dv;  /* the devices have DC, by the functions of libmlx5; not in that mode */
	uint32_t devices; /* 0 if a setting could not be used */
	uint32_t ports;   /* of devices whose profile does not say; 1 in the zero-cost mode */
	/* zero-cost mode; 0 in the normal mode */
	uint64_t ahead;   /* receives of a QP that complete before the peer has sent */
	uint64_t reflect; /* RDMA writes of a QP that come back as the peer's writes */
	uint64_t cm_timeout_ns; /* rdma_cm: how long a peer may take to answer */
	struct topology *topology; /* freed by the caller; NULL: none */
	struct settings_dev dev[SETTINGS_DEVS];
	struct profile profile[SETTINGS_DEVS];
	char fabric[33];
	char node[33];    /* SOFTHCA_NODE; "": the process is a host of its own */
	uint32_t node_id; /* the number at the end of its name + 1; 0: none */
	bool any_node;    /* set before settings_load(): the node is the last one of the topology */
	char stats[SETTINGS_FILE], record[SETTINGS_FILE]; /* paths; "": none */
};

/* Fills *s, which must be all zero but for any_node, from the environment. */
void settings_load(struct settings *s);

/* settings_profile.c */

/* Reads the profiles of all devices. 0, or -EINVAL after a message. */
int settings_profiles(struct settings *s);
uint32_t settings_ports(const struct settings *s, uint32_t dev);
/*
 * The subnet manager gives the LIDs, and with them brings a port from INIT to ACTIVE. 0: none. Of a
 * device of any node.
 */
uint16_t settings_lid(const struct settings *s, struct profile_of of, uint32_t port);

/* settings_file.c: adds what the file SOFTHCA_CONF has. 0, or -EINVAL after a message. */
int settings_file(struct settings *s, const char *path);

/* settings_faults.c: adds the faults of "wc:STATUS@N,..." to *dev. where: as below. */
int settings_faults(struct settings_dev *dev, const char *where, const char *text);

/* settings_link.c */

struct settings_place {
	const char *where; /* of a text, for messages: its variable, or "FILE, line N" */
	bool in_file;      /* which may name the profile, too */
};

/* Sets what "bandwidth=10G,delay=50us" has. 0, or -EINVAL after a message for each wrong part. */
int settings_link(struct settings_dev *dev, const struct settings_place *at, const char *text);

/*
 * settings_text.c: "emulated PROFILE link bandwidth=10G delay=20us", the settings of a device as
 * its firmware version. It always begins with "emulated": programs know the device by it. Ends with
 * "..." if the text is cut.
 */
void settings_text(const struct settings *s, uint32_t dev, char text[SETTINGS_TEXT]);

#endif
