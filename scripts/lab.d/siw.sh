# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Makes the module of Soft-iWARP for the kernel of the guests; sourced by scripts/lab. Debian's kernels do not have it,
# but their source does, and it builds against their headers. In the cache: siw/KERNEL/siw.ko.

siw=		# the module, set by prepare_siw

# Prints the release of the kernel in the cache, 6.1.0-56-amd64.
kernel_release()
{
	local name

	name=$(basename "$kernel")
	name=${name#linux-image-}
	name=${name%%_*}
	echo "${name%-unsigned}"
}

# Unpacks the driver from Debian's source package of this series.
unpack_siw()	# 6.1, destination
{
	local deb sandbox=()

	((EUID != 0)) || sandbox=(-o APT::Sandbox::User=root)
	say "fetching linux-source-$1"
	(cd "$work" && apt-get -q "${sandbox[@]}" download "linux-source-$1") >"$work/apt.log" 2>&1 || {
		tail -n 20 "$work/apt.log" >&2
		refuse "apt-get cannot download linux-source-$1"
	}
	deb=$(find "$work" -maxdepth 1 -name 'linux-source-*.deb')
	dpkg-deb -x "$deb" "$work/source" && rm "$deb"
	mkdir -p "$2"
	tar -xJf "$work/source/usr/src/linux-source-$1.tar.xz" -C "$2" --strip-components=5 \
		"linux-source-$1/drivers/infiniband/sw/siw" || fail_lab 'the kernel source has no siw'
	rm -rf "$work/source"
}

# Sets siw; makes the module unless it is in the cache. The kernel is there.
prepare_siw()
{
	local release series lock name

	lock_cache
	name=siw/$(basename "$kernel")
	if [[ ! -e $cache/$name/siw.ko ]]; then
		release=$(kernel_release)
		[[ $release =~ ^[0-9]+\.[0-9]+ ]] || refuse "--siw: the kernel package '$release' has no version"
		series=${BASH_REMATCH[0]}
		if [[ ! -d /usr/src/linux-headers-$release ]]; then
			((EUID == 0)) && command -v apt-get >/dev/null ||
				refuse "--siw needs the package linux-headers-$release"
			apt_install "linux-headers-$release"
		fi
		unpack_siw "$series" "$work/siw-source"
		make -s -C "/usr/src/linux-headers-$release" M="$work/siw-source" CONFIG_RDMA_SIW=m modules \
			>"$work/siw.log" 2>&1 || { tail -n 20 "$work/siw.log" >&2; fail_lab 'siw does not build'; }
		mkdir "$work/siw"
		cp "$work/siw-source/siw.ko" "$work/siw/"
		settle "$work/siw" "$name"
	fi
	siw=$cache/$name/siw.ko
	exec {lock}>&-
}
