/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * SIGINT, SIGTERM and SIGHUP: the first one asks to stop (signals_fd() becomes readable), the next
 * one of the same kind ends the program at once, unless it is a server of many or a session of it.
 * But not within SIGNALS_TWIN_MS: one wish often comes as two signals. timeout(1) sends one to the
 * program and one to its process group; when a terminal is gone, both the kernel and the shell send
 * SIGHUP. The only signal handler of the program.
 */
#ifndef SIGNALS_H
#define SIGNALS_H

#include <signal.h>

#define SIGNALS_TWIN_MS 500

/*
 * The signal by which the server asks its own child processes to stop, and the kernel when the
 * server is gone: any number of it ends nothing at once, so a child that also gets the signals of a
 * group (SIGTERM by a service manager) still writes what it has measured.
 */
#define SIGNALS_ASK SIGUSR1

/*
 * -errno with an error message. A forked child calls it again to get another descriptor: a signal
 * to one session must not stop the server. SIGHUP stays ignored if it was when the program started
 * (nohup). SIGPIPE and SIGXFSZ are ignored from then on.
 */
int signals_init(void) __attribute__((warn_unused_result));

/*
 * The same in the process of a session of a server: the second signal counts no more than the
 * first. Who stops a service often sends to the whole group and then again, and the server ends a
 * session that takes too long by SIGKILL.
 */
int signals_init_session(void) __attribute__((warn_unused_result));

/*
 * Of a server: with "stty tostop" a session, which is a background group of the terminal, would be
 * stopped when it prints (termios(3), TOSTOP). -errno with an error message.
 */
int signals_ignore_terminal(void) __attribute__((warn_unused_result));

/* From now on the second signal ends nothing at once: the caller takes each of them. */
void signals_count(void);

enum { SIGNALS_STOP = 1, SIGNALS_HANGUP = 2 }; /* SIGINT or SIGTERM; SIGHUP */

/* Which of them came since the last call, as bits; signals_fd() is empty then. */
unsigned int signals_take(void);

/* Poll it for POLLIN; never read it empty, it stays readable: only signals_take() does. */
int signals_fd(void);

#endif
