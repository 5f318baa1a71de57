/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Both ends of a session in one process: a client and a server thread over TCP on the loopback
 * address, on the devices of verbs.h, and the results they leave (CSV, JSON, standard error).
 */
#ifndef PAIR_H
#define PAIR_H

#include <stdbool.h>
#include <stdint.h>
#include <jansson.h>

#include "options/cfg.h"
#include "wire/ctl.h"
#include "agree/session.h"

#define PAIR_ROWS 40
#define PAIR_CELLS 256
#define PAIR_ARGS 40

struct pair_csv {
	char *text;
	uint32_t n_keys, n_rows;
	const char *keys[PAIR_CELLS];
	const char *cells[PAIR_ROWS][PAIR_CELLS];
};

/* One side: what it was given and what it left. */
struct pair_side {
	char args[256];
	char *argv[PAIR_ARGS];
	struct cfg cfg;
	char csv_path[128], json_path[128];
	int status; /* exit status */
	enum session_end end; /* of the server */
	struct pair_csv csv;
	json_t *json;
};

struct pair {
	struct pair_side client, server;
	char dir[64];
	int listen_fd;
	uint32_t port;
	int signals_fd; /* the server's: an eventfd */
	struct ctl ctl; /* the server's, while it runs */
	uint32_t admitted; /* sessions that the server let run */
	char *err; /* standard error of both */
	void (*ended)(void); /* when both sides have ended, before results are read; NULL: not */
	bool faulty; /* a call fails: one format may have fewer rows than the other */
	int (*asks)(struct pair *p); /* the client, as exit status; NULL: a test of its cfg */
};

/* Devices as new; directory and listening socket made. */
void pair_open(struct pair *p);
/* Nothing of verbs may be open any more; files are removed. */
void pair_close(struct pair *p);

/* For a test of cmocka with the pair as *state. */
int pair_setup(void **state);
int pair_teardown(void **state);

/*
 * The same for a test of time-outs: time passes only while both sides wait, and no other thread
 * (of the measured loops) wants a processor and gets none. Who waits in vain is then the one that
 * the test means.
 */
int pair_setup_timed(void **state);
int pair_teardown_timed(void **state);
/* The thread that calls is one of two sides; it is the other one; it waits for no message more. */
void pair_time_begin(void);
void pair_time_join(void);
void pair_time_leave(void);

/*
 * Options of both sides, with blanks between them; those of the client begin with the name of the
 * test. Without --connect-timeout and --stall-timeout each is an hour, and a session that takes
 * five minutes ends the process. So a session that waits for such a time-out fails its test, and no
 * test depends on the speed of the machine.
 */
void pair_args(struct pair *p, const char *client, const char *server);
/* The client's alone: the server may be running. */
void pair_client_args(struct pair *p, const char *client);

/* Runs both sides to their ends and reads what they left. */
void pair_run(struct pair *p);

/* For those who play one side themselves: the other in a thread of its own. */
struct pair_thread;
struct pair_thread *pair_start(struct pair *p, enum side side);
void pair_join(struct pair_thread *t);
/* The player's connection: to the server, or the client's. */
void pair_connect(struct pair *p, struct ctl *ctl);
void pair_accept(struct pair *p, struct ctl *ctl);

/* The text of a cell, "" when absent; fails the test when there is no such key. */
const char *pair_cell(const struct pair_side *s, uint32_t row, const char *key);
uint64_t pair_u64(const struct pair_side *s, uint32_t row, const char *key);
double pair_f64(const struct pair_side *s, uint32_t row, const char *key);
/* What stopped the session on this side, "" nothing. */
const char *pair_error(const struct pair_side *s);

/* Fails the test unless text has part in it. */
void pair_assert_has(const char *text, const char *part);

/* The error in the side's results has the message, with its options as that side typed them. */
void pair_assert_told(const struct pair_side *s, const char *message);
/* How many rows a side has, without the sums of both directions. */
uint32_t pair_rows(const struct pair_side *side);

/* Both sides ended so, and with so many rows, besides sums of both directions. */
void pair_assert_ended(const struct pair *p, int client_status, int server_status, uint32_t rows);

#endif
