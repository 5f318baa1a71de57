# shellcheck shell=bash disable=SC2034,SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Compares the results of verbench with the known properties of the link, and prints each error with its bound. It takes
# the best of several runs: another program on the processors spoils a run. For bandwidth there is
# enough in flight (512 times 64 KiB, 27 ms) to keep the link busy while a process waits for a processor.

tries=60

error_of()	# value, scale, truth: |value * scale - truth| / truth in per cent
{
	awk -v v="$1" -v s="$2" -v t="$3" 'BEGIN { e = 100 * (v * s - t) / t; printf "%.3f", e < 0 ? -e : e }'
}

at_most() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a <= b) }'; }

judge()	# what, truth, bound in per cent, column, scale, test, options...
{
	local what=$1 truth=$2 bound=$3 column=$4 scale=$5 test=$6 best='' error try

	shift 6
	for ((try = 0; try < tries; try++)); do
		client=("$@" --csv "$work/truth.csv" --csv-new)
		rm -f "$work/truth.csv"
		both 40 "$build/vb_$test"
		[[ -z $ended ]] || continue
		error=$(error_of "$(field "$work/truth.csv" "$column")" "$scale" "$truth")
		if [[ -z $best ]] || at_most "$error" "$best"; then best=$error; fi
		! at_most "$best" "$bound" || break
	done
	echo "# $what: truth $truth, error ${best:-none} %, bound $bound %"
	verdict "truth: $what" "$(at_most "$best" "$bound" || echo "error ${best:-none} %, bound $bound % $ended")"
}

# Receivers of few messages, on a link whose rate the port reports: no figure is above it, and what has none has the
# reason.
never_above()	# test, options...
{
	local test=$1 try

	rm -f "$work/truth.jsonl"
	client=("${@:2}" --jsonl "$work/truth.jsonl")
	for ((try = 0; try < 10; try++)); do
		both 40 "$build/vb_$test"
	done
	verdict "truth: $*: nothing is above the link" "$(jq -rs '
		if length < 10 then "\(length) rows" else .[] end
		| if .bandwidth_gbit_s then select(.bandwidth_gbit_s > .link_gbit_s * 1.001) | .bandwidth_gbit_s
		else .warning_codes // "no figure and no reason"
			| select(test("above_link|no_gap") | not) end' "$work/truth.jsonl" 2>&1)"
}

losses()	# transport
{
	local lost truth

	: >"$work/stats"
	client=(-c "$1" -s 2048 -n 20000 --csv "$work/truth.csv" --csv-new)
	both 60 "$build/vb_send_bw"
	lost=$(field "$work/truth.csv" lost)
	truth=$(sed -n 's/.*sent=2000[0-9] .*lost=\([0-9]*\).*/\1/p' "$work/stats")
	echo "# send_bw $1: $truth messages lost, $lost counted, bound 0"
	verdict "truth: send_bw $1, losses to the message" \
		"$([[ -z $ended && -n $lost && $lost == "$truth" ]] || echo "$truth lost, $lost counted $ended")"
}

part_truth()
{
	local test deep

	export SOFTHCA_LINK=bandwidth=10G
	for test in send_bw write_bw read_bw; do
		deep=(-t 512)
		[[ $test != send_bw ]] || deep+=(-r 1024)
		judge "$test of 64 KiB at 10 Gbit/s" 10 1 bandwidth_gbit_s 1 $test -s 64k -n 5000 "${deep[@]}"
	done
	judge 'send_bw by events of 64 KiB at 10 Gbit/s' 10 1 bandwidth_gbit_s 1 \
		send_bw -e -s 64k -n 5000 -t 512 -r 1024
	SOFTHCA_LINK=bandwidth=1M
	judge 'five messages over UC at 1 Mbit/s' 0.001 3 bandwidth_gbit_s 1 send_bw -c UC -s 4k -n 5
	SOFTHCA_LINK=bandwidth=2500M
	never_above send_bw -c UC -s 64k -n 5
	never_above send_bw -c UC -s 1M -n 20 -t 5 -r 8 --walk same
	SOFTHCA_LINK=delay=50us
	judge 'send_lat over 50 us' 50 2 lat_p50_ns 0.001 send_lat -n 2000
	judge 'write_lat over 50 us' 50 2 lat_p50_ns 0.001 write_lat -n 2000
	judge 'read_lat over 2 x 50 us' 100 2 lat_p50_ns 0.001 read_lat -n 2000
	judge 'atomic_lat over 2 x 50 us' 100 2 lat_p50_ns 0.001 atomic_lat -n 2000
	export SOFTHCA_LINK=loss=1%,bandwidth=10G SOFTHCA_STATS=$work/stats
	losses UC
	losses UD
	unset SOFTHCA_LINK SOFTHCA_STATS
}
