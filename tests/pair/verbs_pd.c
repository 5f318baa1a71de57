/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Protection domains, thread domains, parent domains and memory regions of the devices of verbs.h.
 * Freeing a domain in which something still lives, and using what belongs to a thread domain from
 * two threads at once, end the test program.
 */
#include "config.h"
#include "verbs.h"

#include <errno.h>
#include <stdlib.h>

#include "verbs_own.h"

/* the header wraps this name in an inline function, which calls what is defined here */
#undef ibv_reg_mr

static struct verbs_mr *mrs;
static uint32_t next_key = 0x1000;

/* ---- domains */

static struct verbs_pd *of(const struct ibv_pd *pd)
{
	return VERBS_OF(pd, struct verbs_pd, pd);
}

void verbs_pd_take(struct ibv_pd *pd)
{
	atomic_fetch_add(&of(pd)->users, 1);
}

void verbs_pd_drop(struct ibv_pd *pd)
{
	atomic_fetch_sub(&of(pd)->users, 1);
}

const struct ibv_pd *verbs_protection(const struct ibv_pd *pd)
{
	return of(pd)->parent_of ? of(pd)->parent_of : pd;
}

bool verbs_has_thread(const struct ibv_pd *pd)
{
	return of(pd)->td;
}

void verbs_enter(_Atomic bool *inside, const char *what)
{
	if (atomic_exchange(inside, true))
		verbs_die("two threads are in one %s without locks", what);
}

void verbs_leave(_Atomic bool *inside)
{
	atomic_store(inside, false);
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	struct verbs_pd *pd = verbs_new(sizeof(*pd));

	pd->pd.context = context;
	return &pd->pd;
}

int ibv_dealloc_pd(struct ibv_pd *ibpd)
{
	struct verbs_pd *pd = of(ibpd);

	if (pd->users)
		verbs_die("freeing a domain that %u objects are in", pd->users);
	if (pd->parent_of)
		verbs_pd_drop(pd->parent_of);
	if (pd->td)
		pd->td->users--;
	verbs_free(pd);
	return 0;
}

static struct ibv_td *alloc_td(struct ibv_context *context, struct ibv_td_init_attr *init)
{
	struct verbs_device *vd = verbs_device_of(context);
	struct verbs_td *td;

	errno = init->comp_mask ? EINVAL : vd->td_errno;
	if (errno && !vd->tds_good)
		return NULL;
	vd->tds_good -= vd->tds_good > 0;
	td = verbs_new(sizeof(*td));
	td->td.context = context;
	return &td->td;
}

static int dealloc_td(struct ibv_td *ibtd)
{
	struct verbs_td *td = VERBS_OF(ibtd, struct verbs_td, td);

	if (td->users)
		verbs_die("freeing a thread domain that is in use");
	verbs_free(td);
	return 0;
}

static struct ibv_pd *alloc_parent_domain(struct ibv_context *context,
					  struct ibv_parent_domain_init_attr *attr)
{
	struct verbs_pd *pd;

	errno = attr->comp_mask || !attr->pd ? EINVAL : verbs_device_of(context)->parent_errno;
	if (errno)
		return NULL;
	pd = verbs_new(sizeof(*pd));
	pd->pd.context = context;
	pd->parent_of = attr->pd;
	verbs_pd_take(attr->pd);
	if (attr->td) {
		pd->td = VERBS_OF(attr->td, struct verbs_td, td);
		pd->td->users++;
	}
	return &pd->pd;
}

/* ---- memory */

static struct verbs_mr *new_mr(struct ibv_pd *pd, void *addr, size_t length, unsigned int access)
{
	struct verbs_mr *mr = verbs_new(sizeof(*mr));

	verbs_lock();
	mr->mr =
		(struct ibv_mr){ .context = pd->context, .pd = pd, .addr = addr, .length = length };
	mr->mr.lkey = next_key++;
	mr->mr.rkey = next_key++;
	mr->access = access;
	mr->next = mrs;
	mrs = mr;
	verbs_unlock();
	verbs_pd_take(pd);
	return mr;
}

static struct ibv_mr *alloc_null_mr(struct ibv_pd *pd)
{
	struct verbs_mr *mr;

	errno = verbs_device_of(pd->context)->no_null_mr ? EOPNOTSUPP : 0;
	if (errno)
		return NULL;
	mr = new_mr(pd, NULL, SIZE_MAX, IBV_ACCESS_LOCAL_WRITE);
	mr->null = true;
	return &mr->mr;
}

void verbs_fill_domains(struct verbs_context *ex)
{
	ex->alloc_td = alloc_td;
	ex->dealloc_td = dealloc_td;
	ex->alloc_parent_domain = alloc_parent_domain;
	ex->alloc_null_mr = alloc_null_mr;
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
				unsigned int access)
{
	struct verbs_device *vd = verbs_device_of(pd->context);

	errno = vd->mr_errno;
	/* ibv_reg_mr(3): remote write and atomic need local write too */
	if (access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC) &&
	    !(access & IBV_ACCESS_LOCAL_WRITE))
		errno = EINVAL;
	if (iova != (uintptr_t)addr || !length)
		errno = EINVAL;
	if (vd->no_relaxed && access & IBV_ACCESS_RELAXED_ORDERING)
		errno = EINVAL;
	if (errno)
		return NULL;
	vd->regions++;
	return &new_mr(pd, addr, length, access)->mr;
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
	struct verbs_mr *vm = VERBS_OF(mr, struct verbs_mr, mr), **at;

	verbs_lock();
	for (at = &mrs; *at && *at != vm; at = &(*at)->next)
		;
	if (!*at)
		verbs_die("deregistering what is not registered");
	*at = vm->next;
	verbs_unlock();
	verbs_pd_drop(mr->pd);
	verbs_free(vm);
	return 0;
}

struct verbs_mr *verbs_find_mr(const struct ibv_pd *pd, uint32_t key, uint64_t addr, uint64_t len,
			       unsigned int access)
{
	const struct ibv_pd *protection = verbs_protection(pd);
	struct verbs_mr *mr = mrs;

	while (mr && (verbs_protection(mr->mr.pd) != protection ||
		      (mr->mr.lkey != key && mr->mr.rkey != key)))
		mr = mr->next;
	if (mr && mr->null && (mr->access & access) == access) {
		verbs_device_of(pd->context)->nulls++;
		return mr;
	}
	if (!mr || (mr->access & access) != access || addr < (uintptr_t)mr->mr.addr ||
	    addr + len > (uintptr_t)mr->mr.addr + mr->mr.length || addr + len < addr)
		return NULL;
	return mr;
}
