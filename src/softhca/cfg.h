/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What may be set, from SOFTHCA_* and the file SOFTHCA_CONF names (same keys, per device). Read
 * once; what cannot be read is said on stderr and the process gets no emulated device.
 */
#ifndef CFG_H
#define CFG_H

#include <stdbool.h>
#include <stdint.h>

#include "shm.h"

#define CFG_FAULTS 16
#define CFG_TEXT 64 /* fw_ver of struct ibv_device_attr */

enum cfg_fault_kind {
	CFG_FAULT_WC = 1,    /* the n-th completion of a send has this status */
	CFG_FAULT_POST,      /* the n-th posting call fails with this errno */
	CFG_FAULT_EVENT_LOST,  /* the n-th completion event is not delivered */
	CFG_FAULT_EVENT_EXTRA, /* ... is delivered twice */
	CFG_FAULT_DOWN,      /* the port is down from at_ns for for_ns after the device is opened */
	CFG_FAULT_ASYNC,     /* this event at at_ns */
};

struct cfg_fault {
	enum cfg_fault_kind kind;
	uint32_t value;
	uint64_t n;
	uint64_t at_ns, for_ns;
};

struct cfg_dev {
	uint64_t bit_s; /* 0: as fast as memory */
	uint64_t delay_ns;
	uint64_t stall_ns, period_ns;
	uint64_t reorder_ns; /* how much later a reordered message comes */
	uint32_t loss, reorder, duplicate; /* chance, of 2^32 */
	uint64_t seed;
	uint32_t n_faults;
	struct cfg_fault fault[CFG_FAULTS];
};

/* All of it: hca.fixed.cfg, read when first asked for. */
struct cfg {
	bool invalid, null;
	uint32_t devices;
	uint64_t ahead, reflect;
	struct cfg_dev dev[SHM_DEVS];
	char fabric[33];
	char stats[1024]; /* path; "": none */
};

bool cfg_valid(void);
bool cfg_null(void);
uint64_t cfg_ahead(void);   /* zero-cost mode: by how much receives run ahead of the sender */
uint64_t cfg_reflect(void); /* zero-cost mode: writes of a QP that come back as the peer's */
uint32_t cfg_devices(void); /* 0 unless valid */
const struct cfg_dev *cfg_dev(uint32_t dev);
const char *cfg_fabric(void);
const char *cfg_stats(void);

/* cfg_faults.c: "wc:STATUS@N,..." into dev->fault; 0 or -EINVAL */
int cfg_faults(struct cfg_dev *dev, const char *text);
int cfg_time(const char *text, uint64_t *ns);

/*
 * cfg_text.c: "emulated link bandwidth=10G delay=20us": what was set, in the words that set it, for
 * all that show a firmware version. Ends with "..." if not all of it fits.
 */
void cfg_text(uint32_t dev, char text[CFG_TEXT]);

#endif
