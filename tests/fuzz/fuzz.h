/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What the programs of libFuzzer in this folder share. scripts/fuzz builds and runs them. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input as a text, which ends with '\0'. The caller frees it. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

/* The input as a file, for readers of paths. *fd is the caller's to close. */
static inline void fuzz_file(const uint8_t *data, size_t size, int *fd, char path[32])
{
	*fd = memfd_create("input", MFD_CLOEXEC);
	if (*fd < 0 || write(*fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, 32, "/proc/self/fd/%d", *fd);
}

/* The next line of a text, ended in place; NULL: there is none. */
static inline char *fuzz_line(char **at)
{
	char *line = *at;

	if (!line)
		return NULL;
	*at = strchr(line, '\n');
	if (*at)
		*(*at)++ = '\0';
	return line;
}

#endif
