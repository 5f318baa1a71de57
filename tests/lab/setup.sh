# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Two nodes: verbench setup on Soft-RoCE. Node 1 is the server. Every row is measured or says why not, and is true
# (tests/soft/setup.jq); what the driver has must be measured.

# Runs setup against a server for one client; sets status, and reasons on the client.
setup()	# operations of a row, other options...
{
	local n=$1

	shift
	begin
	reasons=
	if ((VB_LAB_NODE == 1)); then
		timeout -k 5 200 vb_send_bw -p "$port" >/dev/null 2>"$err"
		status=$?
		return
	fi
	timeout -k 5 200 verbench setup -p "$port" --connect-timeout 60 -n "$n" --json "$work/setup.json" "$@" "$peer" \
		>"$work/setup.table" 2>"$err"
	status=$?
	reasons=$(jq -r --argjson n "$n" -f "$lab_dir/../soft/setup.jq" "$work/setup.json")
	jq -r '.rows[] | select(.status == "unsupported") | "# setup: \(.operation) is unsupported: \(.reason)"' \
		"$work/setup.json" | sort -u
	jq -r '.rows[] | select(.p50_ns != null) | "# setup: \(.measurement) \(.operation): " +
		"median \(.p50_ns / 1000 | round) us, CPU \(.cpu_ns / 1000 | round) us"' "$work/setup.json"
}

# What Soft-RoCE has: these operations are ok in at least one row.
present()	# operation...
{
	local operation

	((VB_LAB_NODE == 2)) || return 0
	for operation; do
		# shellcheck disable=SC2016
		[[ -n $(jq -r --arg o "$operation" '.rows[] | select(.operation == $o and .status == "ok") | .status' \
			"$work/setup.json") ]] || say "$operation is not measured"
	done
}

part_setup()
{
	local reasons

	setup 30 --qps 16 --only pd,cq,srq,ah,mw,qp,qps
	verdict "setup: objects and QPs, $(side)" "$(exited "$status" 0 "$err")$reasons$(
		present ibv_alloc_pd ibv_create_cq ibv_create_srq ibv_create_ah 'ibv_modify_qp to RTR' 'create to RTS' \
			'ibv_bind_mw (type 1)')"
	setup 3 --only mr
	verdict "setup: memory regions, $(side)" "$(exited "$status" 0 "$err")$reasons$(
		present ibv_reg_mr ibv_dereg_mr)"
	setup 30 --qps 16 --only cm,cms
	verdict "setup: connections by rdma_cm, $(side)" "$(exited "$status" 0 "$err")$reasons$(present \
		'rdma_connect to ESTABLISHED' 'rdma_disconnect to its event')"
}
