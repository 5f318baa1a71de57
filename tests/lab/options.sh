# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Two nodes: the effect of the options, sizes and MTUs, which side starts first, interrupts.

# Runs a pair and checks the row on both sides.
option()	# name, number of rows, expectations, test, options...
{
	local name=$1 n=$2 expect

	read -r -a expect <<<"$3"
	shift 3
	pair "$@"
	verdict "option $name, $(side)" "$(exited "$status" 0 "$err"; rows "$csv" "$n" status=ok "${expect[@]}")"
}

many()
{
	option 'qps' 1 'messages=400 qps=8' send_bw -q 8 -n 50 -s 1000 --verify -u 18
	option 'qps by events' 1 'messages=400 qps=8' write_bw -q 8 -n 50 -s 1000 -e --imm --verify -u 18
	option 'qps of UD' 1 'sent_messages=200 lost=0' send_bw -q 4 -n 50 -s 1000 -c UD --verify
	option 'post list, ragged end' 1 'messages=203 post_list=16 depth=64 signal_interval=32' \
		send_bw -l 16 -t 64 -Q 32 -n 203 -s 1000 --verify -u 18
	option 'qps and post list' 1 'messages=404 qps=4 post_list=8' write_bw -q 4 -l 8 -n 101 -s 1000 --verify -u 18
	option 'every request signalled' 1 'messages=200 signal_interval=1 depth=16' \
		write_bw -Q 1 -t 16 -n 200 -s 100 -u 18
	option 'depth 1' 1 'messages=50 depth=1 signal_interval=1' send_bw -t 1 -n 50 -s 100 -u 18
	option 'recv depth 1' 1 'messages=50 recv_depth=1' send_bw -r 1 -n 50 -s 100 -u 18
	option 'outstanding' 1 'messages=200 outstanding=4' read_bw -o 4 -n 200 -s 5000 --verify -u 18
	option 'outstanding atomics' 1 'messages=200 outstanding=2' atomic_bw -o 2 -n 200 --verify -u 18
	option 'one message' 1 'messages=1' send_bw -n 1 -s 1 --verify -u 18
	option 'one round trip' 1 'lat_samples=1 lat_p50_ns=' write_lat -n 1 --verify -u 18
}

both_ways()
{
	local test

	for test in send_bw write_bw read_bw; do
		option "both ways, $test" 2 'messages=100 bidir=1' "$test" -b -n 100 -s 3000 --verify -u 18
	done
	option 'both ways, atomic_bw' 2 'messages=100 bidir=1' atomic_bw -b -n 100 -u 18
	option 'both ways, UD' 2 'sent_messages=100 lost=0' send_bw -b -n 100 -c UD -s 1000 --verify
	option 'both ways, UC, immediate, events' 2 'sent_messages=100 lost=0' \
		send_bw -b -n 100 -c UC -s 3000 --imm -e --verify
}

sizes()
{
	option 'inline' 1 'inline_bytes=64 lat_samples=50' send_lat -s 64 -I 64 -n 50 --verify -u 18
	option 'inline, bandwidth' 1 'inline_bytes=100 messages=200' write_bw -s 100 -I 100 -n 200 --verify -u 18
	option 'no inline' 1 'inline_bytes=0 lat_samples=50' send_lat -s 64 -I 0 -n 50 -u 18
	option 'all sizes' 23 'messages=3' write_bw -a -n 3 -u 18
	option 'all sizes of UD latency' 12 'lat_samples=5' send_lat -a -n 5 -c UD
	option 'duration' 1 'messages>=1 window_ns>=500000000 window_ns<=30000000000' send_bw -D 1 -s 1000 -u 18
	option 'duration, latency by events' 1 'lat_samples>=1 window_ns>=500000000' read_lat -D 1 -e -u 18
	option 'duration, UD' 1 'received_messages>=1 lost=0' send_bw -D 1 -s 1000 -c UD
}

# The number of packets shows whether the MTU in the row is true.
mtus()
{
	local before after reason

	before=$(counter sent_pkts)
	option 'MTU 256' 1 'mtu_bytes=256 messages=100' write_bw -m 256 -s 2560 -n 100 --verify -u 18
	after=$(counter sent_pkts)
	if ((VB_LAB_NODE == 2)); then
		reason=$( ((after - before >= 1000)) ||
			say "$((after - before)) packets for 100 messages of 10 packets")
		verdict 'MTU 256 is what the device sends' "$reason"
	fi

	if ((VB_LAB_NODE == 1)); then ip link set eth0 mtu 1500; fi
	lab-barrier mtu
	option 'MTU of the smaller port' 1 'mtu_bytes=1024 messages=100' send_bw -s 5000 -n 100 --verify -u 18
	option 'datagrams of the smaller port' 1 'mtu_bytes=1024 size_bytes=1024' send_bw -c UD -n 100 --verify
	pair send_bw -m 4096 -n 10
	reason=$( ((status == 1)) || exited "$status" 2 "$err")
	verdict "option MTU above the peer's port is refused, $(side)" "$reason$(says "$err" '4096.*1024')"
	lab-barrier mtu
	if ((VB_LAB_NODE == 1)); then ip link set eth0 mtu 4200; fi
	lab-barrier mtu
}

addresses()
{
	local peer=$peer

	if ((VB_LAB_NODE == 2)); then peer=fd77::1; fi
	option 'IPv6 control and GID' 1 'messages=50' send_bw -s 1000 -n 50 -u 18
	option 'IPv6 GID by index' 1 "messages=50 gid=fd77::$VB_LAB_NODE" write_bw -x 2 -s 1000 -n 50 -u 18
	option 'IPv6 datagrams' 1 'messages=50 lost=0' send_bw -x 2 -s 1000 -n 50 -c UD --verify
}

attempted() { (($(awk '/^Tcp: [0-9]/ { print $8 }' /proc/net/snmp) > $1)); }	# failed attempts before

# The server starts after a failed attempt of the client to connect.
client_first()
{
	local before client

	begin
	if ((VB_LAB_NODE == 1)); then
		lab-barrier knocked
		timeout -k 5 60 vb_send_bw -p "$port" --csv "$csv" >/dev/null 2>"$err"
		status=$?
	else
		before=$(awk '/^Tcp: [0-9]/ { print $8 }' /proc/net/snmp)
		timeout -k 5 60 vb_send_bw -p "$port" --connect-timeout 40 -n 50 --csv "$csv" "$peer" \
			>/dev/null 2>"$err" &
		client=$!
		await 30 attempted "$before"
		lab-barrier knocked
		collect "$client" 60
	fi
	verdict "client first, $(side)" "$(exited "$status" 0 "$err"; rows "$csv" 1 status=ok messages=50)"
}

# Ctrl-C on one side during a point: both sides stop, drain and report.
interrupted()	# node that is interrupted, test, options...
{
	local who=$1 test=$2 before process name n=1

	shift 2
	if [[ " $* " == *' -b '* ]]; then n=2; fi
	begin
	before=$(moved)
	if ((VB_LAB_NODE == 1)); then
		vb_"$test" -p "$port" --csv "$csv" >/dev/null 2>"$err" &
	else
		vb_"$test" -p "$port" --connect-timeout 60 --csv "$csv" -D 60 "$@" "$peer" >/dev/null 2>"$err" &
	fi
	process=$!
	if ((VB_LAB_NODE == who)); then
		moving "$before" 2000
		kill -INT "$process"
	fi
	collect "$process" 50
	name="interrupted on node $who, $test $*, $(side)"
	verdict "$name" "$(exited "$status" 1 "$err"; rows "$csv" "$n" status=interrupted messages\>=1 \
		'reason~^interrupted.on.the.(server|client)$')"
}

part_options()
{
	many
	both_ways
	sizes
	addresses
	mtus
	client_first
	interrupted 2 send_bw -u 18
	interrupted 1 send_bw -u 18
	interrupted 1 write_bw -u 18
	interrupted 2 send_lat -u 18
	interrupted 1 send_bw -c UD
	interrupted 2 send_bw -b -u 18
}
