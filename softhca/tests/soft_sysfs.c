/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What programs see of the devices in /sys and /proc: files, folders, interrupts. The cases are
 * those of t_profile.h.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "t_profile.h"

#define IB "link_layer = infiniband\ngrh_required = no\nlid = 16\n"
#define TOP "/sys/class/infiniband"
#define PORT TOP "/softhca0/ports/1"

static void expect_file(const char *name, const char *text)
{
	char path[128], got[256] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/infiniband/softhca0/%s", name);
	f = fopen(path, "re");
	if (!f)
		fail_msg("%s: %s", path, strerror(errno));
	assert_non_null(fgets(got, sizeof(got), f));
	fclose(f);
	assert_string_equal(got, text);
}

static void files(void **state)
{
	char text[64];
	ssize_t n;
	int fd;

	(void)state;
	expect_file("fw_ver", "40.44.1036\n");
	expect_file("node_type", "1: CA\n");
	expect_file("ports/1/rate", "800 Gb/sec (4X XDR)\n");
	expect_file("ports/1/link_layer", "InfiniBand\n");
	expect_file("ports/1/state", "4: ACTIVE\n");
	expect_file("ports/1/lid", "0x10\n");
	expect_file("ports/1/gids/0", "fe80:0000:0000:0000:0276:6200:0000:0001\n");
	expect_file("ports/1/gids/1", "0000:0000:0000:0000:0000:0000:0000:0000\n");
	expect_file("ports/1/gid_attrs/types/0", "IB/RoCE v1\n");
	expect_file("ports/1/pkeys/0", "0xffff\n");
	expect_file("device/numa_node", "1\n");
	expect_file("device/current_link_speed", "64.0 GT/s PCIe\n");
	expect_file("device/current_link_width", "16\n");
	assert_null(fopen("/sys/class/infiniband/softhca0/ports/3/rate", "r"));
	assert_int_equal(errno, ENOENT);
	assert_null(fopen("/sys/class/infiniband/softhca0/fw_ver", "w"));
	n = readlink("/sys/class/infiniband/softhca0/device/driver", text, sizeof(text) - 1);
	assert_true(n > 0);
	text[n] = '\0';
	assert_string_equal(strrchr(text, '/'), "/mlx5_core");
	assert_int_equal(access("/sys/class/infiniband/softhca0/ports/1", R_OK), 0);
	assert_int_equal(access("/sys/class/infiniband/softhca0/nosuch", R_OK), -1);
	fd = open("/sys/class/infiniband/softhca0/ports/1/state", O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(read(fd, text, sizeof(text)), 10);
	close(fd);
}

/* How many names a folder has. */
static uint32_t names_in(DIR *dir)
{
	struct dirent *entry;
	uint32_t n = 0;

	while ((entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	return n;
}

static void read_at(int dir, const char *name, const char *text)
{
	char got[64] = "";
	int fd = openat(dir, name, O_RDONLY);

	if (fd < 0)
		fail_msg("%s: %s", name, strerror(errno));
	assert_true(read(fd, got, sizeof(got) - 1) > 0);
	close(fd);
	assert_string_equal(got, text);
}

static void folders(void **state)
{
	struct stat asked, opened;
	struct dirent **list;
	char real[4096];
	DIR *dir;
	int n;

	(void)state;
	dir = opendir(PORT "/counters");
	assert_non_null(dir);
	assert_true(names_in(dir) >= 5);
	assert_int_equal(stat(PORT "/counters", &asked), 0);
	assert_int_equal(fstat(dirfd(dir), &opened), 0);
	assert_int_equal(asked.st_ino, opened.st_ino);
	read_at(dirfd(dir), "port_rcv_errors", "0\n");
	closedir(dir);
	n = scandir(PORT "/gids", &list, NULL, alphasort);
	assert_int_equal(n, 2 + 4);
	assert_string_equal(list[5]->d_name, "3");
	while (n--)
		free(list[n]);
	free(list);
	assert_null(opendir(PORT "/state"));
	assert_int_equal(errno, ENOTDIR);
	assert_null(opendir(PORT "/nosuch"));
	assert_int_equal(errno, ENOENT);
	read_at(AT_FDCWD, PORT "/state", "4: ACTIVE\n");
	assert_int_equal(openat(AT_FDCWD, PORT "/state", O_WRONLY), -1);
	assert_non_null(realpath(TOP "/softhca0/", real));
	assert_string_equal(real, TOP "/softhca0");
	assert_int_equal(lstat(TOP "/softhca0/device/driver", &asked), 0);
	assert_true(S_ISLNK(asked.st_mode));
	assert_int_equal(chdir(PORT), 0);
	read_at(AT_FDCWD, "phys_state", "5: LinkUp\n");
	assert_int_equal(access("hw_counters/lifespan", R_OK), 0);
	assert_int_equal(chdir("/"), 0);
}

/* Lists a folder in a child, and writes where its copy is. */
static void list_and_end(int to)
{
	DIR *dir = opendir(TOP);
	char link[64], path[4096];
	ssize_t n;

	if (!dir)
		_exit(1);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", dirfd(dir));
	n = readlink(link, path, sizeof(path));
	closedir(dir);
	exit(n > 0 && write(to, path, (size_t)n) == n ? 0 : 1);
}

static void copy_is_removed(void **state)
{
	char path[4096] = "";
	int fds[2], status;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	fflush(NULL);
	pid = fork();
	if (!pid)
		list_and_end(fds[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_true(read(fds[0], path, sizeof(path) - 1) > 0);
	assert_int_not_equal(strncmp(path, TOP, strlen(TOP)), 0);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(errno, ENOENT);
	close(fds[0]);
	close(fds[1]);
}

/* No file can have a byte: there is no copy, and later there is none either. */
static void list_without_space(void)
{
	struct rlimit limit = { 0, RLIM_INFINITY };
	DIR *dir;

	signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &limit))
		_exit(1);
	dir = opendir(TOP);
	if (dir || errno != EFBIG)
		_exit(2);
	limit.rlim_cur = RLIM_INFINITY;
	if (setrlimit(RLIMIT_FSIZE, &limit))
		_exit(1);
	dir = opendir(TOP);
	_exit(!dir && errno == EFBIG ? 0 : 3);
}

static void copy_is_tried_once(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	fflush(NULL);
	pid = fork();
	if (!pid)
		list_without_space();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* The child ends by exit(), and the copy of its parent stays. */
static void copy_survives_child(void **state)
{
	DIR *dir = opendir(PORT);
	int status;
	pid_t pid;

	(void)state;
	assert_non_null(dir);
	fflush(NULL);
	pid = fork();
	if (!pid)
		exit(0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	read_at(dirfd(dir), "state", "4: ACTIVE\n");
	closedir(dir);
}

/* The sum of the columns of an interrupt, in its line of /proc/interrupts; -1: there is none. */
static long interrupts_of(const char *name)
{
	FILE *f = fopen("/proc/interrupts", "re");
	char line[16384];
	long sum = -1;

	assert_non_null(f);
	while (sum < 0 && fgets(line, sizeof(line), f)) {
		char *at = strchr(line, ':'), *end;

		line[strcspn(line, "\n")] = '\0';
		if (!at || !strrchr(line, ' ') || strcmp(strrchr(line, ' ') + 1, name) != 0)
			continue;
		for (sum = 0, at++; *at == ' '; at = end) {
			sum += strtol(at, &end, 10);
			if (end == at)
				break;
		}
	}
	fclose(f);
	return sum;
}

static void message_with_event(struct end *a, struct end *b, struct ibv_comp_channel *channel)
{
	struct ibv_cq *cq;
	void *context;

	assert_int_equal(ibv_req_notify_cq(b->cq, 0), 0);
	send_once(a, b, 64, IBV_WC_SUCCESS);
	assert_int_equal(ibv_get_cq_event(channel, &cq, &context), 0);
	ibv_ack_cq_events(cq, 1);
}

static void interrupts(void **state)
{
	struct ibv_comp_channel *channel;
	struct end a, b;

	(void)state;
	set_up(&a, 0);
	set_up(&b, 1);
	assert_int_equal(ibv_destroy_cq(b.cq), 0);
	channel = ibv_create_comp_channel(b.ctx);
	assert_non_null(channel);
	b.cq = ibv_create_cq(b.ctx, 64, NULL, channel, 2);
	assert_non_null(b.cq);
	bring_up(&a, &b, IBV_QPT_RC, false);
	assert_int_equal(interrupts_of("other-2@0000:0a:00.0"), 0);
	send_once(&a, &b, 64, IBV_WC_SUCCESS);
	assert_int_equal(interrupts_of("other-2@0000:0a:00.0"), 0);
	message_with_event(&a, &b, channel);
	message_with_event(&a, &b, channel);
	assert_int_equal(interrupts_of("other-2@0000:0a:00.0"), 2);
	assert_int_equal(interrupts_of("other-1@0000:0a:00.0"), 0);
	assert_int_equal(interrupts_of("other-3@0000:0a:00.0"), -1);
	assert_int_equal(interrupts_of("one0@pci:0000:c1:00.0"), 0);
	tear_down(&a);
	assert_int_equal(ibv_destroy_qp(b.qp), 0);
	assert_int_equal(ibv_destroy_cq(b.cq), 0);
	assert_int_equal(ibv_destroy_comp_channel(channel), 0);
	b.qp = NULL;
	b.cq = ibv_create_cq(b.ctx, 64, NULL, NULL, 0);
	tear_down(&b);
}

static const struct profile_case cases[] = {
	{ "files", files,
	  { IB "active_width = 2\nactive_speed_ex = 256\nfirmware = 40.44.1036\ngid_tbl_len = 4\n"
	    "driver = mlx5_core\nnuma_node = 1\npcie = 64.0 GT/s x16\n", NULL } },
	{ "folders", folders,
	  { IB "driver = mlx5_core\nirq_name = one%d@pci:{pci}\ngid_tbl_len = 4\n", NULL } },
	{ "the copy of the folders is removed", copy_is_removed, { IB, NULL } },
	{ "a copy that cannot be made is tried once", copy_is_tried_once, { IB, NULL } },
	{ "the copy stays when a child ends", copy_survives_child, { IB, NULL } },
	{ "interrupts", interrupts,
	  { IB "irq_name = one%d@pci:{pci}\n",
	    IB "irq_name = other-%d@{pci}\npci = 0000:0a:00.0\nvectors = 3\n" } },
};

int main(int argc, char **argv)
{
	return run_cases(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}
