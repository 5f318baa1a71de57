/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * usage: proxy PORT TO_PORT FAULT [SIDE TYPE NUMBER]
 *
 * Stands between a client and a server on 127.0.0.1: takes one connection on PORT, connects to
 * TO_PORT, and passes the frames of the control connection. A fault befalls one of them: that with
 * this NUMBER (from 0) of those of TYPE that SIDE (c: the client, s: the server) sends. Between
 * sides that have a key these are the records of TLS, of the type "record".
 *	none      nothing happens; prints who sends what: "c hello"
 *	drop      it is not passed
 *	double    it is passed twice
 *	delay     it is passed 300 ms later
 *	cut       half of it is passed, and both connections are closed
 *	mute      nothing of that side is passed any more, and all connections stay open
 *	flip      a byte in its middle is another one
 *	set:A=B   the text A in it becomes B, wherever it is; of as many bytes
 * Ends when both sides have closed, or after 120 s. Exit status 1: PORT cannot be used.
 */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define FRAME_MAX (5u << 20)
#define DELAY_MS 300
#define LIMIT_S 600

/* One direction. */
struct way {
	const char *side;
	int from, to;
	uint8_t *frame;
	uint32_t number; /* of frames of the type of the fault that have been read */
	bool faulty;     /* the fault is in this direction */
	bool muted, ended;
};

struct fault {
	const char *what, *type;
	uint32_t number;
};

static int open_socket(void)
{
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on))) {
		perror("proxy");
		exit(1);
	}
	return fd;
}

static struct sockaddr_in address(const char *port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET,
				     .sin_port = htons((uint16_t)atoi(port)),
				     .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

static int accept_one(const char *port)
{
	const struct sockaddr_in own = address(port);
	const int listener = open_socket();
	int fd;

	if (bind(listener, (const struct sockaddr *)&own, sizeof(own)) || listen(listener, 1)) {
		perror("proxy: listen");
		exit(1);
	}
	fd = accept(listener, NULL, NULL);
	close(listener);
	return fd;
}

static int connect_to(const char *port)
{
	const struct sockaddr_in to = address(port);
	int fd = open_socket();

	for (int i = 0; i < 1000 && connect(fd, (const struct sockaddr *)&to, sizeof(to)); i++) {
		close(fd);
		poll(NULL, 0, 10);
		fd = open_socket();
	}
	return fd;
}

static bool read_all(int fd, uint8_t *to, size_t n)
{
	while (n) {
		const ssize_t got = recv(fd, to, n, 0);

		if (got <= 0)
			return false;
		to += got;
		n -= (size_t)got;
	}
	return true;
}

static void write_all(int fd, const uint8_t *from, size_t n)
{
	while (n) {
		const ssize_t done = send(fd, from, n, MSG_NOSIGNAL);

		if (done <= 0)
			return;
		from += done;
		n -= (size_t)done;
	}
}

/* The value of "type" of a frame; not that of a GID, which has one, too. */
static void read_type(char type[32], const uint8_t *frame, size_t n)
{
	static const char key[] = "\"type\":";
	const uint8_t *at = frame, *const end = frame + n;
	size_t len = 0;

	do {
		at = memmem(at, (size_t)(end - at), key, strlen(key));
		at = at ? memchr(at + strlen(key), '"', (size_t)(end - at) - strlen(key)) : NULL;
		for (len = 0; at && ++at < end && *at != '"' && len < 31; len++)
			type[len] = (char)*at;
		type[len] = '\0';
	} while (at && (!strncmp(type, "RoCE", 4) || !strcmp(type, "IB")));
}

static void replace(uint8_t *frame, size_t n, const char *rule)
{
	const char *by = strchr(rule, '=');
	const size_t len = by ? (size_t)(by - rule) : 0;
	uint8_t *at = frame;

	if (!len || strlen(by + 1) != len) {
		fprintf(stderr, "proxy: set:A=B needs texts of one length\n");
		exit(1);
	}
	while ((at = memmem(at, n - (size_t)(at - frame), rule, len))) {
		memcpy(at, by + 1, len);
		at += len;
	}
}

/* n: of the frame, with its head. */
static void pass_faulty(struct way *w, const struct fault *f, size_t n)
{
	if (!strcmp(f->what, "drop"))
		return;
	if (!strcmp(f->what, "mute")) {
		w->muted = true;
		return;
	}
	if (!strcmp(f->what, "delay"))
		poll(NULL, 0, DELAY_MS);
	if (!strcmp(f->what, "flip"))
		w->frame[4 + (n - 4) / 2] ^= 0x11;
	if (!strncmp(f->what, "set:", 4))
		replace(w->frame, n, f->what + 4);
	if (!strcmp(f->what, "cut")) {
		write_all(w->to, w->frame, n / 2);
		exit(0);
	}
	write_all(w->to, w->frame, n);
	if (!strcmp(f->what, "double"))
		write_all(w->to, w->frame, n);
}

/*
 * Returns its bytes, 0: the side has closed. The first byte of a frame, the upper one of its
 * length, is 0; that of a record is its type, which is followed by a version and two of length.
 */
static size_t read_frame(struct way *w, char type[32])
{
	uint8_t *at = w->frame;
	size_t head = 4, n;

	if (!read_all(w->from, at, head))
		return 0;
	if (at[0]) {
		if (!read_all(w->from, at + head, 1))
			return 0;
		head = 5;
		n = (size_t)at[3] << 8 | at[4];
	} else {
		n = (size_t)at[1] << 16 | (size_t)at[2] << 8 | at[3];
	}
	if (n > FRAME_MAX || !read_all(w->from, at + head, n))
		return 0;
	if (head == 5)
		strcpy(type, "record");
	else
		read_type(type, at, head + n);
	return head + n;
}

static void pass(struct way *w, const struct fault *f)
{
	char type[32];
	const size_t n = read_frame(w, type);

	if (!n) {
		w->ended = true;
		shutdown(w->to, SHUT_WR);
		return;
	}
	if (!strcmp(f->what, "none"))
		printf("%s %s\n", w->side, type);
	if (w->muted)
		return;
	if (w->faulty && !strcmp(type, f->type) && w->number++ == f->number)
		pass_faulty(w, f, n);
	else
		write_all(w->to, w->frame, n);
}

int main(int argc, char **argv)
{
	struct fault fault = { .what = argc > 3 ? argv[3] : "none",
			       .type = argc > 6 ? argv[5] : "",
			       .number = argc > 6 ? (uint32_t)atoi(argv[6]) : 0 };
	struct way ways[2] = { { .side = "c" }, { .side = "s" } };

	if (argc != 4 && argc != 7) {
		fprintf(stderr, "usage: proxy PORT TO_PORT FAULT [c|s TYPE NUMBER]\n");
		return 2;
	}
	alarm(LIMIT_S);
	ways[0].from = accept_one(argv[1]);
	ways[0].to = connect_to(argv[2]);
	ways[1].from = ways[0].to;
	ways[1].to = ways[0].from;
	for (int i = 0; i < 2; i++) {
		ways[i].frame = malloc(FRAME_MAX + 5);
		ways[i].faulty = argc > 6 && argv[4][0] == ways[i].side[0];
		if (!ways[i].frame || ways[i].from < 0)
			return 1;
	}
	while (!ways[0].ended || !ways[1].ended) {
		struct pollfd fds[2];

		for (int i = 0; i < 2; i++)
			fds[i] = (struct pollfd){ .fd = ways[i].ended ? -1 : ways[i].from,
						  .events = POLLIN };
		if (poll(fds, 2, -1) < 0)
			return 1;
		for (int i = 0; i < 2; i++)
			if (fds[i].revents)
				pass(&ways[i], &fault);
	}
	return 0;
}
