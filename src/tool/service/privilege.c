/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Changes the user. */
#include "config.h"
#include "service/service.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "util/err.h"

#define ENTRY_MAX 16384 /* of the user's entry in the database: getpwnam_r(3) */

/* No way back: the real, the effective and the saved one, and it is tried. */
static int check(const struct passwd *entry)
{
	uid_t uid[3];
	gid_t gid[3];

	if (getresuid(&uid[0], &uid[1], &uid[2]) || getresgid(&gid[0], &gid[1], &gid[2]))
		return -errno;
	for (int i = 0; i < 3; i++)
		if (uid[i] != entry->pw_uid || gid[i] != entry->pw_gid)
			return -EPERM;
	return entry->pw_uid && !setuid(0) ? -EPERM : 0;
}

/* text: what the entry points to. */
static int find(const char *user, struct passwd *entry, char text[ENTRY_MAX])
{
	struct passwd *found = NULL;
	const int rc = getpwnam_r(user, entry, text, ENTRY_MAX, &found);

	if (found)
		return 0;
	return err_set(rc ? -rc : -ENOENT, "--user %s: %s", user,
		       rc ? strerror(rc) : "there is no such user");
}

int privilege_user(const char *user, uid_t *uid)
{
	char text[ENTRY_MAX];
	struct passwd entry;
	int rc = user ? find(user, &entry, text) : 0;

	*uid = user && !rc ? entry.pw_uid : 0;
	return rc;
}

static int become(const char *user)
{
	char text[ENTRY_MAX];
	struct passwd entry;
	int rc = find(user, &entry, text);

	if (rc)
		return rc;
	if (geteuid() && geteuid() == entry.pw_uid)
		return 0;
	if (geteuid())
		return err_set(-EPERM, "--user %s: only root can become another user", user);
	if (initgroups(user, entry.pw_gid) || setresgid(entry.pw_gid, entry.pw_gid, entry.pw_gid) ||
	    setresuid(entry.pw_uid, entry.pw_uid, entry.pw_uid))
		return err_set(-errno, "--user %s: %s", user, strerror(errno));
	rc = check(&entry);
	if (rc)
		return err_set(rc, "--user %s: the change did not last", user);
	/* as of a program that this user has started: its sessions read /proc/self */
	prctl(PR_SET_DUMPABLE, 1);
	return 0;
}

int privilege_drop(const char *user)
{
	int rc = user ? become(user) : 0;

	if (!rc && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		rc = err_set(-errno, "no_new_privs: %s", strerror(errno));
	return rc;
}
