/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Reads a file of settings; see lines.h. Called by settings_file.c and profile.c. */
#include "config.h"
#include "config/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * A device or a FIFO may have no end. By the kernel itself: open() of some paths is answered here,
 * and needs the settings.
 */
static const char *open_regular(const char *path, int *fd)
{
	struct stat st;

	*fd = (int)syscall(SYS_openat, AT_FDCWD, path,
			   O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (*fd < 0 || fstat(*fd, &st))
		return strerror(errno);
	return S_ISREG(st.st_mode) ? NULL : "must be a regular file";
}

/* Reads at most LINES_BYTES, and adds an end. NULL, or why not. */
static const char *fill(int fd, char *text)
{
	size_t len = 0;
	ssize_t n;

	while ((n = read(fd, text + len, LINES_BYTES + 1 - len)) > 0)
		len += (size_t)n;
	if (n < 0)
		return strerror(errno);
	if (len > LINES_BYTES)
		return "longer than 65536 bytes";
	text[len] = '\0';
	/* programs of Windows write U+FEFF first */
	if (!strncmp(text, "\xef\xbb\xbf", 3))
		memset(text, ' ', 3);
	return strlen(text) < len ? "has a byte 0: must be a text" : NULL;
}

_Static_assert(LINES_BYTES == 65536, "the message of fill()");

/* The text of the file, freed by the caller; NULL after a message. */
static char *text_of(const char *kind, const char *path)
{
	char *text = malloc(LINES_BYTES + 1);
	int fd = -1;
	const char *why = text ? open_regular(path, &fd) : strerror(ENOMEM);

	if (!why)
		why = fill(fd, text);
	if (fd >= 0)
		close(fd);
	if (!why)
		return text;
	fprintf(stderr, "softhca: %s%s: %s\n", kind, path, why);
	free(text);
	return NULL;
}

char *lines_trim(char *text)
{
	char *end;

	text += strspn(text, " \t\r");
	end = text + strlen(text);
	while (end > text && strchr(" \t\r", end[-1]))
		end--;
	*end = '\0';
	return text;
}

int lines_read(const char *kind, const char *path, lines_use *use, void *arg)
{
	char *text = text_of(kind, path), *next = text;
	struct line line = { .path = path };
	int rc = text ? 0 : -EINVAL;

	while (next) {
		line.text = strsep(&next, "\n");
		line.number++;
		line.text[strcspn(line.text, "#")] = '\0';
		line.text = lines_trim(line.text);
		if (*line.text && use(arg, &line))
			rc = -EINVAL;
	}
	free(text);
	return rc;
}
