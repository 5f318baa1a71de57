# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Two nodes: a file goes from the second to the first, and messages go back and forth as with ibv_rc_pingpong. On real
# verbs a write and the send after it are packets on a wire, and the data must be there when the send is.

# Runs server and client. Sets status. The output is in $work/$port.out.
both_nodes()	# command; at the server, at the client: words
{
	local command=$1 at_server=$2 at_client=$3

	begin
	if ((VB_LAB_NODE == 1)); then
		# shellcheck disable=SC2086 # options are words
		timeout -k 5 120 verbench "$command" -p "$port" $at_server >"$work/$port.out" 2>"$err"
	else
		# shellcheck disable=SC2086
		timeout -k 5 120 verbench "$command" -p "$port" --connect-timeout 60 $at_client \
			>"$work/$port.out" 2>"$err"
	fi
	status=$?
}

lab_copy()	# bytes, options...
{
	local bytes=$1 name

	shift
	name="copy: $bytes bytes${*:+, $*}"
	# the same bytes on both nodes
	head -c "$bytes" < <(yes "verbench $port") >"$work/file"
	rm -f "$work/to/copy"
	mkdir -p "$work/to"
	both_nodes copy "--copy-to $work/to" "$* $work/file $peer:copy"
	if ((VB_LAB_NODE == 1)); then
		verdict "$name, server" "$(exited "$status" 0 "$err"
			cmp "$work/file" "$work/to/copy" 2>&1
			[[ $(ls -A "$work/to") == copy ]] || ls -A "$work/to")"
	else
		verdict "$name, client" "$(exited "$status" 0 "$err"
			says "$work/$port.out" "^sha256 $(sha256sum <"$work/file" | cut -d' ' -f1)$")"
	fi
}

lab_pingpong()	# options...
{
	local wrong may_lose=0

	# UC and UD lose what the kernel of a busy guest drops
	[[ $* != *'-c U'* ]] || may_lose=100
	both_nodes pingpong '' "$* $peer"
	wrong=$(exited "$status" 0 "$err"
		says "$work/$port.out" '^  local address:  LID 0x[0-9a-f]+, QPN 0x[0-9a-f]+, PSN 0x[0-9a-f]+, GID '
		awk -v may_lose=$may_lose '/ bytes in / { b = $1; s = $4; m = $7 } / iters in / { n = $1; u = $7 }
			/ more iters timed out/ { lost = $1 }
			function far(x, y) { return (x - y) ^ 2 > (y / 200 + 0.006) ^ 2 }
			END {
				if (n + lost != 1000 || lost > may_lose) print n + 0 " iters, " lost + 0 " timed out"
				if (far(m, b * 8 / (s * 1e6))) print m " Mbit/sec"
				if (far(u, s * 1e6 / n)) print u " usec/iter"
			}' "$work/$port.out")
	verdict "pingpong: ${*:-no options}, $(side)" "$wrong"
}

part_copy()
{
	local n e t

	for n in 0 1 1048577 20000003; do lab_copy "$n"; done
	for e in -e '--completion hybrid'; do
		# shellcheck disable=SC2086
		lab_copy 5000001 $e
	done
	lab_copy 300001 -s 4096 -e
	for t in RC UC; do
		for e in '' -e; do
			# shellcheck disable=SC2086
			lab_pingpong -c $t $e
		done
	done
	for e in '' -e; do
		# shellcheck disable=SC2086
		lab_pingpong -c UD $e
	done
}
