# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Two nodes: what options ask of each request, on rxe: pieces, fence, solicited messages, no payload, memory windows,
# and queues that change while they are in use.

# shellcheck source=options.sh
. "$lab_dir/options.sh"

# A guest without a processor of its own may be silent for long.
asked()	# as option
{
	option "$@" --stall-timeout 30
}

pieces()
{
	asked 'pieces, send' 1 'messages=200 sges=4' send_bw --sge 4 -s 4097 -n 200 --verify -u 18
	asked 'pieces, send, UC, events' 1 'sent_messages=200 lost=0 sges=3' \
		send_bw --sge 3 -s 3001 -c UC -e -n 200 --verify
	asked 'pieces, send, UD' 1 'sent_messages=200 lost=0 sges=5' send_bw --sge 5 -s 999 -c UD -n 200 --verify
	asked 'pieces, write, inline' 1 'messages=200 sges=4 inline_bytes=64' \
		write_bw --sge 4 -s 61 -I 64 -n 200 --verify -u 18
	asked 'pieces, read' 1 'messages=200 sges=7' read_bw --sge 7 -s 9001 -n 200 --verify -u 18
	asked 'pieces, latency' 1 'lat_samples=50 sges=2' send_lat --sge 2 -s 33 -n 50 --verify -u 18
	refused 'pieces by ibv_wr_*' '--sge 4 with --post-api wr on rxe0 of ' send_bw --sge 4 --post-api wr -n 10
}

flags()
{
	asked 'fence, read' 1 'messages=200 fence=1' read_bw --fence -s 5000 -n 200 --verify -u 18
	asked 'fence, atomics, ibv_wr_*' 1 'messages=200 fence=1' \
		atomic_bw --fence -n 200 --post-api wr --verify -u 18
	asked 'fence, both ways' 2 'messages=100 fence=1' write_bw --fence -b -n 100 -s 3000 --verify -u 18
	asked 'solicited' 1 'messages=500 solicited=16' send_bw -e --solicited 16 -n 500 -s 1000 --verify -u 18
	asked 'solicited, both ways' 2 'messages=300 solicited=7' \
		send_bw -e --solicited 7 -b -n 300 -s 1000 --verify -u 18
	asked 'solicited, UD' 1 'sent_messages=300 lost=0' send_bw -c UD -e --solicited 4 -n 300 -s 1000 --verify
	asked 'solicited, write with immediate' 1 'messages=300' \
		write_bw --imm -e --solicited 5 -n 300 -s 1000 --verify -u 18
	asked 'solicited, latency' 1 'lat_samples=100' send_lat -e --solicited 1 -n 100 --verify -u 18
}

no_payload()
{
	asked 'no payload, send' 1 'messages=200 bytes=0' send_bw -s 0 -n 200 --verify -u 18
	asked 'no payload, send, UC, events' 1 'sent_messages=200 lost=0' send_bw -s 0 -c UC -e -n 200 --verify
	asked 'no payload, send, UD, immediate' 1 'sent_messages=200 lost=0' send_bw -s 0 -c UD --imm -n 200 --verify
	asked 'no payload, send latency' 1 'lat_samples=50' send_lat -s 0 -n 50 --verify -u 18
	asked 'no payload, write' 1 'messages=200 bytes=0' write_bw -s 0 -n 200 --verify -u 18
	asked 'no payload, write with immediate' 1 'lat_samples=50' write_lat -s 0 --imm -n 50 --verify -u 18
	asked 'no payload, read' 1 'messages=200 bytes=0' read_bw -s 0 -n 200 --verify -u 18
	asked 'no payload, read latency' 1 'lat_samples=50' read_lat -s 0 -e -n 50 --verify -u 18
}

windows()
{
	local mw

	for mw in 1 2; do
		asked "window of type $mw, write" 1 "messages=400 mw=$mw qps=4" \
			write_bw --mw "$mw" -q 4 -n 100 -s 3000 --verify -u 18
		asked "window of type $mw, write latency" 1 "lat_samples=50 mw=$mw" \
			write_lat --mw "$mw" -n 50 --verify -u 18
		asked "window of type $mw, read, both ways" 2 "messages=100 mw=$mw" \
			read_bw --mw "$mw" -b -n 100 -s 3000 --verify -u 18
		asked "window of type $mw, atomics, ibv_wr_*" 1 "messages=100 mw=$mw" \
			atomic_bw --mw "$mw" -n 100 --post-api wr --verify -u 18
	done
}

# What rxe of Linux 6.1 does not have
refused()	# name, part of the reason, test, options...
{
	local name=$1 reason=$2

	shift 2
	pair "$@"
	verdict "$name: refused, $(side)" "$(exited "$status" 2 "$err"
		grep -qF -e "$reason" "$err" || say 'the reason is missing')"
}

disturbed()
{
	asked 'size of CQs, send' 1 'messages>=1 disturbances>=1' send_bw --disturb cq -q 2 -D 1 -s 1000 --verify -u 18
	asked 'size of CQs, send, UD, events' 1 'received_messages>=1 lost=0 disturbances>=1' \
		send_bw --disturb cq -c UD -e -D 1 -s 1000 --verify
	asked 'size of CQs, latency' 1 'lat_samples>=1 disturbances>=1' send_lat --disturb cq -D 1 --verify -u 18
	asked 'size of CQs, both ways' 2 'messages>=1 disturbances>=1' \
		send_bw --disturb cq -b -D 1 -s 1000 --verify -u 18
}

part_requests()
{
	pieces
	flags
	no_payload
	windows
	disturbed
	refused 'on-demand paging' '--buffers odp: rxe0 of ' write_bw --buffers odp -n 10
	refused 'drained send queues' '--disturb sq on rxe0 of ' send_bw --disturb sq -n 10
}
