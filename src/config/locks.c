/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the spellings of locks.h: of the option, of the plan and limits on the wire, of rows. */
#include "config.h"
#include "config/locks.h"

#include <stddef.h>

const char *const locks_wish_names[] = {
	[LOCKS_AUTO] = "auto",
	[LOCKS_ON] = "on",
	[LOCKS_OFF] = "off",
	NULL,
};

const char *const locks_names[] = {
	[0] = "on",
	[LOCKS_OFF_CQ] = "off_cq",
	[LOCKS_OFF_QP] = "off_qp",
	[LOCKS_OFF_ALL] = "off",
	NULL,
};
