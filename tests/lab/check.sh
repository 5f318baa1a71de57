# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Two nodes: 'verbench check' on Soft-RoCE. Everything works; a firewall lets nothing of RDMA through; one machine
# alone, well and with its port down.

# Checks the first node from the second. Sets status. Standard output and the document are in $work/$port.out, .json.
checked()	# seconds at most
{
	local server

	begin
	if ((VB_LAB_NODE == 1)); then
		serve verbench serve --allow any
		lab-barrier checked "$(($1 + 60))"
		lab-barrier checked "$(($1 + 60))"
		kill -TERM "$server"
		collect "$server" 20
		err=$work/$port.server.err
	else
		lab-barrier checked
		timeout -k 5 "$1" verbench check -p "$port" --json "$work/$port.json" "$peer" \
			>"$work/$port.out" 2>"$err"
		status=$?
		lab-barrier checked
	fi
}

# Prints a reason unless a filter of jq is true of the document.
has()	# filter
{
	jq -e "$1" "$work/$port.json" >/dev/null 2>&1 || say "not so: $1"
}

# RC: 5 opcodes in 2 sizes and 2 atomics; UC: 4 opcodes, UD: 2, in 2 sizes; all by 2 completions, of both sides. And a
# connection by rdma_cm each way.
all_works()
{
	checked 120
	if ((VB_LAB_NODE == 1)); then
		verdict 'check: all that is offered works, server' "$(exited "$status" 0 "$err"
			says "$work/$port.server.out" ': check$')"
		return
	fi
	verdict 'check: all that is offered works, client' "$(exited "$status" 0 "$err"
		has '.status == "ok" and .error == null'
		has '.counts.ok == 4 * (5 * 2 + 2 + 4 * 2 + 2 * 2) + 2 and .counts.failed == 0 and
			.counts.not_tried == 0'
		has '[.rows[] | select(.status == "not_offered") | .transport + .cause] | unique ==
			["DCdevice", "XRCdevice"]'
		has '.run.server.limits.device == "rxe0" and .run.client.machine.cm_access != null'
		says "$work/$port.out" '^ *RC .*ok')"
}

# What is for UDP port 4791 of this node is dropped, by a rule before that of its own addresses: no module is needed.
block_rdma()
{
	ip rule add pref 10 lookup local
	ip rule del pref 0
	# its number, as a minimal system has no /etc/protocols
	ip rule add pref 5 ipproto 17 dport 4791 blackhole
}

unblock_rdma() { ip rule del pref 5; }

firewall()
{
	((VB_LAB_NODE == 2)) || block_rdma
	checked 200
	((VB_LAB_NODE == 2)) || unblock_rdma
	if ((VB_LAB_NODE == 1)); then
		verdict 'check: UDP port 4791 is blocked, server' "$(exited "$status" 0 "$err")"
		return
	fi
	verdict 'check: UDP port 4791 is blocked, client' "$(exited "$status" 1 "$err"
		has '.status == "failed" and .counts.failed > 0 and .counts.ok == 0'
		has '[.rows[] | select(.status == "not_offered") | .cause] | unique == ["device"]'
		advises NO_ACK "$work/$port.out")"
}

alone()
{
	begin
	timeout -k 5 60 verbench check --json "$work/$port.json" >"$work/$port.out" 2>"$err"
	status=$?
}

has_both_gids()
{
	local gids

	gids=$(cat /sys/class/infiniband/rxe0/ports/1/gids/[0-7])
	[[ $gids == *ffff:0a4d:* && $gids == *fd77:* ]]
}

this_machine()
{
	alone
	verdict "check: this machine, $(side)" "$(exited "$status" 0 "$err"
		has '.status == "ok" and .problems == [] and (.run.devices | length) == 1'
		has '.run.devices[0].transports == {"RC":true,"UC":true,"UD":true,"XRC":false,"DC":false}'
		has '[.warnings[].code] | contains(["software"])')"
	ip link set eth0 down
	alone
	ip link set eth0 up
	# it has lost its IPv6 addresses
	ip -6 addr add "fd77::$VB_LAB_NODE/64" dev eth0 nodad
	await 20 has_both_gids
	verdict "check: this machine, the port is down, $(side)" "$(exited "$status" 1 "$err"
		has '.status == "failed" and [.problems[].code] == ["no_active_port"]'
		has '.problems[0].remedy | contains("ip link set NETDEV up")')"
}

part_check()
{
	if ! command -v jq >/dev/null; then
		skip "check, $(side)" 'there is no jq'
		return
	fi
	all_works
	firewall
	this_machine
}
