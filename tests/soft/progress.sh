# shellcheck shell=bash disable=SC2034,SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Which thread does the work of the emulated link: the one that polls; without one, the progress thread of the process.
# By the counts of SOFTHCA_STATS. On one processor, a side that polls in vain gives it to the other one.

# Sums of all processes: by_program, by_thread, yields; processes: those that sent the messages of the test.
read_stats()	# messages of a side
{
	# shellcheck disable=SC2046 # four numbers
	set -- $(awk -v least="$1" '{
			for (i = 1; i <= NF; i++) { split($i, f, "="); v[f[1]] = f[2] }
			if (v["sent"] < least) next
			n++; p += v["ran_by_program"]; t += v["ran_by_thread"]; y += v["yields"]
		} END { print n + 0, p + 0, t + 0, y + 0 }' "$work/stats")
	processes=$1 by_program=$2 by_thread=$3 yields=$4
}

# Sets ended, and the counts of both sides.
ping_pong()	# options of the client...
{
	rm -f "$work/stats"
	client=(-n 2000 "$@")
	SOFTHCA_STATS=$work/stats both "$guard" "$build/vb_send_lat"
	read_stats 2000
	[[ -n $ended ]] || ((processes == 2)) || ended="counts of $processes processes"
}

said() { echo "by the program $by_program, by the thread $by_thread, yields $yields"; }

who_works()	# transport
{
	ping_pong -c "$1"
	verdict "progress: $1, polled: the program runs the timers" \
		"${ended:-$(((by_program > 10 * by_thread)) || said)}"
	ping_pong -c "$1" -e
	verdict "progress: $1, by events: the thread runs the timers" \
		"${ended:-$(((by_thread > by_program)) || said)}"
}

# Sets poll and event: medians of one run on this processor.
medians_on()	# processor
{
	rm -f "$work/stats" "$work/one.csv"
	client=(-n 2000 --completion poll,event --csv "$work/one.csv")
	SOFTHCA_STATS=$work/stats both "$guard" taskset -c "$1" "$build/vb_send_lat"
	read_stats 2000
	read -r poll event < <(awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		{ m[$c["completion"]] = $c["lat_p50_ns"] }
		END { printf "%d %d\n", m["poll"], m["event"] }' "$work/one.csv")
}

# Polled, without giving way, each message would wait for the end of a time slice: 50 times as long as by events.
one_processor()
{
	local cpu poll event busy

	cpu=$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')
	medians_on "$cpu"
	verdict 'progress: on one processor, a poll in vain gives it to the peer' \
		"${ended:-$(((yields >= 2000)) || said)}"
	verdict 'progress: on one processor, polled is faster than by events' \
		"${ended:-$(((poll > 0 && poll < event)) || echo "median polled $poll ns, by events $event ns")}"
	taskset -c "$cpu" bash -c 'while :; do :; done' &
	busy=$!
	medians_on "$cpu"
	kill "$busy"
	wait "$busy" 2>/dev/null
	verdict 'progress: on one processor with a third thread, no message waits for a time slice' \
		"${ended:-$(((poll > 0 && poll < 5 * event)) || echo "median polled $poll ns, by events $event ns")}"
}

part_progress()
{
	export SOFTHCA_LINK=bandwidth=10G,delay=20us
	who_works RC
	who_works UD
	one_processor
	unset SOFTHCA_LINK
}
