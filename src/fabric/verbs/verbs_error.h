/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Texts of the statuses, events and errors of verbs, and what the name of a driver says. */
#ifndef VERBS_ERROR_H
#define VERBS_ERROR_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What happened, the likely cause, the remedy. One line, static. */

/* Is the emulated HCA in this process, by --soft or by "softhca COMMAND"? */
bool verbs_emulated(void);

const char *verbs_error_status_name(enum ibv_wc_status status);   /* "RETRY_EXC_ERR" */
const char *verbs_error_status(enum ibv_wc_status status);        /* cause and remedy, one line */
const char *verbs_error_event(enum ibv_event_type event);         /* async event: name, cause */

/*
 * The error of a CQ, SRQ or QP that could not be created: "FORMAT: errno text" (printf format). Of
 * ENOMEM with the memlock limit that applies ("RLIMIT_MEMLOCK is 8 MiB: ..."), since the kernel pins
 * the buffers of queues as it does registered memory; of ENOMEM and EAGAIN with cause and remedy.
 * Returns rc.
 */
int verbs_error_create(int rc, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The same for a failed registration of len_bytes of memory. */
int verbs_error_mr(int rc, uint64_t len_bytes);

/* Any other call that has failed: sets "FORMAT: errno text", and returns rc, a negative errno. */
int verbs_failed(int rc, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * An object that was not destroyed, err an errno or 0: a note, since teardown goes on after an
 * error, and must not hide the error that led to it.
 */
void verbs_warn(const char *what, int err);

/*
 * The only place where the name of a driver decides: a table of what a device does that neither its
 * attributes nor a try can tell. quirks.def has the rows and their sources.
 */

enum quirk {
	QUIRK_WR_LISTS, /* lists of elements with ibv_wr_*() have wrong lengths */
	QUIRK_SQ_STAYS_DRAINED, /* after SQD and RTS a send queue waits for the next doorbell */
	QUIRK_APM_STORED, /* path migration is offered, and only its state is stored */
	QUIRK_SIGNAL_ALL, /* an unsignalled request is refused */
	QUIRK_SIW_OFFSET, /* dev_siw_open() */
	QUIRK_CQ_LOCKED, /* ibv_poll_cq() locks a CQ of one thread all the same */
	QUIRK_CQ_LOCKED_ALWAYS, /* so does ibv_start_poll() */
	QUIRK_SOFTWARE, /* no HCA: the kernel makes the packets on a network interface */
	QUIRK_RATE_FIXED, /* the port tells one rate, whatever the link has */
	QUIRK_INLINE_IGNORED, /* IBV_SEND_INLINE is taken and has no effect */
	QUIRK_IWARP_IMM, /* an iWARP device with immediate data */
};

/* driver: that of struct limits. */
bool verbs_quirk(const char *driver, enum quirk quirk);

#endif
