/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The status socket: its directory, its listener, a connection to it. */
#include "config.h"
#include "service/service.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "util/err.h"

#define DIR_MAX 256
#define BACKLOG 8

static void find_dir(char dir[DIR_MAX])
{
	const char *runtime = getenv("RUNTIME_DIRECTORY"), *xdg = getenv("XDG_RUNTIME_DIR");

	if (runtime && runtime[0] == '/')
		snprintf(dir, DIR_MAX, "%.*s", (int)strcspn(runtime, ":"), runtime);
	else if (!geteuid())
		snprintf(dir, DIR_MAX, "/run/verbench");
	else if (xdg && xdg[0] == '/')
		snprintf(dir, DIR_MAX, "%s/verbench", xdg);
	else
		snprintf(dir, DIR_MAX, "/tmp/verbench-%u", (unsigned int)geteuid());
}

/*
 * Others could plant a socket of their own, or a link, in a directory that is theirs. none: what
 * its mode must not have.
 */
static int check_dir(const char *dir, mode_t none, bool any_owner)
{
	struct stat st;

	if (lstat(dir, &st))
		return 0; /* bind(2) or connect(2) tells why */
	if (!S_ISDIR(st.st_mode))
		return err_set(-ENOTDIR, "%s is no directory", dir);
	if (st.st_uid != geteuid() && !any_owner)
		return err_set(-EPERM, "%s is of user %u, not of this one (%u)", dir,
			       (unsigned int)st.st_uid, (unsigned int)geteuid());
	if (st.st_mode & none)
		return err_set(-EPERM, "%s has mode %04o: other users may use it (chmod 0700)", dir,
			       (unsigned int)(st.st_mode & 07777));
	return 0;
}

static int make_address(struct sockaddr_un *at, const char *dir, uint32_t port)
{
	*at = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if ((size_t)snprintf(at->sun_path, sizeof(at->sun_path), "%s/serve-%u.sock", dir, port) >=
	    sizeof(at->sun_path))
		return err_set(-ENAMETOOLONG, "the path of the status socket in %s is too long", dir);
	return 0;
}

/* A server that was killed has left its socket: nobody listens on it. */
static int remove_stale(const struct sockaddr_un *at)
{
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int rc;

	if (fd < 0)
		return err_set(-errno, "no socket: %s", strerror(errno));
	rc = connect(fd, (const struct sockaddr *)at, sizeof(*at)) ? errno : 0;
	close(fd);
	if (!rc || rc == EAGAIN)
		return err_set(-EADDRINUSE, "another server has %s", at->sun_path);
	if (rc == ECONNREFUSED && unlink(at->sun_path))
		return err_set(-errno, "%s: %s", at->sun_path, strerror(errno));
	return 0;
}

static int listen_at(int *fd, const struct sockaddr_un *at)
{
	const mode_t mask = umask(0177);
	int rc = 0;

	*fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (*fd < 0 || bind(*fd, (const struct sockaddr *)at, sizeof(*at)) || listen(*fd, BACKLOG))
		rc = err_set(-errno, "%s: %s", at->sun_path, strerror(errno));
	umask(mask);
	if (rc && *fd >= 0) {
		close(*fd);
		*fd = -1;
	}
	return rc;
}

int status_place_listen(int *fd, char *path, size_t size, uint32_t port)
{
	struct sockaddr_un at;
	char dir[DIR_MAX];
	int rc = 0;

	*fd = -1;
	find_dir(dir);
	if (mkdir(dir, 0700) && errno != EEXIST)
		return err_set(-errno, "%s: %s", dir, strerror(errno));
	rc = check_dir(dir, 077, false);
	if (!rc)
		rc = make_address(&at, dir, port);
	if (!rc)
		rc = remove_stale(&at);
	if (!rc)
		rc = listen_at(fd, &at);
	if (!rc)
		snprintf(path, size, "%s", at.sun_path);
	return rc;
}

int status_place_connect(int *fd, uint32_t port, uint32_t timeout_ms)
{
	const struct timeval wait = { .tv_sec = timeout_ms / 1000,
				      .tv_usec = timeout_ms % 1000 * 1000 };
	struct sockaddr_un at;
	char dir[DIR_MAX];
	int rc;

	find_dir(dir);
	/* root may ask the server of any user */
	rc = check_dir(dir, 022, !geteuid());
	if (!rc)
		rc = make_address(&at, dir, port);
	if (rc)
		return rc;
	*fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (*fd >= 0 && !setsockopt(*fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait)) &&
	    !setsockopt(*fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) &&
	    !connect(*fd, (const struct sockaddr *)&at, sizeof(at)))
		return 0;
	rc = -errno;
	if (*fd >= 0)
		close(*fd);
	if (rc == -EAGAIN)
		return err_set(-ETIMEDOUT, "the server at %s does not answer within %u ms: is it stopped?",
			       at.sun_path, timeout_ms);
	return err_set(rc, "no server answers at %s: %s; --status asks a server of the same user on this host, --port names it",
		       at.sun_path, strerror(-rc));
}

bool status_place_is_owner(int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len))
		return false;
	return !peer.uid || peer.uid == geteuid();
}
