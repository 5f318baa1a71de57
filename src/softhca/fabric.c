/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Joining and leaving the fabric, and who lives in it; see fabric.h. */
#include "config.h"
#include "fabric.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "engine.h"
#include "hca.h"
#include "peer.h"
#include "agenda.h"
#include "wire.h"

static void *map_fabric(int fd)
{
	void *p = mmap(NULL, sizeof(struct shm_fabric), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* A member's own descriptor of the fabric, if the member lives and is of this version. */
static bool try_member(int pid, int fd_no)
{
	char path[64];
	struct shm_fabric *f;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd_no);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return false;
	f = lseek(fd, 0, SEEK_END) == (off_t)sizeof(*f) ? map_fabric(fd) : NULL;
	if (!f || f->magic != SHM_MAGIC || f->version != SHM_VERSION) {
		if (f)
			munmap(f, sizeof(*f));
		close(fd);
		return false;
	}
	hca.fabric = f;
	hca.fabric_fd = fd;
	return true;
}

static bool find_fabric(const char *pre)
{
	char line[512], want[FABRIC_PREFIX + 8];
	FILE *f = fopen("/proc/net/unix", "re");
	bool found = false;

	if (!f)
		return false;
	snprintf(want, sizeof(want), "@%s/p/", pre);
	while (!found && fgets(line, sizeof(line), f)) {
		char *at = strstr(line, want);
		int pid, fd;

		if (at && sscanf(at + strlen(want), "%d/%d", &pid, &fd) == 2 && pid != getpid())
			found = try_member(pid, fd);
	}
	fclose(f);
	return found;
}

static int make_fabric(void)
{
	int fd = memfd_create("vb-softhca-fabric", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, sizeof(struct shm_fabric)) || !(hca.fabric = map_fabric(fd))) {
		close(fd);
		return -ENOMEM;
	}
	hca.fabric_fd = fd;
	hca.fabric->origin_ns = agenda_now();
	hca.fabric->version = SHM_VERSION;
	hca.fabric->magic = SHM_MAGIC;
	return 0;
}

static bool byte_lock(uint32_t slot, short type, int cmd)
{
	struct flock l = { .l_type = type, .l_whence = SEEK_SET, .l_start = slot, .l_len = 1 };

	if (fcntl(hca.fabric_fd, cmd, &l))
		return false;
	return cmd != F_GETLK || l.l_type != F_UNLCK;
}

/*
 * A process that dies cannot say so: its lock on its slot's byte goes with it (fcntl(2): held by
 * the process, not by its children).
 */
bool fabric_alive(uint32_t slot, uint32_t gen)
{
	const struct shm_proc *p = &hca.fabric->proc[slot];

	if (slot == hca.slot)
		return gen == hca.gen;
	return p->gen == gen && atomic_load(&p->used) && byte_lock(slot, F_WRLCK, F_GETLK);
}

bool fabric_lives(uint32_t lock_word)
{
	return fabric_alive((lock_word & 0xff) - 1, lock_word >> 8);
}

void fabric_bury(uint32_t slot, uint32_t gen)
{
	struct shm_proc *p = &hca.fabric->proc[slot];

	lock_take(&hca.fabric->lock);
	if (p->gen == gen && atomic_load(&p->used)) {
		for (uint32_t i = 0; i < SHM_QPNS; i++) {
			uint64_t dir = atomic_load_explicit(&hca.fabric->dir[i],
							    memory_order_relaxed);

			if (dir && fabric_dir_slot(dir) == slot)
				atomic_store(&hca.fabric->dir[i], 0);
		}
		atomic_store(&p->used, 0);
	}
	lock_drop(&hca.fabric->lock);
}

static int take_slot(void)
{
	struct shm_fabric *f = hca.fabric;

	hca.slot = UINT32_MAX;
	for (uint32_t i = 0; i < SHM_PROCS; i++)
		if (atomic_load(&f->proc[i].used) && !fabric_alive(i, f->proc[i].gen))
			fabric_bury(i, f->proc[i].gen);
	for (uint32_t i = 0; i < SHM_PROCS; i++) {
		struct shm_proc *p = &f->proc[i];

		if (atomic_load(&p->used) || !byte_lock(i, F_WRLCK, F_SETLK))
			continue;
		hca.slot = i;
		hca.gen = ++f->next_gen & 0xffff;
		p->gen = hca.gen;
		p->pid = getpid();
		hca.self = (i + 1) | hca.gen << 8;
		return 0;
	}
	return -EUSERS;
}

static int make_arena(void)
{
	void *p;
	int fd = memfd_create("vb-softhca-arena", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	hca.arena_fd = fd;
	if (ftruncate(fd, (off_t)(SHM_ARENA_OFF + SHM_ARENA_BYTES)))
		return -errno;
	p = mmap(NULL, SHM_ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd,
		 (off_t)SHM_ARENA_OFF);
	if (p == MAP_FAILED)
		return -errno;
	hca.arena = p;
	hca.arena->slot = hca.slot;
	hca.arena->gen = hca.gen;
	hca.arena->magic = SHM_MAGIC;
	return 0;
}

static int announce(const char *pre)
{
	struct shm_proc *p = &hca.fabric->proc[hca.slot];
	char name[FABRIC_NAME];
	int fds[2];

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	hca.bell_in = fds[0];
	hca.bell_out = fds[1];
	p->arena_fd = hca.arena_fd;
	p->bell_fd = fds[1];
	for (uint32_t d = 0; d < SHM_DEVS; d++)
		wire_setup(&p->port[d], cfg_dev(d));
	snprintf(name, sizeof(name), "%s/p/%d/%d", pre, getpid(), hca.fabric_fd);
	hca.name_fd = fabric_take_name(name);
	if (hca.name_fd < 0)
		return hca.name_fd;
	/* peers read by process_vm_readv(2) what cannot be shared; Yama lets only parents do so */
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	atomic_store(&p->used, 1);
	return 0;
}

static int join(void)
{
	char pre[FABRIC_PREFIX];
	int door, rc = 0;

	fabric_prefix(pre);
	door = fabric_door(pre);
	if (door < 0)
		return door;
	if (!find_fabric(pre))
		rc = make_fabric();
	if (!rc)
		rc = take_slot();
	if (!rc)
		rc = make_arena();
	if (!rc)
		rc = announce(pre);
	close(door);
	return rc;
}

/* In a child of fork() nothing of the parent's is usable, as with a real HCA; it may start anew. */
static void forget(void)
{
	if (hca.joined) {
		close(hca.fabric_fd);
		close(hca.arena_fd);
		close(hca.name_fd);
		close(hca.bell_in);
		close(hca.bell_out);
	}
	hca_forget();
	agenda_forget();
}

int fabric_join(void)
{
	int rc = 0;

	pthread_mutex_lock(&hca.mutex);
	if (!hca.joined) {
		rc = join();
		hca.joined = !rc;
		if (!rc && !hca.fixed.at_fork)
			hca.fixed.at_fork = !pthread_atfork(NULL, NULL, forget);
	}
	if (!rc)
		hca.users++;
	pthread_mutex_unlock(&hca.mutex);
	if (!rc)
		engine_resume();
	return rc;
}

/*
 * The last context is closed, but the process stays on the fabric: opening and closing devices is
 * common (listing them does), and the kernel takes back everything at exit.
 */
void fabric_leave(void)
{
	bool last;

	pthread_mutex_lock(&hca.mutex);
	last = hca.users && !--hca.users;
	pthread_mutex_unlock(&hca.mutex);
	if (last)
		engine_stop();
}

int fabric_new_qpn(uint32_t qp_idx, uint32_t *qpn)
{
	struct shm_fabric *f = hca.fabric;
	int rc = -ENOMEM;

	lock_take(&f->lock);
	for (uint32_t n = 0; n < SHM_QPNS - SHM_QPN_FIRST; n++) {
		uint32_t i = SHM_QPN_FIRST + f->next_qpn++ % (SHM_QPNS - SHM_QPN_FIRST);

		if (atomic_load(&f->dir[i]))
			continue;
		f->dir_gen[i]++;
		*qpn = (uint32_t)f->dir_gen[i] << 16 | i;
		atomic_store(&f->dir[i], UINT64_C(1) << 63 | (uint64_t)f->dir_gen[i] << 40 |
			     (uint64_t)hca.gen << 24 | (uint64_t)hca.slot << 16 | qp_idx);
		rc = 0;
		break;
	}
	lock_drop(&f->lock);
	return rc;
}

void fabric_free_qpn(uint32_t qpn)
{
	atomic_store(&hca.fabric->dir[qpn & 0xffff], 0);
}

uint64_t fabric_find(uint32_t qpn)
{
	uint32_t i = qpn & 0xffff;
	uint64_t dir;

	if (i < SHM_QPN_FIRST || i >= SHM_QPNS)
		return 0;
	dir = atomic_load_explicit(&hca.fabric->dir[i], memory_order_acquire);
	return ((dir >> 40) & 0xff) == qpn >> 16 ? dir : 0;
}
