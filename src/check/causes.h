/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* By what something is not offered: told by the cause of the error that says so (err_cause()). */
#ifndef CAUSES_H
#define CAUSES_H

enum cause {
	CAUSE_NONE,    /* it is offered */
	CAUSE_DEVICE,
	CAUSE_DRIVER,  /* kernel module or library of the machine */
	CAUSE_RIGHTS,
	CAUSE_MEMLOCK,
	CAUSE_PATH,    /* the two ports cannot reach each other in this way */
	CAUSE_OWNER,   /* options of the server */
	CAUSE_OPTIONS, /* options of this check */
	CAUSE_COUNT
};
extern const char *const causes_names[]; /* none device driver rights ... */

/* name: of a row of remedy.def, or one of causes_names; "" and others: the device. */
enum cause causes_of(const char *name);

#endif
