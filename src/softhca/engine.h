/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The engine thread; see agenda.h. */
#ifndef ENGINE_H
#define ENGINE_H

#include <stdint.h>

int engine_start(void);
void engine_stop(void);
void engine_resume(void);
void engine_due(uint64_t due_ns);
void engine_polled(uint64_t now_ns);
/* The caller is about to sleep; a CQ was armed: due events are the engine's from here on. */
void engine_sleep(void);
void engine_armed(void);
int engine_watch(uint32_t slot, uint32_t gen, int pid);
void engine_forget(void);

#endif
