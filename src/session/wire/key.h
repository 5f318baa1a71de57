/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Key files: option --key, and the command key, which makes one. The file has KEY_BYTES random
 * bytes as hexadecimal digits, and a newline.
 */
#ifndef KEY_H
#define KEY_H

#include <stdint.h>

#define KEY_BYTES 32u

struct key {
	uint8_t bytes[KEY_BYTES];
};

/*
 * Reads a file that only its owner can read: owned by this user or root, mode without bits for
 * group and others, a regular file and no symbolic link. -EACCES, -ELOOP, -EINVAL (no key),
 * -ENOENT, ... with an error message that says what to do. The caller calls key_forget() at the
 * end.
 */
int key_read(struct key *key, const char *path) __attribute__((warn_unused_result));

/* Makes a file with a new key, mode 0600; an existing file is not changed (-EEXIST). */
int key_make(const char *path) __attribute__((warn_unused_result));

/* Overwrites the key. */
void key_forget(struct key *key);

#endif
