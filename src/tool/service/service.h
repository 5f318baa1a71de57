/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room service: what a program that stays up has to do with its system: the service manager, the
 * place of its status, its privileges, the sandbox of its child processes. It knows no session.
 */
#ifndef SERVICE_H
#define SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * ---- notify.c: the service manager that has started the server, if one has: what it is told
 * (sd_notify(3)), its watchdog (sd_watchdog_enabled(3)), the sockets that it has opened
 * (sd_listen_fds(3)). By the protocols that these pages describe; no library is needed.
 */

#define NOTIFY_FDS 3 /* the first descriptor that the manager hands over */

struct notify {
	int fd;               /* connected to the manager; -1: none */
	uint64_t watchdog_ns; /* it must hear from the server in this time; 0: no watchdog */
	uint64_t next_ns;     /* clock_ns(): when it is told next */
	bool lost;            /* the last lines were not sent */
};

/* Reads the environment, and takes out of it what is meant for this process only. Never fails. */
void notify_open(struct notify *n);

/* How many listening sockets are handed over, from NOTIFY_FDS on. Once. */
uint32_t notify_sockets(void);

/* Lines "NAME=value". Never waits; one that cannot be sent is lost, which is logged once. */
void notify_send(struct notify *n, const char *lines);

/* RELOADING=1 with the time, as systemd.service(5), Type=notify-reload, wants it. */
void notify_reloading(struct notify *n);

/* Tells the watchdog if it is time. Returns when it is next, UINT64_MAX never. */
uint64_t notify_alive(struct notify *n, uint64_t now_ns);

/* In the process of a session too. */
void notify_close(struct notify *n);

/*
 * ---- status_place.c
 *
 * Where the Unix socket of a server's status is: serve-PORT.sock in a directory of mode 0700 of the
 * server's user. The directory is the first of $RUNTIME_DIRECTORY (systemd.exec(5)), /run/verbench
 * of root, $XDG_RUNTIME_DIR/verbench, /tmp/verbench-UID.
 */

/*
 * Listens, non-blocking, with mode 0600; makes the directory, and replaces the socket of a server
 * that is gone. path: size characters. -errno with an error message: the directory is not safe, or
 * another server has the socket.
 */
int status_place_listen(int *fd, char *path, size_t size, uint32_t port)
	__attribute__((warn_unused_result));

/*
 * Connects to it within timeout_ms (-ETIMEDOUT: a server is there and does not accept), and blocks,
 * each read as long at most. -EPERM: others than its user could have made the socket. -errno with
 * an error message.
 */
int status_place_connect(int *fd, uint32_t port, uint32_t timeout_ms)
	__attribute__((warn_unused_result));

/* Is the program at the other end of the connection of the server's user, or of root? */
bool status_place_is_owner(int fd);

/*
 * ---- privilege.c
 *
 * What a program that takes work from the network gives up before it does: its user, and that a
 * program which it starts could have more rights. The kernel clears the capabilities of root that
 * becomes another user (capabilities(7)); those of others are the choice of whoever started it.
 */

/*
 * user: who to become, with all its groups (only root can); NULL: nobody else. -errno with an
 * error message: then the program must end.
 */
int privilege_drop(const char *user) __attribute__((warn_unused_result));

/* Who user is; NULL: *uid is 0. -errno with an error message. */
int privilege_user(const char *user, uid_t *uid) __attribute__((warn_unused_result));

/*
 * ---- sandbox_*.c
 *
 * The sandbox of a session: the system calls that verbs, rdma_cm, hwloc, threads and the files of
 * results need; any other fails with EPERM, so that a library that tries one goes on without it.
 * A session then starts no program, makes no process, listens on no network, sends no signal to
 * others, traces and mounts nothing. It does not know paths: files are what the user of the server
 * may use (--user, the unit of the service manager).
 */

/*
 * Can this build and kernel, and may this program (who started it may have set a filter, too)?
 * -errno with an error message.
 */
int sandbox_check(void) __attribute__((warn_unused_result));

/*
 * From now on, for this process and its threads, for good. emulated: it may read and write the
 * memory of other processes, which is how the emulated HCA moves data. -errno with an error
 * message.
 */
int sandbox_enter(bool emulated) __attribute__((warn_unused_result));

#endif
