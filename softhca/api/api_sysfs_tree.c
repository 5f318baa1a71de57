/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Makes the copy of /sys/class/infiniband; see api_sysfs_tree.h. Each process that needs it has one
 * of its own. A process that is killed, or becomes another program, leaves its copy behind: it is
 * known by its lock, which nobody holds, and the next process that makes one removes it.
 */
#include "config.h"
#include "api/api_sysfs_tree.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "api/api_sysfs_files.h"
#include "base/fabric.h"
#include "base/gid.h"
#include "base/hca.h"
#include "objects/device.h"

#define PREFIX "softhca-sys-"  /* of a copy that is locked while its process lives */
#define MAKING "softhca-new-"  /* the same, until it is locked */
#define MAKING_S 60            /* how long that takes at most */

/*
 * Where it is made: the first that works. A copy has more than 100 files, and each session has one:
 * on a disk they take most of the CPU time of a short test (ext4: find_inode_bit()).
 */
static const char *const folders[] = { "/dev/shm", "/tmp" };

enum { FOLDERS = sizeof(folders) / sizeof(folders[0]) };

static const char *const device_names[] = {
	"", "/node_type", "/fw_ver", "/board_id", "/hca_type", "/hw_rev", "/node_desc",
	"/node_guid", "/sys_image_guid", "/device", "/device/driver", "/device/numa_node",
	"/device/vendor", "/device/device", "/device/uevent", "/device/current_link_speed",
	"/device/max_link_speed", "/device/current_link_width", "/device/max_link_width",
	"/device/msi_irqs", "/ports",
};

static const char *const port_names[] = {
	"", "/rate", "/state", "/phys_state", "/link_layer", "/lid", "/lid_mask_count", "/sm_lid",
	"/sm_sl", "/cap_mask", "/gids", "/pkeys", "/gid_attrs", "/gid_attrs/types",
	"/gid_attrs/ndevs", "/counters", "/hw_counters",
};

/* Makes one file, link or folder; what the device does not have is left out. */
static int make(const char *root, const char *path)
{
	char text[SYSFS_TEXT], at[PATH_MAX];
	int fd, rc = 0;

	if ((size_t)snprintf(at, sizeof(at), "%s%s", root, path + strlen(SYSFS_CLASS)) >=
	    sizeof(at)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	switch (api_sysfs_find(path, text)) {
	case SYSFS_FOLDER:
		return mkdir(at, 0700);
	case SYSFS_LINK:
		return symlink(text, at);
	case SYSFS_FILE:
		fd = open(at, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
		if (fd < 0)
			return -1;
		if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
			rc = -1;
		close(fd);
		return rc;
	default:
		return 0;
	}
}

__attribute__((format(printf, 2, 3)))
static int make_at(const char *root, const char *format, ...)
{
	char path[PATH_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	return make(root, path);
}

static int make_port(const char *root, uint32_t dev, uint32_t port)
{
	char counter[SYSFS_COUNTER];

	for (size_t i = 0; i < sizeof(port_names) / sizeof(port_names[0]); i++)
		if (make_at(root, DEVICE_SYSFS "%u/ports/%u%s", dev, port, port_names[i]))
			return -1;
	for (uint32_t i = 0; i < device_gids(dev); i++)
		if (make_at(root, DEVICE_SYSFS "%u/ports/%u/gids/%u", dev, port, i) ||
		    make_at(root, DEVICE_SYSFS "%u/ports/%u/gid_attrs/types/%u", dev, port, i) ||
		    make_at(root, DEVICE_SYSFS "%u/ports/%u/gid_attrs/ndevs/%u", dev, port, i))
			return -1;
	for (uint32_t i = 0; i < device_pkeys(dev); i++)
		if (make_at(root, DEVICE_SYSFS "%u/ports/%u/pkeys/%u", dev, port, i))
			return -1;
	for (uint32_t i = 0; api_sysfs_counter_name(dev, i, counter); i++)
		if (make_at(root, DEVICE_SYSFS "%u/ports/%u/%s", dev, port, counter))
			return -1;
	return 0;
}

static int make_device(const char *root, uint32_t dev)
{
	for (size_t i = 0; i < sizeof(device_names) / sizeof(device_names[0]); i++)
		if (make_at(root, DEVICE_SYSFS "%u%s", dev, device_names[i]))
			return -1;
	for (uint32_t i = 0; i < hca_profile(dev)->vectors; i++)
		if (make_at(root, DEVICE_SYSFS "%u/device/msi_irqs/%u", dev, api_sysfs_irq(dev, i)))
			return -1;
	for (uint32_t port = 1; port <= gid_ports(dev); port++)
		if (make_port(root, dev, port))
			return -1;
	return 0;
}

static DIR *list(const char *path)
{
	__typeof__(&opendir) next;

	*(void **)&next = dlsym(RTLD_NEXT, "opendir");
	return next ? next(path) : NULL;
}

/* The devices of the kernel stay where they are. */
static void link_others(const char *root)
{
	DIR *dir = list(SYSFS_CLASS);
	struct dirent *entry;
	char from[PATH_MAX], to[PATH_MAX];

	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(from, sizeof(from), "%s/%s", root, entry->d_name);
		snprintf(to, sizeof(to), "%s/%s", SYSFS_CLASS, entry->d_name);
		if (symlink(to, from))
			break;
	}
	if (dir)
		closedir(dir);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static void remove_tree(const char *root)
{
	(void)nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Whether its process has ended. A folder of another user, and a link, are left alone. */
static bool is_left(const char *root, time_t age_s)
{
	int fd = open(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	bool left;

	if (fd < 0)
		return false;
	left = !fstat(fd, &st) && st.st_uid == geteuid() &&
	       st.st_mtime + age_s <= time(NULL) && !flock(fd, LOCK_EX | LOCK_NB);
	close(fd);
	return left;
}

static void remove_left(const char *folder)
{
	DIR *dir = list(folder);
	struct dirent *entry;
	char root[PATH_MAX];

	while (dir && (entry = readdir(dir))) {
		const bool making = !strncmp(entry->d_name, MAKING, strlen(MAKING));

		if (!making && strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0)
			continue;
		snprintf(root, sizeof(root), "%s/%s", folder, entry->d_name);
		if (is_left(root, making ? MAKING_S : 0))
			remove_tree(root);
	}
	if (dir)
		closedir(dir);
}

static int make_tree_in(const char *folder, struct hca_tree *tree)
{
	char root[sizeof(tree->root)], locked[sizeof(tree->root)];
	int rc = 0, error;

	snprintf(root, sizeof(root), "%s/" MAKING "XXXXXX", folder);
	if (!mkdtemp(root))
		return -1;
	tree->lock_fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (tree->lock_fd < 0 || flock(tree->lock_fd, LOCK_SH | LOCK_NB))
		rc = -1;
	for (uint32_t i = 0; !rc && i < hca_settings()->devices; i++)
		rc = make_device(root, i);
	if (!rc)
		link_others(root);
	snprintf(locked, sizeof(locked), "%s/" PREFIX "%s", folder, root + strlen(root) - 6);
	if (!rc && !rename(root, locked)) {
		strcpy(tree->root, locked);
		return 0;
	}
	error = errno;
	if (tree->lock_fd >= 0)
		close(tree->lock_fd);
	remove_tree(root);
	errno = error;
	return -1;
}

static int make_tree(struct hca_tree *tree)
{
	int rc = -1;

	fabric_watch_fork();
	for (size_t i = 0; i < FOLDERS; i++)
		remove_left(folders[i]);
	for (size_t i = 0; rc && i < FOLDERS; i++)
		rc = make_tree_in(folders[i], tree);
	return rc;
}

bool api_sysfs_tree_path(const char *path, char real[PATH_MAX])
{
	struct hca_tree *tree = &hca.tree;
	int error;

	pthread_mutex_lock(&hca.fixed.tree_lock);
	if (!tree->root[0] && !tree->error && make_tree(tree))
		tree->error = errno ? errno : EIO;
	error = tree->error;
	pthread_mutex_unlock(&hca.fixed.tree_lock);
	if (!error && (size_t)snprintf(real, PATH_MAX, "%s%s", tree->root,
				       path + strlen(SYSFS_CLASS)) >= PATH_MAX)
		error = ENAMETOOLONG;
	if (error)
		errno = error;
	return !error;
}

/* A child of fork() that has made none has no root: fabric_watch_fork(). */
__attribute__((destructor)) static void end(void)
{
	if (hca.tree.root[0])
		remove_tree(hca.tree.root);
}
