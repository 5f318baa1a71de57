/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Options that cannot be combined: conditions, each with its error message, for both the command
 * line and the plan message. Changes no value.
 */
#include "config.h"
#include "decide/flow_label.h"
#include "decide/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "options/mcast.h"
#include "options/options.h"
#include "topo/topo_spec.h"
#include "util/err.h"

/* A rule that is broken, with its error message. */
struct rule {
	bool broken;
	const char *option;  /* that the message is about */
	const char *allowed; /* advice; NULL: none */
	const char *text;
};

#define REFUSE_FIRST(rules) refuse_first(rules, sizeof(rules) / sizeof((rules)[0]))

static int refuse_first(const struct rule *rules, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!rules[i].broken)
			continue;
		err_option(-EINVAL, rules[i].option, "%s", rules[i].text);
		return rules[i].allowed ? err_advise(-EINVAL, "%s", rules[i].allowed) : -EINVAL;
	}
	return 0;
}

static int check_effects(const struct cfg *cfg)
{
	for (size_t i = 0; i < options_table.n; i++)
		if (cfg->given.rows[i] && options_check_effect(cfg, (enum cfg_row)i))
			return -EINVAL;
	return 0;
}

/* Options that need another option to have an effect. */
static int check_needs(const struct cfg *cfg)
{
	const struct kind kind = cfg_kind(cfg);
	const char *receiver = cfg->given.recv_depth	? "-r (--recv-depth)" :
			       cfg->given.srq		? "--srq" :
			       cfg->given.rnr_retry	? "--rnr-retry" :
			       cfg->given.min_rnr_timer ? "--min-rnr-timer" :
							  NULL;

	if (cfg->given.srq_limit && !cfg->srq)
		return err_set(-EINVAL, "--srq-limit has no effect without --srq: a receive queue of a QP has no limit event");
	if (cfg->gpu != CFG_AUTO &&
	    (cfg_buffers(cfg, SIDE_CLIENT) != BUFFERS_CUDA ||
	     (cfg->given.buffers && cfg->buffers == BUFFERS_HOST)))
		return err_option(-EINVAL, "--gpu", "has no effect with --buffers %s, only with cuda",
				  choices_buffers[cfg->buffers]);
	if (cfg->peer_gpu != CFG_AUTO && cfg_buffers(cfg, SIDE_SERVER) != BUFFERS_CUDA)
		return err_option(-EINVAL, "--peer-gpu",
				  "has no effect with --peer-buffers %s, only with cuda",
				  choices_buffers[cfg->peer_buffers]);
	if (cfg->given.arrival && cfg->rate_milli == CFG_AUTO64)
		return err_set(-EINVAL, "--arrival has no effect without --rate: in a closed loop a message follows the one before");
	if (cfg->given.spin_us && kind.cm != CM_HYBRID &&
	    cfg_completion(cfg, SIDE_SERVER) != CM_HYBRID)
		return err_set(-EINVAL, "--spin has no effect with --completion %s, only with hybrid",
			       kind_completion_names[kind.cm]);
	if (cfg->peer_size != CFG_AUTO64 && !cfg->bidir)
		return err_set(-EINVAL, "--peer-size has no effect without -b (--both): only one side posts messages");
	if (cfg->vector != CFG_AUTO && kind.cm == CM_POLL)
		return err_option(-EINVAL, "-X (--vector)",
				  "has no effect with --completion poll, only with event and hybrid");
	if (cfg->gap_us / 1000 > cfg->stall_timeout_ms / 2)
		return err_set(-EINVAL, "--gap is longer than half of --stall-timeout, %u ms: the peer would take it for a stall",
			       cfg->stall_timeout_ms);
	if (receiver && !kind_takes_recv(kind.op))
		return err_option(-EINVAL, receiver,
				  "has no effect on %s without --imm: a plain write takes no receive at the target",
				  kind_test_names[cfg->test]);
	if (cfg->verify && cfg->warm_up != CFG_AUTO && cfg->warm_up)
		return err_set(-EINVAL, "--warm-up %u and --verify exclude each other: the payload is compared from the first message on",
			       cfg->warm_up);
	/* perftest allows it */
	if (cfg->like == LIKE_NONE && cfg->inline_bytes != CFG_AUTO &&
	    cfg->size_bytes != CFG_AUTO64 && cfg->inline_bytes &&
	    cfg->inline_bytes < cfg->size_bytes && cfg->inline_bytes < cfg->peer_size)
		return err_option(-EINVAL, "-I (--inline)",
				  "%u has no effect on messages of %" PRIu64 " bytes: all messages are larger",
				  cfg->inline_bytes, cfg->size_bytes);
	return 0;
}

/* rdma_cm takes the path from the IP interface, and supports fewer transports. */
static int check_cm(const struct cfg *cfg)
{
	static const char cm[] = "-R (--cm)", transports[] = "allowed: RC, UD";
	const bool datagram = kind_is_datagram(cfg->transport);
	const struct rule rules[] = {
		{ kind_is_lossy(cfg->transport) && !datagram, cm, transports,
		  "over UC: librdmacm has no port space for UC queue pairs (RDMA_PS_TCP is RC, RDMA_PS_UDP is UD)" },
		{ cfg->one_qp, cm, NULL,
		  "and --one-qp exclude each other: rdma_cm gives each QP of the client a QP and an address of its own" },
		{ cfg->ah == AH_FIRST, cm, NULL,
		  "and --ah first exclude each other: rdma_cm gives each QP of the client a QP and an address of its own" },
		{ kind_names_srq(cfg->transport), cm, transports,
		  "over XRC: XRC is connected over TCP only" },
		{ kind_names_dct(cfg->transport), cm, transports,
		  "over DC: rdma_cm knows neither DCIs nor DCTs; their addresses go over TCP" },
		{ cfg->migrate_after != CFG_AUTO, cm, NULL,
		  "and --migrate-after exclude each other: rdma_cm knows one path of a connection" },
		{ cfg->given.sl, "-S (--sl)", NULL,
		  "has no effect with -R (--cm): rdma_cm takes it from the network interface and from --tclass" },
		{ cfg->given.hop_limit, "--hop-limit", NULL,
		  "has no effect with -R (--cm): rdma_cm takes it from the route" },
		{ cfg->flow_label, "--flow-label", NULL,
		  "has no effect with -R (--cm): rdma_cm makes the label of each connection from its ports" },
		{ cfg->given.pkey_index, "--pkey-index", NULL,
		  "has no effect with -R (--cm): rdma_cm takes the P_Key from the network interface" },
		{ cfg->given.pkey, "--pkey", NULL,
		  "has no effect with -R (--cm): rdma_cm takes it from the network interface" },
	};

	return cfg->rdma_cm ? REFUSE_FIRST(rules) : 0;
}

/* Options that contradict each other. */
static int check_pairs(const struct cfg *cfg)
{
	const struct kind kind = cfg_kind(cfg);
	const bool forever = cfg->duration_ms == CFG_FOREVER;
	const struct rule rules[] = {
		{ cfg->ah == AH_FIRST && cfg->flow_label, "--flow-label", NULL,
		  "and --ah first exclude each other: an address made of a message has no label" },
		{ kind_names_dct(kind.tp) && cfg->post_api == APIS_POST_SEND,
		  "--post-api", "allowed: wr, auto",
		  "send over DC: requests name their target by mlx5dv_wr_set_dc_addr, which goes with ibv_wr_* only" },
		{ kind_is_store(kind.op) && cfg->post_api == APIS_POST_SEND,
		  "--post-api", "allowed: wr, auto",
		  "send with --atomic write: ibv_post_send has no place for its 8 bytes, which are an argument of ibv_wr_atomic_write" },
		{ kind_flushes(kind.op) && cfg->post_api == APIS_POST_SEND,
		  "--post-api", "allowed: wr, auto",
		  "send with --flush: ibv_post_send has no place for the type and the level, which are arguments of ibv_wr_flush" },
		{ cfg->flush != FLUSH_NONE && cfg->imm, "--flush", NULL,
		  "and --imm exclude each other: the immediate would arrive before its data are flushed" },
		{ cfg->flush != FLUSH_NONE && cfg->mw != MW_NONE, "--flush", NULL,
		  "and --mw exclude each other: a window grants no flush" },
		{ cfg->srq && cfg->one_qp, "--srq", NULL,
		  "and --one-qp exclude each other: one QP shares its receive queue with no other" },
		{ cfg->ah == AH_FIRST && cfg->poll_api == APIS_POLL_EXTENDED, "--ah", NULL,
		  "first and --poll-api extended exclude each other: an address is made of a completion of ibv_poll_cq" },
		{ cfg->one_qp && cfg->bidir, "-b (--both)", NULL,
		  "and --one-qp exclude each other: the QPs of the server would have to send, too, and it has one" },
		{ cfg->one_qp && cfg->reverse, "--reverse", NULL,
		  "and --one-qp exclude each other: the QPs of the server would have to send, and it has one" },
		{ cfg->bidir && cfg->reverse, "--reverse", NULL,
		  "and -b (--both) exclude each other: one direction or both" },
		{ cfg->given.pkey && cfg->given.pkey_index, "--pkey", NULL,
		  "and --pkey-index exclude each other: one names the partition, the other its entry" },
		{ cfg->given.size_bytes && cfg->given.all_sizes, "-s (--size)", NULL,
		  "and -a (--all) exclude each other: one size or all sizes" },
		{ cfg->all_sizes && forever, "-D (--duration)", NULL,
		  "forever and -a (--all) exclude each other: the first size does not end" },
		{ cfg->given.messages && cfg->given.duration_ms, "-n (--messages)", NULL,
		  "and -D (--duration) exclude each other: a run ends by count or by time" },
	};

	if (cfg->qps > 1 && kind_is_lossy(kind.tp) && kind_is_silent(kind.op) &&
	    kind_test_is_lat(cfg->test))
		return err_option(-EINVAL, "-q (--qps)",
				  "%u for write_lat over UC: after a lost write the two sides would wait on different QPs; use --imm, or 1",
				  cfg->qps);
	return REFUSE_FIRST(rules);
}

/* In an open loop messages are due one by one, and each has a sample. */
static int check_open(const struct cfg *cfg)
{
	const struct rule rules[] = {
		{ cfg->post_list > 1, "-l (--post-list)", "allowed: 1",
		  "and --rate: a list would be posted when its last message is due" },
		{ cfg->given.signal_interval && cfg->signal_interval != 1 &&
		  cfg->signal_interval != CFG_AUTO, "-Q (--signal-interval)", "allowed: 1, auto",
		  "and --rate: the response time of each message needs its completion" },
		{ cfg->solicited != CFG_AUTO, "--solicited", NULL,
		  "and --rate exclude each other: a receiver would wait for messages that are due later" },
		{ cfg->gap_us, "--gap", NULL,
		  "and --rate exclude each other: the rate says when a message is due" },
	};

	if (cfg->rate_milli != CFG_AUTO64 && cfg->rate_milli & FIELD_RATE_SHARE)
		return err_set(-EINVAL, "--rate: a percentage is of a closed loop, which a sweep measures first");
	return cfg->rate_milli != CFG_AUTO64 ? REFUSE_FIRST(rules) : 0;
}

/* A group has one sender, and every member receives all messages of all its QPs. */
static int check_mcast(const struct cfg *cfg)
{
	const struct rule rules[] = {
		{ cfg->ah == AH_FIRST, "--ah", NULL,
		  "first and --mcast exclude each other: a receiver of a group answers nobody" },
		{ cfg->srq, "--srq", NULL,
		  "and --mcast exclude each other: a receiver has one QP of its own" },
		{ cfg->one_qp, "--one-qp", NULL,
		  "and --mcast exclude each other: a receiver has one QP of its own" },
		{ cfg->rdma_cm, "-R (--cm)", NULL,
		  "and --mcast exclude each other: a group has no connections; --mcast-join cm joins it by rdma_cm" },
	};
	struct mcast_group group;

	if (!cfg->mcast)
		return cfg->given.mcast_join ?
			       err_set(-EINVAL, "--mcast-join has no effect without --mcast") : 0;
	if (cfg->bidir || cfg->reverse)
		return err_option(-EINVAL, cfg->bidir ? "-b (--both)" : "--reverse",
				  "and --mcast exclude each other: a group has one sender");
	if (cfg->qps > 1 || cfg->threads > 1)
		return err_refuse("--mcast",
				  "allowed: --threads 1 and -q (--qps) 1; a host that is given twice has two receivers",
				  "with %u threads of %u QPs: each member of the group would get the messages of all of them",
				  cfg->threads, cfg->qps);
	return REFUSE_FIRST(rules) ? -EINVAL : mcast_parse(&group, cfg->mcast);
}

static bool receivers_poll(const struct cfg *cfg)
{
	bool all = true;

	for (enum side side = 0; side < SIDE_COUNT; side++)
		all &= cfg_completion(cfg, side) == CM_POLL ||
		       !role_receives(plan_role(cfg, side));
	return all;
}

/* ibv_req_notify_cq(3): only receive completions can be solicited. */
static int rules_solicited(const struct cfg *cfg)
{
	const struct kind kind = cfg_kind(cfg);

	if (!kind_takes_recv(kind.op))
		return err_set(-EINVAL, "--solicited has no effect on %s without --imm: a plain write makes no completion at the target",
			       kind_test_names[cfg->test]);
	if (receivers_poll(cfg))
		return err_set(-EINVAL, "--solicited has no effect with --completion poll of the receiver, only with event and hybrid");
	if (kind_test_is_lat(cfg->test) && cfg->solicited > 1)
		return err_refuse("--solicited", "allowed: 1",
				  "%u on %s: one message is under way, so each must wake the other side",
				  cfg->solicited, kind_test_names[cfg->test]);
	return 0;
}

static int check_requests(const struct cfg *cfg)
{
	const bool own = cfg->size_bytes < cfg->sges;

	/* auto is more than any number of pieces */
	if (cfg->sges > 1 && (own || cfg->peer_size < cfg->sges))
		return err_set(-EINVAL,
			       "--sge %u with %s %" PRIu64 ": each piece has one byte at least",
			       cfg->sges, own ? "-s (--size)" : "--peer-size",
			       own ? cfg->size_bytes : cfg->peer_size);
	if (cfg->disturb != DISTURB_NONE && cfg->locks == LOCKS_OFF)
		return err_set(-EINVAL, "--disturb %s with --locks off: another thread uses the queues of the measuring thread, too; use --locks on or auto",
			       choices_disturb[cfg->disturb]);
	if (plan_rules_buffers(cfg))
		return -EINVAL;
	return cfg->solicited != CFG_AUTO ? rules_solicited(cfg) : 0;
}

static int check_placement(const struct cfg *cfg)
{
	int rc = topo_spec_check_pin(cfg->pin, "--pin");

	if (!rc)
		rc = topo_spec_check_mem(cfg->mem, "--mem");
	if (!rc)
		rc = topo_spec_check_pin(cfg->peer_pin, "--peer-pin");
	return rc ? rc : topo_spec_check_mem(cfg->peer_mem, "--peer-mem");
}

int plan_rules(const struct cfg *cfg)
{
	const char *reason = cfg_refusal(cfg);
	const struct plan_room room = PLAN_NO_ROOM_LIMIT;
	struct cfg full = *cfg;
	struct plan plan;

	if (reason)
		return err_set(-EINVAL, "%s", reason);
	if (check_effects(cfg) || check_pairs(cfg) || plan_formats(cfg) || check_needs(cfg) ||
	    check_open(cfg) || check_requests(cfg) || check_mcast(cfg) || check_cm(cfg) ||
	    check_placement(cfg) || flow_label_check(cfg->flow_label))
		return -EINVAL;
	plan_like_defaults(&full);
	return plan_loops(&plan, &full, &room);
}

int plan_rules_server(const struct cfg *cfg)
{
	struct err first = { .text = "" };
	struct cfg one = *cfg;

	for (one.test = (enum test)0; one.test < TEST_COUNT; one.test++) {
		if (!plan_rules(&one)) {
			err_clear();
			return 0;
		}
		if (!first.text[0] && !check_effects(&one) && plan_rules(&one))
			first = err_keep();
	}
	/* no test can use all of these options */
	if (first.text[0])
		err_restore(&first);
	return -EINVAL;
}
