/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A server that takes files, against an honest client, a wrong payload, and a client played by hand
 * that asks for names and announces windows as no honest one does. The server says what was wrong,
 * and its directory has the whole file or nothing.
 */
#include "config.h"
#include "agree/session.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <cmocka.h>

#include "options/options.h"
#include "copy/copy_files.h"
#include "copy/link.h"
#include "pair.h"
#include "agree/agree.h"
#include "wire/proto.h"
#include "util/err.h"
#include "verbs.h"

#define FAILED 1
#define REFUSED 2
#define WINDOW 4096u
#define PATIENCE_MS 100000u

/* A client, its file and the server's directory. */
struct player {
	struct pair *pair;
	struct pair_thread *thread;
	struct ctl ctl;
	struct agree agree;
	struct agree_own own;
	struct copy_file file;
	char source[128], dir[128];
	uint32_t copied;
};

static bool directories_fail;

/* In place of the one of libc. */
int fsync(int fd)
{
	struct stat st;

	if (directories_fail && !fstat(fd, &st) && S_ISDIR(st.st_mode)) {
		errno = EIO;
		return -1;
	}
	return (int)syscall(SYS_fsync, fd);
}

static void begin(struct player *pl, struct pair *p, uint64_t bytes)
{
	char args[200];

	memset(pl, 0, sizeof(*pl));
	pl->pair = p;
	snprintf(pl->dir, sizeof(pl->dir), "%s/to", p->dir);
	snprintf(pl->source, sizeof(pl->source), "%s/from", p->dir);
	assert_int_equal(mkdir(pl->dir, 0700), 0);
	snprintf(args, sizeof(args), "--copy-to %s", pl->dir);
	verbs_reset();
	pair_args(p, "write_bw -s 4096", args);
	p->client.status = 0;
	assert_int_equal(copy_options(&p->client.cfg), 0);
	snprintf(pl->file.name, sizeof(pl->file.name), "copy");
	pl->file.size_bytes = bytes;
	pl->file.mode = 0640;
	pl->thread = pair_start(p, SIDE_SERVER);
}

static uint32_t names_in(const char *dir)
{
	DIR *d = opendir(dir);
	uint32_t n = 0;

	assert_non_null(d);
	for (struct dirent *e = readdir(d); e; e = readdir(d))
		n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
	closedir(d);
	return n;
}

/* names: how many are in the directory. error: a part of what the server says; NULL: nothing. */
static void end(struct player *pl, int status, uint32_t names, const char *error)
{
	struct pair *p = pl->pair;
	char path[160];

	ctl_close(&pl->ctl);
	pair_join(pl->thread);
	if (p->server.status != status)
		fail_msg("server %d, expected %d\n%s", p->server.status, status, p->err);
	if (error)
		pair_assert_has(p->err, error);
	assert_int_equal(names_in(pl->dir), names);
	assert_int_equal(verbs_open_objects(), 0);
	snprintf(path, sizeof(path), "%s/copy", pl->dir);
	unlink(path);
	assert_int_equal(rmdir(pl->dir), 0);
	unlink(pl->source);
}

/* ---- an honest client */

static void make_source(const struct player *pl)
{
	FILE *f = fopen(pl->source, "w");

	assert_non_null(f);
	for (uint64_t i = 0; i < pl->file.size_bytes; i++)
		fputc((int)(i * 7 + i / 251), f);
	assert_int_equal(fclose(f), 0);
}

static int take(void *arg, const struct event *event)
{
	struct player *pl = arg;

	if (event->kind == EVENT_MOVED)
		assert_true(event->moved->bytes <= event->moved->of_bytes);
	if (event->kind != EVENT_COPIED)
		return 0;
	assert_int_equal(strlen(event->copied->sha256), COPY_SHA256_TEXT - 1);
	pl->copied++;
	return 0;
}

/* Copies pl->source. Returns what session_copy() returns. */
static int copy(struct player *pl, enum session_end *session_end)
{
	const struct session_host host = { .events = { take, pl } };
	const struct cfg *cfg = &pl->pair->client.cfg;
	struct source source;
	const struct session_file file = { &pl->file, &source };
	struct session *session;
	int rc;

	make_source(pl);
	assert_int_equal(copy_source_open(&source, pl->source), 0);
	assert_int_equal(session_open(&session, cfg, &host), 0);
	rc = session_copy(session, cfg, &file, &host, session_end);
	if (rc)
		assert_true(err_text()[0]);
	(void)!session_close(session);
	copy_source_close(&source);
	return rc;
}

static void assert_equal_files(const struct player *pl)
{
	char path[160];
	struct stat st;
	FILE *a, *b;
	int c;

	snprintf(path, sizeof(path), "%s/copy", pl->dir);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, pl->file.size_bytes);
	assert_int_equal(st.st_mode & 0777 & ~0640u, 0);
	a = fopen(pl->source, "r");
	b = fopen(path, "r");
	assert_true(a && b);
	while ((c = fgetc(a)) != EOF)
		assert_int_equal(c, fgetc(b));
	assert_int_equal(fgetc(b), EOF);
	fclose(a);
	fclose(b);
}

static void test_honest(void **state)
{
	static const uint64_t sizes[] = { 0, 1, WINDOW, WINDOW + 1, 8 * WINDOW, 30 * WINDOW + 5 };
	struct player pl;
	enum session_end how;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		begin(&pl, *state, sizes[i]);
		if (copy(&pl, &how))
			fail_msg("%s", err_text());
		assert_int_equal(how, SESSION_MEASURED);
		assert_int_equal(pl.copied, 1);
		assert_equal_files(&pl);
		end(&pl, 0, 1, NULL);
	}
}

/* The file has its name then: a client that is told of another failure would send it again. */
static void test_directory_not_synced(void **state)
{
	struct player pl;
	enum session_end how;

	begin(&pl, *state, WINDOW);
	directories_fail = true;
	assert_int_equal(copy(&pl, &how), -ECONNABORTED);
	directories_fail = false;
	pair_assert_has(err_text(), "the file is complete, but its name \"copy\" may not be on the disk");
	assert_equal_files(&pl);
	end(&pl, FAILED, 1, "the file is complete, but its name");
}

static void test_existing(void **state)
{
	struct player pl;
	enum session_end how;
	char path[160];

	for (int overwrite = 0; overwrite < 2; overwrite++) {
		begin(&pl, *state, WINDOW + 1);
		snprintf(path, sizeof(path), "%s/copy", pl.dir);
		close(open(path, O_CREAT | O_WRONLY, 0600));
		pl.file.overwrite = overwrite;
		assert_int_equal(copy(&pl, &how), overwrite ? 0 : -EPERM);
		assert_int_equal(how, overwrite ? SESSION_MEASURED : SESSION_REFUSED);
		assert_int_equal(pl.copied, overwrite);
		if (overwrite)
			assert_equal_files(&pl);
		end(&pl, overwrite ? 0 : REFUSED, 1, overwrite ? NULL : "--overwrite replaces it");
	}
}

/* A side has the last word of its peer before the peer knows so. */
static void test_late_acknowledgement(void **state)
{
	struct player pl;
	enum session_end how;

	for (enum side late = SIDE_CLIENT; late <= SIDE_SERVER; late++) {
		begin(&pl, *state, 3 * WINDOW);
		verbs_device(late)->late_ms = 50;
		if (copy(&pl, &how))
			fail_msg("%s", err_text());
		assert_int_equal(how, SESSION_MEASURED);
		assert_equal_files(&pl);
		end(&pl, 0, 1, NULL);
	}
}

/* A byte of the third window is another one at the server. */
static void test_wrong_byte(void **state)
{
	struct player pl;
	enum session_end how;

	begin(&pl, *state, 10 * WINDOW);
	verbs_device(SIDE_CLIENT)->fault = (struct verbs_fault){
		.what = VERBS_FLIP, .message = 4, .byte = 17,
	};
	assert_int_equal(copy(&pl, &how), -ECONNABORTED);
	pair_assert_has(err_text(), "SHA-256");
	assert_int_equal(how, SESSION_FAILED);
	assert_int_equal(pl.copied, 0);
	end(&pl, FAILED, 0, "SHA-256 of the received data differs");
}

static void test_no_leave(void **state)
{
	struct pair *p = *state;
	struct player pl;
	enum session_end how;

	begin(&pl, p, 1);
	p->server.cfg.copy_to = NULL;
	assert_int_equal(copy(&pl, &how), -EPERM);
	pair_assert_has(err_text(), "accepts no files");
	end(&pl, REFUSED, 0, "--copy-to");
}

/* ---- a client played by hand */

static void hello(struct player *pl)
{
	struct pair *p = pl->pair;

	pair_connect(p, &pl->ctl);
	pl->agree = (struct agree){
		.side = SIDE_CLIENT, .ctl = &pl->ctl, .own = &pl->own,
		.local = &p->client.cfg, .what = AGREE_COPY, .test = p->client.cfg,
		.file = &pl->file,
	};
	assert_int_equal(agree_hello(&pl->agree), 0);
}

static void hear_reason(struct player *pl, int rc, const char *part)
{
	json_t *msg = NULL;

	assert_int_equal(ctl_recv(&pl->ctl, "limits", &msg, PATIENCE_MS), rc);
	json_decref(msg);
	pair_assert_has(err_text(), part);
}

static void test_names(void **state)
{
	static const struct {
		const char *name, *reason;
	} names[] = {
		{ "../copy", "\"..\"" }, { "/copy", "relative" }, { "a/../copy", "\"..\"" },
		{ "./copy", "\".\"" },   { "", "0 bytes" },       { "copy/", "empty" },
		{ "a\033[2J", "control" }, { "no/copy", "cannot enter" },
	};
	struct player pl;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		begin(&pl, *state, 1);
		hello(&pl);
		snprintf(pl.file.name, sizeof(pl.file.name), "%s", names[i].name);
		assert_int_equal(ctl_send(&pl.ctl, json_pack("{s:s,s:o,s:o}", "type", "copy",
				"options", options_to_json(&pl.pair->client.cfg), "file",
				proto_file(&pl.file)), PATIENCE_MS), 0);
		hear_reason(&pl, -EPERM, names[i].reason);
		assert_int_equal(ctl_send(&pl.ctl, proto_plain("bye"), PATIENCE_MS), 0);
		end(&pl, REFUSED, 0, names[i].reason);
	}
}

/* What is no description of a file ends the session. */
static void test_bad_file(void **state)
{
	static const char *const files[] = {
		"{}", "{\"name\":\"x\",\"size_bytes\":-1,\"mode\":420,\"overwrite\":false}",
		"{\"name\":\"x\",\"size_bytes\":1,\"mode\":2559,\"overwrite\":false}",
		"{\"name\":7,\"size_bytes\":1,\"mode\":420,\"overwrite\":false}",
	};
	struct player pl;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		begin(&pl, *state, 1);
		hello(&pl);
		assert_int_equal(ctl_send(&pl.ctl, json_pack("{s:s,s:o,s:o}", "type", "copy",
				"options", options_to_json(&pl.pair->client.cfg), "file",
				json_loads(files[i], 0, NULL)), PATIENCE_MS), 0);
		hear_reason(&pl, -ECONNABORTED, "file");
		end(&pl, FAILED, 0, "file");
	}
}

/* Options that make no copy. */
static void test_bad_plan(void **state)
{
	struct player pl;

	for (int i = 0; i < 3; i++) {
		begin(&pl, *state, 1);
		if (i == 0)
			pl.pair->client.cfg.qps = 2;
		else if (i == 1)
			pl.pair->client.cfg.imm = false;
		else
			pl.pair->client.cfg.depth = 4;
		if (i == 1)
			pl.pair->client.cfg.recv_depth = CFG_AUTO;
		hello(&pl);
		assert_int_equal(agree_client(&pl.agree, 1), -EINVAL);
		pair_assert_has(err_text(), "a copy has");
		ctl_abort(&pl.ctl, err_set(-ECONNRESET, "done"));
		agree_end(&pl.own);
		agree_close(&pl.own);
		end(&pl, FAILED, 0, NULL);
	}
}

static void works_nowhere(void *arg)
{
	(void)arg;
}

static int look_nowhere(void *arg)
{
	(void)arg;
	return 0;
}

/* Connected, as an honest client; then it sends these headers. */
static void announce(struct player *pl, const struct header *headers, uint32_t n)
{
	const struct link_watch watch = {
		.fds = { -1, -1, -1 }, .look = look_nowhere, .works = works_nowhere,
	};
	const struct plan *plan = &pl->agree.plan;
	struct ep_addr peer = { .n_qps = 0 };
	struct ep ep = { 0 };
	struct link link;
	json_t *msg = NULL;

	hello(pl);
	if (agree_client(&pl->agree, 1))
		fail_msg("%s", err_text());
	assert_int_equal(ep_open(&ep, &pl->own.dev, plan, &plan->points[0], SIDE_CLIENT), 0);
	assert_int_equal(link_open(&link, &ep, plan, &watch), 0);
	assert_int_equal(ctl_send(&pl->ctl, proto_endpoint(&ep.addr), PATIENCE_MS), 0);
	assert_int_equal(ctl_recv(&pl->ctl, "endpoint", &msg, PATIENCE_MS), 0);
	assert_int_equal(proto_read_endpoint(&peer, msg, 1, 0), 0);
	json_decref(msg);
	assert_int_equal(ep_connect(&ep, plan, &peer, SIDE_CLIENT), 0);
	assert_int_equal(ctl_send(&pl->ctl, proto_plain("ready"), PATIENCE_MS), 0);
	assert_int_equal(ctl_recv(&pl->ctl, "go", &msg, PATIENCE_MS), 0);
	json_decref(msg);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(link_send(&link, &headers[i], NULL), 0);
	/* the server has the last word, and it is no good one */
	assert_int_equal(ctl_recv(&pl->ctl, NULL, &msg, PATIENCE_MS), -ECONNABORTED);
	link_close(&link);
	ep_addr_free(&peer);
	ep_close(&ep);
	agree_end(&pl->own);
	agree_close(&pl->own);
}

#define HEADER(k, s, o, l, sha) \
	{ .kind = (k), .seq = (s), .off = (o), .len = (l), .sha256 = { sha } }
#define FIRST HEADER(HEADER_WINDOW, 0, 0, WINDOW, 0)

/* The file has a window and a half. */
static void test_announcements(void **state)
{
	static const struct {
		struct header headers[3];
		uint32_t n;
		const char *reason;
	} cases[] = {
		{ { HEADER(HEADER_WINDOW, 1, WINDOW, WINDOW / 2, 0) }, 1, "is not window 0" },
		{ { HEADER(HEADER_WINDOW, 0, 1, WINDOW, 0) }, 1, "is not window 0" },
		{ { HEADER(HEADER_WINDOW, 0, 0, WINDOW + 1, 0) }, 1, "is not window 0" },
		{ { HEADER(HEADER_WINDOW, 0, 0, 0, 0) }, 1, "is not window 0" },
		{ { HEADER(HEADER_WINDOW, 0, 0, UINT64_MAX, 0) }, 1, "is not window 0" },
		{ { HEADER(HEADER_WINDOW, 0, UINT64_MAX, WINDOW, 0) }, 1, "is not window 0" },
		{ { FIRST, FIRST }, 2, "is not window 1" },
		{ { FIRST, HEADER(HEADER_WINDOW, 1, WINDOW, WINDOW, 0) }, 2, "is not window 1" },
		{ { FIRST, HEADER(HEADER_WINDOW, 1, WINDOW, WINDOW / 2, 0),
		    HEADER(HEADER_WINDOW, 2, WINDOW + WINDOW / 2, 1, 0) }, 3, "is not window 2" },
		{ { HEADER(HEADER_END, 0, 0, 0, 0) }, 1, "after 0 of 2 windows" },
		{ { FIRST, HEADER(HEADER_END, 2, 0, WINDOW + WINDOW / 2, 0) }, 2, "after 1 of 2" },
		{ { HEADER(HEADER_FREE, 0, 0, 0, 0) }, 1, "kind 2" },
		{ { HEADER(99, 0, 0, 0, 0) }, 1, "kind 99" },
		{ { FIRST, HEADER(HEADER_WINDOW, 1, WINDOW, WINDOW / 2, 0),
		    HEADER(HEADER_END, 2, 0, WINDOW + WINDOW / 2, 1) }, 3, "SHA-256 of the received data" },
	};
	struct player pl;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin(&pl, *state, WINDOW + WINDOW / 2);
		announce(&pl, cases[i].headers, cases[i].n);
		pair_assert_has(err_text(), cases[i].reason);
		end(&pl, FAILED, 0, cases[i].reason);
	}
}

/* After the connection is up the client is silent, and then it is gone. */
static void test_silence(void **state)
{
	struct pair *p = *state;
	struct player pl;

	begin(&pl, p, 1);
	p->client.cfg.stall_timeout_ms = 300;
	announce(&pl, NULL, 0);
	pair_assert_has(err_text(), "within 30");
	end(&pl, FAILED, 0, "no message about the copy from the peer within");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_honest),
		cmocka_unit_test(test_late_acknowledgement),
		cmocka_unit_test(test_directory_not_synced),
		cmocka_unit_test(test_existing),
		cmocka_unit_test(test_wrong_byte),
		cmocka_unit_test(test_no_leave),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_bad_file),
		cmocka_unit_test(test_bad_plan),
		cmocka_unit_test(test_announcements),
		cmocka_unit_test(test_silence),
	};

	return cmocka_run_group_tests_name("session_copy", tests, pair_setup, pair_teardown);
}
