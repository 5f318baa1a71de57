/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * SIGINT, SIGTERM and SIGHUP: the first one asks to stop (signals_fd() becomes readable), a second
 * one of the same kind ends the program at once, unless it is a server of many clients or one of
 * its sessions. A second signal within SIGNALS_TWIN_MS does not count, because one request often
 * arrives as two signals: timeout(1) sends one to the program and one to its process group; when a
 * terminal is closed, both the kernel and the shell send SIGHUP. This is the only signal handler of
 * the program.
 */
#ifndef SIGNALS_H
#define SIGNALS_H

#include <signal.h>
#include <stdbool.h>

#define SIGNALS_TWIN_MS 500

/*
 * The signal that asks a child process of a server to stop: the server sends it, and the kernel
 * does when the server is gone. However often it arrives, it does not end a child at once, so a
 * child that also gets the signals of a group (SIGTERM by a service manager) still writes its
 * results.
 */
#define SIGNALS_ASK SIGUSR1

/*
 * -errno with an error message. A forked child calls it again to get its own descriptor: a signal
 * to one session must not stop the server. SIGHUP stays ignored if it was when the program started
 * (nohup). SIGPIPE and SIGXFSZ are ignored from then on.
 */
int signals_init(void) __attribute__((warn_unused_result));

/*
 * The same for a session process of a server, but a second signal does not end it: a service
 * manager often signals the whole group and then again, and the server ends a session that takes
 * too long with SIGKILL.
 */
int signals_init_session(void) __attribute__((warn_unused_result));

/*
 * For a server: with "stty tostop" a session, which is a background process group of the terminal,
 * would be stopped when it prints (termios(3), TOSTOP). -errno with an error message.
 */
int signals_ignore_terminal(void) __attribute__((warn_unused_result));

/* From now on a second signal does not end the program: the caller handles each of them. */
void signals_count(void);

enum { SIGNALS_STOP = 1, SIGNALS_HANGUP = 2 }; /* SIGINT or SIGTERM; SIGHUP */

/* The signals received since the last call, as bits; signals_fd() is no longer readable then. */
unsigned int signals_take(void);

/* Poll it for POLLIN; do not read it, it stays readable: only signals_take() empties it. */
int signals_fd(void);

/* Has a signal asked to stop, which signals_take() has not taken? */
bool signals_asked(void);

#endif
