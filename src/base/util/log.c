/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Writes lines on standard error. Not called from the measured loops. Never writes to standard
 * output, which is for results.
 */
#include "config.h"
#include "util/log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/err.h"
#include "util/standard.h"
#include "util/text.h"

#define LOG_LINE_MAX 1024

#define STATUS_MAX 80
#define ERASE "\r\033[K" /* ECMA-48: EL, erase in line */

static const char *log_prefix = "verbench";
static _Atomic bool status_shown; /* sessions of several threads write */

/* Shared memory of a server and all its sessions. */
struct log_server {
	uint32_t per_second;      /* lines; 0: no limit */
	_Atomic uint64_t second;  /* the second that lines counts */
	_Atomic uint64_t lines;   /* in that second */
	_Atomic uint64_t lost;    /* lines that could not be written */
	_Atomic uint64_t surplus; /* lines beyond per_second */
	_Atomic bool torn;        /* half a line was written */
};

static struct log_server *server; /* NULL: not a server; lines wait until they are read */

/* May this line be written? */
static bool is_within_rate(void)
{
	const uint64_t now = clock_ns() / 1000000000u;
	uint64_t second = atomic_load(&server->second);

	if (!server->per_second)
		return true;
	if (second != now && atomic_compare_exchange_strong(&server->second, &second, now))
		atomic_store(&server->lines, 0);
	return atomic_fetch_add(&server->lines, 1) < server->per_second;
}

/* False: the line is lost. */
static bool write_now(const char *line, size_t len)
{
	ssize_t n;

	if (atomic_load(&server->torn) && standard_write(STDERR_FILENO, "\n", 1) != 1)
		return false;
	atomic_store(&server->torn, false);
	n = standard_write(STDERR_FILENO, line, len);
	if (n > 0 && (size_t)n < len)
		atomic_store(&server->torn, true);
	return n == (ssize_t)len;
}

bool log_has_dropped(void)
{
	return server && (atomic_load(&server->lost) || atomic_load(&server->surplus));
}

void log_tell_dropped(void)
{
	char line[LOG_LINE_MAX];
	uint64_t lost, surplus;
	int n;

	if (!log_has_dropped())
		return;
	lost = atomic_exchange(&server->lost, 0);
	surplus = atomic_exchange(&server->surplus, 0);
	n = snprintf(line, sizeof(line),
		     "%s: %" PRIu64 " lines of this log are missing: %" PRIu64 " could not be written, %" PRIu64 " were more than %u in a second\n",
		     log_prefix, lost + surplus, lost, surplus, server->per_second);
	if (write_now(line, (size_t)n))
		return;
	atomic_fetch_add(&server->lost, lost);
	atomic_fetch_add(&server->surplus, surplus);
}

static void write_as_server(const char *line, size_t len)
{
	if (!is_within_rate()) {
		atomic_fetch_add(&server->surplus, 1);
		return;
	}
	log_tell_dropped();
	if (log_has_dropped() || !write_now(line, len))
		atomic_fetch_add(&server->lost, 1);
}

int log_serve(uint32_t per_second)
{
	struct log_server *shared = server;

	if (!shared) {
		shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (shared == MAP_FAILED)
			return err_set(-errno, "no memory for the log: %s", strerror(errno));
		standard_unshare(STDERR_FILENO);
		server = shared;
	}
	shared->per_second = per_second;
	return 0;
}

bool log_serves(void)
{
	return server;
}

/* What erases the status line, if there is one; from then on there is none. */
static const char *take_erase(void)
{
	const bool shown = status_shown;

	status_shown = false;
	return shown ? ERASE : "";
}

/*
 * The whole line in one write(2): the sessions of a server are processes that share the file, and
 * with an unbuffered stdio stream their lines could mix. A message may quote a peer, and stderr may
 * be a terminal.
 */
__attribute__((format(printf, 1, 0)))
static void log_line(const char *fmt, va_list ap)
{
	const char *erase = take_erase();
	const int saved = errno;
	char line[LOG_LINE_MAX];
	size_t len;

	snprintf(line, sizeof(line), "%s%.512s: ", erase, log_prefix);
	len = strlen(line);
	vsnprintf(line + len, sizeof(line) - len - 1, fmt, ap);
	len = strlen(line);
	text_shown(line + strlen(erase), len - strlen(erase));
	line[len++] = '\n';
	/* there is no place to report a lost message */
	if (server)
		write_as_server(line, len);
	else if (write(STDERR_FILENO, line, len) < 0)
		errno = 0;
	errno = saved;
}

void log_note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_line(fmt, ap);
	va_end(ap);
}

void log_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_line(fmt, ap);
	va_end(ap);
}

static bool write_record(const char *text)
{
	const char *erase = take_erase();
	char *line = NULL;
	const int len = asprintf(&line, "%s%s: %s\n", erase, log_prefix, text);
	bool written;

	if (len <= 0)
		return false;
	text_shown(line + strlen(erase), (size_t)len - strlen(erase) - 1);
	log_tell_dropped();
	written = server ? write_now(line, (size_t)len) :
			   write(STDERR_FILENO, line, (size_t)len) == len;
	free(line);
	return written;
}

bool log_record(const char *fmt, ...)
{
	const int saved = errno;
	bool written = false;
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) >= 0) {
		written = write_record(text);
		free(text);
	}
	va_end(ap);
	errno = saved;
	return written;
}

bool log_has_status(void)
{
	const char *term = getenv("TERM");

	return isatty(STDERR_FILENO) && (!term || strcmp(term, "dumb"));
}

void log_status(const char *fmt, ...)
{
	char text[STATUS_MAX], line[sizeof(ERASE) + STATUS_MAX];
	va_list ap;

	if (!log_has_status())
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	snprintf(line, sizeof(line), ERASE "%s", text);
	status_shown = write(STDERR_FILENO, line, strlen(line)) > 0;
}

void log_status_end(void)
{
	if (status_shown && write(STDERR_FILENO, ERASE, strlen(ERASE)) < 0)
		errno = 0; /* there is no place to report it */
	status_shown = false;
}

void log_name(const char *name)
{
	log_prefix = name;
}
