# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# softhca --profile-from: the profile that is made from the output of ibv_devinfo -v gives the same output. Only what
# the output cannot have differs: the firmware version says that the device is emulated.

devinfo_of()	# profile
{
	SOFTHCA_PROFILE=$1 softhca ibv_devinfo -v | grep -v 'fw_ver:'
}

# Makes a profile from what it reads. It is told so on standard error, each line after "softhca: --profile-from: ".
profile_from_tells()	# name, lines...
{
	local name=$1

	shift
	cat >"$work/devinfo"
	softhca --profile-from "$work/devinfo" >"$work/made.conf" 2>"$work/errors"
	verdict "profile-from: $name is told" "$(
		diff <((($# == 0)) || printf 'softhca: --profile-from: %s\n' "$@") "$work/errors")"
}

# The profile gives what it was made from.
profile_from_is_right()	# name
{
	verdict "profile-from: $1" "$(devinfo_of "$work/made.conf" 2>&1 | diff <(tr -d '\r' <"$work/devinfo") -)"
}

# What drivers leave 0: ibv_devinfo says so, and no profile may have it.
profile_from_invalid()
{
	devinfo_of mana | sed -E 's/(max_mtu:).*/\1\t\tinvalid MTU (0)/
		s/(active_width:).*/\1\t\tinvalid width (0)/
		s/(active_speed:).*/\1\t\tinvalid speed (0)/; s/(num_comp_vectors:).*/\1\t0/; s/(max_pd:).*/\1\t\t\t0/
		s/(max_mr_size:).*/\1\t\t0x0/; s/(max_qp_wr:).*/\1\t200000/' |
		profile_from_tells 'what a profile cannot have' 'left out: max_mr_size: 0x0' \
			'cut to 131072: max_qp_wr: 200000' 'left out: max_pd: 0' 'left out: num_comp_vectors: 0' \
			'left out: max_mtu: invalid MTU (0)' 'left out: active_width: invalid width (0)' \
			'left out: active_speed: invalid speed (0)'
	verdict 'profile-from: values that a profile cannot have' "$(
		devinfo_of "$work/made.conf" 2>&1 | grep -q 'max_msg_sz:.*0x0' ||
			devinfo_of "$work/made.conf" 2>&1 | head -n 2
		diff <(sed 's/^.*--profile-from: //' "$work/errors") <(sed -n 's/^# //p' "$work/made.conf"))"
}

profile_from_ports()
{
	SOFTHCA_PORTS=2 devinfo_of soft | sed 's/$/\r/' | profile_from_tells 'nothing of two ports'
	profile_from_is_right 'two ports, lines as of Windows'
	SOFTHCA_PORTS=2 devinfo_of soft | sed -E '/port:\t2/,$ s/(active_mtu:).*/\1\t1024 (3)/' |
		profile_from_tells 'a second port that differs' 'left out, port 2: active_mtu: 1024 (3)'
	echo 'port_state = down' >"$work/down.conf"
	devinfo_of "$work/down.conf" |
		profile_from_tells 'a port that is down' 'no message goes over port 1: state: PORT_DOWN (1)'
	profile_from_is_right 'a port that is down'
}

profile_from_refuses()	# name, file, message
{
	local rc

	softhca --profile-from "$2" >"$work/made.conf" 2>"$work/errors"
	rc=$?
	verdict "profile-from: $1" "$( ((rc != 0)) || echo 'exit 0'
		[[ ! -s $work/made.conf ]] || echo 'a profile'
		grep -qxF "$3" "$work/errors" || cat "$work/errors")"
}

part_profile_from()
{
	local name

	for name in soft connectx-ib connectx-roce-lag irdma-iwarp efa mana rxe; do
		devinfo_of "$name" >"$work/devinfo"
		softhca --profile-from "$work/devinfo" >"$work/made.conf" 2>"$work/errors"
		verdict "profile-from: $name" "$(
			cat "$work/errors"
			devinfo_of "$work/made.conf" 2>&1 | diff "$work/devinfo" -)"
	done
	profile_from_invalid
	profile_from_ports
	echo nothing >"$work/nothing"
	profile_from_refuses 'another file is refused' "$work/nothing" \
		'softhca: --profile-from: this is not the output of ibv_devinfo -v'
	softhca ibv_devinfo >"$work/devinfo"
	profile_from_refuses 'the output without -v is refused' "$work/devinfo" \
		'softhca: --profile-from: this is not the output of ibv_devinfo -v'
	SOFTHCA_DEVICES=2 devinfo_of soft >"$work/devinfo"
	profile_from_refuses 'two devices are refused' "$work/devinfo" \
		'softhca: --profile-from: 2 devices; allowed: the output for one, as of ibv_devinfo -v -d softhca0'
	profile_from_refuses 'a file without an end is refused' /dev/zero \
		'softhca: --profile-from: this is not the output of ibv_devinfo -v'
}
