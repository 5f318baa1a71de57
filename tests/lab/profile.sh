# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# softhca --profile-from: a profile of the emulated HCA from what ibv_devinfo -v prints of a device of the kernel.
# Compares what a profile has keys for; a limit above those of the emulated HCA is cut (max_qp_wr, max_srq_wr). And
# --soft where there is a device of the kernel, too.

profile_lines()
{
	grep -E '^[[:space:]]*(transport|vendor_id|vendor_part_id|hw_ver|phys_port_cnt|'\
'max_(mr|qp|sge|sge_rd|cq|cqe|srq|mw)|max_qp_(rd_atom|init_rd_atom)|atomic_cap|'\
'state|max_mtu|active_mtu|link_layer|max_msg_sz|active_width|active_speed):'
}

# An address of rxe0 is also one of this host, so both kinds of devices could take the test.
soft_beside_rxe()
{
	begin
	serve verbench serve --soft --allow any
	timeout -k 5 60 vb_send_bw --soft -p "$port" -n 100 --csv "$csv" 10.77.0.1 >/dev/null 2>"$err"
	verdict 'profile: --soft beside rxe0 measures the emulated HCA' "$(exited $? 0 "$err"
		rows "$csv" 1 status=ok device=softhca0 peer_device=softhca0 emulated=1)"
	end "$server"
}

part_profile()
{
	local softhca=$lab_dir/../../src/softhca/softhca

	export SOFTHCA_LIB=${VERBS_TESTS:?}/../../libvb-softhca.so
	ibv_devinfo -v -d rxe0 >"$work/rxe0"
	profile_lines <"$work/rxe0" >"$work/real"
	"$softhca" --profile-from "$work/rxe0" >"$work/rxe0.conf" 2>"$work/errors"
	SOFTHCA_PROFILE=$work/rxe0.conf "$softhca" ibv_devinfo -v -d softhca0 2>>"$work/errors" |
		profile_lines >"$work/emulated"
	verdict 'profile: softhca --profile-from, of rxe' "$(
		grep -vx "softhca: --profile-from: cut to 131072: max_\(srq\|qp\)_wr: 1048576" "$work/errors"
		diff "$work/real" "$work/emulated"
		(($(wc -l <"$work/real") >= 20)) || say "only $(wc -l <"$work/real") lines of ibv_devinfo")"
	soft_beside_rxe
}
