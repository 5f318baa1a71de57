/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The frames of the control connection, as they come from a peer that is not trusted. */
#include "config.h"

#include <fcntl.h>
#include <jansson.h>
#include <sys/socket.h>

#include "wire/ctl.h"
#include "fuzz.h"

/* In the first bytes: how much is sent before the reader looks; the rest at once. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ctl ctl = CTL_CLOSED;
	const size_t first = size ? data[0] % size : 0;
	json_t *msg;
	int fd[2], rc;

	if (!size || size > 60000 || socketpair(AF_UNIX, SOCK_STREAM, 0, fd))
		return 0;
	ctl.fd = fd[0];
	fcntl(fd[0], F_SETFL, O_NONBLOCK);
	if (send(fd[1], data + 1, first, 0) < 0)
		abort();
	while ((rc = ctl_try_recv(&ctl, &msg)) > 0)
		json_decref(msg);
	if (!rc && size - 1 > first && send(fd[1], data + 1 + first, size - 1 - first, 0) < 0)
		abort();
	close(fd[1]);
	while (!rc || rc > 0) {
		rc = ctl_try_recv(&ctl, &msg);
		if (rc > 0)
			json_decref(msg);
	}
	ctl_close(&ctl);
	return 0;
}
