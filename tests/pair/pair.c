/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Runs both ends of a session and reads what they leave; see pair.h. */
#include "config.h"
#include "pair.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "frame/results.h"
#include "commands/commands.h"
#include "util/err.h"
#include "options/label.h"
#include "options/options.h"
#include "wire/ctl_socket.h"
#include "wire/key.h"
#include "decide/plan.h"
#include "util/log.h"
#include "util/signals.h"
#include "verbs.h"

#define GUARD_S 300 /* a session that hangs ends the process */
#define HOUR "3600"

struct pair_thread {
	struct pair *pair;
	pthread_t thread;
	int saved_out, saved_err;
};

/* ---- results */

/*
 * One cell from *at on, unquoted in place; *at is after its separator. The separator is returned.
 */
static char take_cell(char **at, const char **cell)
{
	char *in = *at, *out = *at, sep;
	bool quoted = *in == '"';

	*cell = out;
	in += quoted;
	while (*in && (quoted || (*in != ',' && *in != '\n'))) {
		if (quoted && *in == '"' && *++in != '"')
			break;
		*out++ = *in++;
	}
	sep = *in;
	*at = sep ? in + 1 : in;
	*out = '\0';
	return sep;
}

static void parse_csv(struct pair_csv *csv)
{
	char *at = csv->text;

	while (csv->n_keys < PAIR_CELLS && take_cell(&at, &csv->keys[csv->n_keys++]) == ',')
		;
	while (*at && csv->n_rows < PAIR_ROWS) {
		uint32_t n = 0;

		while (n < PAIR_CELLS && take_cell(&at, &csv->cells[csv->n_rows][n++]) == ',')
			;
		assert_int_equal(n, csv->n_keys);
		csv->n_rows++;
	}
}

static char *read_file(const char *path)
{
	FILE *f = fopen(path, "re");
	char *text = calloc(1, 1 << 18);

	assert_non_null(text);
	if (f) {
		assert_true(fread(text, 1, (1 << 18) - 1, f) < (1 << 18) - 1);
		fclose(f);
	}
	return text;
}

static void forget_results(struct pair_side *s)
{
	free(s->csv.text);
	memset(&s->csv, 0, sizeof(s->csv));
	json_decref(s->json);
	s->json = NULL;
}

static void read_results(struct pair_side *s, bool faulty)
{
	forget_results(s);
	s->csv.text = read_file(s->csv_path);
	if (s->csv.text[0])
		parse_csv(&s->csv);
	s->json = json_load_file(s->json_path, 0, NULL);
	unlink(s->csv_path);
	unlink(s->json_path);
	if (!s->json || faulty)
		return;
	assert_int_equal(json_array_size(json_object_get(s->json, "rows")) +
			 json_array_size(json_object_get(s->json, "intervals")), s->csv.n_rows);
}

const char *pair_cell(const struct pair_side *s, uint32_t row, const char *key)
{
	assert_true(row < s->csv.n_rows);
	for (uint32_t i = 0; i < s->csv.n_keys; i++)
		if (!strcmp(s->csv.keys[i], key))
			return s->csv.cells[row][i];
	fail_msg("no column %s", key);
	return "";
}

uint64_t pair_u64(const struct pair_side *s, uint32_t row, const char *key)
{
	const char *text = pair_cell(s, row, key);
	char *end;
	uint64_t n = strtoull(text, &end, 10);

	if (!text[0] || *end)
		fail_msg("%s is \"%s\", no number", key, text);
	return n;
}

double pair_f64(const struct pair_side *s, uint32_t row, const char *key)
{
	const char *text = pair_cell(s, row, key);
	char *end;
	double n = strtod(text, &end);

	if (!text[0] || *end)
		fail_msg("%s is \"%s\", no number", key, text);
	return n;
}

const char *pair_error(const struct pair_side *s)
{
	const char *text = json_string_value(json_object_get(s->json, "error"));

	return text ? text : "";
}

void pair_assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in \"%s\"", part, text);
}

/* A message that begins with an option may have it as it was typed. */
void pair_assert_told(const struct pair_side *s, const char *message)
{
	char text[ERR_TEXT_MAX], label[FIELD_TEXT_MAX];

	for (size_t i = 0; i < options_table.n; i++) {
		const struct field *f = &options_table.rows[i];
		const size_t len = strlen(field_label(f, label, sizeof(label)));

		if (!s->cfg.typed[i].word || strncmp(message, label, len) ||
		    strstr(pair_error(s), message))
			continue;
		label_typed(&s->cfg.typed[i], label);
		snprintf(text, sizeof(text), "%s%s", label, message + len);
		pair_assert_has(pair_error(s), text);
		return;
	}
	pair_assert_has(pair_error(s), message);
}

/* Of latency "both" is the direction of every row. */
uint32_t pair_rows(const struct pair_side *side)
{
	uint32_t n = side->csv.n_rows;

	for (uint32_t row = 0; row < side->csv.n_rows; row++)
		n -= !strcmp(pair_cell(side, row, "direction"), "both") &&
		     !strcmp(pair_cell(side, row, "pattern"), "stream");
	return n;
}

void pair_assert_ended(const struct pair *p, int client_status, int server_status, uint32_t rows)
{
	const uint32_t client = pair_rows(&p->client), server = pair_rows(&p->server);

	if (p->client.status != client_status || p->server.status != server_status ||
	    client != rows || server != rows)
		fail_msg("client %d, server %d, rows %u and %u; expected %d, %d, %u\n"
			 "client: %s\nserver: %s\nstandard error:\n%s",
			 p->client.status, p->server.status, client, server, client_status,
			 server_status, rows,
			 pair_error(&p->client), pair_error(&p->server), p->err ? p->err : "");
}

/* ---- running */

void pair_open(struct pair *p)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);

	memset(p, 0, sizeof(*p));
	verbs_reset();
	p->ctl = (struct ctl)CTL_CLOSED;
	snprintf(p->dir, sizeof(p->dir), "/tmp/verbench-pair-XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	assert_int_equal(ctl_listen(&p->listen_fd, NULL, 0), 0);
	assert_int_equal(getsockname(p->listen_fd, (struct sockaddr *)&addr, &len), 0);
	p->port = addr.ss_family == AF_INET ?
			  ntohs(((struct sockaddr_in *)(void *)&addr)->sin_port) :
			  ntohs(((struct sockaddr_in6 *)(void *)&addr)->sin6_port);
	p->signals_fd = eventfd(0, EFD_CLOEXEC);
	assert_true(p->signals_fd >= 0);
}

void pair_close(struct pair *p)
{
	forget_results(&p->client);
	forget_results(&p->server);
	free(p->err);
	close(p->listen_fd);
	close(p->signals_fd);
	assert_int_equal(rmdir(p->dir), 0);
	assert_int_equal(verbs_open_objects(), 0);
}

int pair_setup(void **state)
{
	static struct pair pair;

	pair_open(&pair);
	*state = &pair;
	return signals_init();
}

int pair_teardown(void **state)
{
	pair_close(*state);
	return 0;
}

static void parse_args(struct pair_side *s, enum options_command command, const char *fixed)
{
	char *save, *word;
	int argc = 0;

	snprintf(s->args + strlen(s->args), sizeof(s->args) - strlen(s->args), " %s", fixed);
	for (word = strtok_r(s->args, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		assert_true(argc < PAIR_ARGS - 1);
		s->argv[argc++] = word;
	}
	s->argv[argc] = NULL;
	memset(&s->cfg, 0, sizeof(s->cfg));
	for (s->cfg.test = 0; s->cfg.test < TEST_COUNT; s->cfg.test++)
		if (!strcmp(s->argv[0], kind_test_names[s->cfg.test]))
			break;
	if (command == OPTIONS_SERVE)
		s->cfg.test = 0;
	assert_true(s->cfg.test < TEST_COUNT);
	if (options_parse(&s->cfg, command, argc, s->argv) ||
	    (command == OPTIONS_SERVE ? plan_rules_server(&s->cfg) : plan_rules(&s->cfg)))
		fail_msg("%s", err_text());
}

static void choose_files(struct pair *p, struct pair_side *s, const char *name)
{
	snprintf(s->csv_path, sizeof(s->csv_path), "%s/%s.csv", p->dir, name);
	snprintf(s->json_path, sizeof(s->json_path), "%s/%s.json", p->dir, name);
	s->cfg.csv = s->csv_path;
	s->cfg.json = s->json_path;
	s->cfg.tcp_port = p->port;
}

/* Adds an option that is not there. */
static void add_default(char *args, size_t size, const char *option, const char *value)
{
	const size_t len = strlen(args);

	if (!strstr(args, option))
		snprintf(args + len, size - len, "%s%s", option, value);
}

static void set_args(struct pair_side *s, const char *args, const char *device)
{
	snprintf(s->args, sizeof(s->args), "%s", args);
	add_default(s->args, sizeof(s->args), " -d ", device);
	add_default(s->args, sizeof(s->args), " --connect-timeout ", HOUR);
	add_default(s->args, sizeof(s->args), " --stall-timeout ", HOUR);
}

void pair_client_args(struct pair *p, const char *client)
{
	set_args(&p->client, client, "pair0");
	/* tests count requests: test_warm_up has what comes before them */
	add_default(p->client.args, sizeof(p->client.args), " --warm-up ", "0");
	parse_args(&p->client, OPTIONS_TEST, "127.0.0.1");
	choose_files(p, &p->client, "client");
}

void pair_args(struct pair *p, const char *client, const char *server)
{
	char args[sizeof(p->server.args)];

	pair_client_args(p, client);
	snprintf(args, sizeof(args), "serve %s", server);
	set_args(&p->server, args, "pair1");
	parse_args(&p->server, OPTIONS_SERVE, "");
	choose_files(p, &p->server, "server");
}

/* The listening socket does not block. */
static int take_connection(const struct pair *p)
{
	struct pollfd pfd = { .fd = p->listen_fd, .events = POLLIN };

	if (poll(&pfd, 1, GUARD_S * 1000) != 1)
		return -1;
	return accept4(p->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

void pair_accept(struct pair *p, struct ctl *ctl)
{
	int fd = take_connection(p);

	if (fd < 0 || ctl_accept(ctl, fd, -1))
		fail_msg("accept: %s", strerror(errno));
}

void pair_connect(struct pair *p, struct ctl *ctl)
{
	if (ctl_dial(ctl, &(struct ctl_dial){ .host = "127.0.0.1", .port = p->port,
					      .timeout_ms = GUARD_S * 1000, .signals_fd = -1 }))
		fail_msg("%s", err_text());
}

static int count_admitted(void *arg)
{
	struct pair *p = arg;

	p->admitted++;
	return 0;
}

/* As the server does before a session, if it has a key. tls is the caller's. */
static int prove(struct pair *p, struct ctl_tls **tls)
{
	int rc = 0;

	if (p->server.cfg.key)
		rc = ctl_tls_open(tls, &(struct key_place){ .path = p->server.cfg.key });
	if (!rc && *tls)
		rc = ctl_prove(&p->ctl, *tls, true, p->server.cfg.connect_timeout_ms);
	if (rc)
		log_error("%s", err_text());
	return rc;
}

static void *serve(void *arg)
{
	struct pair *p = arg;
	struct ctl_tls *tls = NULL;
	struct results results = {
		.cfg = &p->server.cfg,
		.admit = count_admitted,
		.admit_arg = p,
	};
	const struct session_host host = results_host(&results);
	int fd;

	pair_time_join();
	fd = take_connection(p);
	p->server.status = -1;
	if (fd >= 0 && !ctl_accept(&p->ctl, fd, p->signals_fd) && !prove(p, &tls)) {
		p->server.end = session_server(&p->server.cfg, &p->ctl, &host);
		p->server.status = results_exit(&results, p->server.end);
	}
	ctl_close(&p->ctl);
	ctl_tls_close(tls);
	pair_time_leave();
	return NULL;
}

static void *ask(void *arg)
{
	struct pair *p = arg;

	pair_time_join();
	p->client.status = p->asks ? p->asks(p) : test_client(&p->client.cfg);
	pair_time_leave();
	return NULL;
}

static int redirect(int fd, const char *dir, const char *name)
{
	int saved = fcntl(fd, F_DUPFD_CLOEXEC, 3), file;
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fflush(NULL);
	file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(saved >= 0 && file >= 0 && dup2(file, fd) == fd);
	close(file);
	return saved;
}

static void restore(int fd, int saved)
{
	fflush(NULL);
	assert_int_equal(dup2(saved, fd), fd);
	close(saved);
}

struct pair_thread *pair_start(struct pair *p, enum side side)
{
	struct pair_thread *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	t->pair = p;
	t->saved_out = redirect(STDOUT_FILENO, p->dir, "out");
	t->saved_err = redirect(STDERR_FILENO, p->dir, "err");
	p->admitted = 0;
	alarm(GUARD_S);
	pair_time_begin();
	assert_int_equal(pthread_create(&t->thread, NULL, side == SIDE_CLIENT ? ask : serve, p), 0);
	return t;
}

void pair_join(struct pair_thread *t)
{
	struct pair *p = t->pair;
	char path[128];

	pair_time_leave();
	assert_int_equal(pthread_join(t->thread, NULL), 0);
	if (p->ended)
		p->ended();
	restore(STDOUT_FILENO, t->saved_out);
	restore(STDERR_FILENO, t->saved_err);
	alarm(0);
	free(t);
	free(p->err);
	snprintf(path, sizeof(path), "%s/err", p->dir);
	p->err = read_file(path);
	unlink(path);
	snprintf(path, sizeof(path), "%s/out", p->dir);
	unlink(path);
	read_results(&p->client, p->faulty);
	read_results(&p->server, p->faulty);
}

void pair_run(struct pair *p)
{
	struct pair_thread *t = pair_start(p, SIDE_SERVER);

	ask(p);
	/* a client that could not connect has left a server that waits for it */
	if (p->faulty)
		shutdown(p->listen_fd, SHUT_RDWR);
	pair_join(t);
}
