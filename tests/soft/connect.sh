# shellcheck shell=bash disable=SC2034,SC2154,SC2086
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# verbench --cm on the emulated HCA, with the stock librdmacm: every kind over RC and UD, many QPs, strangers on the
# port of the server, and sides that are killed or interrupted.

# One test by rdma_cm; the row must say so.
connected_by_cm()	# test, options...
{
	local test=$1

	shift
	client=("$@" --cm --csv "$work/rows.csv" --csv-new)
	both "$guard" "$build/vb_$test"
	[[ -n $ended || $(field "$work/rows.csv" connect) == rdma_cm ]] || ended='the row does not say rdma_cm'
	verdict "connect: $test $*" "$ended"
}

connect_kinds()
{
	local test events metric

	for events in '' -e; do
		for test in send_bw send_lat write_bw read_bw read_lat atomic_bw atomic_lat; do
			connected_by_cm $test -n 200 --verify $events
		done
		for metric in bw lat; do
			connected_by_cm send_$metric -n 200 --verify -c UD $events
			connected_by_cm send_$metric -n 200 --verify -c UD --imm $events
			connected_by_cm send_$metric -n 200 --verify --imm $events
			connected_by_cm write_$metric -n 200 --verify --imm $events
		done
		connected_by_cm send_bw -n 200 --verify -b $events
		connected_by_cm write_bw -n 200 --verify -b $events
		connected_by_cm send_bw -n 200 --verify -b -c UD $events
	done
	connected_by_cm write_lat -n 200 --verify
	connected_by_cm send_bw -n 200 --verify --srq -q 4
	connected_by_cm send_bw -n 200 --tclass 32 -u 16 --retry 3 --rnr-retry 2 --min-rnr-timer 10
	connected_by_cm send_bw -a -n 20
}

connect_many()
{
	local outstanding

	connected_by_cm send_bw -n 20 -s 1k -q 64 --threads 2
	connected_by_cm send_bw -n 20 -s 1k -q 64 --threads 2 -c UD
	connected_by_cm write_bw -n 20 -s 64 -q 1000
	for outstanding in 1 4 16; do
		connected_by_cm read_bw -n 200 -q 3 --outstanding $outstanding --verify
		connected_by_cm atomic_bw -n 200 -q 3 --outstanding $outstanding --verify
	done
}

# The RNR timer and the retry counts are the plan's, which rdma_cm does not know: a sender without receives would else
# wait 655 ms for each.
connect_same_attributes()
{
	local column without with

	for column in qp_timeout retry rnr_retry min_rnr_timer outstanding mtu_bytes; do
		client=(-n 20 --csv "$work/rows.csv" --csv-new)
		both "$guard" "$build/vb_read_bw"
		without=$(field "$work/rows.csv" $column)
		client+=(--cm)
		both "$guard" "$build/vb_read_bw"
		with=$(field "$work/rows.csv" $column)
		verdict "connect: $column is the same by tcp and by rdma_cm" \
			"$([[ $with == "$without" ]] || echo "$without, $with")"
	done
}

connect_refusals()
{
	local said rc

	said=$(softhca timeout 10 "$build/vb_send_bw" --cm -c UC 127.0.0.1 2>&1)
	rc=$?
	verdict 'connect: UC is refused with the reason' \
		"$([[ $rc == 2 && $said == *'no port space for UC'* ]] || echo "$said")"
}

# A side that is stopped in the middle, or dies: the other one ends, says why, and leaves nothing behind.
connect_stop()	# name, signal, who (server or client), what the other prints
{
	local name=$1 signal=$2 who=$3 text=$4 server client_pid other=client said='' rc

	((++port))
	rm -f "$work"/stop.*
	softhca timeout 60 "$build/vb_send_bw" -p "$port" >"$work/stop.server" 2>&1 &
	server=$!
	# without timeout, which would send a signal a second time
	softhca "$build/vb_send_bw" --cm -D 30 -q 4 -p "$port" 127.0.0.1 >"$work/stop.client" 2>&1 &
	client_pid=$!
	await "$client_pid" grep -q '^each row' "$work/stop.client"
	if [[ $who == server ]]; then
		signal_all_of "$signal" "$build/vb_send_bw" -p "$port"
		wait $client_pid
	else
		other=server
		signal_all_of "$signal" "$build/vb_send_bw" --cm -D 30 -q 4 -p "$port" 127.0.0.1
		wait $server
	fi
	rc=$?
	[[ $rc == 1 ]] || said+="the $other's exit is $rc "
	grep -qE "$text" "$work/stop.$other" || said+="the $other prints $(tail -n 3 "$work/stop.$other")"
	wait
	verdict "connect: $name" "$said"
	verdict "connect: $name: nothing is left" "$(find /dev/shm -name "*softhca*$SOFTHCA_FABRIC*" 2>/dev/null)"
}

part_connect()
{
	connect_kinds
	connect_many
	connect_same_attributes
	connect_refusals
	connect_stop 'the server is killed' KILL server 'is gone|reports'
	connect_stop 'the client is killed' KILL client 'is gone|reports'
	connect_stop 'the user stops the client' TERM client 'interrupted|stopped|asked'
}
