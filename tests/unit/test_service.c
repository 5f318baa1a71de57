/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder service: what the service manager is told, where the status is and for whom, what is left
 * of privileges, what a process in the sandbox can and cannot do.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "service/service.h"
#include "util/err.h"

/* Exit status of body in a process of its own. */
static int run_child(int (*body)(void))
{
	int wstatus = 0;
	const pid_t pid = fork();

	if (!pid)
		_exit(body());
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &wstatus, 0), pid);
	assert_true(WIFEXITED(wstatus));
	return WEXITSTATUS(wstatus);
}

/* ---- the service manager */

/* Binds an abstract name and puts it into the environment. */
static int manager_open(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	char name[64];
	const int len = snprintf(name, sizeof(name), "@verbench-test-%d", getpid());

	const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)len);

	memcpy(at.sun_path, name, (size_t)len);
	at.sun_path[0] = '\0';
	assert_int_equal(bind(fd, (struct sockaddr *)&at, size), 0);
	setenv("NOTIFY_SOCKET", name, 1);
	return fd;
}

static const char *manager_hears(int fd, char text[256])
{
	const ssize_t n = recv(fd, text, 255, MSG_DONTWAIT);

	text[n < 0 ? 0 : n] = '\0';
	return text;
}

static void test_manager_is_told(void **state)
{
	const int fd = manager_open();
	char text[256], number[32];
	struct notify notify;

	(void)state;
	snprintf(number, sizeof(number), "%d", getpid());
	setenv("WATCHDOG_PID", number, 1);
	setenv("WATCHDOG_USEC", "3000000", 1);
	notify_open(&notify);
	/* not for the programs that this one starts */
	assert_null(getenv("NOTIFY_SOCKET"));
	assert_null(getenv("WATCHDOG_USEC"));
	notify_send(&notify, "READY=1");
	assert_string_equal(manager_hears(fd, text), "READY=1");
	/* half of the time, and not before it is over */
	assert_int_equal(notify_alive(&notify, 1000), 1000 + 1500000000ull);
	assert_string_equal(manager_hears(fd, text), "WATCHDOG=1");
	assert_int_equal(notify_alive(&notify, 1500000999ull), 1000 + 1500000000ull);
	assert_string_equal(manager_hears(fd, text), "");
	notify_alive(&notify, 1500001000ull);
	assert_string_equal(manager_hears(fd, text), "WATCHDOG=1");
	notify_reloading(&notify);
	assert_non_null(strstr(manager_hears(fd, text), "RELOADING=1\nMONOTONIC_USEC="));
	notify_close(&notify);
	close(fd);
}

static void test_no_manager(void **state)
{
	struct notify notify;

	(void)state;
	setenv("WATCHDOG_USEC", "1", 1);
	notify_open(&notify);
	assert_int_equal(notify.fd, -1);
	notify_send(&notify, "READY=1");
	assert_int_equal(notify_alive(&notify, 5), UINT64_MAX);
}

static void test_sockets_of_the_manager(void **state)
{
	char number[32];

	(void)state;
	setenv("LISTEN_FDS", "2", 1);
	setenv("LISTEN_PID", "1", 1);
	assert_int_equal(notify_sockets(), 0); /* they are of another process */
	snprintf(number, sizeof(number), "%d", getpid());
	setenv("LISTEN_FDS", "2", 1);
	setenv("LISTEN_PID", number, 1);
	assert_int_equal(notify_sockets(), 2);
	assert_int_equal(notify_sockets(), 0);
}

/* ---- the status */

static char dir[] = "/tmp/test_service.XXXXXX";

static void test_place_of_status(void **state)
{
	char path[108], again[108];
	struct stat st;
	int fd, other;

	(void)state;
	assert_non_null(mkdtemp(dir));
	setenv("RUNTIME_DIRECTORY", dir, 1);
	assert_int_equal(status_place_listen(&fd, path, sizeof(path), 18515), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(status_place_listen(&other, again, sizeof(again), 18515), -EADDRINUSE);
	assert_int_equal(status_place_connect(&other, 18515, 10000), 0);
	assert_true(status_place_is_owner(other));
	close(other);
	close(fd);
	/* that of a server that was killed is replaced */
	assert_int_equal(status_place_listen(&fd, path, sizeof(path), 18515), 0);
	close(fd);
	unlink(path);
	/* others could have made it */
	assert_int_equal(chmod(dir, 0777), 0);
	assert_int_equal(status_place_connect(&other, 18515, 10000), -EPERM);
	assert_non_null(strstr(err_text(), "0777"));
	/* others could use it */
	assert_int_equal(chmod(dir, 0755), 0);
	assert_int_equal(status_place_listen(&fd, path, sizeof(path), 18515), -EPERM);
	assert_non_null(strstr(err_text(), "0755"));
	rmdir(dir);
	assert_int_equal(symlink("/tmp", dir), 0);
	assert_int_equal(status_place_listen(&fd, path, sizeof(path), 18515), -ENOTDIR);
	unlink(dir);
}

/* A server that is stopped: the kernel takes some connections for it, and then no more. */
static void test_stopped_server(void **state)
{
	char own[] = "/tmp/test_service.XXXXXX", path[108];
	int listener, fds[64], n = 0, rc = 0;

	(void)state;
	assert_non_null(mkdtemp(own));
	setenv("RUNTIME_DIRECTORY", own, 1);
	assert_int_equal(status_place_listen(&listener, path, sizeof(path), 18515), 0);
	while (n < 64 && !rc) {
		rc = status_place_connect(&fds[n], 18515, 20);
		n += !rc;
	}
	assert_int_equal(rc, -ETIMEDOUT);
	assert_non_null(strstr(err_text(), "does not answer within 20 ms"));
	while (n)
		close(fds[--n]);
	close(listener);
	unlink(path);
	rmdir(own);
}

/* ---- privileges */

static uint64_t status_line(const char *name)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];
	uint64_t value = UINT64_MAX;

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)))
			value = strtoull(line + strlen(name) + 1, NULL, 16);
	if (f)
		fclose(f);
	return value;
}

static int drop_to_nobody(void)
{
	if (privilege_drop("nobody"))
		return 1;
	if (!geteuid() || !getegid() || !setuid(0))
		return 2;
	if (status_line("CapEff") || status_line("CapPrm") || status_line("CapInh"))
		return 3;
	return status_line("NoNewPrivs") == 1 ? 0 : 4;
}

static int drop_as_nobody(void)
{
	if (setgid(65534) || setuid(65534))
		return 1;
	if (privilege_drop("root") != -EPERM)
		return 2;
	return strstr(err_text(), "only root") ? 0 : 3;
}

static int drop_nobody_else(void)
{
	if (privilege_drop(NULL))
		return 1;
	return status_line("NoNewPrivs") == 1 ? 0 : 2;
}

static int drop_unknown(void)
{
	return privilege_drop("no such user") == -ENOENT ? 0 : 1;
}

static void test_privileges(void **state)
{
	(void)state;
	assert_int_equal(run_child(drop_nobody_else), 0);
	assert_int_equal(run_child(drop_unknown), 0);
	if (geteuid())
		return; /* the rest is for root */
	assert_int_equal(run_child(drop_to_nobody), 0);
	assert_int_equal(run_child(drop_as_nobody), 0);
}

/* ---- the sandbox */

static void *thread(void *arg)
{
	return arg;
}

/* What verbs, names and threads need. */
static int needs(void)
{
	char byte = 0, got = 1;
	const struct iovec own = { &byte, 1 }, from = { &got, 1 };
	struct rlimit limit;
	pthread_t id;
	void *memory;
	int fd;

	if (pthread_create(&id, NULL, thread, NULL) || pthread_join(id, NULL))
		return 1;
	memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED || munmap(memory, 4096))
		return 2;
	fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (fd < 0 || write(fd, "x", 1) != 1 || close(fd))
		return 3;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || close(fd))
		return 4;
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (fd < 0 || close(fd))
		return 5;
	if (pthread_kill(pthread_self(), 0) || getrlimit(RLIMIT_NOFILE, &limit))
		return 7;
	fd = memfd_create("file", MFD_CLOEXEC);
	if (fd < 0 || sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE) || close(fd))
		return 8;
	fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (fd < 0 || ioctl(fd, TCGETS, &byte) != -1 || errno != ENOTTY || close(fd))
		return 9;
	/* only of the emulated HCA */
	return process_vm_readv(getpid(), &own, 1, &from, 1, 0) == 1 ? 6 : 0;
}

static int denied(void)
{
	char name[] = "true";
	char *const argv[] = { name, NULL };
	struct rlimit limit;
	pid_t pid;

	if (execv("/bin/true", argv) != -1 || errno != EPERM)
		return 10;
	pid = fork();
	if (!pid)
		_exit(0);
	if (pid > 0)
		return 11;
	if (socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) != -1 || errno != EPERM)
		return 12;
	if (socket(AF_INET6, SOCK_STREAM, 0) != -1 || socket(AF_PACKET, SOCK_RAW, 0) != -1)
		return 13;
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != -1 || errno != EPERM)
		return 14;
	if (mount("none", "/mnt", "tmpfs", 0, NULL) != -1 || errno != EPERM)
		return 15;
	if (kill(getppid(), 0) != -1 || errno != EPERM)
		return 16;
	if (syscall(SYS_tgkill, getppid(), getppid(), 0) != -1 || errno != EPERM)
		return 17;
	/* the kernel does not look at the upper half */
	if (syscall(SYS_tgkill, getppid() | 1L << 32, getppid(), 0) != -1 || errno != EPERM)
		return 18;
	if (syscall(SYS_ioctl, STDIN_FILENO, TIOCSTI, "") != -1 || errno != EPERM)
		return 19;
	if (syscall(SYS_ioctl, STDIN_FILENO, TIOCSTI | 1L << 32, "") != -1 || errno != EPERM)
		return 20;
	if (syscall(SYS_ioctl, STDIN_FILENO, TIOCLINUX, "") != -1 || errno != EPERM)
		return 21;
	if (prlimit(getppid(), RLIMIT_NOFILE, NULL, &limit) != -1 || errno != EPERM)
		return 22;
	/* only of the emulated HCA */
	if (symlink("to", "") != -1 || errno != EPERM)
		return 23;
	return 0;
}

static int in_sandbox(void)
{
	int rc;

	if (sandbox_enter(false))
		return 100;
	rc = needs();
	return rc ? rc : denied();
}

static int in_emulated_sandbox(void)
{
	char byte = 0, got = 1;
	const struct iovec own = { &byte, 1 }, from = { &got, 1 };

	if (sandbox_enter(true))
		return 100;
	if (symlink("to", "") != -1 || errno != ENOENT)
		return 2;
	return process_vm_readv(getpid(), &own, 1, &from, 1, 0) == 1 ? 0 : 1;
}

/* As in a unit whose SystemCallFilter= does not have seccomp(2): it is known before a session. */
static int check_forbidden(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_seccomp, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = { .len = 4, .filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		return 0; /* no seccomp at all: test_sandbox() */
	if (!sandbox_check())
		return 1;
	return strlen(err_text()) > 0 ? 0 : 2;
}

static void test_sandbox(void **state)
{
	(void)state;
	/* first: libseccomp remembers what it may call */
	assert_int_equal(run_child(check_forbidden), 0);
	if (sandbox_check()) {
		/* a build or a kernel without it says so */
		assert_true(strlen(err_text()) > 0);
		return;
	}
	assert_int_equal(run_child(in_sandbox), 0);
	assert_int_equal(run_child(in_emulated_sandbox), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_manager_is_told),
		cmocka_unit_test(test_no_manager),
		cmocka_unit_test(test_sockets_of_the_manager),
		cmocka_unit_test(test_place_of_status),
		cmocka_unit_test(test_stopped_server),
		cmocka_unit_test(test_privileges),
		cmocka_unit_test(test_sandbox),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
