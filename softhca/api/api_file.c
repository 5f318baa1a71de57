/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The functions of libc by which librdmacm uses the device of rdma_cm; see cm/cm.h. All other files
 * go to libc; like there, write() and close() may then be called by a signal handler.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "api/api.h"
#include "api/api_sysfs.h"
#include "base/hca.h"
#include "cm/cm_command.h"
#include "cm/cm_table.h"

#define DEVICE "/dev/infiniband/rdma_cm"

/* dlsym() must not be called by a signal handler: before main() */
__attribute__((constructor)) static void start(void)
{
	struct hca_libc *libc = &hca.fixed.libc;

	*(void **)&libc->open = dlsym(RTLD_NEXT, "open");
	*(void **)&libc->openat = dlsym(RTLD_NEXT, "openat");
	*(void **)&libc->chdir = dlsym(RTLD_NEXT, "chdir");
	*(void **)&libc->fstat = dlsym(RTLD_NEXT, "fstat");
	*(void **)&libc->write = dlsym(RTLD_NEXT, "write");
	*(void **)&libc->close = dlsym(RTLD_NEXT, "close");
}

static int open_channel(void)
{
	int fd = cm_command_open();

	if (fd >= 0)
		return fd;
	errno = -fd;
	return -1;
}

static int open_file(const char *path, int flags, mode_t mode)
{
	int fd;

	if (path && !strcmp(path, DEVICE))
		return open_channel();
	if (api_sysfs_open(path, flags, &fd))
		return fd;
	if (hca.fixed.libc.open)
		return hca.fixed.libc.open(path, flags, mode);
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

API int open(const char *path, int flags, ...)
{
	mode_t mode = 0;

	API_OPEN_MODE(flags, mode);
	return open_file(path, flags, mode);
}

/* If the kernel has rdma_cm, librdmacm compares the number of its device. */
static dev_t device_number(void)
{
	unsigned int maj = 0, min = 0;
	FILE *f = fopen("/sys/class/misc/rdma_cm/dev", "re");

	if (f && fscanf(f, "%u:%u", &maj, &min) != 2)
		maj = min = 0;
	if (f)
		fclose(f);
	return makedev(maj, min);
}

API int fstat(int fd, struct stat *st)
{
	int rc = hca.fixed.libc.fstat ? hca.fixed.libc.fstat(fd, st) :
					(int)syscall(SYS_fstat, fd, st);

	if (rc || !cm_table_at(fd))
		return rc;
	st->st_mode = S_IFCHR | S_IRUSR | S_IWUSR;
	st->st_rdev = device_number();
	return 0;
}

API ssize_t write(int fd, const void *buf, size_t len)
{
	ssize_t n;

	if (!cm_table_at(fd))
		return hca.fixed.libc.write ? hca.fixed.libc.write(fd, buf, len) :
					      syscall(SYS_write, fd, buf, len);
	n = cm_command_run(fd, buf, len);
	if (n >= 0)
		return n;
	errno = (int)-n;
	return -1;
}

API int close(int fd)
{
	if (cm_table_at(fd))
		cm_command_close(fd);
	return hca.fixed.libc.close ? hca.fixed.libc.close(fd) : (int)syscall(SYS_close, fd);
}
