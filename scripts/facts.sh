# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# The facts at the head of a report of figures: on which machine, and by which compiler, they were made. Sourced by
# scripts.

# "MODEL, 2 processors, a virtual machine of KVM, Linux 6.1.0": the machine that calls it.
facts_machine()
{
	local lscpu

	lscpu=$(LC_ALL=C lscpu)
	echo "$(sed -n 's/^Model name: *//p' <<<"$lscpu" | head -n 1), $(nproc) processors$(
		sed -n 's/^Hypervisor vendor: */, a virtual machine of /p' <<<"$lscpu"), $(uname -sr)"
}

# The compiler of a build, and its flags.
facts_compiler()	# build directory
{
	local cc

	cc=$(sed -n 's/^CC = //p' "$1/Makefile")
	echo "$($cc --version | head -n 1), $(sed -n 's/^CFLAGS = //p' "$1/Makefile")"
}
