# shellcheck shell=bash disable=SC2034,SC2154,SC2086
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# verbench on the emulated HCA: every combination of transport and opcode, polled and by events; payload verified at odd
# sizes; several pairs at once; a killed process leaves nothing behind.

ours()	# test, options...
{
	local test=$1

	shift
	client=("$@" --verify --csv "$work/rows.csv" --csv-new)
	both "$guard" "$build/vb_$test"
	[[ -n $ended || $(field "$work/rows.csv" emulated) == 1 ]] || ended='emulated is not 1 in the row'
	verdict "ours: $test $*" "$ended"
}

reliable()
{
	local op metric events size sizes

	for op in send write read atomic; do
		for metric in bw lat; do
			for events in '' -e; do
				[[ $op$metric$events != writelat-e ]] || continue
				# what a size does is the same with events
				sizes='1 65535'
				[[ -z $events ]] || sizes=4097
				[[ $op != atomic ]] || sizes=8
				for size in $sizes; do
					if [[ $op == atomic ]]; then
						ours ${op}_$metric -n 500 $events
					else
						ours ${op}_$metric -n 500 -s $size $events
					fi
				done
				[[ $metric == lat ]] || ours ${op}_bw -n 500 -q 8 -l 8 $events
				[[ $metric == lat ]] || ours ${op}_bw -n 500 -b $events
			done
		done
	done
	for metric in bw lat; do ours atomic_$metric -n 500 -A cmp_swap; done
}

unreliable()
{
	local metric options

	for metric in bw lat; do
		for options in '-c UC' '-c UC -e' '-c UD' '-c UD -e' '--imm' '--imm -e' '--imm -c UC' '--imm -c UC -e' \
			'--imm -c UD' '--imm -c UD -e' '-I 64 -s 33'; do
			ours send_$metric -n 500 $options
		done
		for options in '-c UC' '--imm' '--imm -e' '--imm -c UC' '--imm -c UC -e' '-I 64 -s 33'; do
			ours write_$metric -n 500 $options
		done
	done
	ours write_bw -n 500 -c UC -e
}

# The second posting API and the second way to poll.
apis()
{
	local api op ran

	for api in '--post-api wr' '--poll-api extended' '--post-api wr --poll-api extended -e'; do
		ours send_bw -n 500 -q 3 -l 4 -s 4097 $api
		ours send_bw -n 500 -b --imm -I 64 -s 33 $api
		ours send_bw -n 500 -c UD --imm $api
		ours write_bw -n 500 -c UC --imm $api
		ours read_bw -n 500 $api
		ours send_lat -n 500 -q 5 $api
		ours write_lat -n 500 --imm $api
		for op in cmp_swap fetch_add; do ours atomic_lat -n 500 -A $op $api; done
		ran="$(field "$work/rows.csv" post_api) $(field "$work/rows.csv" poll_api)"
		verdict "ours: the row says $api" "$(
			[[ $api == *wr* && $ran == wr* || $api != *wr* && $ran == send* ]] || echo "$ran"
			[[ $api == *ext* && $ran == *ext* || $api != *ext* && $ran == *classic ]] || echo "$ran")"
	done
}

# Without locks where one thread owns the queues, chosen or automatic; and with locks.
locks()
{
	local want said

	for want in auto off on; do
		ours send_bw -n 500 -q 2 -e --locks $want
		said="$(field "$work/rows.csv" locks) $(field "$work/rows.csv" peer_locks)"
		[[ $said != "${want/auto/off} ${want/auto/off}" ]] || said=
		verdict "ours: the row of --locks $want" "$said"
	done
	ours send_bw -n 500 -c UD --locks off
	ours atomic_lat -n 500 -e --locks off
}

# Several threads on each side, each with separate queue pairs.
threads()
{
	local options key

	for options in '' -e -b '-b -e' '-q 3 -l 4' '-c UC --imm' '-c UD' '-c UD -b -e' '--locks on'; do
		ours send_bw -n 500 -s 1001 --threads 2 $options
	done
	ours write_bw -n 500 --threads 3 -q 2
	ours write_bw -n 500 --threads 3 -b -e
	ours read_bw -n 500 --threads 2 -e
	ours atomic_bw -n 500 --threads 2 -q 2 -b
	ours send_bw -D 1 -s 64 --threads 2 -q 2
	for key in qp_fairness thread_fairness; do
		verdict "ours: $key of two threads" "$(field "$work/rows.csv" $key |
			awk '!($1 > 0 && $1 <= 1) { print "is " $1 } END { if (!NR) print "is not there" }')"
	done
}

# Walks over more memory than is in flight, in rings that are no multiple of the size or of the list.
walks()
{
	local options

	for options in 'send_bw -n 4000 -s 4097' 'send_bw -n 4000 -s 65535 -q 3 -e' 'send_bw -n 4000 -s 99 -b' \
		'send_bw -n 4000 -s 99 -c UC' 'send_bw -n 4000 -s 99 -c UD' 'write_bw -n 4000 -s 65535 -t 20 -l 4' \
		'write_bw -n 4000 -s 4097 -b -q 2' 'write_bw -n 4000 -s 1 --imm -e' 'write_bw -n 4000 -s 4097 -c UC' \
		'read_bw -n 4000 -s 4097 -q 3' 'read_bw -n 4000 -s 65535 -e' 'atomic_bw -n 60000' \
		'atomic_bw -n 60000 -A cmp_swap' 'send_lat -n 4000 -s 4097' 'write_lat -n 4000 -s 1 --imm' \
		'read_lat -n 4000 -s 4097' 'atomic_lat -n 1000 -A cmp_swap'; do
		ours $options --walk random --footprint 3M
		[[ $(field "$work/rows.csv" walk),$(field "$work/rows.csv" footprint_bytes) == random,3145728 ]] ||
			verdict "ours: $options" 'the row has another walk'
	done
	# each thread over the same amount, divided among its queue pairs
	for options in 'send_bw -n 4000 -s 4097 --threads 2 -q 2' 'write_bw -n 4000 -s 65535 --threads 3 -b' \
		'atomic_bw -n 30000 -A cmp_swap --threads 2' 'send_lat -n 1003 -s 99 -q 3' \
		'write_lat -n 1003 --imm -q 5' 'atomic_lat -n 1003 -A cmp_swap -q 3'; do
		ours $options --walk random --footprint 300k
	done
	# the other tests with one buffer are in tests/pair/test_session
	for options in 'send_bw -n 500' 'send_lat -n 500' 'read_lat -n 500 -s 33'; do
		ours $options --walk same
	done
}

# Three pairs share a fabric and the QP numbers.
at_once()
{
	local i pids=() failed=

	for i in 1 2 3; do
		(
			work=$work/$i port=$((port + 50 * i))
			mkdir -p "$work"
			client=(-n 2000 -s $((4096 + i)) --verify)
			both "$guard" "$build/vb_send_bw"
			[[ -z $ended ]]
		) &
		pids+=($!)
	done
	for i in "${pids[@]}"; do wait "$i" || failed+="a pair failed "; done
	((port += 200))
	verdict 'ours: three pairs at once' "$failed"
}

# The firmware version of the device names the settings of its link, so that they are in every row.
says_link()	# SOFTHCA_LINK, SOFTHCA_FAULTS, what it says
{
	local said

	said=$(SOFTHCA_LINK=$1 SOFTHCA_FAULTS=$2 softhca timeout 10 "$build/verbench" list 2>&1 |
		awk '/^softhca0 / { mine = 1 } /^  transport/ { exit } mine { text = text " " $0 }
			END { gsub(/ +/, " ", text); sub(/.* GUID [^ ]* /, "", text); print text }')
	verdict "ours: the device says its link${1:+, $1}${2:+, $2}" "$([[ $said == "$3" ]] || echo "it is '$said'")"
}

links()
{
	says_link '' '' 'emulated link as fast as memory'
	says_link bandwidth=10G,delay=5us '' 'emulated link bandwidth=10G delay=5us'
	says_link bandwidth=2.5G,loss=1% post:EIO@7 'emulated link bandwidth=2.5G faults loss=1%'
	says_link delay=1500ns,stall=1ms/0.1s '' 'emulated link delay=1.5us stall=1ms/100ms'
	says_link bandwidth=10G,delay=5us,loss=1%,duplicate=0.1%,reorder=0.1% '' \
		'emulated link bandwidth=10G delay=5us loss=1% duplicate=0.1%...'
	export SOFTHCA_LINK=bandwidth=10G,delay=5us
	client=(-n 10 --csv "$work/rows.csv" --csv-new)
	both "$guard" "$build/vb_send_lat"
	unset SOFTHCA_LINK
	[[ -n $ended || $(field "$work/rows.csv" firmware),$(field "$work/rows.csv" peer_firmware) == \
		'emulated link bandwidth=10G delay=5us,emulated link bandwidth=10G delay=5us' ]] ||
		ended="the row says '$(field "$work/rows.csv" firmware)', '$(field "$work/rows.csv" peer_firmware)'"
	verdict 'ours: the row says both links' "$ended"
}

# What list prints of a device profile, in 80 columns.
list_says()	# PROFILE, parts of the text...
{
	local said part failed=

	said=$(SOFTHCA_PROFILE=$(profile_file "$1") softhca timeout 10 "$build/verbench" list 2>&1)
	for part in "${@:2}"; do
		[[ $said == *"$part"* ]] || failed+="no '$part' "
	done
	grep -qE '.{81}' <<<"$said" && failed+='longer than 80 columns '
	verdict "ours: list of $1" "${failed:+$failed in: $said}"
}

lists()
{
	list_says connectx-vport 'transport IB' '  InfiniBand  400 Gbit/s (4X NDR)  ' '  LID ' '  needs GRH' \
		'    P_Keys 0x7fff 0x8001'
	list_says efa 'transport unspecified' '  unspecified  100 Gbit/s (4X EDR)  '
	list_says siw 'transport iWARP' '  Ethernet  '
}

# The server is killed: its client ends with an incomplete row, and the last process removes the fabric.
killed()	# options of the client...
{
	local server client_pid rc

	((++port))
	# the loop below must not read the table of the case before
	rm -f "$work"/kill.*
	softhca timeout 60 "$build/vb_write_bw" -p "$port" >"$work/kill.server" 2>&1 &
	server=$!
	rm -f "$work/kill.csv"
	softhca timeout 60 "$build/vb_write_bw" -p "$port" -D 30 "$@" --csv "$work/kill.csv" 127.0.0.1 \
		>"$work/kill.table" 2>"$work/kill.err" &
	client_pid=$!
	await "$client_pid" grep -q '^each row' "$work/kill.table"
	# timeout, the server and its session
	signal_all_of KILL "$build/vb_write_bw" -p "$port"
	wait "$client_pid"
	rc=$?
	wait "$server"
	verdict "ours: the server killed${*:+, $*}" "$( ((rc == 1)) || echo "the client's exit is $rc"
		[[ $(field "$work/kill.csv" status) =~ ^(incomplete|failed)$ ]] ||
			echo "the row is not incomplete: $(cat "$work/kill.err" "$work/kill.server")")"
	verdict 'ours: nothing is left behind' "$(find /dev/shm -name "*softhca*$SOFTHCA_FABRIC*" 2>/dev/null)"
}

part_ours()
{
	reliable
	unreliable
	apis
	locks
	threads
	walks
	at_once
	links
	lists
	killed
	killed --threads 3
}
