/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns what perftest prints before its results: ctx_print_test_info() in
 * src/perftest_parameters.c, ctx_print_pingpong_data() in src/perftest_communication.c. Called by
 * dropin_screen.c. Every value is what the plan has, not what perftest would have.
 */
#include "config.h"
#include "perftest/dropin_print.h"

#include <inttypes.h>

#include "loop/state.h"

void dropin_print_waiting(FILE *out)
{
	fprintf(out, "\n************************************\n"
		     "* Waiting for client to connect... *\n"
		     "************************************\n");
}

void dropin_print_warnings(FILE *out, const struct dropin *d)
{
	const bool stream = kind_pattern(d->cfg.test) == PATTERN_STREAM;

	if (stream && d->cfg.post_list > 1 &&
	    (d->cfg.signal_interval == CFG_AUTO || d->cfg.signal_interval == d->cfg.post_list))
		fprintf(out, DROPIN_LINE "Post List requested - CQ moderation will be the size of the post list\n");
}

const char *dropin_verb(const struct dropin_run *run)
{
	const bool imm = kind_has_imm(run->work.kind.op);

	switch (kind_family(run->work.test)) {
	case FAMILY_SEND:
		return imm ? "Send_imm" : "Send";
	case FAMILY_WRITE:
		return imm ? "RDMA_Write_imm" : "RDMA_Write";
	case FAMILY_READ:
		return "RDMA_Read";
	default:
		return "Atomic";
	}
}

const char *dropin_atomic(const struct dropin_run *run)
{
	return kind_compares(run->work.kind.op) ? "CMP_AND_SWAP" : "FETCH_AND_ADD";
}

static void print_title(FILE *out, const struct dropin_run *run)
{
	const bool stream = run->work.pattern == PATTERN_STREAM;

	fprintf(out, "                    %s ", dropin_verb(run));
	if (kind_family(run->work.test) == FAMILY_ATOMIC)
		fprintf(out, "%s ", dropin_atomic(run));
	if (stream && run->work.bidir)
		fprintf(out, "Bidirectional ");
	if (stream && run->work.post_list > 1)
		fprintf(out, "Post List ");
	fprintf(out, "%s Test\n", stream ? "BW" : "Latency");
}

static const char *on(bool value)
{
	return value ? "ON" : "OFF";
}

static const char *transport_type(const struct limits *limits)
{
	return limits->transport_type == LIMITS_IB    ? "IB" :
	       limits->transport_type == LIMITS_IWARP ? "IW" :
							"Unknown";
}

static void print_queues(FILE *out, const struct dropin_run *run)
{
	const struct plan_work *w = &run->work;
	const bool stream = w->pattern == PATTERN_STREAM;

	if (run->side == SIDE_CLIENT || w->bidir)
		fprintf(out, " TX depth        : %u\n", stream ? w->depth : 1);
	if (w->post_list > 1)
		fprintf(out, " Post List       : %u\n", w->post_list);
	if (w->recv_depth && (run->side == SIDE_SERVER || w->bidir))
		fprintf(out, " RX depth        : %u\n", w->recv_depth);
	if (!stream)
		return;
	fprintf(out, " CQ Moderation   : %u\n", w->signal_interval);
	fprintf(out, " CQE Poll Batch  : %d\n", STATE_BATCH);
}

void dropin_print_settings(FILE *out, const struct dropin_run *run)
{
	const struct plan_work *w = &run->work;
	const enum family family = kind_family(w->test);

	fprintf(out, DROPIN_LINE);
	print_title(out, run);
	if (w->kind.cm == CM_EVENT)
		fprintf(out, " Test with events. Using %s_comp0\n", run->self.device);
	fprintf(out, " Dual-port       : OFF\t\tDevice         : %s\n", run->self.device);
	fprintf(out, " Number of qps   : %u\t\tTransport type : %s\n", w->qps,
		transport_type(&run->self));
	fprintf(out, " Connection type : %s\t\tUsing SRQ      : %s\n",
		kind_transport_names[w->kind.tp], on(w->kind.sharing == SHARING_SRQ));
	fprintf(out, " PCIe relax order: %s\t\tLock-free      : %s\n", on(w->relaxed_ordering),
		on(w->locks == LOCKS_OFF));
	fprintf(out, " ibv_wr* API     : %s\t\tUsing Enhanced Reorder      : OFF\n",
		on(w->post_api == APIS_POST_WR));
	print_queues(out, run);
	fprintf(out, " Mtu             : %u[B]\n", run->path.mtu_bytes);
	fprintf(out, " Link type       : %s\n", run->self.ethernet ? "Ethernet" : "IB");
	if (run->path.global_route)
		fprintf(out, " GID index       : %u\n", run->side == SIDE_CLIENT ?
								run->path.client_gid :
								run->path.server_gid);
	if (family == FAMILY_READ || family == FAMILY_ATOMIC)
		fprintf(out, " Outstand reads  : %u\n", w->outstanding);
	else
		fprintf(out, " Max inline data : %u[B]\n", w->inline_bytes);
	fprintf(out, " rdma_cm QPs\t : %s\n", on(run->path.connect == CONNECT_RDMA_CM));
	fprintf(out, " Data ex. method : Ethernet\n" DROPIN_LINE);
}

static void print_address(FILE *out, const struct dropin_run *run, const char *whose,
			  const struct ep_addr *addr, uint32_t qp)
{
	const bool reads = kind_family(run->work.test) == FAMILY_READ;

	fprintf(out, " %s address: LID %#04x QPN %#06x PSN %#06x", whose, addr->lid,
		addr->qps[qp].qpn, addr->qps[qp].psn);
	if (reads)
		fprintf(out, " OUT %#04x", run->work.outstanding);
	if (reads || kind_is_silent(run->work.kind.op))
		fprintf(out, " RKey %#08x VAddr %#016" PRIx64,
			addr->qps[qp].rkey ? addr->qps[qp].rkey : addr->rkey, addr->buf_addr);
	if (kind_names_srq(run->work.kind.tp))
		fprintf(out, " SRQn %#08x", addr->qps[qp].srqn);
	fputc('\n', out);
	if (!run->path.global_route)
		return;
	fprintf(out, " GID: ");
	for (uint32_t i = 0; i < sizeof(addr->gid); i++)
		fprintf(out, "%s%02d", i ? ":" : "", addr->gid[i]);
	fputc('\n', out);
}

void dropin_print_addresses(FILE *out, const struct dropin_run *run,
			    const struct format_endpoint *endpoint)
{
	for (uint32_t i = 0; i < endpoint->own->n_qps; i++)
		print_address(out, run, "local", endpoint->own, i);
	for (uint32_t i = 0; i < endpoint->peer->n_qps; i++)
		print_address(out, run, "remote", endpoint->peer, i);
}
