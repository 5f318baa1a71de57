# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Makes the kernel and the initramfs of a guest; sourced by scripts/lab. Everything is made in a temporary directory and
# then renamed into the cache. The name depends on the inputs, so labs that run at the same time never see half a file.
#
#   lock                        held while something is being made
#   kernel/PACKAGE-KEY/         vmlinux, modules/ and their order; KEY is that of the module list
#   kernel/current-KEY          which of them is in use; current-SERIES-KEY with --kernel SERIES
#   initramfs/KEY.img           KEY is that of the kernel and of all files in it
#   siw/KERNEL/siw.ko           Soft-iWARP for that kernel (siw.sh)
#   tsc/BOOT                    rate of the TSC in kHz, measured once after each start of the machine
#   kvm/BOOT-KEY                whether KVM boots this pair, tried once after each start of the machine

# No module depends on crc32_generic, but without it 'rdma link add' fails with "No such file or directory".
# libcrc32c and crc32c_generic are for siw.
lab_modules=(crc32_generic crc32c_generic libcrc32c virtio_pci 9p 9pnet_virtio overlay virtio_net rdma_rxe
	ib_uverbs rdma_ucm rdma_cm veth sch_netem)

kernel=		# directory of what the guests boot, set by prepare_cache
initramfs=	# file of the same
accel=		# tcg or kvm
tsc_khz=	# rate of the guests' TSC; empty: they measure it themselves

key_of() { sha256sum | cut -c 1-16; }

# The package of each tool: command, Debian, Fedora, Arch.
lab_tools="\
qemu-system-x86_64 qemu-system-x86 qemu-system-x86-core qemu-system-x86
busybox busybox-static busybox busybox
cpio cpio cpio cpio
modprobe kmod kmod kmod
depmod kmod kmod kmod
xz xz-utils xz xz
zstd zstd zstd zstd
gzip gzip gzip gzip
dpkg-deb dpkg dpkg dpkg
flock util-linux util-linux util-linux
setpriv util-linux util-linux util-linux
ip iproute2 iproute iproute2
rdma iproute2 iproute iproute2
tc iproute2 iproute-tc iproute2"

static_busybox()
{
	local path
	path=$(command -v busybox) || return 1
	# ldd fails on a static program; the guest has no library before it mounts the root of the host
	! ldd "$path" >/dev/null 2>&1
}

missing_packages()	# column of lab_tools
{
	local tool names
	while read -r tool names; do
		if [[ $tool == busybox ]]; then static_busybox && continue; fi
		[[ $tool != busybox ]] && command -v "$tool" >/dev/null && continue
		cut -d ' ' -f "$1" <<<"$tool $names"
	done <<<"$lab_tools" | sort -u
}

apt_install()
{
	local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -y -q --no-install-recommends install "$@")

	say "installing $*"
	"${apt[@]}" >"$work/apt.log" 2>&1 && return
	# a fresh image has no package lists
	{ apt-get -q update && "${apt[@]}"; } >"$work/apt.log" 2>&1 || {
		tail -n 20 "$work/apt.log" >&2
		refuse "apt-get cannot install: $*"
	}
}

require_tools()
{
	local missing

	[[ $(uname -m) == x86_64 ]] || refuse "the lab needs an x86-64 host: its guests run the programs of the host"
	mapfile -t missing < <(missing_packages 2)
	((${#missing[@]})) || return 0
	if ((EUID == 0)) && command -v apt-get >/dev/null; then
		apt_install "${missing[@]}"
		mapfile -t missing < <(missing_packages 2)
		((${#missing[@]})) || return 0
	fi
	refuse "these packages are missing:
  Debian: ${missing[*]}
  Fedora: $(missing_packages 3 | xargs)
  Arch:   $(missing_packages 4 | xargs)"
}

# Prints the name of the package that linux-image-amd64 depends on, or the newest of the series.
kernel_package()
{
	if [[ -n $series ]]; then
		apt-cache pkgnames "linux-image-$series." 2>/dev/null |
			grep -E -- '-amd64(-unsigned)?$' | grep -vE -- '-(cloud|rt)-amd64' | sort -V | tail -n 1
		return
	fi
	apt-cache depends linux-image-amd64 2>/dev/null | awk '$1 == "Depends:" && /linux-image-/ { print $2; exit }'
}

# Prints the path of the .deb of the kernel. Fetches it, unless the user named one.
kernel_deb()
{
	local package sandbox=()

	if [[ -n ${VB_LAB_KERNEL_DEB-} ]]; then
		realpath -e -- "$VB_LAB_KERNEL_DEB" || refuse 'VB_LAB_KERNEL_DEB names no file'
		return
	fi
	command -v apt-get >/dev/null ||
		refuse 'there is no apt-get here: set VB_LAB_KERNEL_DEB to a linux-image-*-amd64 .deb of Debian'
	package=$(kernel_package)
	if [[ -z $package ]] && ((EUID == 0)); then
		say 'apt-get update'
		apt-get -q update >"$work/apt.log" 2>&1 || tail -n 20 "$work/apt.log" >&2
		package=$(kernel_package)
	fi
	[[ -n $package ]] ||
		refuse "apt knows no linux-image-${series:+$series.*-}amd64: 'apt-get update', or set VB_LAB_KERNEL_DEB"
	say "fetching $package"
	# the user of apt may not write to a private directory
	((EUID != 0)) || sandbox=(-o APT::Sandbox::User=root)
	(cd "$work" && apt-get -q "${sandbox[@]}" download "$package") >"$work/apt.log" 2>&1 || {
		tail -n 20 "$work/apt.log" >&2
		refuse "apt-get cannot download $package"
	}
	find "$work" -maxdepth 1 -name 'linux-image-*.deb'
}

# Copies the modules in the order of loading. Unpacks them, since not every busybox can.
collect_modules()	# root of the kernel package, its release, destination
{
	local module path name

	mkdir -p "$3"
	for module in "${lab_modules[@]}"; do
		modprobe -d "$1" -S "$2" --show-depends "$module" || fail_lab "this kernel has no module $module"
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' >"$work/module-paths" || exit
	while read -r path; do
		name=$(basename "$path")
		case $name in
		*.xz) xz -dc "$path" >"$3/${name%.xz}" ;;
		*.zst) zstd -qdc "$path" >"$3/${name%.zst}" ;;
		*.gz) gzip -dc "$path" >"$3/${name%.gz}" ;;
		*) cp "$path" "$3/$name" ;;
		esac || fail_lab "cannot unpack $path"
		sed 's/\.\(xz\|zst\|gz\)$//' <<<"$name" >>"$3/order"
	done <"$work/module-paths"
	[[ -s $3/order ]] || fail_lab 'the kernel package gave no modules'
}

little_endian()	# file, offset, bytes
{
	od -A n -t "u$3" -j "$2" -N "$3" "$1" | tr -d ' '
}

# Unpacks the kernel. An emulated processor needs 3 s for that, the host half a second, and QEMU can start an unpacked
# kernel. setup_sects, payload_offset and payload_length of the boot protocol of Linux tell where it is.
unpack_kernel()	# bzImage, destination
{
	local start length unpack

	start=$((($(little_endian "$1" 497 1) + 1) * 512 + $(little_endian "$1" 584 4)))
	# the last four bytes are the unpacked length
	length=$(($(little_endian "$1" 588 4) - 4))
	case $(little_endian "$1" "$start" 4) in
	1484404733) unpack=xz ;;
	4247762216) unpack=zstd ;;
	*) cp "$1" "$2"; return ;;
	esac
	head -c "$((start + length))" "$1" | tail -c "$length" | "$unpack" -dc >"$2" || cp "$1" "$2"
}

# Sets kernel; makes it unless it is in the cache.
build_kernel()	# key of the module list
{
	local deb release name tree=$work/kernel-tree stage=$work/kernel

	deb=$(kernel_deb) || exit
	name=$(dpkg-deb -f "$deb" Package Version | awk '{ print $2 }' | tr -s '\n:/' '___')$1
	if [[ ! -d $cache/kernel/$name ]]; then
		dpkg-deb -x "$deb" "$tree" || fail_lab "cannot unpack $deb"
		# the modules are below /usr if /lib is a link to it
		[[ -d $tree/lib/modules ]] || ln -s usr/lib "$tree/lib"
		release=$(basename "$tree"/lib/modules/*)
		depmod -b "$tree" "$release" || fail_lab 'depmod failed'
		collect_modules "$tree" "$release" "$stage/modules"
		unpack_kernel "$tree/boot/vmlinuz-$release" "$stage/vmlinux" ||
			fail_lab 'the kernel package holds no vmlinuz'
		settle "$stage" "kernel/$name"
		rm -rf "$tree"
	fi
	kernel=$cache/kernel/$name
}

# Puts a file or directory into the cache in one step, even from another filesystem.
settle()	# what, name in the cache
{
	local beside

	mkdir -p "$(dirname "$cache/$2")"
	beside=$(mktemp -d "$cache/.new.XXXXXX") || fail_lab "cannot write to $cache"
	cp -r "$1" "$beside/it" && mv -T "$beside/it" "$cache/$2" || fail_lab "cannot write to $cache"
	rmdir "$beside"
}

build_initramfs()	# destination's name in the cache
{
	local root=$work/initramfs

	mkdir -p "$root/bin" "$root/lab/bin"
	cp "$(command -v busybox)" "$root/bin/busybox"
	cp -r "$kernel/modules" "$root/modules"
	cp "$lab_d/guest/init" "$root/init"
	cp "$lab_d/guest/node" "$root/lab/node"
	cp "$lab_d/guest/lab-barrier" "$lab_d/guest/lab-loss" "$root/lab/bin/"
	chmod +x "$root/init" "$root/lab/node" "$root"/lab/bin/*
	(cd "$root" && find . | cpio -o -H newc --quiet -R 0:0 | gzip -1) >"$work/initramfs.img" ||
		fail_lab 'cannot pack the initramfs'
	settle "$work/initramfs.img" "$1"
	rm -rf "$root"
}

# Opens 'lock', of the caller, and holds it until that is closed.
lock_cache()
{
	mkdir -p "$cache" || refuse "cannot make the cache $cache"
	exec {lock}>"$cache/lock" || refuse "cannot write to the cache $cache"
	flock -n "$lock" || { say 'waiting for another lab that fills the cache'; flock "$lock"; }
}

# Sets kernel and initramfs; makes what is not in the cache. With 'renew' it also looks for a newer kernel package.
prepare_cache()	# [renew]
{
	local modules_key current key lock

	[[ -z $series || $series =~ ^[0-9]+\.[0-9]+$ ]] ||
		refuse "a series of kernels is like 6.1 or 6.12, not '$series' (--kernel, VB_LAB_KERNEL)"
	require_tools
	lock_cache
	modules_key=$(key_of <<<"vmlinux ${lab_modules[*]}")
	current=$cache/kernel/current-${series:+$series-}$modules_key
	if [[ ${1-} == renew || -n ${VB_LAB_KERNEL_DEB-} || ! -e $current ]]; then
		build_kernel "$modules_key"
		if [[ ${1-} == renew || ! -e $current ]]; then
			ln -sfn "$(basename "$kernel")" "$current"
		fi
	fi
	[[ -n $kernel ]] || kernel=$(realpath "$current")
	key=$({ basename "$kernel"; cat "$lab_d"/guest/* "$lab_d/cache.sh" "$(command -v busybox)"; } | key_of)
	initramfs=$cache/initramfs/$key.img
	[[ -e $initramfs ]] || build_initramfs "initramfs/$key.img"
	choose_accel "$key"
	[[ $accel != tcg ]] || measure_tsc
	exec {lock}>&-
}

# Sets tsc_khz. A guest that measures its TSC on a busy machine has been off by a factor of 2.7: all its time limits
# were.
measure_tsc()
{
	local name

	name=tsc/$(</proc/sys/kernel/random/boot_id)
	if [[ ! -e $cache/$name ]]; then
		"${CC:-cc}" -O1 -o "$work/tsc" "$lab_d/tsc.c" 2>"$work/tsc.log" && "$work/tsc" >"$work/khz" || {
			say 'no compiler to measure the TSC: the clocks of the guests may be wrong on a busy machine'
			return
		}
		settle "$work/khz" "$name"
	fi
	tsc_khz=$(<"$cache/$name")
}

# With /dev/kvm a guest may still hang in its firmware, so KVM is used only after it has booted a guest.
kvm_boots()
{
	local pid tries=150

	start_qemu probe -accel kvm -cpu host -smp 2 -m 512
	pid=$started
	while ((tries-- > 0)) && kill -0 "$pid" 2>/dev/null; do
		sleep 0.1
	done
	kill -KILL "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	started=
	grep -q 'lab: probe ok' "$work/probe.console"
}

choose_accel()	# key of what is booted
{
	local verdict

	accel=tcg
	case ${VB_LAB_ACCEL:-auto} in
	tcg) return ;;
	auto) [[ -r /dev/kvm && -w /dev/kvm ]] || return 0 ;;
	kvm) ;;
	*) refuse "VB_LAB_ACCEL is tcg, kvm or auto, not '$VB_LAB_ACCEL'" ;;
	esac
	verdict=$cache/kvm/$(</proc/sys/kernel/random/boot_id)-$1
	if [[ ! -e $verdict ]]; then
		say 'trying whether KVM boots a guest (15 s at most; once)'
		if kvm_boots; then echo yes; else echo no; fi >"$work/verdict"
		settle "$work/verdict" "kvm/${verdict##*/}"
	fi
	if [[ $(<"$verdict") == yes ]]; then
		accel=kvm
	elif [[ ${VB_LAB_ACCEL:-auto} == kvm ]]; then
		fail_lab 'VB_LAB_ACCEL=kvm, but KVM did not boot a guest here'
	fi
}

# Removes only the files of the lab: the user may have named any directory.
clean_cache()
{
	local lock

	[[ -d $cache ]] || return 0
	lock_cache
	rm -rf "$cache/kernel" "$cache/initramfs" "$cache/siw" "$cache/tsc" "$cache/kvm" "$cache/lock" \
		"$cache"/.new.??????
	rmdir --ignore-fail-on-non-empty "$cache"
}
