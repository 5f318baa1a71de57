# shellcheck shell=bash disable=SC2034,SC2154,SC2086
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# The zero-cost mode: in C, then every test of verbench with exact counts, and stock binaries.

ours_null()	# test, options...
{
	local test=$1 sent received

	shift
	client=("$@" --csv "$work/rows.csv" --csv-new)
	rm -f "$work/rows.csv"
	both 60 "$build/vb_$test"
	if [[ -z $ended ]]; then
		sent=$(field "$work/rows.csv" sent_messages)
		received=$(field "$work/rows.csv" received_messages)
		# reflections come at once, without the peer: the run may end before the peer has sent its first message
		[[ $sent -gt 0 && ($received == "$sent" || -z $received || -n ${SOFTHCA_REFLECT-}) ]] ||
			ended="$sent sent, $received received "
		[[ $(field "$work/rows.csv" lost) =~ ^0?$ ]] || ended+="$(field "$work/rows.csv" lost) lost"
	fi
	verdict "null: $test $*" "$ended"
}

null_streams()
{
	local options

	for options in '' '-e' '-c UC' '-c UC -e' '-c UD' '-c UD -e' '--imm' '--imm -c UD -e' '-q 8 -l 8' '-b' \
		'-b -e --imm'; do
		ours_null send_bw -n 3000 $options
	done
	for options in '' '-e' '-c UC' '--imm' '--imm -c UC -e' '-q 64 -l 16 -b'; do
		ours_null write_bw -n 3000 $options
	done
	for options in '' '-e' '-q 8'; do
		ours_null read_bw -n 3000 $options
		ours_null atomic_bw -n 3000 $options
	done
	ours_null send_bw -D 1 -c UD
}

# Nothing is copied, so a test that polls memory sees reflections only.
null_pingpongs()
{
	local options

	for options in '' '-e' '--imm -c UC' '--imm -c UD -e'; do ours_null send_lat -n 200 $options; done
	for options in '' '-e'; do
		ours_null read_lat -n 1000 $options
		ours_null atomic_lat -n 1000 $options
	done
	ours_null write_lat --imm -n 200
	export SOFTHCA_REFLECT=100000
	ours_null write_lat -n 1000
	ours_null send_lat -c UC -n 200
	ours_null send_lat -c UD -n 200
	unset SOFTHCA_REFLECT
}

# A receiver that is ahead of its sender, twice: nothing depends on time, so no poll finds nothing.
null_ahead()
{
	local rows=() i

	for i in 1 2; do
		client=(-n 100000 -s 64 --csv "$work/rows.csv" --csv-new)
		export SOFTHCA_AHEAD=1000000
		both 60 "$build/vb_send_lat"
		unset SOFTHCA_AHEAD
		rows+=("$ended$(field "$work/rows.csv" empty_polls)")
	done
	verdict 'null: ahead of its peer, a ping-pong never waits' \
		"$([[ ${rows[0]} == 0 && ${rows[1]} == 0 ]] || echo "empty polls: ${rows[*]}")"
}

null_stock()
{
	local listening=1 command try

	if ! installed ib_send_bw ss; then
		echo 'ok null: stock binaries # SKIP perftest or ss is not installed'
		return
	fi
	while read -r command; do
		client=()
		# perftest 4.5 mistakes an event of one queue for one of the other: with -e it may sleep without end
		for ((try = 0; try < 3; try++)); do
			both 20 $command
			[[ -n $ended && $command == *-e ]] || break
		done
		verdict "null: stock: $command" "$ended"
	done <<'TXT'
ib_write_bw -n 3000
ib_write_bw -n 3200 -l 16 -q 4
ib_send_bw -n 3000
ib_send_bw -n 3000 -e
ib_send_bw -n 3000 -c UD
ib_send_bw -n 3000 --use-srq
ib_read_bw -n 3000
ib_atomic_bw -n 3000
ib_send_lat -n 200
ib_send_lat -n 200 -e
ib_read_lat -n 1000
TXT
	client=()
	SOFTHCA_REFLECT=100000 both 60 ib_write_lat -n 1000
	verdict 'null: stock: ib_write_lat, reflected' "$ended"
}

part_null()
{
	in_c null 120
	[[ -z $runtime ]] || return
	export SOFTHCA_MODE=null
	null_streams
	null_pingpongs
	null_ahead
	null_stock
	unset SOFTHCA_MODE
}
