/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Text files of the kernel in /proc and /sys: reading one line or the whole file. */
#ifndef KERNEL_FILE_H
#define KERNEL_FILE_H

#include <stddef.h>

/*
 * Read the first line of a file without its newline, or the whole file. A text that does not fit
 * is cut; "" when the file cannot be read. Return text.
 */
const char *kernel_file_line(const char *path, char *text, size_t size);
const char *kernel_file_text(const char *path, char *text, size_t size);

#endif
