/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Files that decide what a program may do: others than its user and root must not have them. */
#ifndef TRUSTED_H
#define TRUSTED_H

#include <sys/types.h>

/* What the file is called, which bits of its mode it must not have, and why. Texts of messages. */
struct trusted {
	const char *label;  /* "--key " or "" */
	const char *path;
	mode_t none;
	const char *harm;   /* "lets others than its owner ..." */
	const char *chmod;  /* the argument that clears the bits */
	const char *advice; /* behind that command */
};

/*
 * Of an open file, not of its path: a regular file of this user or root, without these bits.
 * -EACCES or -errno of fstat(2) with an error message that says what to do.
 */
int trusted_check(int fd, const struct trusted *t) __attribute__((warn_unused_result));

#endif
