/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What processes plant where the processes of a user meet. Argument 'plant UID FILE': as that user,
 * takes the names and offers the descriptors that an emulated HCA could take for its own, among
 * them one of FILE; prints 'planted' and waits until it is killed. Argument 'own': descriptors of
 * this user that are not what they seem are not used. Argument 'leave': joins, and ends as it
 * should. Argument 'die': joins, prints its number, and is killed.
 */
#include "config.h"
#include "t.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/shm.h"

enum { PATH_BYTES = 512 };

static void join(void)
{
	struct pair p = t_defaults(IBV_QPT_RC);

	t_open(&p);
	assert_int_equal(ibv_dealloc_pd(p.pd), 0);
	assert_int_equal(ibv_close_device(p.ctx), 0);
}

static uint64_t inode(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_ino;
}

/* The file of a member: the directory, the namespaces, the process, its descriptor. */
static void offer_path(char path[PATH_BYTES], const char *dir, int fd)
{
	snprintf(path, PATH_BYTES, "%s/%llx-%llx.%d.%d", dir,
		 (unsigned long long)inode("/proc/self/ns/pid"),
		 (unsigned long long)inode("/proc/self/ns/net"), (int)getpid(), fd);
}

static void offer(const char *dir, int fd)
{
	char path[PATH_BYTES];

	offer_path(path, dir, fd);
	fd = open(path, O_WRONLY | O_CREAT, 0666);
	assert_true(fd >= 0);
	close(fd);
}

static void take_name(const char *name)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	strncpy(addr.sun_path + 1, name, sizeof(addr.sun_path) - 2);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr,
			      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
					  strlen(name))), 0);
	assert_int_equal(listen(fd, 1), 0);
}

static void write_header(int fd)
{
	struct shm_fabric *f = calloc(1, sizeof(*f));

	f->magic = SHM_MAGIC;
	f->version = SHM_VERSION;
	strncpy(f->name, getenv("SOFTHCA_FABRIC"), sizeof(f->name) - 1);
	assert_int_equal(write(fd, f, sizeof(*f)), sizeof(*f));
	free(f);
}

/* What looks as a fabric: another process would take it for its own, but for its owner or seals. */
static int make_fabric(uint64_t bytes, int seals)
{
	int fd = memfd_create("vb-softhca-fabric", MFD_ALLOW_SEALING);

	assert_true(fd >= 0);
	write_header(fd);
	assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

/* Where an older version looked: a name for the descriptor, and the lock. */
static void take_names(uid_t victim, const int fds[2])
{
	char name[96];

	for (int i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "vb-softhca/%u/%s/p/%d/%d", victim,
			 getenv("SOFTHCA_FABRIC"), (int)getpid(), fds[i]);
		take_name(name);
	}
	snprintf(name, sizeof(name), "vb-softhca/%u/%s/join", victim, getenv("SOFTHCA_FABRIC"));
	take_name(name);
}

/* A directory that is open to all, and a link to one that only the victim can enter. */
static void take_places(uid_t victim, const int fds[2])
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/softhca-%u", victim);
	assert_int_equal(mkdir(path, 0777), 0);
	assert_int_equal(chmod(path, 0777), 0);
	offer(path, fds[0]);
	offer(path, fds[1]);
	snprintf(path, sizeof(path), "/dev/shm/softhca-%u", victim);
	assert_int_equal(symlink("/root", path), 0);
}

/* Called by root. The file becomes as long as a fabric, and looks as one. */
static int plant(uid_t uid, const char *file)
{
	const uid_t victim = getuid();
	int fds[2], own = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(own >= 0);
	write_header(own);
	close(own);
	fds[0] = open(file, O_RDONLY);
	assert_true(fds[0] >= 0);
	assert_int_equal(setresgid(uid, uid, uid), 0);
	assert_int_equal(setresuid(uid, uid, uid), 0);
	assert_int_equal(prctl(PR_SET_DUMPABLE, 1), 0);
	fds[1] = make_fabric(sizeof(struct shm_fabric), F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
	take_names(victim, fds);
	take_places(victim, fds);
	puts("planted");
	fflush(stdout);
	for (;;)
		pause();
	return 0;
}

/* The directory of this user. */
static void own_place(char dir[PATH_BYTES])
{
	static const char *const parents[] = { "/run", "/tmp", "/dev/shm", "/var/tmp" };
	struct stat st;

	for (size_t i = 0; i < sizeof(parents) / sizeof(parents[0]); i++) {
		snprintf(dir, PATH_BYTES, "%s/softhca-%u", parents[i], (unsigned int)geteuid());
		if (!lstat(dir, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid())
			return;
	}
	fail_msg("this user has no directory to meet in");
}

static pid_t start(void (*child)(void))
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		child();
		exit(0);
	}
	return pid;
}

static void ends_well(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* The number of the last process that joined this fabric. */
static uint32_t joined(int fd)
{
	uint32_t n = 0;

	assert_int_equal(pread(fd, &n, sizeof(n), offsetof(struct shm_fabric, next_gen)),
			 sizeof(n));
	return n;
}

/* Offers the descriptor to a process that joins, and takes it back. */
static void try_offer(const char *dir, int fd)
{
	char path[PATH_BYTES];

	offer(dir, fd);
	ends_well(start(join));
	offer_path(path, dir, fd);
	unlink(path); /* the process may have removed it */
}

static void is_not_used(const char *dir, int fd)
{
	try_offer(dir, fd);
	assert_int_equal(joined(fd), 0);
	close(fd);
}

static int own(void)
{
	const int all = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
	const uint64_t bytes = sizeof(struct shm_fabric);
	char dir[PATH_BYTES];
	int fd, fds[2];

	ends_well(start(join)); /* the directory is made */
	own_place(dir);
	/* one that is right is used: so the others are refused for what is wrong with them */
	fd = make_fabric(bytes, all);
	try_offer(dir, fd);
	assert_int_equal(joined(fd), 1);
	close(fd);
	is_not_used(dir, make_fabric(bytes, F_SEAL_SHRINK | F_SEAL_GROW));
	is_not_used(dir, make_fabric(bytes, 0));
	is_not_used(dir, make_fabric(bytes, all | F_SEAL_WRITE));
	is_not_used(dir, make_fabric(bytes + 4096, all));
	assert_int_equal(pipe(fds), 0);
	try_offer(dir, fds[1]); /* opened for reading and writing, it would take the bytes */
	close(fds[0]);
	close(fds[1]);
	return 0;
}

static void be_killed(void)
{
	struct pair p = t_defaults(IBV_QPT_RC);

	t_up(&p);
	printf("%d\n", (int)getpid());
	fflush(stdout);
	raise(SIGKILL);
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "plant"))
		return plant((uid_t)strtoul(argv[2], NULL, 10), argv[3]);
	if (argc != 2)
		return 2;
	if (!strcmp(argv[1], "own"))
		return own();
	if (!strcmp(argv[1], "leave"))
		join();
	else if (!strcmp(argv[1], "die"))
		be_killed();
	else
		return 2;
	return 0;
}
