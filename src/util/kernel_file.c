/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Reads text files of the kernel; see kernel_file.h. topo/ and host/ call it. It must not
 * report an error: a file that cannot be read counts as empty.
 */
#include "config.h"
#include "util/kernel_file.h"

#include <stdio.h>
#include <string.h>

const char *kernel_file_text(const char *path, char *text, size_t size)
{
	FILE *file = fopen(path, "re");
	size_t len = 0;

	if (file) {
		len = fread(text, 1, size - 1, file);
		fclose(file);
	}
	text[len] = '\0';
	return text;
}

const char *kernel_file_line(const char *path, char *text, size_t size)
{
	kernel_file_text(path, text, size);
	text[strcspn(text, "\n")] = '\0';
	return text;
}
