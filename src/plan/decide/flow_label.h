/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Lists of flow labels, one for each queue pair in turn: "7", "1,0x2,3". A plan keeps the text. Pure.
 */
#ifndef FLOW_LABEL_H
#define FLOW_LABEL_H

#include <stdint.h>

#define FLOW_LABEL_TEXT 256 /* a longer list is refused */
#define FLOW_LABEL_MAX 0xfffffu /* 20 bits: IBA vol. 1, 8.3 */

/* list: NULL: none. -EINVAL with an error message that has the range. */
int flow_label_check(const char *list) __attribute__((warn_unused_result));

/* Of a list that was checked, or "": 0. */
uint32_t flow_label_count(const char *list);
/* The label of queue pair i; 0, as without a label: the device chooses by the queue pairs. */
uint32_t flow_label_of(const char *list, uint32_t i);

#endif
