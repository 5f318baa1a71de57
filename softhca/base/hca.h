/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder base: the state of this process, and what it shares with other processes: shared memory,
 * locks, names, the directory of QP numbers. It knows verbs constants, but no verbs object.
 *
 * This header has the one variable of the library. A preloaded library gets no context from its
 * program, so it needs a variable; all state of the process is in it.
 */
#ifndef HCA_H
#define HCA_H

#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/count.h"
#include "base/shm.h"
#include "base/timers.h"
#include "config/limits.h"
#include "config/settings.h"

#define HCA_MCAST_QPN 0xffffffu
#define HCA_GRH_BYTES 40

#define container_of(ptr, type, member) ((type *)(void *)((char *)(ptr) - offsetof(type, member)))

enum { HCA_BLOCK_SIZES = 20 };

/* What is in use of the arena of this process; only arena.c uses it. */
struct hca_arena_use {
	bool qp[SHM_QPS], cq[SHM_CQS], srq[SHM_SRQS];
	uint32_t next_qp, next_cq, next_srq;
	uint64_t heap; /* bytes handed out at least once */
	struct arena_block *free[HCA_BLOCK_SIZES]; /* by size */
};

/* A region of this process, as a peer cannot change it. */
struct hca_region {
	uint64_t addr, len;
};

/* A peer: the progress thread waits for its end. */
struct hca_watched {
	int fd; /* pidfd */
	uint32_t slot, gen;
};

/* The progress thread; only transport/progress_thread.c uses it. */
struct hca_progress {
	pthread_mutex_t lock; /* of started, watched, n */
	void (*_Atomic check)(void); /* what the thread calls each time it wakes */
	atomic_bool started, stop;
	pthread_t thread;
	struct hca_watched watched[SHM_PROCS];
	uint32_t n;
	/* when the thread wakes by itself; UINT64_MAX: never; 0: it does not sleep */
	_Atomic uint64_t wakes_ns;
	atomic_bool polled;        /* it leaves the timers to a thread that polls */
	_Atomic uint64_t slept_ns; /* when a thread of the program was about to sleep */
	_Atomic uint64_t ran;      /* timers that it ran */
	uint64_t nap_ns;           /* used by the progress thread alone */
};

/* Threads that poll; only transport/progress.c uses it. */
struct hca_polling {
	_Atomic int clock; /* of the CPU time of the thread that polled last; 0: none did */
	_Atomic uint64_t ran; /* timers that threads of the program ran */
	_Atomic uint64_t yields;
	/* used by the progress thread alone: the last look at who polls, and what it has seen */
	bool goes_on;
	uint64_t looked_ns, seen_cpu_ns;
	uint32_t seen_polls;
	int seen_clock;
	/* of all threads that poll; a wrong value does no harm */
	_Atomic uint32_t empty;
	_Atomic uint32_t peer_polls, skip, skipped;
};

/* The connection manager; only the folder cm uses it. */
struct hca_cm {
	pthread_mutex_t lock; /* of all objects of the connection manager */
	/* by descriptor; NULL: the process has not used rdma_cm */
	_Atomic(_Atomic(struct cm_channel *) *) channels;
	struct cm_id **ids;    /* by handle */
	struct cm_group **groups; /* by handle */
	uint32_t n_ids, n_groups;
	uint32_t next_serial, next_port;
	pid_t pid; /* of this process: a child of vfork() uses the same memory */
	/* iWARP: connects the QP of that number and makes it ready; objects/qp_state.c */
	int (*connect_qp)(uint32_t qpn, const struct ibv_qp_attr *attr);
	void (*forget)(void); /* in the child of a fork(): closes what it has of the parent */
};

/* The functions of libc that the library replaces; api/api_file.c fills it in. */
struct hca_libc {
	int (*open)(const char *path, int flags, ...);
	int (*openat)(int dir, const char *path, int flags, ...);
	int (*chdir)(const char *path);
	int (*fstat)(int fd, struct stat *st);
	ssize_t (*write)(int fd, const void *buf, size_t len);
	int (*close)(int fd);
};

/* The copy of /sys/class/infiniband: api/api_sysfs_tree.c; base/fabric.c closes it after fork(). */
struct hca_tree {
	char root[32]; /* "": there is none */
	int lock_fd;
	int error;     /* errno when it could not be made: it is not tried again */
};

/* Set once; a child of fork() keeps it. */
struct hca_fixed {
	pthread_once_t settings_once, device_once;
	struct settings settings;        /* see hca_settings() */
	struct ibv_device dev[SHM_DEVS]; /* objects/device.c */
	bool at_fork;                    /* fabric.c has registered its handler of fork() */
	uint32_t forks;                  /* from the first process to this one */
	struct hca_libc libc;
	pthread_mutex_t tree_lock; /* while hca.tree is made */
};

struct hca {
	struct hca_fixed fixed;
	pthread_mutex_t mutex; /* of all fields that have no other lock */
	bool joined;           /* the fields down to arena_use are valid */
	uint32_t users;        /* open contexts */
	uint32_t slot, gen;    /* this process in the fabric */
	uint32_t self;         /* the value of a lock that this process holds */
	struct shm_fabric *fabric;
	struct shm_arena *arena;
	uint64_t origin_ns;    /* of the fabric */
	void *zeros; /* HCA_MAX_MSG bytes, read by sends from null regions; NULL: not yet needed */
	struct hca_region *regions; /* SHM_MRS: by row of the table in the arena; objects/mr.c */
	pid_t pid;             /* of the process that joined: vfork() copies nothing */
	int fabric_fd, arena_fd;
	int wake_in, wake_out; /* pipe: a byte in it wakes the progress thread */
	struct hca_arena_use arena_use;
	/* the objects of this process */
	struct qp *qp[SHM_QPS];
	struct qp *qps;
	struct cq *cqs;
	struct srq *srqs;
	struct mr *mrs;
	struct ctx *ctxs;
	struct xrcd *xrcds;
	struct count count[SHM_DEVS]; /* of all contexts of a device */
	int fork_pipe[2];      /* from fork() until the child has its copy: fabric.c */
	uint32_t next_pd, next_mr, next_id, next_ordinal, next_srqn;
	pthread_mutex_t peers_lock;
	struct peer *peers; /* peer.c */
	_Atomic uint32_t given_up[SHM_PROCS]; /* generation + 1 of who does not go on: peer.c */
	struct hca_cm cm;
	struct hca_tree tree;
	/* transport */
	struct record_file *record; /* NULL: not asked for; record/record.c */
	struct timers timers;
	struct hca_progress progress;
	struct hca_polling polling;
	atomic_uint errors_seen;        /* value of shm_arena.errors when last handled */
	_Atomic uint64_t pinned;        /* bytes of queues that count against RLIMIT_MEMLOCK */
	atomic_uint in_flight, waiting; /* messages on the link; threads that wait for their end */
};

extern struct hca hca;

/* The settings; loaded by the first call. */
const struct settings *hca_settings(void);

static inline const struct profile *hca_profile(uint32_t dev)
{
	return &hca_settings()->profile[dev % SETTINGS_DEVS];
}

/*
 * In the child of a fork(): all fields except fixed are as at the start, and fixed.forks is greater
 * by 1. Closes nothing.
 */
void hca_forget(void);

/*
 * Peers can write to all that is shared, and nothing of it is trusted: an index or an offset from
 * there is limited where it is used, so that what is wrong is wrong within shared memory.
 */

/* A port of a device of the process in that slot, or of its node; port: from 1. */
static inline struct shm_port *hca_port(uint32_t slot, uint32_t dev, uint32_t port)
{
	struct shm_proc *p = &hca.fabric->proc[slot % SHM_PROCS];
	const uint32_t node = p->node, i = dev % SHM_DEVS, n = (port - 1) % SHM_PORTS;

	return node ? &hca.fabric->node[(node - 1) % SHM_NODES].port[i][n] : &p->port[i][n];
}

/* So many bytes at an offset of an arena; NULL: not all of them are in it. */
static inline void *hca_in(struct shm_arena *arena, uint64_t off, uint64_t bytes)
{
	if (off > SHM_ARENA_BYTES || bytes > SHM_ARENA_BYTES - off || off % 4)
		return NULL;
	return (uint8_t *)arena + off;
}

/* The object at an offset of an arena, which this process has from arena_alloc(). */
static inline void *hca_at(struct shm_arena *arena, uint64_t off)
{
	return (uint8_t *)arena + off;
}

#endif
