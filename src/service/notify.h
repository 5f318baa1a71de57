/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder service: what a program that stays up has to do with its system: the service manager, the
 * place of its status, its privileges, the sandbox of its child processes. It knows no session.
 *
 * This header: the service manager that has started the server, if one has: what it is told
 * (sd_notify(3)), its watchdog (sd_watchdog_enabled(3)), the sockets that it has opened
 * (sd_listen_fds(3)). By the protocols that these pages describe; no library is needed.
 */
#ifndef NOTIFY_H
#define NOTIFY_H

#include <stdint.h>

#define NOTIFY_FDS 3 /* the first descriptor that the manager hands over */

struct notify {
	int fd;               /* connected to the manager; -1: none */
	uint64_t watchdog_ns; /* it must hear from the server in this time; 0: no watchdog */
	uint64_t next_ns;     /* clock_ns(): when it is told next */
};

/* Reads the environment, and takes out of it what is meant for this process only. Never fails. */
void notify_open(struct notify *n);

/* How many listening sockets are handed over, from NOTIFY_FDS on. Once. */
uint32_t notify_sockets(void);

/* Lines "NAME=value". Never waits; one that cannot be sent is lost. */
void notify_send(const struct notify *n, const char *lines);

/* RELOADING=1 with the time, as systemd.service(5), Type=notify-reload, wants it. */
void notify_reloading(const struct notify *n);

/* Tells the watchdog if it is time. Returns when it is next, UINT64_MAX never. */
uint64_t notify_alive(struct notify *n, uint64_t now_ns);

/* In the process of a session too. */
void notify_close(struct notify *n);

#endif
