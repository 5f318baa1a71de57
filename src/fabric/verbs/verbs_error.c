/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Texts for completion statuses, async events and failed calls; the table of quirks. */
#include "config.h"
#include "verbs/verbs_error.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "causes/remedy.h"
#include "place/machine.h"
#include "util/err.h"
#include "util/log.h"
#include "util/text.h"

struct status_text {
	const char *name, *text; /* text NULL: that of a remedy */
};

/* Meanings: InfiniBand Architecture Specification vol. 1, 11.6.2; ibv_poll_cq(3). */
static const struct status_text statuses[] = {
	[IBV_WC_SUCCESS] = { "SUCCESS", "completed without error" },
	[IBV_WC_LOC_LEN_ERR] = { "LOC_LEN_ERR",
		"a message is longer than its receive buffer, or than the longest message of the port: compare the sizes of both sides" },
	[IBV_WC_LOC_QP_OP_ERR] = { "LOC_QP_OP_ERR",
		"the local QP cannot execute the request: an operation that this transport does not have, a malformed request, or (Soft-RoCE) a receive buffer that is too small" },
	[IBV_WC_LOC_EEC_OP_ERR] = { "LOC_EEC_OP_ERR",
		"the local EE context failed; only reliable datagrams have one, so this is an error of the driver" },
	[IBV_WC_LOC_PROT_ERR] = { "LOC_PROT_ERR",
		"a local buffer is outside its memory region, or the region lacks the access right: compare address and length with the region" },
	[IBV_WC_WR_FLUSH_ERR] = { "WR_FLUSH_ERR",
		"flushed because the QP failed before: the cause is the first other status, here or at the peer" },
	[IBV_WC_MW_BIND_ERR] = { "MW_BIND_ERR",
		"a memory window was not bound: region, rights or protection domain do not allow it" },
	[IBV_WC_BAD_RESP_ERR] = { "BAD_RESP_ERR",
		"the peer answered with an opcode that the request does not allow: an error of the peer's device, or corrupted packets" },
	[IBV_WC_LOC_ACCESS_ERR] = { "LOC_ACCESS_ERR",
		"an incoming write with immediate failed the check of local memory: compare rkey, address and access rights of the region" },
	[IBV_WC_REM_INV_REQ_ERR] = { "REM_INV_REQ_ERR",
		"the peer rejected the request as invalid: its QP lacks the access right, its receive buffer is too small, too many reads are in flight, or an atomic is misaligned" },
	[IBV_WC_REM_ACCESS_ERR] = { "REM_ACCESS_ERR",
		"the peer refused access to its memory: the rkey is wrong, the address is outside the region, or the region lacks the access right" },
	[IBV_WC_REM_OP_ERR] = { "REM_OP_ERR",
		"the peer's device could not execute the request: see the peer's own first error (Soft-RoCE: also a receive buffer that is too small)" },
	[IBV_WC_RETRY_EXC_ERR] = { "RETRY_EXC_ERR",
		NULL },
	[IBV_WC_RNR_RETRY_EXC_ERR] = { "RNR_RETRY_EXC_ERR",
		NULL },
	[IBV_WC_LOC_RDD_VIOL_ERR] = { "LOC_RDD_VIOL_ERR",
		"local RDD violation; only reliable datagrams have RDDs, so this is an error of the driver" },
	[IBV_WC_REM_INV_RD_REQ_ERR] = { "REM_INV_RD_REQ_ERR",
		"the peer rejected an RD request as invalid; RD is not in use, so this is an error of the driver" },
	[IBV_WC_REM_ABORT_ERR] = { "REM_ABORT_ERR",
		"the peer aborted the operation: see the peer's own first error" },
	[IBV_WC_INV_EECN_ERR] = { "INV_EECN_ERR",
		"invalid EE context number; only reliable datagrams have one, so this is an error of the driver" },
	[IBV_WC_INV_EEC_STATE_ERR] = { "INV_EEC_STATE_ERR",
		"invalid EE context state; only reliable datagrams have one, so this is an error of the driver" },
	[IBV_WC_FATAL_ERR] = { "FATAL_ERR",
		"fatal error of the device's transport: see the kernel log" },
	[IBV_WC_RESP_TIMEOUT_ERR] = { "RESP_TIMEOUT_ERR",
		"a response did not arrive in time: see the kernel log and the peer's own error" },
	[IBV_WC_GENERAL_ERR] = { "GENERAL_ERR",
		"the device reports an error without details: see vendor_err and the kernel log" },
	[IBV_WC_TM_ERR] = { "TM_ERR",
		"tag matching failed; tag matching is not in use, so this is an error of the driver" },
	[IBV_WC_TM_RNDV_INCOMPLETE] = { "TM_RNDV_INCOMPLETE",
		"tag matching rendezvous incomplete; it is not in use, so this is an error of the driver" },
};

/* Meanings: ibv_get_async_event(3); InfiniBand Architecture Specification vol. 1, 11.6.3. */
static const char *const events[] = {
	[IBV_EVENT_CQ_ERR] = "CQ_ERR: a completion queue overran, completions are lost",
	[IBV_EVENT_QP_FATAL] = "QP_FATAL: a QP failed and could not report it by a completion",
	[IBV_EVENT_QP_REQ_ERR] = "QP_REQ_ERR: an invalid request reached the QP from its peer",
	[IBV_EVENT_QP_ACCESS_ERR] = "QP_ACCESS_ERR: the peer tried to access memory without the right to do so",
	[IBV_EVENT_COMM_EST] = "COMM_EST: the first packet arrived before the QP could send",
	[IBV_EVENT_SQ_DRAINED] = "SQ_DRAINED: the send queue is drained",
	[IBV_EVENT_PATH_MIG] = "PATH_MIG: the connection moved to its alternate path",
	[IBV_EVENT_PATH_MIG_ERR] = "PATH_MIG_ERR: the alternate path could not be loaded",
	[IBV_EVENT_DEVICE_FATAL] =
		"DEVICE_FATAL: the device failed and must be closed; see the kernel log",
	[IBV_EVENT_PORT_ACTIVE] = "PORT_ACTIVE: the link came up",
	[IBV_EVENT_PORT_ERR] = "PORT_ERR: the link went down; see cable, switch port, netdev",
	[IBV_EVENT_LID_CHANGE] = "LID_CHANGE: the subnet manager changed the port's LID",
	[IBV_EVENT_PKEY_CHANGE] = "PKEY_CHANGE: the subnet manager changed the P_Key table",
	[IBV_EVENT_SM_CHANGE] = "SM_CHANGE: another subnet manager took over",
	[IBV_EVENT_SRQ_ERR] = "SRQ_ERR: a shared receive queue failed",
	[IBV_EVENT_SRQ_LIMIT_REACHED] = "SRQ_LIMIT_REACHED: a shared receive queue runs low",
	[IBV_EVENT_QP_LAST_WQE_REACHED] = "QP_LAST_WQE_REACHED: a QP took its last receive",
	[IBV_EVENT_CLIENT_REREGISTER] =
		"CLIENT_REREGISTER: the subnet manager asks clients to register again",
	[IBV_EVENT_GID_CHANGE] =
		"GID_CHANGE: the GID table changed; an address of the netdev was added or removed",
	[IBV_EVENT_WQ_FATAL] = "WQ_FATAL: a work queue failed",
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct status_text *status_text(enum ibv_wc_status status)
{
	static const struct status_text unknown = {
		.name = "unknown status",
		.text = "this program does not know the status: see ibv_poll_cq(3)",
	};

	return (size_t)status < COUNT(statuses) ? &statuses[status] : &unknown;
}

const char *verbs_error_status_name(enum ibv_wc_status status)
{
	return status_text(status)->name;
}

bool verbs_emulated(void)
{
	const char *preloaded = getenv("LD_PRELOAD");

	return preloaded && strstr(preloaded, "softhca");
}

const char *verbs_error_status(enum ibv_wc_status status)
{
	const struct status_text *row = status_text(status);

	if (row->text)
		return row->text;
	if (status != IBV_WC_RETRY_EXC_ERR)
		return remedy_text(REMEDY_NO_RECEIVE);
	return remedy_text(verbs_emulated() ? REMEDY_NO_ACK_EMULATED : REMEDY_NO_ACK);
}

const char *verbs_error_event(enum ibv_event_type event)
{
	return (size_t)event < COUNT(events) ? events[event] : "unknown event";
}

/*
 * An RDMA cgroup at its rdma.max: EAGAIN (rdmacg_try_charge() of Linux, kernel/cgroup/rdma.c).
 * Linux, drivers/infiniband/core/umem.c: ib_umem_get() counts what it pins against RLIMIT_MEMLOCK
 * and answers ENOMEM. Drivers whose queues are memory of the process call it for these too (mlx5:
 * create_cq_user(), _create_user_qp(), create_srq_user()); rxe has them in the kernel.
 */
int verbs_error_create(int rc, const char *fmt, ...)
{
	const uint64_t limit = machine_memlock();
	char what[ERR_TEXT_MAX / 2], have[32];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	if (rc == -EAGAIN)
		return remedy_error(rc, REMEDY_RDMA_CGROUP, NULL, "%s: %s", what, strerror(-rc));
	if (rc != -ENOMEM)
		return err_set(rc, "%s: %s", what, strerror(-rc));
	if (limit == UINT64_MAX)
		return remedy_error(rc, REMEDY_RDMA_CGROUP, NULL,
				    "%s: %s; RLIMIT_MEMLOCK is no limit for this process", what,
				    strerror(-rc));
	return remedy_error(rc, REMEDY_MEMLOCK, NULL, "%s: %s; RLIMIT_MEMLOCK is %s", what,
			    strerror(-rc), text_of_bytes(limit, have, sizeof(have)));
}

int verbs_failed(int rc, const char *fmt, ...)
{
	char what[ERR_TEXT_MAX / 2];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return err_set(rc, "%s: %s", what, strerror(-rc));
}

void verbs_warn(const char *what, int err)
{
	if (err)
		log_note("cannot %s: %s", what, strerror(err));
}

int verbs_error_mr(int rc, uint64_t len_bytes)
{
	char need[32];

	return verbs_error_create(rc, "cannot register %s of memory",
				  text_of_bytes(len_bytes, need, sizeof(need)));
}

/* ---- quirks of drivers */

static const struct {
	enum quirk quirk;
	const char *driver;
} rows[] = {
#define QUIRK(driver, quirk, source) { quirk, driver },
#include "verbs/quirks.def"
};

bool verbs_quirk(const char *driver, enum quirk quirk)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].quirk == quirk && !strcmp(rows[i].driver, driver))
			return true;
	return false;
}
