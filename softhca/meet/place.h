/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The place where the processes of a user meet: a directory that only they can read and write. It
 * holds a file per process and a lock; see join.h. Who can write there is trusted to name a
 * process, but not to name a descriptor; see shared.h.
 */
#ifndef PLACE_H
#define PLACE_H

/*
 * A descriptor of the directory, which the caller closes, or -errno. It is made if there is none:
 * softhca-UID in /run, /tmp, /dev/shm or /var/tmp, the first that is possible. A directory of that
 * name that belongs to another user, that others can enter, or that is none, is left alone, and a
 * message says whose it is.
 */
int place_open(void);

#endif
