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

part_profile_from()
{
	local name rc

	for name in soft connectx-ib connectx-roce-lag irdma-iwarp efa mana rxe; do
		devinfo_of "$name" >"$work/devinfo"
		softhca --profile-from "$work/devinfo" >"$work/made.conf" 2>"$work/errors"
		verdict "profile-from: $name" "$(
			cat "$work/errors"
			devinfo_of "$work/made.conf" 2>&1 | diff "$work/devinfo" -)"
	done
	echo nothing >"$work/nothing"
	softhca --profile-from "$work/nothing" >"$work/made.conf" 2>&1
	rc=$?
	verdict 'profile-from: another file is refused' "$( ((rc != 0)) || echo 'exit 0'
		diff <(echo 'softhca: --profile-from: this is not the output of ibv_devinfo -v') "$work/made.conf")"
}
