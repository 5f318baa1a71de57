/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Whole files of text, as tests write and read them. After cmocka.h. */
#ifndef TEXT_FILE_H
#define TEXT_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static inline void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_int_equal(fputs(text, f) < 0, 0);
	assert_int_equal(fclose(f), 0);
}

/* The whole file; freed by the caller. */
static inline char *get(const char *path)
{
	FILE *f = fopen(path, "re");
	struct stat st;
	char *text;

	assert_non_null(f);
	assert_int_equal(fstat(fileno(f), &st), 0);
	text = calloc(1, (size_t)st.st_size + 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, (size_t)st.st_size, f), st.st_size);
	fclose(f);
	return text;
}

#endif
