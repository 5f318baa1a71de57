/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * SIGINT and SIGTERM: the first asks to stop (signals_fd() becomes readable), the second of the same
 * leaves at once (the default action is back). The only signal handler of the program.
 */
#ifndef SIGNALS_H
#define SIGNALS_H

/*
 * -errno with a sentence. Again in a forked child, so that it has a descriptor of its own: a signal
 * to one session must not stop the server. SIGPIPE is ignored from then on.
 */
int signals_init(void) __attribute__((warn_unused_result));
int signals_fd(void);       /* poll for POLLIN; never read it empty: it stays readable */

#endif
