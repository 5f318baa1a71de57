/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The one static state, see hca.h. What is in it is written by the files its comments name. */
#include "config.h"
#include "hca.h"

#include <string.h>

struct hca hca = {
	.fixed = { .cfg_once = PTHREAD_ONCE_INIT, .dev_once = PTHREAD_ONCE_INIT },
	.mutex = PTHREAD_MUTEX_INITIALIZER,
	.peers_lock = PTHREAD_MUTEX_INITIALIZER,
};

void hca_forget(void)
{
	struct hca_fixed fixed = hca.fixed;

	memset(&hca, 0, sizeof(hca));
	hca.fixed = fixed;
	hca.mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	hca.peers_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}
