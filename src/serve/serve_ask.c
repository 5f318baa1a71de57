/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns "verbench serve --status"; see serve_status.h. Called by serve.c. */
#include "config.h"
#include "serve/serve_status.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <jansson.h>

#include "command/command.h"
#include "json/json_build.h"
#include "out/out_replace.h"
#include "service/status_place.h"
#include "serve/serve_report.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"

#define ANSWER_MAX (64u << 20)
#define WAIT_MS 10000u /* longer than the server gives a connection */
#define MS_NS UINT64_C(1000000)

/* Until something can be read: at the latest then. */
static bool wait_for(int fd, uint64_t until_ns)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	const uint64_t now_ns = clock_ns();
	int n;

	if (now_ns >= until_ns)
		return false;
	n = poll(&p, 1, (int)((until_ns - now_ns) / MS_NS) + 1);
	return n > 0 || (n < 0 && errno == EINTR);
}

static bool grow(char **text, size_t *room)
{
	const size_t next = *room ? 2 * *room : 4096;
	char *more = *room < ANSWER_MAX ? realloc(*text, next) : NULL;

	if (!more)
		return false;
	*text = more;
	*room = next;
	return true;
}

/* All until the server closes. *text: owned by the caller, also after an error. */
static int receive(int fd, uint64_t until_ns, char **text)
{
	size_t len = 0, room = 0;
	bool more = true;

	while (more && wait_for(fd, until_ns)) {
		ssize_t n;

		if (room - len < 2 && !grow(text, &room))
			return err_set(-ENOMEM, "no memory for the answer of the server");
		n = recv(fd, *text + len, room - len - 1, MSG_DONTWAIT);
		len += n > 0 ? (size_t)n : 0;
		more = n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
	}
	if (more)
		return err_set(-ETIMEDOUT, "the server did not send its whole status within %u ms",
			       WAIT_MS);
	if (!len)
		return err_set(-EPROTO, "the server did not answer; its status is for its own user and root");
	(*text)[len] = '\0';
	return 0;
}

static json_t *ask(uint32_t port)
{
	const uint64_t until_ns = clock_ns() + WAIT_MS * MS_NS;
	char *text = NULL;
	json_t *report;
	int fd, rc;

	if (status_place_connect(&fd, port, WAIT_MS))
		return NULL;
	if (send(fd, "json\n", 5, MSG_NOSIGNAL) != 5)
		rc = err_set(-errno, "the server cannot be asked: %s", strerror(errno));
	else
		rc = receive(fd, until_ns, &text);
	close(fd);
	report = rc ? NULL : json_loads(text, 0, NULL);
	if (!rc && !report)
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
