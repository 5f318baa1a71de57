/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The addresses of this machine; see cm_local.h. Called by cm_addr.c. */
#include "config.h"
#include "cm/cm_local.h"

#include <sys/socket.h>
#include <unistd.h>

/* bind(2) refuses an address that the machine does not have */
bool cm_local_has(const struct sockaddr_storage *addr, uint32_t len)
{
	int fd = socket(addr->ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0), rc;

	if (fd < 0)
		return false;
	rc = bind(fd, (const struct sockaddr *)addr, len);
	close(fd);
	return !rc;
}
