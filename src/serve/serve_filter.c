/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the filter of the listening sockets; see serve_filter.h. Called by serve.c. */
#include "config.h"
#include "serve/serve_filter.h"

#include <errno.h>
#include <string.h>
#include <linux/filter.h>
#include <sys/socket.h>

/*
 * A filter sees a segment from its TCP header on (tcp_filter() in net/ipv4/tcp_ipv4.c); the IP
 * header is at SKF_NET_OFF (Documentation/networking/filter.rst). It returns how many bytes are
 * kept.
 */
#define KEEP 0xffffffffu
#define V4_SOURCE 12u
#define V6_SOURCE 8u
#define MAX_STEPS (8u + 5u * STRANGERS_MAX)

struct program {
	uint32_t n;
	struct sock_filter steps[MAX_STEPS];
};

static void put(struct program *p, uint32_t code, uint32_t k, uint32_t yes, uint32_t no)
{
	p->steps[p->n++] = (struct sock_filter){ .code = (uint16_t)code, .jt = (uint8_t)yes,
						 .jf = (uint8_t)no, .k = k };
}

static void load(struct program *p, uint32_t size, uint32_t off)
{
	put(p, BPF_LD | size | BPF_ABS, (uint32_t)SKF_NET_OFF + off, 0, 0);
}

static uint32_t word(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
	       bytes[3];
}

static bool is_ipv4(const struct stranger *row)
{
	return !word(row->net) && !word(row->net + 4) && word(row->net + 8) == 0xffff;
}

/* Drops the segment if the source is that of the row. */
static void put_row(struct program *p, const struct stranger *row)
{
	if (is_ipv4(row)) {
		put(p, BPF_JMP | BPF_JEQ | BPF_K, word(row->net + 12), 0, 1);
	} else {
		load(p, BPF_W, V6_SOURCE);
		put(p, BPF_JMP | BPF_JEQ | BPF_K, word(row->net), 0, 3);
		load(p, BPF_W, V6_SOURCE + 4);
		put(p, BPF_JMP | BPF_JEQ | BPF_K, word(row->net + 4), 0, 1);
	}
	put(p, BPF_RET | BPF_K, 0, 0, 0);
}

/* The rows of one version of IP. Returns how many there are. */
static uint32_t put_rows(struct program *p, const struct strangers *s, bool ipv4)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		if (!s->rows[i].out_ns || is_ipv4(&s->rows[i]) != ipv4)
			continue;
		put_row(p, &s->rows[i]);
		n++;
	}
	return n;
}

/* Returns how many addresses it drops. */
static uint32_t make(struct program *p, const struct strangers *s)
{
	uint32_t n, version;

	p->n = 0;
	load(p, BPF_B, 0);
	put(p, BPF_ALU | BPF_RSH | BPF_K, 4, 0, 0);
	/* a jump that depends on something reaches 255 steps only */
	put(p, BPF_JMP | BPF_JEQ | BPF_K, 4, 1, 0);
	version = p->n;
	put(p, BPF_JMP | BPF_JA, 0, 0, 0);
	load(p, BPF_W, V4_SOURCE);
	n = put_rows(p, s, true);
	put(p, BPF_RET | BPF_K, KEEP, 0, 0);
	p->steps[version].k = p->n - version - 1;
	n += put_rows(p, s, false);
	put(p, BPF_RET | BPF_K, KEEP, 0, 0);
	return n;
}

void serve_filter_drop(int fd)
{
	int unused = 0;

	/* ENOENT: there is none */
	if (setsockopt(fd, SOL_SOCKET, SO_DETACH_FILTER, &unused, sizeof(unused)))
		errno = 0;
}

void serve_filter_set(const struct serve_listen *l, const struct strangers *s)
{
	struct program program;
	const uint32_t n = make(&program, s);
	const struct sock_fprog prog = { .len = (uint16_t)program.n, .filter = program.steps };

	for (uint32_t i = 0; i < l->n; i++) {
		if (!n)
			serve_filter_drop(l->fds[i]);
		else if (setsockopt(l->fds[i], SOL_SOCKET, SO_ATTACH_FILTER, &prog, sizeof(prog)))
			errno = 0;
	}
}
