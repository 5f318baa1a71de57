/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Key files. */
#include "config.h"
#include "wire/key.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "file/input.h"
#include "util/err.h"

#define KEY_DIGITS (2u * KEY_BYTES)

static const char digits[] = "0123456789abcdef";
static const char in_names[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

/* Could anyone else know the key, or have replaced it? */
static int check_file(int fd, const char *path, uid_t also)
{
	const struct input_trust key = {
		.label = "--key ", .path = path, .none = 077, .also = also, .harm = "at the key",
		.chmod = "600", .advice = ", and make a new key if others could read it",
	};

	return input_trust(fd, &key);
}

/* Could anyone else add a key? */
static int check_directory(int fd, const struct key_place *place)
{
	const struct input_trust directory = {
		.label = "--key ", .path = place->path, .none = 022, .directory = true,
		.also = place->also, .harm = "add keys", .chmod = "go-w", .advice = "",
	};

	if (!place->many)
		return err_set(-EISDIR, "--key %s: a directory; only a server can have one, give the file of one key",
			       place->path);
	return input_trust(fd, &directory);
}

/*
 * HKDF-Expand (RFC 5869, 2.3) of the key with a label: one HMAC, because the identity is as long as
 * a hash. HKDF-Extract is not needed for a key of random bits (3.3). A client so needs the file
 * alone, not a name that the server chose, and the server finds the key without trying all. The
 * identity is not encrypted (RFC 8446, 4.2.11). Who sees it learns nothing about the name, and no
 * more about the key than from the binder next to it, which is an HMAC with the key, too
 * (4.2.11.2). It shows which connections have the same key (C.4). It cannot be guessed, so that
 * nobody can ask the server which keys it has (E.6).
 */
static int identify(struct key *key)
{
	static const unsigned char label[] = "verbench key identity\x01";

	if (HMAC(EVP_sha256(), key->bytes, KEY_BYTES, label, sizeof(label) - 1, key->id, NULL))
		return 0;
	return err_set(-ENOMEM, "--key: libcrypto cannot compute HMAC-SHA-256");
}

static int decode(struct key *key, const char *text, const char *path)
{
	const size_t n = strspn(text, digits);

	if (n < KEY_DIGITS)
		return err_set(-EINVAL, "--key %s: %zu hexadecimal digits; a key has %u (\"verbench key FILE\" makes one)",
			       path, n, KEY_DIGITS);
	if (n > KEY_DIGITS || text[n + strspn(text + n, "\r\n")])
		return err_set(-EINVAL, "--key %s: more than a key, which is %u hexadecimal digits (\"verbench key FILE\" makes one)",
			       path, KEY_DIGITS);
	for (uint32_t i = 0; i < KEY_DIGITS; i++)
		key->bytes[i / 2] = (uint8_t)(key->bytes[i / 2] << 4 |
					      (strchr(digits, text[i]) - digits));
	return 0;
}

/* path: for messages. -errno with an error message. */
static int open_file(int directory, const char *name, const char *path)
{
	/* O_NONBLOCK: does not wait for the other end of a FIFO */
	const int fd = openat(directory, name,
			      O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0 && errno == ELOOP)
		return err_set(-ELOOP, "--key %s: a symbolic link; give the path of the file itself",
			       path);
	return fd < 0 ? err_set(-errno, "--key %s: %s", path, strerror(errno)) : fd;
}

static int read_key(struct key *key, int fd, const char *path, uid_t also)
{
	char text[KEY_DIGITS + 8];
	ssize_t n;
	int rc = check_file(fd, path, also);

	if (!rc) {
		n = read(fd, text, sizeof(text) - 1);
		rc = n < 0 ? err_set(-errno, "--key %s: %s", path, strerror(errno)) : 0;
		text[n < 0 ? 0 : n] = '\0';
	}
	if (!rc)
		rc = decode(key, text, path);
	explicit_bzero(text, sizeof(text));
	return rc ? rc : identify(key);
}

/* ---- several keys */

static int make_room(struct keys *keys, size_t n)
{
	keys->rows = calloc(n, sizeof(keys->rows[0]));
	return keys->rows ? 0 : err_set(-ENOMEM, "no memory for a key");
}

/* A file of the directory, as the next key. */
static int read_named(struct keys *keys, int directory, const char *name,
		      const struct key_place *place)
{
	struct key *key = &keys->rows[keys->n++];
	char path[PATH_MAX + KEY_NAME_SIZE];
	int fd, rc;

	if (name[strspn(name, in_names)] || strlen(name) >= KEY_NAME_SIZE)
		return err_set(-EINVAL, "--key %s: the file name \"%s\" cannot be the name of a key; allowed: 1 to %u letters, digits, '.', '_' and '-'",
			       place->path, name, KEY_NAME_SIZE - 1);
	snprintf(key->name, sizeof(key->name), "%s", name);
	snprintf(path, sizeof(path), "%s/%s", place->path, name);
	fd = open_file(directory, name, path);
	if (fd < 0)
		return fd;
	rc = read_key(key, fd, path, place->also);
	close(fd);
	return rc;
}

/* What an editor, rsync(1) or Kubernetes keeps beside the files begins with a dot. */
static int is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int read_directory(struct keys *keys, int fd, const struct key_place *place)
{
	struct dirent **entries;
	int n, rc = check_directory(fd, place);

	if (rc)
		return rc;
	n = scandir(place->path, &entries, is_shown, alphasort);
	if (n < 0)
		return err_set(-errno, "--key %s: %s", place->path, strerror(errno));
	rc = n ? make_room(keys, (size_t)n) :
		 err_set(-EINVAL, "--key %s: no key is in the directory (\"verbench key %s/NAME\" makes one)",
			 place->path, place->path);
	for (int i = 0; i < n; i++) {
		if (!rc)
			rc = read_named(keys, fd, entries[i]->d_name, place);
		free(entries[i]);
	}
	free(entries);
	return rc;
}

static int order(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	return memcmp(x->id, y->id, KEY_ID_BYTES);
}

/* The audit would name only one of two. */
static int sort(struct keys *keys, const char *path)
{
	qsort(keys->rows, keys->n, sizeof(keys->rows[0]), order);
	for (uint32_t i = 1; i < keys->n; i++)
		if (!order(&keys->rows[i - 1], &keys->rows[i]))
			return err_set(-EINVAL, "--key %s: the files %s and %s have the same key",
				       path, keys->rows[i - 1].name, keys->rows[i].name);
	return 0;
}

static int read_text(struct keys *keys, const struct key_place *place)
{
	int rc = make_room(keys, 1);

	if (!rc)
		rc = decode(&keys->rows[keys->n++], place->text, place->path);
	if (!rc)
		rc = identify(&keys->rows[0]);
	if (rc)
		key_forget(keys);
	return rc;
}

int key_read(struct keys *keys, const struct key_place *place)
{
	struct stat st;
	int fd, rc;

	*keys = (struct keys){ .n = 0 };
	if (place->text)
		return read_text(keys, place);
	fd = open_file(AT_FDCWD, place->path, place->path);
	rc = fd < 0 ? fd : 0;
	if (!rc && !fstat(fd, &st) && S_ISDIR(st.st_mode)) {
		rc = read_directory(keys, fd, place);
	} else if (!rc) {
		rc = make_room(keys, 1);
		if (!rc)
			rc = read_key(&keys->rows[keys->n++], fd, place->path, place->also);
	}
	if (fd >= 0)
		close(fd);
	if (!rc)
		rc = sort(keys, place->path);
	if (rc)
		key_forget(keys);
	return rc;
}

const struct key *key_find(const struct keys *keys, const uint8_t id[KEY_ID_BYTES])
{
	struct key want;

	if (!keys->n)
		return NULL;
	memcpy(want.id, id, KEY_ID_BYTES);
	return bsearch(&want, keys->rows, keys->n, sizeof(want), order);
}

void key_forget(struct keys *keys)
{
	if (keys->rows)
		explicit_bzero(keys->rows, keys->n * sizeof(keys->rows[0]));
	free(keys->rows);
	*keys = (struct keys){ .n = 0 };
}

/* ---- a new key */

int key_random(char text[KEY_TEXT])
{
	uint8_t bytes[KEY_BYTES];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return err_set(-EIO, "the system gives no random bytes for a key");
	for (uint32_t i = 0; i < KEY_BYTES; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	snprintf(text + KEY_DIGITS, 2, "\n");
	explicit_bzero(bytes, sizeof(bytes));
	return 0;
}

/* With -errno and no error message. The umask may have removed bits of the owner. */
static int fill(int fd, const char *text)
{
	const ssize_t n = (ssize_t)strlen(text);

	errno = 0;
	if (fchmod(fd, 0600) || write(fd, text, (size_t)n) != n || fsync(fd))
		return errno ? -errno : -EIO;
	return 0;
}

int key_make(const char *path)
{
	char text[KEY_TEXT];
	int rc = key_random(text), fd;

	if (rc)
		return rc;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 && errno == EEXIST)
		return err_set(-EEXIST, "%s exists: a key is never replaced; remove the file if nobody uses it",
			       path);
	if (fd < 0)
		return err_set(-errno, "cannot create %s: %s", path, strerror(errno));
	rc = fill(fd, text);
	explicit_bzero(text, sizeof(text));
	if (close(fd) && !rc)
		rc = -errno;
	if (!rc)
		return 0;
	unlink(path);
	return err_set(rc, "cannot write the key into %s: %s", path, strerror(-rc));
}
