/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A library that is preloaded into a server (tests/harness/server_faults.py): lets one call of
 * server_calls.def fail in the process that accepts connections, not in those of its sessions. A
 * case is a call and an errno, its line "accept4 EMFILE": fails.h. While the file CHAOS_LASTS is
 * there, all later cases of the same line fail, too.
 */
#include "config.h"

#include "fails.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

static pid_t server;
static char lasting[64]; /* the line that failed; "": none */

/* The script that starts the program, and what that forks, are other processes. */
__attribute__((constructor)) static void begin(void)
{
	if (!strcmp(program_invocation_short_name, "verbench"))
		server = getpid();
}

/* err on a descriptor of this kind. */
static int if_is(int fd, mode_t kind, int err)
{
	struct stat st;

	return !fstat(fd, &st) && (st.st_mode & S_IFMT) == kind ? err : 0;
}

/* The other end of a socket pair goes only with its process. */
static int if_stream(int fd, int err)
{
	int type = 0;
	socklen_t len = sizeof(type);

	return !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) && type == SOCK_STREAM ? err : 0;
}

/* Without its clock source verbench asks libc for the time, and libjansson has other seeds. */
static int if_needed(const char *path, int err)
{
	return strcmp(path, "/dev/urandom") && strncmp(path, "/sys/", strlen("/sys/")) ? err : 0;
}

static bool lasts(const char *line)
{
	const char *path = getenv("CHAOS_LASTS");

	return path && !strcmp(lasting, line) && !syscall(SYS_faccessat, AT_FDCWD, path, F_OK);
}

/* Which of these n errors the call has now; 0: none. Each is a case. */
static int failure(const char *name, const int *errs, int n)
{
	char line[sizeof(lasting)];
	int err = 0;

	if (getpid() != server)
		return 0;
	for (int i = 0; i < n; i++) {
		if (!errs[i])
			continue;
		snprintf(line, sizeof(line), "%s %s", name, strerrorname_np(errs[i]));
		if (fails(line))
			snprintf(lasting, sizeof(lasting), "%s", line);
		else if (!lasts(line))
			continue;
		err = errs[i];
	}
	return err;
}

/* A call that does not fail leaves errno as it was. */
#define FAIL(name, result, ...)							\
	do {									\
		const int before = errno, errs[] = { __VA_ARGS__ };		\
		const int err = failure(name, errs, sizeof(errs) / sizeof(*errs)); \
										\
		errno = err ? err : before;					\
		if (err)							\
			return result;						\
	} while (0)

#define CALL(type, name, params, args, result, ...)				\
	type name params							\
	{									\
		FAIL(#name, result, __VA_ARGS__);				\
		return ((__typeof__(&name))next(#name)) args;			\
	}
#define CALL_OPEN(name, params, flags, args, ...)				\
	int name params								\
	{									\
		mode_t mode = 0;						\
		va_list list;							\
										\
		if (flags & O_CREAT) {						\
			va_start(list, flags);					\
			mode = va_arg(list, mode_t);				\
			va_end(list);						\
		}								\
		FAIL(#name, -1, __VA_ARGS__);					\
		return ((__typeof__(&name))next(#name)) args;			\
	}
#include "server_calls.def"
