# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Files and folders of the devices for programs that nobody here wrote: ls, find, grep, shells, python and perl. What
# verbench knows of the interrupts of a device.

sysfs_top=/sys/class/infiniband

# The output of a command on the emulated HCA has a line.
sysfs_says()	# line, command...
{
	local line=$1

	shift
	verdict "sysfs: $*" "$(softhca "$@" >"$work/sysfs" 2>&1 || echo "exit $?: "
		grep -qxF -- "$line" "$work/sysfs" || echo "no '$line' but: $(head -n 3 "$work/sysfs")")"
}

# The settings are read before there are devices: a setting cannot be a file of a device.
sysfs_of_settings()	# variable, path
{
	local -x "$1=$2"
	local said

	said=$(softhca timeout "$guard" ibv_devinfo 2>&1)
	verdict "sysfs: $1 is a file of a device" "$(
		[[ $said == "softhca: "*"$2"*'No such file'* ]] || echo "it says: $said")"
}

part_sysfs()
{
	local port_dir=$sysfs_top/softhca0/ports/1
	local -x SOFTHCA_PROFILE

	[[ -z $(type -P ibv_devinfo) ]] || {
		sysfs_of_settings SOFTHCA_CONF $port_dir/rate
		sysfs_of_settings SOFTHCA_PROFILE $port_dir/rate
	}
	SOFTHCA_PROFILE=$(profile_file connectx-ib)
	sysfs_says softhca0 ls $sysfs_top
	sysfs_says state ls $port_dir
	sysfs_says $port_dir/state find $sysfs_top -name state
	sysfs_says $port_dir/counters/symbol_error:0 grep -r . $port_dir/counters
	sysfs_says 10 sh -c "cat $port_dir/hw_counters/*"
	sysfs_says '4: ACTIVE' sh -c "cd $port_dir && cat state"
	sysfs_says there bash -c "[[ -d $port_dir && -r $port_dir/rate ]] && echo there"
	sysfs_says link bash -c "[[ -L $sysfs_top/softhca0/device/driver ]] && echo link"
	[[ -z $(type -P python3) ]] ||
		sysfs_says "['$port_dir/rate']" \
			python3 -c "import glob; print(glob.glob('$sysfs_top/softhca*/ports/*/rate'))"
	[[ -z $(type -P perl) ]] ||
		sysfs_says "$port_dir/lid" perl -e "print join(\"\\n\", glob('$port_dir/li*')), \"\\n\""
	softhca "$build/verbench" list --topology >"$work/sysfs" 2>&1
	verdict 'sysfs: verbench list --topology has the interrupts' "$(
		grep -qE 'interrupt [0-9]+, completion vector 62: cpus [0-9]+$' "$work/sysfs" ||
			head -n 3 "$work/sysfs")"
}
