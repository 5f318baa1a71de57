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

# What drivers leave 0: ibv_devinfo says so, and no profile may have it. The profile names what it lacks.
profile_from_invalid()
{
	local wanted

	devinfo_of mana | sed -E 's/(max_mtu:).*/\1\t\tinvalid MTU (0)/
		s/(active_width:).*/\1\t\tinvalid width (0)/
		s/(active_speed:).*/\1\t\tinvalid speed (0)/; s/(num_comp_vectors:).*/\1\t0/; s/(max_pd:).*/\1\t\t\t0/
		s/(max_mr_size:).*/\1\t\t0x0/' >"$work/devinfo"
	softhca --profile-from "$work/devinfo" >"$work/made.conf" 2>"$work/errors"
	wanted='active_speed: invalid speed (0)|active_width: invalid width (0)|max_mr_size: 0x0'
	wanted+='|max_mtu: invalid MTU (0)|max_pd: 0|num_comp_vectors: 0'
	verdict 'profile-from: values that a profile cannot have' "$(
		cat "$work/errors"
		devinfo_of "$work/made.conf" 2>&1 | grep -q 'max_msg_sz:.*0x0' ||
			devinfo_of "$work/made.conf" 2>&1 | head -n 2
		[[ $(sed -n 's/^# left out: //p' "$work/made.conf" | LC_ALL=C sort | paste -sd '|') == "$wanted" ]] ||
			grep '^#' "$work/made.conf")"
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
	profile_from_invalid
	echo nothing >"$work/nothing"
	softhca --profile-from "$work/nothing" >"$work/made.conf" 2>&1
	rc=$?
	verdict 'profile-from: another file is refused' "$( ((rc != 0)) || echo 'exit 0'
		diff <(echo 'softhca: --profile-from: this is not the output of ibv_devinfo -v') "$work/made.conf")"
}
