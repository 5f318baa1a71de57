#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Makes configure and Makefile.in. Run it after a clone; 'make' runs it again by itself when needed.

set -e
cd "$(dirname "$0")"
if ! command -v autoreconf >/dev/null || ! command -v automake >/dev/null; then
	echo 'autogen.sh: autoconf and automake are needed (packages of these names everywhere)' >&2
	exit 2
fi
autoreconf --install --warnings=all
