/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The state of a server and of its child processes, in the server's process, and what the files of
 * this room do with it.
 */
#ifndef SERVE_STATE_H
#define SERVE_STATE_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/un.h>

#include "access/access.h"
#include "account/account.h"
#include "options/cfg.h"
#include "serve/serve_child.h"
#include "serve/serve_file.h"
#include "service/service.h"
#include "util/err.h"
#include "wire/ctl.h"

#define SERVE_MAX_NEW 64u /* connections that sent no plan yet: serve_limits_new() */
#define SERVE_MAX_NEW_OF_ONE 10u /* of one other host; each costs 6 descriptors */
#define SERVE_PAUSE_NS 100000000u /* until what serve_is_short() says is tried again */
#define SERVE_MAX_OTHER 64u    /* descriptors that the server polls besides its children */

enum serve_child_state {
	SERVE_CHILD_NEW,      /* the peer sent no plan yet */
	SERVE_CHILD_REJECTED, /* it sent one, and the session may not run */
	SERVE_CHILD_CLIENT    /* the session runs */
};

/* Why the server's process ends a session: its times, and a key that is gone. */
enum serve_limit { SERVE_LIMIT_SESSION, SERVE_LIMIT_POINT, SERVE_LIMIT_SILENT, SERVE_LIMIT_KEY };

/* A child process, one for each connection. */
struct serve_process {
	pid_t pid;
	int fd;               /* this end of the socket pair: serve_child.h; -1: gone */
	enum serve_child_state state;
	uint64_t since_ns;
	uint8_t host[16];     /* who it is for limits: serve_user_host() */
	uint64_t began_ns;    /* the session; 0: it has not */
	uint64_t point_ns;    /* the loops of a point began; 0: none runs */
	uint64_t heard_ns;    /* its last message, or when the session began */
	uint64_t asked_ns;    /* it was asked to end; 0: not */
	enum serve_limit over; /* why; of asked_ns */
	bool keyed;           /* the peer has proved a key: */
	uint8_t key[KEY_ID_BYTES];
	uint32_t session_ms, point_ms, idle_ms, stall_ms; /* limits of when it began: cfg.max_ */
	uint64_t bytes;       /* of memory that it has */
	char peer[128];
	char reason[ERR_TEXT_MAX]; /* why the peer is not a client */
	bool perftest;        /* it is perftest */
	bool gone;            /* it has closed the pair, or was killed: its exit is awaited */
	bool killed;          /* by the server, which has logged why */
	struct account_entry entry; /* for the audit and the status */
	uint64_t gone_ns, look_ns, look_again_ns; /* since when; when it is looked for; then */
};

/* Where it listens, and which addresses may connect: --bind, --allow. */
#define SERVE_LISTEN_MAX 16u

struct serve_listen {
	uint32_t n;                 /* 0: no more connections are accepted */
	int fds[SERVE_LISTEN_MAX];
	bool limited;               /* allow has who may connect; false: everybody */
	bool stays;                 /* a server of many clients */
	struct ranges allow;
};

/*
 * Where the options of a server come from. A reload reads the file, --allow and the keys again, and
 * opens the audit anew. Sessions that run keep what they began with, unless their key is gone;
 * where the server listens and who it is stays, too.
 */
struct serve_source {
	const struct cfg *given;  /* the command line alone */
	struct serve_file *file;  /* what the file gave; replaced by a reload */
};

/* How it is stopped and ended: serve_life.c. */
struct serve_life {
	struct notify notify; /* what the service manager hears */
	uint64_t stopped_ns;  /* clock_ns(): when the first request to stop came; 0: none */
	uint64_t ask_ns;      /* when the sessions are asked to end; UINT64_MAX: not, or done */
	uint64_t idle_ns;     /* since when nobody is connected */
};

/* One connection is answered at a time, others wait in the listener's queue: serve_status.c. */
struct serve_status {
	int listener, client; /* -1: none */
	uint64_t until_ns;    /* when the client is closed; without one: when it accepts again */
	char *text;           /* for the client; owned */
	size_t len, at;       /* of text; at: sent so far */
	uint32_t port;        /* TCP port of the server: names the socket, labels the metrics */
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)]; /* of the listener */
	char *metrics;        /* path of that file; NULL: none; owned */
	uint64_t metrics_ns;  /* when it is written next */
	bool metrics_lost;    /* the last write has failed */
};

#define SERVE_STATUS_CLOSED { .listener = -1, .client = -1 }

struct serve {
	const struct cfg *cfg;
	enum serve_for how_many;
	const struct serve_printer *printer; /* NULL: the outputs of the options */
	struct ctl_tls *tls;       /* the keys of clients; NULL: they need none */
	struct serve_listen listen;
	struct account account;
	struct cfg *current;       /* cfg: what a reload changes */
	const struct serve_source *source; /* NULL: no reload */
	struct floods floods;
	struct serve_life life;
	struct serve_status status_socket;
	uint64_t begun_ns;         /* clock_ns() */
	bool sandbox;              /* sessions enter it */
	uint64_t pause_until_ns;
	uint64_t short_told_ns;    /* clock_ns(): when serve_short_pause() has logged; 0: never */
	uint64_t stop_by_ns;       /* 0: no stop was asked for */
	int status;                /* SERVE_ONE_CLIENT: of its session */
	bool over;                 /* nothing is left to do */
	uint64_t ignored_since_ns, ignored;
	bool knows_users;          /* serve_user_known() */
	uint64_t rate_ns;          /* of --max-session-rate: serve_limits.c */
	uint32_t n, room;
	struct serve_process *children; /* oldest first; owned */
	struct pollfd *polls;           /* room for those, and SERVE_MAX_OTHER more, twice; owned */
	struct rlimit session_descriptors; /* serve_limits_descriptors() */
};

/*
 * serve_listen.c: where a server listens, and which addresses may connect. A server that stays up
 * listens on loopback only unless --key or --allow says who may ask.
 */

/* Listens. -errno with an error message, and nothing is open. After serve_listen_allow(). */
int serve_listen_open(struct serve_listen *l, const struct cfg *cfg)
	__attribute__((warn_unused_result));

/*
 * In place of it: n descriptors from first on, which a service manager has opened. --bind and
 * --port are not read. -EINVAL with an error message: one is no listening socket of TCP, or nothing
 * says who may ask.
 */
int serve_listen_adopt(struct serve_listen *l, const struct cfg *cfg, int first, uint32_t n)
	__attribute__((warn_unused_result));

/* Reads --allow, for connections that come. -EINVAL with an error message: nothing has changed. */
int serve_listen_allow(struct serve_listen *l, const struct cfg *cfg)
	__attribute__((warn_unused_result));

/* The port of all listeners; 0: there is none. */
uint32_t serve_listen_port(const struct serve_listen *l);

void serve_listen_close(struct serve_listen *l);

/*
 * Accepts a connection of listener i, non-blocking; peer_gid: its address, IPv4 mapped. The
 * descriptor, or without an error message -EACCES: it was closed, as --allow does not have it; or
 * another -errno of accept(2).
 */
int serve_listen_accept(const struct serve_listen *l, uint32_t i, uint8_t peer_gid[16])
	__attribute__((warn_unused_result));

/* "port 18515 of 127.0.0.1 and ::1": the end of the log line. Returns text. */
const char *serve_listen_text(const struct serve_listen *l, char *text, size_t size);

/* Only programs of this host can connect, as no option says who else may. */
bool serve_listen_only_here(const struct serve_listen *l, const struct cfg *cfg);

/* Is it an errno of a system that has no descriptors or memory now, and may have them again? */
bool serve_is_short(int err);

/*
 * what, "accept connections", fails with such an errno: logs it, once in a minute. Returns when it
 * is tried again, clock_ns(): at once it would fail again.
 */
uint64_t serve_short_pause(struct serve *s, const char *what, int err);

/* serve_processes.c: the child processes. Not for the child process of a session. */

/* Makes room for one more child; once before the first poll(2). -ENOMEM without a message. */
int serve_processes_grow(struct serve *s) __attribute__((warn_unused_result));

/* Starts the child of a connection. -errno without an error message. */
int serve_processes_start(struct serve *s, struct ctl *ctl) __attribute__((warn_unused_result));

/*
 * Child i has written, or closed its end. When its process has ended, those behind it move down by
 * one. Nothing here waits for a process.
 */
void serve_processes_receive(struct serve *s, uint32_t i);

/*
 * Ends the children that are late, and forgets those whose process has ended. Returns when the next
 * deadline is, CLOCK_MONOTONIC_RAW ns.
 */
uint64_t serve_processes_expire(struct serve *s);

/* Asks every session to stop. */
void serve_processes_stop(const struct serve *s);

/* Waits shortly for their end, and frees the table. */
void serve_processes_kill_all(struct serve *s);

/* serve_listen.c: connections without a plan: which give way, which hosts are kept away. */

/*
 * The one that gives way to a connection of gid: of those without a plan, the oldest of the host
 * that has most. A session never does. One of s->children, borrowed; NULL: there is room.
 */
struct serve_process *serve_pending_room(struct serve *s, const uint8_t gid[16]);

/*
 * Keeps hosts that flood away from the listening sockets: their SYN is dropped by a filter of the
 * socket (socket(7), SO_ATTACH_FILTER). Sets or removes it, as s->floods says. Where the kernel
 * has no filters, connections are closed instead.
 */
void serve_flood_filter(const struct serve *s);

/* The socket of an accepted connection has the filter of its listener: removes it. */
void serve_flood_unfilter(int fd);

/* Logs a connection that is not a client; of many in a minute only the number. */
void serve_refused_log(struct serve *s, const char *peer, const char *reason);

/* Logs how many of them were not logged. */
void serve_refused_log_rest(struct serve *s);

/*
 * serve_user.c: who a peer is for the limits of one host: its address, and on this host its user,
 * so that no user can keep out the others. Where the kernel does not tell, the address.
 */
void serve_user_host(uint8_t host[16], const struct ctl *ctl);

/*
 * Does the kernel tell it of a listening socket? One that cannot looks for a module at each
 * question, which costs a process.
 */
bool serve_user_known(int listener);

/*
 * serve_limits.c: the limits that the server's process enforces: sessions in all, of one host (of
 * one key, if it has a name) and per second, the memory of all sessions, the time of a point and of
 * a session, how long a session may show no sign of life between two points, and that its key is
 * valid. agree/agree.h has the limits of one session.
 */

/*
 * Fills what is "auto", checks texts, and makes room for the descriptors. -EINVAL with an error
 * message.
 */
int serve_limits_fill(struct cfg *cfg, enum serve_for how_many)
	__attribute__((warn_unused_result));

/*
 * The soft limit of descriptors that a session has: that of before serve_limits_fill(), or
 * FD_SETSIZE if that is more: select(2) in a library does not know others. The hard limit stays.
 */
struct rlimit serve_limits_descriptors(void);

/* The most connections without a plan: SERVE_MAX_NEW, or the most sessions if these are more. */
uint32_t serve_limits_new(const struct cfg *cfg);

/* How many sessions run. */
uint32_t serve_limits_sessions(const struct serve *s);

/* May the session of this child begin? It then counts as begun; else why tells the peer. */
bool serve_limits_admit(struct serve *s, struct serve_process *c, char *why, size_t size);

/* May this child have so many bytes in all? It then has them; else why tells the peer. */
bool serve_limits_memory(struct serve *s, struct serve_process *c, uint64_t bytes, char *why,
			 size_t size);

/* When a session is over its time; UINT64_MAX never. The call below does what is then done. */
uint64_t serve_limits_until(const struct serve_process *c);

/* It is: asks it to end. False: it was asked before, and is to be killed; that is logged. */
bool serve_limits_late(struct serve_process *c);

/* After a reload: asks the sessions to end whose key the server does not have any more. */
void serve_limits_keys(struct serve *s);

/*
 * serve_life.c: how a server waits for its device, is stopped (drain, then ask, then kill),
 * reloaded, ended when nobody is there, and what the service manager is told of it.
 */

/*
 * Waits until a session can have a device, --wait-device at most, or until the user stops the
 * server. -errno with an error message: there is none. A process of its own looks for it.
 */
int serve_life_device(struct serve *s) __attribute__((warn_unused_result));

/* Signals have come. */
void serve_life_signals(struct serve *s);

/* Does what is due. Returns when something is due next, clock_ns(); UINT64_MAX never. */
uint64_t serve_life_due(struct serve *s);

/*
 * serve_status.c: how a running server is watched: a Unix socket that sends the status, one JSON
 * object, to each connection of the server's user or root; and the file of --metrics, which
 * node_exporter reads.
 */

/* Opens the socket. A server without it still serves: a note says why there is none. */
void serve_status_open(struct serve *s);

/* Checks the path of --metrics, as the user that writes it. -errno with an error message. */
int serve_status_metrics(struct serve *s) __attribute__((warn_unused_result));

/* What the server waits for; when it has come: serve_status_handle(). */
struct pollfd serve_status_poll(const struct serve_status *st);
void serve_status_handle(struct serve *s);

/* Does what is due. Returns when something is due next; UINT64_MAX never. */
uint64_t serve_status_due(struct serve *s);

/* leave: in the process of a session; else the socket and the file of metrics are removed. */
void serve_status_close(struct serve_status *st, bool leave);

/* "verbench serve --status": asks the server of that port, and prints. Returns the exit status. */
int serve_status_ask(const struct cfg *cfg);

#endif
