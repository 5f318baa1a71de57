/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Joins and leaves the fabric; see fabric.h. */
#include "config.h"
#include "base/fabric.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/alive.h"
#include "base/clock.h"
#include "base/hca.h"
#include "base/join.h"
#include "base/lock.h"
#include "base/pages.h"
#include "base/qpn.h"
#include "meet/shared.h"

#define JOIN_TRIES 4
#define SWEPT 64u /* of a process that joins */

static void *map_fabric(int fd)
{
	void *p = mmap(NULL, sizeof(struct shm_fabric), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

static bool is_ours(const struct shm_fabric *f)
{
	return f->magic == SHM_MAGIC && f->version == SHM_VERSION &&
	       !strncmp(f->name, hca_settings()->fabric, sizeof(f->name));
}

/* Opens the fabric of a member. -ENOENT and -EPERM: there is no such member. */
static int try_member(int pid, int fd_no)
{
	struct shm_fabric *f;
	int fd;

	/* of a process that ended, and had the number of this one */
	if (pid == getpid())
		return -EINVAL;
	fd = shared_open(pid, fd_no, sizeof(*f));
	if (fd < 0)
		return fd;
	f = map_fabric(fd);
	if (!f || !is_ours(f)) {
		if (f)
			munmap(f, sizeof(*f));
		close(fd);
		return -EINVAL;
	}
	hca.fabric = f;
	hca.fabric_fd = fd;
	return 0;
}

static int make_fabric(void)
{
	int fd = shared_make("vb-softhca-fabric", sizeof(struct shm_fabric));

	if (fd < 0)
		return fd;
	hca.fabric = map_fabric(fd);
	if (!hca.fabric) {
		close(fd);
		return -ENOMEM;
	}
	hca.fabric_fd = fd;
	hca.fabric->origin_ns = clock_now();
	memcpy(hca.fabric->name, hca_settings()->fabric, sizeof(hca.fabric->name));
	hca.fabric->version = SHM_VERSION;
	hca.fabric->magic = SHM_MAGIC;
	return 0;
}

void fabric_remove(uint32_t slot, uint32_t gen)
{
	struct shm_proc *p = &hca.fabric->proc[slot];

	lock_take_shared(&hca.fabric->lock);
	if (p->gen == gen && atomic_load(&p->used)) {
		qpn_free_slot(slot);
		atomic_store(&p->used, 0);
	}
	lock_drop_shared(&hca.fabric->lock);
}

/*
 * Frees the slots of processes that were killed; looks at so many of them, from where the last call
 * ended. A look costs time in proportion to all processes: the kernel has their locks in a list.
 */
static void sweep(uint32_t most)
{
	struct shm_fabric *f = hca.fabric;
	const uint32_t all = f->n_procs < SHM_PROCS ? f->n_procs : SHM_PROCS;

	for (uint32_t n = 0; n < all && n < most; n++) {
		const uint32_t i = f->next_swept++ % all;

		if (atomic_load(&f->proc[i].used) && !alive_process(i, f->proc[i].gen))
			fabric_remove(i, f->proc[i].gen);
	}
}

static int find_slot(void)
{
	struct shm_fabric *f = hca.fabric;

	for (uint32_t i = 0; i < SHM_PROCS; i++) {
		struct shm_proc *p = &f->proc[i];

		if (atomic_load(&p->used) || !alive_claim(i))
			continue;
		hca.slot = i;
		hca.gen = ++f->next_gen & 0xffff;
		p->gen = hca.gen;
		p->pid = getpid();
		hca.self = alive_as_owner(i, hca.gen);
		if (i >= f->n_procs)
			f->n_procs = i + 1;
		return 0;
	}
	return -EUSERS;
}

static int take_slot(void)
{
	int rc;

	hca.slot = UINT32_MAX;
	sweep(SWEPT);
	rc = find_slot();
	if (!rc)
		return 0;
	sweep(SHM_PROCS);
	rc = find_slot();
	if (!rc)
		return 0;
	fprintf(stderr, "softhca: %d processes use the devices already, which is the most\n",
		SHM_PROCS);
	return rc;
}

static int make_arena(void)
{
	void *p;
	int fd = shared_make("vb-softhca-arena", SHM_ARENA_OFF + SHM_ARENA_BYTES);

	if (fd < 0)
		return fd;
	hca.arena_fd = fd;
	p = mmap(NULL, SHM_ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd,
		 (off_t)SHM_ARENA_OFF);
	if (p == MAP_FAILED)
		return -errno;
	hca.arena = p;
	hca.regions = pages_alloc(SHM_MRS * sizeof(*hca.regions));
	if (!hca.regions)
		return -ENOMEM;
	hca.arena->slot = hca.slot;
	hca.arena->gen = hca.gen;
	hca.arena->magic = SHM_MAGIC;
	return 0;
}

/*
 * From the last store on, other processes find this one. -EAGAIN: they have passed this process by.
 */
static int publish(const struct join *j)
{
	struct shm_proc *p = &hca.fabric->proc[hca.slot];
	int fds[2], rc;

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	hca.wake_in = fds[0];
	hca.wake_out = fds[1];
	p->arena_fd = hca.arena_fd;
	p->wake_fd = fds[1];
	atomic_store(&p->poll_cpu, 0);
	atomic_store(&p->partner, 0);
	atomic_store(&p->waits, SHM_WAITS_NOT);
	atomic_store(&p->crowded_until_ns, 0);
	if (!join_is_held(j))
		return -EAGAIN;
	rc = fabric_set_up_ports();
	if (!rc)
		rc = join_publish(j, hca.fabric_fd);
	if (rc)
		return rc;
	/*
	 * peers use process_vm_readv(2) on memory that cannot be shared; Yama refuses it otherwise
	 */
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	atomic_store(&p->used, 1);
	return 0;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* After a join that failed. */
static void undo(void)
{
	if (hca.regions)
		pages_free(hca.regions, SHM_MRS * sizeof(*hca.regions));
	if (hca.arena)
		munmap(hca.arena, SHM_ARENA_BYTES);
	if (hca.fabric)
		munmap(hca.fabric, sizeof(*hca.fabric));
	hca.regions = NULL;
	hca.arena = NULL;
	hca.fabric = NULL;
	close_fd(&hca.wake_in);
	close_fd(&hca.wake_out);
	close_fd(&hca.arena_fd);
	close_fd(&hca.fabric_fd); /* with it ends the lock on the slot */
}

static int try_join(void)
{
	struct join j;
	int rc = join_begin(&j);

	if (rc)
		return rc;
	hca.fabric_fd = hca.arena_fd = hca.wake_in = hca.wake_out = -1;
	if (!join_each(&j, try_member))
		rc = make_fabric();
	if (!rc) {
		hca.origin_ns = hca.fabric->origin_ns;
		rc = take_slot();
	}
	if (!rc)
		rc = make_arena();
	if (!rc)
		rc = publish(&j);
	if (rc)
		undo();
	join_end(&j);
	return rc;
}

static int join(void)
{
	int rc;

	/* each time costs more than JOIN_HOLD_NS */
	for (int n = 0; n < JOIN_TRIES; n++) {
		rc = try_join();
		if (rc != -EAGAIN)
			return rc;
	}
	return -ETIMEDOUT;
}

/* A file that a killed process leaves behind is removed by the next that joins. */
__attribute__((destructor)) static void forget_place(void)
{
	if (hca.joined && hca.pid == getpid())
		join_leave(hca.fabric_fd);
}

/*
 * A child of fork() has its own copy of all memory, as with a real HCA (Linux since 5.12), also of
 * what is registered, whose pages are shared. The parent waits until the child has made it, so that
 * nothing that it writes later is in it. It waits for the end of a pipe, which a killed child
 * gives. The progress thread frees what it had of a dead peer, in pages of the heap that may be
 * shared: not meanwhile.
 */
static void before_fork(void)
{
	pthread_mutex_lock(&hca.mutex);
	pthread_mutex_lock(&hca.peers_lock);
	if (!hca.mrs || pipe2(hca.fork_pipe, O_CLOEXEC))
		hca.fork_pipe[0] = hca.fork_pipe[1] = -1;
}

static void in_parent(void)
{
	char none;

	if (hca.fork_pipe[0] >= 0) {
		close(hca.fork_pipe[1]);
		while (read(hca.fork_pipe[0], &none, 1) < 0 && errno == EINTR)
			;
		close(hca.fork_pipe[0]);
	}
	pthread_mutex_unlock(&hca.peers_lock);
	pthread_mutex_unlock(&hca.mutex);
}

/*
 * A child of fork() cannot use the objects of its parent, as with a real HCA. It may open new ones.
 */
static void in_child(void)
{
	if (hca.mrs)
		pages_copy_all();
	if (hca.fork_pipe[0] >= 0) {
		close(hca.fork_pipe[0]);
		close(hca.fork_pipe[1]);
	}
	if (hca.cm.forget)
		hca.cm.forget();
	if (hca.tree.root[0])
		close(hca.tree.lock_fd);
	if (hca.joined) {
		close(hca.fabric_fd);
		close(hca.arena_fd);
		close(hca.wake_in);
		close(hca.wake_out);
	}
	hca_forget();
}

static void watch_fork(void)
{
	if (!hca.fixed.at_fork)
		hca.fixed.at_fork = !pthread_atfork(before_fork, in_parent, in_child);
}

void fabric_watch_fork(void)
{
	pthread_mutex_lock(&hca.mutex);
	watch_fork();
	pthread_mutex_unlock(&hca.mutex);
}

static int join_as(uint32_t users)
{
	int rc = 0;

	pthread_mutex_lock(&hca.mutex);
	if (!hca.joined) {
		rc = join();
		hca.joined = !rc;
		hca.pid = getpid();
		if (!rc)
			watch_fork();
	}
	if (!rc)
		hca.users += users;
	pthread_mutex_unlock(&hca.mutex);
	return rc;
}

int fabric_join(void)
{
	return join_as(1);
}

int fabric_look(void)
{
	return join_as(0);
}

/*
 * The process stays on the fabric when its last context is closed: programs often open and close a
 * device, for example to list it. The kernel frees everything when the process ends.
 */
bool fabric_leave(void)
{
	bool last;

	pthread_mutex_lock(&hca.mutex);
	last = hca.users && !--hca.users;
	pthread_mutex_unlock(&hca.mutex);
	return last;
}
