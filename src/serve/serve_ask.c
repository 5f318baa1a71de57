/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns "verbench serve --status"; see serve_status.h. Called by serve.c. */
#include "config.h"
#include "serve/serve_status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <jansson.h>

#include "command/command.h"
#include "json/json_build.h"
#include "out/out_replace.h"
#include "service/status_place.h"
#include "serve/serve_report.h"
#include "util/err.h"
#include "util/log.h"

#define ANSWER_MAX (64u << 20)
#define WAIT_S 10 /* longer than the server gives a connection */

/* All until the server closes. NULL: an error message. */
static char *receive(int fd)
{
	char *text = NULL;
	size_t len = 0, room = 0;
	ssize_t n;

	do {
		if (room - len < 2) {
			const size_t next = room ? 2 * room : 4096;
			char *more = room < ANSWER_MAX ? realloc(text, next) : NULL;

			if (!more)
				break;
			text = more;
			room = next;
		}
		n = recv(fd, text + len, room - len - 1, 0);
		if (n > 0)
			len += (size_t)n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	if (!text || !len) {
		(void)err_set(-EPROTO, "the server did not answer; its status is for its own user and root");
		free(text);
		return NULL;
	}
	text[len] = '\0';
	return text;
}

static json_t *ask(uint32_t port)
{
	const struct timeval wait = { .tv_sec = WAIT_S };
	char *text = NULL;
	json_t *report;
	int fd;

	if (status_place_connect(&fd, port))
		return NULL;
	if (!setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) &&
	    send(fd, "json\n", 5, MSG_NOSIGNAL) == 5)
		text = receive(fd);
	else
		(void)err_set(-errno, "the server cannot be asked: %s", strerror(errno));
	close(fd);
	report = text ? json_loads(text, 0, NULL) : NULL;
	if (text && !report)
		(void)err_set(-EPROTO, "the answer of the server is no JSON");
	free(text);
	return report;
}

/* --json: the object as it came, on lines. */
static int write_json(const char *path, const json_t *report)
{
	char *text = json_build_text(report, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
	char *lines = NULL;
	int rc = -ENOMEM;

	if (text && asprintf(&lines, "%s\n", text) >= 0)
		rc = out_replace(path, lines, strlen(lines));
	free(lines);
	free(text);
	return rc ? err_set(rc, "write the status to %s: %s", path, strerror(-rc)) : 0;
}

int serve_status_ask(const struct cfg *cfg)
{
	json_t *report = ask(cfg->tcp_port);
	int rc = report ? 0 : -1;

	if (report && cfg->json)
		rc = write_json(cfg->json, report);
	else if (report)
		serve_report_print(stdout, report);
	json_decref(report);
	if (rc)
		log_error("%s", err_text());
	return rc ? COMMAND_FAILED : COMMAND_OK;
}
