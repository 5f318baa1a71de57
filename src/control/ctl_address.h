/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Addresses of control connections: IPv4 and IPv6, as sockets have them, as text and as a GID. For
 * the files of control that make sockets.
 */
#ifndef CTL_ADDRESS_H
#define CTL_ADDRESS_H

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

union ctl_address {
	struct sockaddr sa;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_storage storage;
};

socklen_t ctl_address_length(const union ctl_address *a);

/* In host order; 0 of another family. */
uint32_t ctl_address_port(const union ctl_address *a);

/* As numbers, without the port; IPv4-mapped IPv6 as plain IPv4. */
void ctl_address_name(char *text, size_t size, const union ctl_address *a);

/* The address from which the host `to` sees this one; its family is 0: unknown. Sends nothing. */
void ctl_address_towards(union ctl_address *own, const union ctl_address *to);

/* As a GID: IPv4 mapped as ::ffff:a.b.c.d; zeros of another family. */
void ctl_address_gid(uint8_t gid[16], const union ctl_address *a);

/*
 * Reads an address of this host, not its name: of option --bind. -EINVAL with an error message.
 */
int ctl_address_read(union ctl_address *a, const char *text, uint32_t port)
	__attribute__((warn_unused_result));

/* setsockopt(2) of a number. */
int ctl_set_int(int fd, int level, int name, int value) __attribute__((warn_unused_result));

#endif
