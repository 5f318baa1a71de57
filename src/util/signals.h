/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * SIGINT and SIGTERM: the first one asks to stop (signals_fd() becomes readable), the second one of
 * the same kind ends the program at once. The only signal handler of the program.
 */
#ifndef SIGNALS_H
#define SIGNALS_H

/*
 * -errno with an error message. A forked child calls it again to get another descriptor: a signal
 * to one session must not stop the server. SIGPIPE and SIGXFSZ are ignored from then on.
 */
int signals_init(void) __attribute__((warn_unused_result));
int signals_fd(void);       /* poll for POLLIN; never read it empty: it stays readable */

#endif
