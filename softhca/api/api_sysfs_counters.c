/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The files in ports/N/counters, which all devices have (drivers/infiniband/core/sysfs.c), and in
 * ports/N/hw_counters, whose names are those of the driver: the profile has them. They count what
 * this process does.
 */
#include "config.h"
#include "api/api_sysfs_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hca.h"

#define BIT(counter) (1u << (counter))

/* divide: port_xmit_data and port_rcv_data count words of 4 bytes. */
static const struct {
	const char *name;
	uint32_t of, divide;
} standard[] = {
	{ "port_xmit_data", BIT(HCA_SENT_BYTES), 4 },
	{ "port_rcv_data", BIT(HCA_RECEIVED_BYTES), 4 },
	{ "port_xmit_packets", BIT(HCA_SENT), 1 },
	{ "port_rcv_packets", BIT(HCA_RECEIVED), 1 },
	{ "port_xmit_discards", 0, 1 },
	{ "port_xmit_wait", BIT(HCA_PAUSED_NS), 1 }, /* in ticks, which are 1 ns here */
	{ "port_rcv_errors", BIT(HCA_DISCARDS), 1 }, /* IBA vol. 1, 16.1.3.5: also buffer overruns */
	{ "symbol_error", 0, 1 }, { "link_downed", 0, 1 }, { "link_error_recovery", 0, 1 },
	{ "VL15_dropped", 0, 1 },
};

enum { STANDARD = sizeof(standard) / sizeof(standard[0]) };

const char *api_sysfs_counter_name(uint32_t dev, uint32_t i, char name[SYSFS_COUNTER])
{
	const struct profile *p = hca_profile(dev);

	if (i < STANDARD)
		snprintf(name, SYSFS_COUNTER, "counters/%s", standard[i].name);
	else if (i < STANDARD + p->n_counters)
		snprintf(name, SYSFS_COUNTER, "hw_counters/%s", p->counter[i - STANDARD].name);
	else if (i == STANDARD + p->n_counters && p->n_counters)
		snprintf(name, SYSFS_COUNTER, "hw_counters/lifespan");
	else
		return NULL;
	return name;
}

static uint64_t sum(uint32_t dev, uint32_t port, uint32_t of)
{
	uint64_t n = 0;

	for (uint32_t i = 0; hca.joined && i < HCA_COUNTERS; i++)
		if (of & BIT(i))
			n += atomic_load(&hca_port(hca.slot, dev, port)->count[i]);
	return n;
}

enum sysfs_kind api_sysfs_counter(uint32_t dev, uint32_t port, const char *path,
				  char text[SYSFS_TEXT])
{
	const struct profile *p = hca_profile(dev);
	char name[SYSFS_COUNTER];
	uint32_t i = 0;

	while (api_sysfs_counter_name(dev, i, name) && strcmp(name, path))
		i++;
	if (i > STANDARD + p->n_counters || (i == STANDARD && !p->n_counters))
		return SYSFS_NOTHING;
	if (i == STANDARD + p->n_counters)
		snprintf(text, SYSFS_TEXT, "10\n"); /* ms between updates: Linux' default */
	else if (i < STANDARD)
		snprintf(text, SYSFS_TEXT, "%" PRIu64 "\n",
			 sum(dev, port, standard[i].of) / standard[i].divide);
	else
		snprintf(text, SYSFS_TEXT, "%" PRIu64 "\n",
			 sum(dev, port, p->counter[i - STANDARD].of));
	return SYSFS_FILE;
}
