/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The only place where the name of a driver decides: a table of what a device does that neither its
 * attributes nor a try can tell. quirks.def has the rows and their sources.
 */
#ifndef QUIRKS_H
#define QUIRKS_H

#include <stdbool.h>

enum quirk {
	QUIRK_WR_LISTS, /* lists of elements with ibv_wr_*() have wrong lengths */
	QUIRK_SQ_STAYS_DRAINED, /* after SQD and RTS a send queue waits for the next doorbell */
	QUIRK_APM_STORED, /* path migration is offered, and only its state is stored */
	QUIRK_SIGNAL_ALL, /* an unsignalled request is refused */
	QUIRK_SIW_OFFSET, /* dev_siw.h */
	QUIRK_CQ_LOCKED, /* ibv_poll_cq() locks a CQ of one thread all the same */
	QUIRK_CQ_LOCKED_ALWAYS, /* so does ibv_start_poll() */
	QUIRK_SOFTWARE, /* no HCA: the kernel makes the packets on a network interface */
	QUIRK_RATE_FIXED, /* the port tells one rate, whatever the link has */
	QUIRK_INLINE_IGNORED, /* IBV_SEND_INLINE is taken and has no effect */
	QUIRK_IWARP_IMM, /* an iWARP device with immediate data */
};

/* driver: that of struct limits. */
bool quirks_has(const char *driver, enum quirk quirk);

#endif
