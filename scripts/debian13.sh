# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# A minimal Debian 13, whose programs run here with its libraries and with the kernel and the file system of this
# machine. Sourced by scripts; it needs root, debootstrap and the network when it is made.

debian13_root=${XDG_CACHE_HOME:-$HOME/.cache}/verbench-perftest/trixie

# Makes it if it is not there, and installs the packages whose programs are missing.
debian13_make()	# package:program...
{
	local mirror missing=() need new=${debian13_root%/*}/new log=${debian13_root%/*}/debootstrap.log

	for need; do
		[[ -x $debian13_root/usr/bin/${need#*:} ]] || missing+=("${need%:*}")
	done
	((${#missing[@]})) || return 0
	((EUID == 0)) && mkdir -p "${debian13_root%/*}" || return 1
	if [[ ! -x $debian13_root/usr/bin/apt-get ]]; then
		command -v debootstrap >/dev/null || return 1
		mirror=$(apt-get indextargets --format "\$(REPO_URI) \$(RELEASE)" 2>/dev/null |
			awk '$2 == "bookworm" { print $1; exit }')
		echo "${0##*/}: making a minimal Debian 13 (once)" >&2
		rm -rf "$new"
		debootstrap --variant=minbase trixie "$new" "${mirror:-http://deb.debian.org/debian}" >"$log" 2>&1 &&
			mv "$new" "$debian13_root" || return 1
	fi
	{
		chroot "$debian13_root" apt-get -q update &&
			DEBIAN_FRONTEND=noninteractive chroot "$debian13_root" \
				apt-get -y -q --no-install-recommends install "${missing[@]}"
	} >>"$log" 2>&1
}

# Prints the words of a command that runs a program of it, one a line.
debian13_command()	# program
{
	local lib=$debian13_root/usr/lib/x86_64-linux-gnu

	# fio has librados, whose run path is absolute
	printf '%s\n' "$debian13_root/lib64/ld-linux-x86-64.so.2" --library-path "$lib:$lib/ceph" \
		"$debian13_root/usr/bin/$1"
}
