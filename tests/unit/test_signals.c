/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* signals.c: the second signal ends a program, not a session; a terminal does not stop a server. */
#include "config.h"
#include "util/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <cmocka.h>

#define GUARD_S 300

/* Later than a twin of the first signal. */
static void let_pass(void)
{
	poll(NULL, 0, SIGNALS_TWIN_MS + 20);
}

static void stop_twice(int (*init)(void))
{
	struct pollfd p;

	alarm(GUARD_S);
	if (init())
		_exit(1);
	raise(SIGTERM);
	p = (struct pollfd){ .fd = signals_fd(), .events = POLLIN };
	if (poll(&p, 1, 0) != 1)
		_exit(2);
	let_pass();
	raise(SIGTERM);
	_exit(0);
}

static int status_of(int (*init)(void))
{
	int wstatus = 0;
	const pid_t pid = fork();

	if (!pid)
		stop_twice(init);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &wstatus, 0), pid);
	return wstatus;
}

static void test_second_signal_ends_a_program(void **state)
{
	const int wstatus = status_of(signals_init);

	(void)state;
	assert_true(WIFSIGNALED(wstatus));
	assert_int_equal(WTERMSIG(wstatus), SIGTERM);
}

static void test_second_signal_ends_no_session(void **state)
{
	const int wstatus = status_of(signals_init_session);

	(void)state;
	assert_true(WIFEXITED(wstatus));
	assert_int_equal(WEXITSTATUS(wstatus), 0);
}

/* In a group in the background of a terminal with "tostop". Exit status 0: it was not stopped. */
static void print_in_background(bool ignore)
{
	int wstatus = 0;
	const pid_t pid = fork();

	if (!pid) {
		setpgid(0, 0);
		if (ignore && signals_ignore_terminal())
			_exit(1);
		_exit(write(STDOUT_FILENO, "x", 1) != 1);
	}
	if (waitpid(pid, &wstatus, WUNTRACED) != pid)
		_exit(2);
	if (!WIFSTOPPED(wstatus))
		_exit(WIFEXITED(wstatus) ? WEXITSTATUS(wstatus) : 3);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	_exit(WSTOPSIG(wstatus) == SIGTTOU ? 10 : 4);
}

static int print_on_terminal(bool ignore)
{
	const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
	struct termios modes;
	int wstatus = 0;
	pid_t pid;

	assert_true(terminal >= 0);
	assert_int_equal(grantpt(terminal) | unlockpt(terminal), 0);
	pid = fork();
	if (!pid) {
		int tty;

		alarm(GUARD_S);
		setsid();
		tty = open(ptsname(terminal), O_RDWR);
		if (tty < 0 || ioctl(tty, TIOCSCTTY, 0) || tcgetattr(tty, &modes))
			_exit(5);
		modes.c_lflag |= TOSTOP;
		if (tcsetattr(tty, TCSANOW, &modes))
			_exit(6);
		dup2(tty, STDOUT_FILENO);
		print_in_background(ignore);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &wstatus, 0), pid);
	close(terminal);
	assert_true(WIFEXITED(wstatus));
	return WEXITSTATUS(wstatus);
}

static void test_terminal_stops_no_session(void **state)
{
	(void)state;
	assert_int_equal(print_on_terminal(false), 10);
	assert_int_equal(print_on_terminal(true), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_second_signal_ends_a_program),
		cmocka_unit_test(test_second_signal_ends_no_session),
		cmocka_unit_test(test_terminal_stops_no_session),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
