/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * SIGINT, SIGTERM and SIGHUP: the first one asks to stop (signals_fd() becomes readable), the next
 * one of the same kind ends the program at once. But not within SIGNALS_TWIN_MS: one wish often
 * comes as two signals. timeout(1) sends one to the program and one to its process group; when a
 * terminal is gone, both the kernel and the shell send SIGHUP. The only signal handler of the
 * program.
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
int signals_fd(void);       /* poll for POLLIN; never read it empty: it stays readable */

#endif
