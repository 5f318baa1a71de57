/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Messages between the devices of one process, and the record of what the links did. */
#ifndef T_NODE_H
#define T_NODE_H

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "t.h"

#define T_EVENTS 256

/* A line of the record. */
struct t_event {
	char name[16];
	uint32_t qpn, number;
	uint64_t bytes, queued_ns, begun_ns, left_ns, due_ns;
};

struct t_record {
	struct t_event event[T_EVENTS];
	uint32_t n;
};

static inline const char *t_node_path(const char *what)
{
	static char path[64];

	snprintf(path, sizeof(path), "/tmp/t_node.%s.%d", what, (int)getpid());
	return path;
}

/* Before the first device is opened. A process that had this number may have left its files. */
static inline void t_node_begin(void)
{
	unlink(t_node_path("record"));
	unlink(t_node_path("stats"));
	assert_int_equal(setenv("SOFTHCA_RECORD", t_node_path("record"), 1), 0);
	assert_int_equal(setenv("SOFTHCA_STATS", t_node_path("stats"), 1), 0);
}

static inline uint64_t next_number(char **line)
{
	char *field = strsep(line, ",");

	return field ? strtoull(field, NULL, 10) : 0;
}

/* After the last device is closed. */
static inline void t_node_read(struct t_record *r)
{
	FILE *f = fopen(t_node_path("record"), "re");
	char text[512];

	assert_non_null(f);
	for (r->n = 0; r->n < T_EVENTS && fgets(text, sizeof(text), f); r->n++) {
		struct t_event *e = &r->event[r->n];
		char *line = text;

		next_number(&line);
		snprintf(e->name, sizeof(e->name), "%s", strsep(&line, ","));
		e->qpn = (uint32_t)next_number(&line);
		e->number = (uint32_t)next_number(&line);
		e->bytes = next_number(&line);
		e->queued_ns = next_number(&line);
		e->begun_ns = next_number(&line);
		e->left_ns = next_number(&line);
		e->due_ns = next_number(&line);
	}
	assert_true(r->n < T_EVENTS);
	fclose(f);
	unlink(t_node_path("record"));
}

/* A number of the line of that device in the file of counters, which is then removed. */
static inline uint64_t t_node_counted(const char *device, const char *name)
{
	char line[2048], key[32];
	uint64_t n = UINT64_MAX;
	FILE *f = fopen(t_node_path("stats"), "re");

	assert_non_null(f);
	snprintf(key, sizeof(key), " %s=", name);
	while (fgets(line, sizeof(line), f))
		if (strstr(line, device) && strstr(line, key))
			n = strtoull(strstr(line, key) + strlen(key), NULL, 10);
	fclose(f);
	return n;
}

static inline const struct t_event *t_node_find(const struct t_record *r, const char *name,
						const struct t_event *like)
{
	for (uint32_t i = 0; i < r->n; i++)
		if (!strcmp(r->event[i].name, name) && r->event[i].qpn == like->qpn &&
		    r->event[i].number == like->number)
			return &r->event[i];
	fail_msg("no event %s of QP %u, message %u", name, like->qpn, like->number);
	return NULL;
}

static inline int t_node_by_due(const void *a, const void *b)
{
	const struct t_event *x = a, *y = b;

	return x->due_ns < y->due_ns ? -1 : x->due_ns > y->due_ns;
}

static inline uint64_t t_node_work_ns(const struct t_event *sent, uint64_t bit_s)
{
	return sent->bytes * 8 * UINT64_C(1000000000) / bit_s;
}

/* When a port to which a message needs so long begins to receive it, if it waits for no other. */
static inline uint64_t t_node_first_ns(const struct t_event *sent, uint64_t work_ns)
{
	const uint64_t sent_ns = sent->left_ns - sent->begun_ns;

	return sent->left_ns - (sent_ns < work_ns ? sent_ns : work_ns);
}

/*
 * What arrives at a port (event into), and left at (event out), is received one after the other,
 * and each needs as long as the slower of both sides, from when its first byte is there.
 */
static inline uint32_t t_node_in_turn(struct t_record *r, const char *out, const char *into,
			       uint64_t bit_s)
{
	uint64_t free_ns = 0;
	uint32_t n = 0;

	qsort(r->event, r->n, sizeof(r->event[0]), t_node_by_due);
	for (uint32_t i = 0; i < r->n; i++) {
		const struct t_event *e = &r->event[i], *from;
		uint64_t work_ns, first_ns, due_ns;

		if (strcmp(e->name, into))
			continue;
		from = t_node_find(r, out, e);
		work_ns = t_node_work_ns(from, bit_s);
		first_ns = t_node_first_ns(from, work_ns);
		due_ns = (first_ns > free_ns ? first_ns : free_ns) + work_ns;
		assert_in_range(e->due_ns, due_ns - 1, due_ns + 1);
		free_ns = e->due_ns;
		n++;
	}
	return n;
}

/* QP a of the pair a is on a device, and QP b of the pair b on another one. */
struct sender {
	struct pair a, b;
	uint8_t timeout; /* 0: nothing is lost */
};

static inline void t_node_up(struct sender *s, enum ibv_qp_type type, const char *a, const char *b)
{
	union ibv_gid gid;

	s->a = s->b = t_defaults(type);
	s->a.timeout = s->b.timeout = s->timeout ? s->timeout : 24; /* 69 s */
	s->a.retry = s->b.retry = 7;
	assert_int_equal(setenv("VERBS_DEVICE", a, 1), 0);
	t_open(&s->a);
	t_side(&s->a, &s->a.a, NULL);
	assert_int_equal(setenv("VERBS_DEVICE", b, 1), 0);
	t_open(&s->b);
	t_side(&s->b, &s->b.b, NULL);
	s->a.b = s->b.b;
	assert_int_equal(t_init(&s->a, &s->a.a), 0);
	assert_int_equal(t_init(&s->b, &s->b.b), 0);
	/* a path leads to the other device */
	gid = s->a.gid;
	s->a.gid = s->b.gid;
	s->b.gid = gid;
	assert_int_equal(t_rtr(&s->a, &s->a.a, s->b.b.qp->qp_num), 0);
	assert_int_equal(t_rtr(&s->b, &s->b.b, s->a.a.qp->qp_num), 0);
	assert_int_equal(t_rts(&s->a, &s->a.a), 0);
	assert_int_equal(t_rts(&s->b, &s->b.b), 0);
}

static inline void t_node_down(struct sender *s)
{
	s->a.b = (struct side) { 0 };
	t_down_side(&s->a.a);
	t_down_side(&s->b.b);
	assert_int_equal(ibv_dealloc_pd(s->a.pd), 0);
	assert_int_equal(ibv_dealloc_pd(s->b.pd), 0);
	assert_int_equal(ibv_close_device(s->a.ctx), 0);
	assert_int_equal(ibv_close_device(s->b.ctx), 0);
}

static inline void t_node_post(struct sender *s, enum ibv_wr_opcode opcode, uint32_t len)
{
	struct ibv_send_wr wr = t_wr(&s->a, opcode, 0);

	assert_int_equal(t_post(&s->a, &wr, len), 0);
}

static inline void t_node_wait(struct sender *s, int n)
{
	while (n--)
		assert_int_equal(t_wait(s->a.a.cq).status, IBV_WC_SUCCESS);
}

#endif
