# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Two nodes: every transport x opcode x completion, bandwidth and latency. Each side checks its row, and the packets
# that its rxe0 has counted: these counters do not depend on the program.

watched=(sent_pkts rcvd_pkts send_rnr_err rcvd_rnr_err)

# Prints how the counters of the device contradict the case, or nothing.
counted()	# opcode, metric, messages, packets of a message, counters before...
{
	local op=$1 lat=$2 n=$3 packets=$4 sent received
	local before=("${@:5}")

	sent=$(($(counter sent_pkts) - before[0]))
	received=$(($(counter rcvd_pkts) - before[1]))
	case $op:$lat:$(side) in
	read:*:server) ((sent >= n * packets)) || say "sent $sent packets for $n reads of $packets" ;;
	read:*:client | *:*:server) ((received >= n * packets)) || say "received $received packets for $n x $packets" ;;
	*) ((sent >= n * packets)) || say "sent $sent packets for $n x $packets" ;;
	esac
	(($(counter send_rnr_err) == before[2] && $(counter rcvd_rnr_err) == before[3])) ||
		say 'a message found no receive, in spite of credits'
}

cell()	# transport, opcode, completion, bw or lat, test, options
{
	local tp=$1 op=$2 cm=$3 metric=$4 test=$5 n=200 size=5000 packets=5 c name reason
	local before=() expect=() options=()

	read -r -a options <<<"${6-} -c $tp --completion $cm --verify -m 1024"
	# a guest may stop for longer than the default time-out, which would cause retransmissions
	if [[ $tp == RC ]]; then options+=(-u 18); fi
	if [[ $metric == lat ]]; then n=60; fi
	if [[ $tp == UD ]]; then size=1000 packets=1; fi
	# few receives: a receiver that was held up could find all messages at its first look, and would not sleep
	if [[ $cm:$test == event:send_bw ]]; then options+=(-r 16); fi
	if [[ $test == atomic* ]]; then size=8 packets=1; else options+=(-s "$size"); fi
	for c in "${watched[@]}"; do before+=("$(counter "$c")"); done

	pair "$test" "${options[@]}" -n "$n"
	expect=(status=ok transport="$tp" opcode="$op" completion="$cm" test="$test" role="$(side)"
		size_bytes="$size" sent_messages="$n")
	if [[ $tp == RC ]]; then expect+=(messages="$n"); fi
	case $metric:$test in
	bw:*) ;;
	lat:send* | lat:write*) expect+=(lat_samples="$n" lost=0) ;;
	lat:*) expect+=(lat_samples="$n" lost=) ;;
	esac
	# an uncongested link loses nothing, and credits keep the sender from outrunning the receives
	if [[ $tp != RC && $op != write && $metric == bw ]]; then expect+=(lost=0 messages="$n"); fi
	# a side that waits for an answer sleeps; a sender of a stream may not
	case $cm:$test:$(side) in
	event:*_lat:client | event:send_lat:server) expect+=(events\>=1) ;;
	esac

	name="cell $tp $op $cm $metric, $(side)"
	reason=$(exited "$status" 0 "$err"; rows "$csv" 1 "${expect[@]}"
		 counted "$op" "$metric" "$n" "$packets" "${before[@]}")
	verdict "$name" "$reason"
	# a receiver that is always late never finds its queue empty: it happens, but not in each of the cells
	if [[ $cm:$test:$(side) == event:send_bw:server && -z $(rows "$csv" 1 events\>=1) ]]; then slept=1; fi
}

part_cells()
{
	local cm metric tp slept=

	for metric in bw lat; do
		for cm in poll event; do
			for tp in RC UC UD; do
				cell $tp send $cm $metric send_$metric
				cell $tp send_imm $cm $metric send_$metric --imm
			done
			for tp in RC UC; do
				cell $tp write_imm $cm $metric write_$metric --imm
				# the target of a plain write gets no completion, so it cannot sleep
				[[ $cm$metric == eventlat ]] || cell $tp write $cm $metric write_$metric
			done
			cell RC read $cm $metric read_$metric
			cell RC cmp_swap $cm $metric atomic_$metric '-A cmp_swap'
			cell RC fetch_add $cm $metric atomic_$metric '-A fetch_add'
		done
	done
	[[ $(side) == client ]] || verdict 'cells: a receiver of bandwidth by events sleeps' \
		"$([[ -n $slept ]] || say "it did in none of them")"
}
