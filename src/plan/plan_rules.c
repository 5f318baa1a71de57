/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Which options cannot be combined: a list of conditions, each with its error message, for the
 * command line and for the plan message alike. Called by main and session. Must not change a value.
 */
#include "config.h"
#include "plan/plan_rules.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "config/options.h"
#include "config/mcast.h"
#include "topo/topo_spec.h"
#include "plan/plan.h"
#include "plan/plan_steps.h"
#include "util/err.h"

static int check_effects(const struct cfg *cfg)
{
	for (size_t i = 0; i < options_table.n; i++) {
		int rc = cfg->given.rows[i] ? options_check_effect(cfg, (enum cfg_row)i) : 0;

		if (rc)
			return rc;
	}
	return 0;
}

/* Options that need another option to have an effect. */
static int check_needs(const struct cfg *cfg)
{
	const struct kind kind = cfg_kind(cfg);
	const char *receiver = cfg->given.recv_depth	? "--recv-depth" :
			       cfg->given.srq		? "--srq" :
			       cfg->given.rnr_retry	? "--rnr-retry" :
			       cfg->given.min_rnr_timer ? "--min-rnr-timer" :
							  NULL;

	if (cfg->given.srq_limit && !cfg->srq)
		return err_set(-EINVAL, "--srq-limit has no effect without --srq: a receive queue of a QP has no limit event");
	if (cfg->given.spin_us && kind.cm != CM_HYBRID)
		return err_set(-EINVAL, "--spin has no effect with --completion %s, only with hybrid",
			       kind_completion_names[kind.cm]);
	if (receiver && !kind_takes_recv(kind.op))
		return err_set(-EINVAL, "%s has no effect on %s without --imm: a plain write takes no receive at the target",
			       receiver, kind_test_names[cfg->test]);
	/* perftest allows it */
	if (cfg->like == LIKE_NONE && cfg->inline_bytes != CFG_AUTO &&
	    cfg->size_bytes != CFG_AUTO64 && cfg->inline_bytes &&
	    cfg->inline_bytes < cfg->size_bytes)
		return err_set(-EINVAL, "-I (--inline) %u has no effect on messages of %" PRIu64 " bytes: all messages are larger",
			       cfg->inline_bytes, cfg->size_bytes);
	return 0;
}

/* rdma_cm takes the path from the IP interface, and knows fewer transports. */
static int check_cm(const struct cfg *cfg)
{
	const char *path = cfg->given.sl ? "-S (--sl)" : cfg->given.pkey ? "--pkey" : NULL;

	if (!cfg->rdma_cm)
		return 0;
	if (kind_is_lossy(cfg->transport) && !kind_is_datagram(cfg->transport))
		return err_set(-EINVAL, "-R (--cm) over UC: librdmacm has no port space for UC queue pairs (RDMA_PS_TCP is RC, RDMA_PS_UDP is UD); allowed: RC, UD");
	if (cfg->one_qp || cfg->ah == AH_FIRST)
		return err_set(-EINVAL, "-R (--cm) and %s exclude each other: rdma_cm gives each QP of the client a QP and an address of its own",
			       cfg->one_qp ? "--one-qp" : "--ah first");
	if (kind_names_srq(cfg->transport))
		return err_set(-EINVAL, "-R (--cm) over XRC: XRC is connected over TCP only; allowed: RC, UD");
	if (kind_names_dct(cfg->transport))
		return err_set(-EINVAL, "-R (--cm) over DC: rdma_cm knows neither DCIs nor DCTs; their addresses go over TCP; allowed: RC, UD");
	if (cfg->migrate_after != CFG_AUTO)
		return err_set(-EINVAL, "-R (--cm) and --migrate-after exclude each other: rdma_cm knows one path of a connection");
	if (path)
		return err_set(-EINVAL, "%s has no effect with -R (--cm): rdma_cm takes it from the network interface%s",
			       path, cfg->given.sl ? " and from --tclass" : "");
	return 0;
}

/* Options that contradict each other. */
static int check_pairs(const struct cfg *cfg)
{
	const struct kind kind = cfg_kind(cfg);

	if (cfg->qps > 1 && kind_is_lossy(kind.tp) && kind_is_silent(kind.op) &&
	    kind_pattern(cfg->test) == PATTERN_PINGPONG)
		return err_set(-EINVAL, "-q (--qps) %u for write_lat over UC: after a lost write the two sides would wait on different QPs; use --imm, or 1",
			       cfg->qps);
	if (kind_names_dct(kind.tp) && cfg->post_api == APIS_POST_SEND)
		return err_set(-EINVAL, "--post-api send over DC: requests name their target by mlx5dv_wr_set_dc_addr, which goes with ibv_wr_* only; allowed: wr, auto");
	if (cfg->srq && cfg->one_qp)
		return err_set(-EINVAL, "--srq and --one-qp exclude each other: one QP shares its receive queue with no other");
	if (cfg->ah == AH_FIRST && cfg->poll_api == APIS_POLL_EXTENDED)
		return err_set(-EINVAL, "--ah first and --poll-api extended exclude each other: an address is made of a completion of ibv_poll_cq");
	if (cfg->one_qp && cfg->bidir)
		return err_set(-EINVAL, "-b (--both) and --one-qp exclude each other: the QPs of the server would have to send, too, and it has one");
	if (cfg->given.size_bytes && cfg->given.all_sizes)
		return err_set(-EINVAL, "-s (--size) and -a (--all) exclude each other: one size or all sizes");
	if (cfg->all_sizes && cfg->duration_ms == CFG_FOREVER)
		return err_set(-EINVAL, "-D (--duration) forever and -a (--all) exclude each other: the first size does not end");
	if (cfg->given.messages && cfg->given.duration_ms)
		return err_set(-EINVAL, "-n (--messages) and -D (--duration) exclude each other: a run ends by count or by time");
	return 0;
}

/* A group has one sender, and every member gets all messages of all its QPs. */
static int check_mcast(const struct cfg *cfg)
{
	struct mcast_group group;

	if (!cfg->mcast)
		return cfg->given.mcast_join ?
			       err_set(-EINVAL, "--mcast-join has no effect without --mcast") : 0;
	if (cfg->bidir)
		return err_set(-EINVAL, "-b (--both) and --mcast exclude each other: a group has one sender");
	if (cfg->qps > 1 || cfg->threads > 1)
		return err_set(-EINVAL, "--mcast with %u threads of %u QPs: each member of the group would get the messages of all of them; allowed: --threads 1 and -q (--qps) 1; a host that is given twice has two receivers",
			       cfg->threads, cfg->qps);
	if (cfg->ah == AH_FIRST)
		return err_set(-EINVAL, "--ah first and --mcast exclude each other: a receiver of a group answers nobody");
	if (cfg->srq || cfg->one_qp)
		return err_set(-EINVAL, "%s and --mcast exclude each other: a receiver has one QP of its own",
			       cfg->srq ? "--srq" : "--one-qp");
	if (cfg->rdma_cm)
		return err_set(-EINVAL, "-R (--cm) and --mcast exclude each other: a group has no connections; --mcast-join cm joins it by rdma_cm");
	return mcast_parse(&group, cfg->mcast);
}

/* Two formats of results cannot share standard output. */
static int check_formats(const struct cfg *cfg)
{
	const struct {
		const char *option, *path;
	} formats[] = {
#define FORMAT(name, text) { #name, cfg->name },
#define FORMAT_STDOUT(name)
#include "config/formats.def"
	};
	const char *first = NULL;

	if (cfg->csv_new && !cfg->csv)
		return err_set(-EINVAL, "--csv-new has no effect without --csv FILE");
	/* of a report: analysis/pictures.c */
	if (cfg->force && !cfg->csv && !cfg->json && !cfg->jsonl && !cfg->n_files)
		return err_set(-EINVAL, "--force has no effect without a FILE of results: --csv, --json or --jsonl");
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (!formats[i].path || strcmp(formats[i].path, "-"))
			continue;
		if (first)
			return err_set(-EINVAL, "--%s - and --%s - exclude each other: only one of them can go to standard output",
				       first, formats[i].option);
		first = formats[i].option;
	}
	return 0;
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
	const char *reason = kind_refusal(cfg->test, cfg_kind(cfg));
	const struct plan_room room = PLAN_NO_ROOM_LIMIT;
	struct cfg full = *cfg;
	struct plan plan;

	if (reason)
		return err_set(-EINVAL, "%s", reason);
	if (check_effects(cfg) || check_pairs(cfg) || check_formats(cfg) || check_needs(cfg) ||
	    plan_rules_requests(cfg) || check_mcast(cfg) || check_cm(cfg) || check_placement(cfg))
		return -EINVAL;
	like_defaults(&full);
	return plan_loops(&plan, &full, &room);
}

int plan_rules_server(const struct cfg *cfg)
{
	char first[ERR_TEXT_MAX] = "";
	struct cfg one = *cfg;

	for (one.test = (enum test)0; one.test < TEST_COUNT; one.test++) {
		if (!plan_rules(&one)) {
			err_clear();
			return 0;
		}
		if (!first[0] && !check_effects(&one) && plan_rules(&one))
			snprintf(first, sizeof(first), "%s", err_text());
	}
	/* no test has all of these options */
	if (!first[0])
		return err_set(-EINVAL, "%s", err_text());
	return err_set(-EINVAL, "%s", first);
}
