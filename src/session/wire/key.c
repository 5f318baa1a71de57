/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Key files. */
#include "config.h"
#include "wire/key.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/input.h"
#include "util/err.h"

#define KEY_DIGITS (2u * KEY_BYTES)

static const char digits[] = "0123456789abcdef";

void key_forget(struct key *key)
{
	explicit_bzero(key, sizeof(*key));
}

/* Could anyone else know the key, or have replaced it? */
static int check_file(int fd, const char *path)
{
	const struct input_trust key = {
		.label = "--key ", .path = path, .none = 077, .harm = "at the key", .chmod = "600",
		.advice = ", and make a new key if others could read it",
	};

	return input_trust(fd, &key);
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

int key_read(struct key *key, const char *path)
{
	/* O_NONBLOCK: does not wait for the other end of a FIFO */
	const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char text[KEY_DIGITS + 8];
	ssize_t n;
	int rc;

	if (fd < 0 && errno == ELOOP)
		return err_set(-ELOOP, "--key %s: a symbolic link; give the path of the file itself",
			       path);
	if (fd < 0)
		return err_set(-errno, "--key %s: %s", path, strerror(errno));
	rc = check_file(fd, path);
	if (!rc) {
		n = read(fd, text, sizeof(text) - 1);
		rc = n < 0 ? err_set(-errno, "--key %s: %s", path, strerror(errno)) : 0;
		text[n < 0 ? 0 : n] = '\0';
	}
	if (!rc)
		rc = decode(key, text, path);
	explicit_bzero(text, sizeof(text));
	close(fd);
	return rc;
}

/* With -errno and no error message. */
static int fill(int fd)
{
	char text[KEY_DIGITS + 1];
	struct key key;
	int rc = 0;

	if (getrandom(key.bytes, sizeof(key.bytes), 0) != (ssize_t)sizeof(key.bytes))
		return errno ? -errno : -EIO;
	for (uint32_t i = 0; i < KEY_BYTES; i++) {
		text[2 * i] = digits[key.bytes[i] >> 4];
		text[2 * i + 1] = digits[key.bytes[i] & 15];
	}
	text[KEY_DIGITS] = '\n';
	/* the umask may have removed bits of the owner */
	if (fchmod(fd, 0600) || write(fd, text, sizeof(text)) != (ssize_t)sizeof(text) || fsync(fd))
		rc = errno ? -errno : -EIO;
	explicit_bzero(text, sizeof(text));
	key_forget(&key);
	return rc;
}

int key_make(const char *path)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int rc;

	if (fd < 0 && errno == EEXIST)
		return err_set(-EEXIST, "%s exists: a key is never replaced; remove the file if nobody uses it",
			       path);
	if (fd < 0)
		return err_set(-errno, "cannot create %s: %s", path, strerror(errno));
	errno = 0;
	rc = fill(fd);
	if (close(fd) && !rc)
		rc = -errno;
	if (!rc)
		return 0;
	unlink(path);
	return err_set(rc, "cannot write the key into %s: %s", path, strerror(-rc));
}
