/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The list of system calls that a session may make. What is not in it fails with EPERM. Found by
 * reading what rdma-core, hwloc, glibc, OpenSSL and this tree call.
 */
#include "config.h"
#include "service/service.h"

#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/err.h"

#define TYPE_MASK 0xfu /* of socket(2): without SOCK_CLOEXEC and SOCK_NONBLOCK */

/* A name that an architecture or an older library does not know is left out. */
static const char *const allowed[] = {
	/* memory, also where it is (NUMA) */
	"brk", "mmap", "munmap", "mremap", "mprotect", "madvise", "msync", "mincore", "mlock",
	"mlock2", "munlock", "mlockall", "munlockall", "memfd_create", "mbind", "get_mempolicy",
	"set_mempolicy", "set_mempolicy_home_node", "move_pages", "migrate_pages", "membarrier",
	"shmget", "shmat", "shmctl", "shmdt", "pkey_mprotect", "pkey_alloc", "pkey_free",
	/* files and devices */
	"open", "openat", "openat2", "close", "close_range", "read", "readv", "pread64", "preadv",
	"preadv2", "write", "writev", "pwrite64", "pwritev", "pwritev2", "lseek", "stat", "fstat",
	"lstat", "newfstatat", "statx", "statfs", "fstatfs", "access", "faccessat", "faccessat2",
	"readlink", "readlinkat", "getdents", "getdents64", "fcntl", "flock", "truncate",
	"ftruncate", "fallocate", "fsync", "fdatasync", "sync_file_range", "fadvise64", "sendfile",
	"copy_file_range",
	"rename", "renameat", "renameat2", "unlink", "unlinkat", "rmdir", "mkdir", "mkdirat",
	"link", "linkat", "chmod", "fchmod", "fchmodat", "fchmodat2", "utimensat", "umask",
	"getcwd", "dup", "dup2", "dup3", "pipe", "pipe2",
	/* waiting */
	"poll", "ppoll", "select", "pselect6", "epoll_create", "epoll_create1", "epoll_ctl",
	"epoll_wait", "epoll_pwait", "epoll_pwait2", "eventfd", "eventfd2", "timerfd_create",
	"timerfd_settime", "timerfd_gettime", "nanosleep", "clock_nanosleep", "futex",
	"futex_waitv", "futex_wake", "futex_wait", "futex_requeue", "restart_syscall", "pause",
	/* time and this process */
	"clock_gettime", "clock_getres", "gettimeofday", "time", "times", "getrusage", "getrandom",
	"getpid", "getppid", "gettid", "getpgrp", "getpgid", "getsid", "getuid", "geteuid",
	"getgid", "getegid", "getresuid", "getresgid", "getgroups", "getrlimit", "setrlimit",
	"getpriority", "setpriority", "uname", "sysinfo", "prctl", "arch_prctl",
	"capget", "rseq", "set_robust_list", "get_robust_list", "set_tid_address", "exit",
	"exit_group", "alarm", "setitimer", "getitimer", "timer_create", "timer_settime",
	"timer_delete", "pidfd_open", "riscv_hwprobe", "ioctl",
	/* threads and where they run */
	"sched_yield", "sched_getaffinity", "sched_setaffinity", "sched_getattr", "sched_setattr",
	"sched_getparam", "sched_setparam", "sched_getscheduler", "sched_setscheduler",
	"sched_get_priority_min", "sched_get_priority_max", "getcpu",
	/* signals of its own */
	"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending", "rt_sigtimedwait",
	"rt_sigsuspend", "sigaltstack", "signalfd4", "wait4", "waitid",
	/* sockets that are there, and those that may be made (below) */
	"socketpair", "connect", "bind", "listen", "accept", "accept4", "getsockname",
	"getpeername", "setsockopt", "getsockopt", "sendto", "recvfrom", "sendmsg", "recvmsg",
	"sendmmsg", "recvmmsg", "shutdown",
};

/*
 * How the emulated HCA reads and writes the memory of its peers, and makes its copy of
 * /sys/class/infiniband.
 */
static const char *const emulated_calls[] = {
	"process_vm_readv", "process_vm_writev", "symlink", "symlinkat",
};

#define N_EMULATED (sizeof(emulated_calls) / sizeof(emulated_calls[0]))

static int allow(scmp_filter_ctx filter, const char *name)
{
	const int call = seccomp_syscall_resolve_name(name);
	int rc;

	if (call == __NR_SCMP_ERROR)
		return 0;
	rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0);
	/* a call that this architecture does not have */
	return call < 0 ? 0 : rc;
}

/*
 * Calls that are allowed in part.
 *
 * Threads, no processes. clone3(2) has its flags in memory, where a filter cannot see them: the C
 * library takes clone(2) when it is told that there is none.
 *
 * Signals to threads of this process, and its own limits. The kernel takes 32 bits of a process id,
 * and a filter compares 64.
 *
 * Network names by UDP, netlink of the kernel, Unix sockets of services and of the emulated
 * rdma_cm. No TCP: the control connection is there already, and nothing listens for another one.
 */
static int allow_parts(scmp_filter_ctx filter)
{
	const uint32_t self = (uint32_t)getpid();
	const struct {
		uint32_t action;
		int call;
		unsigned int n;
		struct scmp_arg_cmp args[2];
	} rows[] = {
		{ SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
		  { SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD) } },
		{ SCMP_ACT_ERRNO(ENOSYS), seccomp_syscall_resolve_name("clone3"), 0, { { 0 } } },
		{ SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
		  { SCMP_A0(SCMP_CMP_MASKED_EQ, UINT32_MAX, self) } },
		{ SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1,
		  { SCMP_A0(SCMP_CMP_MASKED_EQ, UINT32_MAX, self) } },
		{ SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1,
		  { SCMP_A0(SCMP_CMP_MASKED_EQ, UINT32_MAX, 0) } },
		{ SCMP_ACT_ALLOW, SCMP_SYS(socket), 1, { SCMP_A0(SCMP_CMP_EQ, AF_UNIX, 0) } },
		{ SCMP_ACT_ALLOW, SCMP_SYS(socket), 1, { SCMP_A0(SCMP_CMP_EQ, AF_NETLINK, 0) } },
		{ SCMP_ACT_ALLOW, SCMP_SYS(socket), 2,
		  { SCMP_A0(SCMP_CMP_EQ, AF_INET, 0),
		    SCMP_A1(SCMP_CMP_MASKED_EQ, TYPE_MASK, SOCK_DGRAM) } },
		{ SCMP_ACT_ALLOW, SCMP_SYS(socket), 2,
		  { SCMP_A0(SCMP_CMP_EQ, AF_INET6, 0),
		    SCMP_A1(SCMP_CMP_MASKED_EQ, TYPE_MASK, SOCK_DGRAM) } },
	};
	int rc = 0;

	for (size_t i = 0; !rc && i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].call != __NR_SCMP_ERROR)
			rc = seccomp_rule_add_array(filter, rows[i].action, rows[i].call, rows[i].n,
						    rows[i].args);
	return rc;
}

/*
 * Of all threads, and without the mitigation that older kernels turn on with a filter and that
 * costs measured time (SECCOMP_FILTER_FLAG_SPEC_ALLOW, seccomp(2)): a session runs no code of its
 * peer. otherwise: of a call that no rule names. Without an error, filter_end() is due.
 */
static int filter_begin(scmp_filter_ctx *filter, uint32_t otherwise)
{
	int rc;

	*filter = seccomp_init(otherwise);
	if (!*filter)
		return -ENOMEM;
	rc = seccomp_attr_set(*filter, SCMP_FLTATR_CTL_TSYNC, 1);
	if (!rc)
		rc = seccomp_attr_set(*filter, SCMP_FLTATR_CTL_SSB, 1);
	if (!rc)
		rc = seccomp_attr_set(*filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (rc)
		seccomp_release(*filter);
	return rc;
}

/* Loads a filter whose rules were added without an error. */
static int filter_end(scmp_filter_ctx filter, int rc)
{
	if (!rc)
		rc = seccomp_load(filter);
	seccomp_release(filter);
	return rc;
}

int sandbox_check(void)
{
	scmp_filter_ctx filter;
	int rc;

	/* PR_GET_SECCOMP fails where the kernel has none: prctl(2) */
	if (prctl(PR_GET_SECCOMP) < 0)
		return err_set(-ENOSYS, "this kernel has no seccomp: %s", strerror(errno));
	rc = filter_begin(&filter, SCMP_ACT_ERRNO(EPERM));
	if (!rc) {
		seccomp_release(filter);
		return 0;
	}
	return err_set(rc, "this program may not call seccomp(2): %s; add SystemCallFilter=seccomp to the systemd unit",
		       strerror(-rc));
}

/*
 * An ioctl that types on a terminal is as good as execve(2) there. A filter of its own: in one that
 * lists what is allowed, "any but these" of 32 bits cannot be said (CVE-2019-10063).
 */
static int refuse_typing(void)
{
	static const uint32_t typing[] = { TIOCSTI, TIOCLINUX };
	scmp_filter_ctx filter;
	int rc = filter_begin(&filter, SCMP_ACT_ALLOW);

	if (rc)
		return rc;
	for (size_t i = 0; !rc && i < sizeof(typing) / sizeof(typing[0]); i++)
		rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl), 1,
				      SCMP_A1(SCMP_CMP_MASKED_EQ, UINT32_MAX, typing[i]));
	return filter_end(filter, rc);
}

static int allow_only_listed(bool emulated)
{
	scmp_filter_ctx filter;
	int rc = filter_begin(&filter, SCMP_ACT_ERRNO(EPERM));

	if (rc)
		return rc;
	rc = allow_parts(filter);
	for (size_t i = 0; !rc && i < sizeof(allowed) / sizeof(allowed[0]); i++)
		rc = allow(filter, allowed[i]);
	for (size_t i = 0; !rc && emulated && i < N_EMULATED; i++)
		rc = allow(filter, emulated_calls[i]);
	return filter_end(filter, rc);
}

/* The list last: it does not have seccomp(2). */
int sandbox_enter(bool emulated)
{
	int rc = refuse_typing();

	if (!rc)
		rc = allow_only_listed(emulated);
	return rc ? err_set(rc, "the sandbox of the session: %s", strerror(-rc)) : 0;
}
