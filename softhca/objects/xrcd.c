/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* XRC domains; see xrcd.h. */
#include "config.h"
#include "objects/xrcd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/hca.h"
#include "transport/object.h"

/* A domain of the same device and file. Under hca.mutex. */
static const struct xrcd *same_file(const struct xrcd *x)
{
	for (const struct xrcd *o = hca.xrcds; o; o = o->next)
		if (o->has_file && o->file_dev == x->file_dev && o->file_ino == x->file_ino &&
		    o->dev == x->dev)
			return o;
	return NULL;
}

/* The errors are those of ib_uverbs_open_xrcd() (drivers/infiniband/core/uverbs_cmd.c). */
static int join(struct xrcd *x, int oflags)
{
	const struct xrcd *other = x->has_file ? same_file(x) : NULL;

	if (x->has_file && !other && !(oflags & O_CREAT))
		return EAGAIN;
	if (other && oflags & O_EXCL)
		return EINVAL;
	x->id = other ? other->id : ++hca.next_id;
	x->next = hca.xrcds;
	hca.xrcds = x;
	return 0;
}

static int set_file(struct xrcd *x, int fd)
{
	struct stat st;

	if (fd == -1)
		return 0;
	if (fstat(fd, &st))
		return EBADF;
	x->has_file = true;
	x->file_dev = st.st_dev;
	x->file_ino = st.st_ino;
	return 0;
}

struct ibv_xrcd *xrcd_open(struct ibv_context *ctx, struct ibv_xrcd_init_attr *attr)
{
	struct xrcd *x;
	int rc;

	/* as ibv_cmd_open_xrcd() of libibverbs */
	errno = attr->comp_mask >= IBV_XRCD_INIT_ATTR_RESERVED ? EOPNOTSUPP : EINVAL;
	if (attr->comp_mask != (IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS))
		return NULL;
	x = calloc(1, sizeof(*x));
	if (!x)
		return NULL;
	x->ib.context = ctx;
	x->dev = ctx_of(ctx)->dev;
	rc = set_file(x, attr->fd);
	pthread_mutex_lock(&hca.mutex);
	if (!rc)
		rc = join(x, attr->oflags);
	pthread_mutex_unlock(&hca.mutex);
	if (rc) {
		free(x);
		errno = rc;
		return NULL;
	}
	ctx_hold(ctx);
	return &x->ib;
}

int xrcd_close(struct ibv_xrcd *ib)
{
	struct xrcd *x = container_of(ib, struct xrcd, ib), **at = &hca.xrcds;

	if (ctx_is_of_parent(ib->context))
		return 0;
	if (atomic_load(&x->refs))
		return EBUSY;
	pthread_mutex_lock(&hca.mutex);
	while (*at != x)
		at = &(*at)->next;
	*at = x->next;
	pthread_mutex_unlock(&hca.mutex);
	ctx_drop(ib->context);
	free(x);
	return 0;
}
