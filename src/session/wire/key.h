/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Key files: option --key, and the command key, which makes one. The file has KEY_BYTES random
 * bytes as hexadecimal digits, and a newline. A server can have a directory of them: the name of a
 * file is then the name of its key.
 */
#ifndef KEY_H
#define KEY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define KEY_BYTES 32u
#define KEY_ID_BYTES 32u
#define KEY_NAME_SIZE 65u /* of a name and its end */

struct key {
	uint8_t bytes[KEY_BYTES];
	/*
	 * What a client sends so that the server finds the key, the identity of RFC 8446, 4.2.11.
	 * It does not reveal the key: see key.c.
	 */
	uint8_t id[KEY_ID_BYTES];
	char name[KEY_NAME_SIZE]; /* "": of a file that is in no directory of keys */
};

/* At least one, in the order of their identities; no two are the same. */
struct keys {
	struct key *rows; /* owned */
	uint32_t n;
};

/* Where the keys are. */
struct key_place {
	const char *path;  /* with a text: where that is from, for error messages */
	const char *text;  /* what a file would have; NULL: read the file */
	bool many;   /* it may be a directory, in which each file is a key */
	uid_t also;  /* another user who may own the files; 0: nobody else */
};

/*
 * Reads keys that only their owner can read: each file is owned by this user, also or root, has no
 * mode bits for group and others, is a regular file and no symbolic link. Others than the owner of
 * a directory cannot write to it; names that begin with a dot are not read, others are 1 to 64
 * letters, digits, '.', '_' and '-'. -EACCES, -ELOOP, -EINVAL (no key, no name, the same key
 * twice), -ENOENT, ... with an error message that says what to do: keys is then empty. The caller
 * calls key_forget() at the end.
 */
int key_read(struct keys *keys, const struct key_place *place) __attribute__((warn_unused_result));

/* The key with this identity, borrowed; NULL: there is none. */
const struct key *key_find(const struct keys *keys, const uint8_t id[KEY_ID_BYTES]);

/* Overwrites and frees the keys; keys is then empty. */
void key_forget(struct keys *keys);

#define KEY_TEXT (2 * KEY_BYTES + 2) /* of a key file: digits, newline, end */

/* A new key as a file has it. -errno with an error message. */
int key_random(char text[KEY_TEXT]) __attribute__((warn_unused_result));

/* Makes a file with a new key, mode 0600; an existing file is not changed (-EEXIST). */
int key_make(const char *path) __attribute__((warn_unused_result));

#endif
