/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* See client.h. The commands run as from a command line. Called by session.c. */
#include "config.h"
#include "client.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "wire/key.h"
#include "commands/commands.h"

#define FILE_BYTES 20000u /* five windows of 4096 bytes */

static bool is_command(const struct pair *p, const char *name)
{
	return p->asks && !strcmp(p->client.argv[0], name);
}

static uint8_t byte_at(uint32_t i)
{
	return (uint8_t)(i * 7 + i / 251);
}

static void path_of(const struct pair *p, const char *name, char path[128])
{
	snprintf(path, 128, "%s/%s", p->dir, name);
}

static int run_command(struct pair *p)
{
	const struct command *cmd = commands_need(p->client.argv[0]);
	struct command_line line = { .argv = p->client.argv, .all = p->client.argv };

	while (line.argv[line.argc])
		line.argc++;
	return cmd->run(cmd, &line);
}

static void split(struct pair_side *s)
{
	char *save, *word;
	int argc = 0;

	for (word = strtok_r(s->args, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		assert_true(argc < PAIR_ARGS - 1);
		s->argv[argc++] = word;
	}
	s->argv[argc] = NULL;
}

static void make_source(const char *path)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	for (uint32_t i = 0; i < FILE_BYTES; i++)
		fputc(byte_at(i), f);
	assert_int_equal(fclose(f), 0);
}

static void prepare_copy(struct pair *p, const char *plan, const char *timeouts)
{
	char server[256], source[128], dir[128];

	path_of(p, "from", source);
	path_of(p, "to", dir);
	make_source(source);
	assert_int_equal(mkdir(dir, 0700), 0);
	snprintf(server, sizeof(server), "%s --copy-to %s", timeouts, dir);
	pair_args(p, "write_bw", server);
	snprintf(p->client.args, sizeof(p->client.args), "%s -d pair0 -p %u%s %s 127.0.0.1:copy",
		 plan, p->port, timeouts, source);
}

static void prepare_setup(struct pair *p, const char *plan, const char *timeouts)
{
	pair_args(p, "write_bw", timeouts);
	snprintf(p->client.args, sizeof(p->client.args),
		 "%s -d pair0 -p %u%s --csv %s --json %s 127.0.0.1", plan, p->port, timeouts,
		 p->client.csv_path, p->client.json_path);
}

static bool ends_with(const char *text, const char *end)
{
	const size_t n = strlen(text), len = strlen(end);

	return n >= len && !strcmp(text + n - len, end);
}

void client_prepare(struct pair *p, const char *plan, const char *timeouts)
{
	char args[256], server[256], key[128];

	path_of(p, "key", key);
	if (!strncmp(plan, "copy", 4)) {
		prepare_copy(p, plan, timeouts);
	} else if (!strncmp(plan, "setup", 5)) {
		prepare_setup(p, plan, timeouts);
	} else if (ends_with(plan, " --key")) {
		assert_int_equal(key_make(key), 0);
		snprintf(args, sizeof(args), "%s %s%s", plan, key, timeouts);
		snprintf(server, sizeof(server), "%s --key %s", timeouts, key);
		pair_args(p, args, server);
		return;
	} else {
		snprintf(args, sizeof(args), "%s%s", plan, timeouts);
		pair_args(p, args, timeouts);
		return;
	}
	p->asks = run_command;
	split(&p->client);
}

/* Whoever says that it has measured has told all of its outputs. */
static void check_rows(const char *side, const struct pair_side *s, char wrong[CLIENT_WRONG])
{
	const size_t rows = json_array_size(json_object_get(s->json, "rows"));

	if (!s->status && (!rows || rows != s->csv.n_rows))
		snprintf(wrong, CLIENT_WRONG, "the %s has succeeded with %u rows of CSV and %zu of JSON",
			 side, s->csv.n_rows, rows);
}

/* -1: there is no such file. Otherwise, whether it is whole. */
static int is_whole(const char *path)
{
	FILE *f = fopen(path, "re");
	uint32_t i = 0;
	int c;

	if (!f)
		return -1;
	while ((c = fgetc(f)) != EOF && i < FILE_BYTES && c == byte_at(i))
		i++;
	fclose(f);
	return c == EOF && i == FILE_BYTES;
}

/* What is in the directory besides the copy, "": nothing. */
static void find_other(const char *path, char name[256])
{
	DIR *dir = opendir(path);

	name[0] = '\0';
	for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && strcmp(e->d_name, "copy"))
			snprintf(name, 256, "%s", e->d_name);
	if (dir)
		closedir(dir);
}

/* The copy is whole or not there; who fails although it is there says so. */
static void check_copy(const struct pair *p, char wrong[CLIENT_WRONG])
{
	char path[128], dir[128], other[256];
	int whole;

	path_of(p, "to/copy", path);
	path_of(p, "to", dir);
	whole = is_whole(path);
	find_other(dir, other);
	if (other[0])
		snprintf(wrong, CLIENT_WRONG, "the directory has %s", other);
	else if (!whole)
		snprintf(wrong, CLIENT_WRONG, "the copy is not whole");
	else if (whole < 0 && !p->client.status)
		snprintf(wrong, CLIENT_WRONG, "the client has succeeded, and there is no copy");
	else if (whole > 0 && p->client.status && !strstr(p->err, "file is complete"))
		snprintf(wrong, CLIENT_WRONG, "the client has failed, and there is a copy");
}

void client_check(const struct pair *p, char wrong[CLIENT_WRONG])
{
	wrong[0] = '\0';
	if (is_command(p, "copy")) {
		check_copy(p, wrong);
		return;
	}
	check_rows("client", &p->client, wrong);
	/* only the client of setup has rows */
	if (!is_command(p, "setup"))
		check_rows("server", &p->server, wrong);
}

bool client_says(const struct pair *p)
{
	const json_t *rows = json_object_get(p->client.json, "rows");

	if (strstr(p->err, "verbench: "))
		return true;
	for (size_t i = 0; i < json_array_size(rows) && is_command(p, "setup"); i++) {
		const json_t *row = json_array_get(rows, i);
		const char *status = json_string_value(json_object_get(row, "status"));

		if (status && !strcmp(status, "failed"))
			return true;
	}
	return false;
}

void client_clean(const struct pair *p)
{
	static const char *const names[] = { "key", "from", "to/copy" };
	char path[128];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		path_of(p, names[i], path);
		unlink(path);
	}
	path_of(p, "to", path);
	if (is_command(p, "copy"))
		assert_int_equal(rmdir(path), 0);
}
