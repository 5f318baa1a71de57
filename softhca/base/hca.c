/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The one variable of the library; see hca.h. The comments there name the files that write to it.
 */
#include "config.h"
#include "base/hca.h"

#include <string.h>

struct hca hca = {
	.fixed = { .settings_once = PTHREAD_ONCE_INIT, .device_once = PTHREAD_ONCE_INIT,
		   .tree_lock = PTHREAD_MUTEX_INITIALIZER },
	.mutex = PTHREAD_MUTEX_INITIALIZER,
	.peers_lock = PTHREAD_MUTEX_INITIALIZER,
	.cm = { .lock = PTHREAD_MUTEX_INITIALIZER },
	.timers = TIMERS_INITIALIZER,
	.progress = { .lock = PTHREAD_MUTEX_INITIALIZER },
};

static void load(void)
{
	settings_load(&hca.fixed.settings);
}

const struct settings *hca_settings(void)
{
	pthread_once(&hca.fixed.settings_once, load);
	return &hca.fixed.settings;
}

void hca_forget(void)
{
	struct hca_fixed fixed = hca.fixed;

	memset(&hca, 0, sizeof(hca));
	hca.fixed = fixed;
	hca.fixed.forks++;
	hca.fixed.tree_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	hca.mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	hca.peers_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	hca.cm.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	hca.timers = (struct timers)TIMERS_INITIALIZER;
	hca.progress.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}
