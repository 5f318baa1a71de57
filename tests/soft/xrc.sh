# shellcheck shell=bash disable=SC2034,SC2154,SC2086
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# verbench over XRC on the emulated HCA: every test, polled and by events, one and several QPs, both ways, by both
# posting APIs, over a link that loses; payload verified. The zero-cost mode has no XRC, and refuses it by name.

xrc_kinds()
{
	local metric events

	for events in '' -e '--completion hybrid'; do
		for metric in bw lat; do
			ours send_$metric -c XRC -n 500 -s 4097 $events
			ours send_$metric -c XRC -n 500 -s 1 --imm $events
			ours write_$metric -c XRC -n 500 -s 4097 --imm $events
			ours read_$metric -c XRC -n 500 -s 65535 $events
			ours atomic_$metric -c XRC -n 500 $events
			ours atomic_$metric -c XRC -n 500 -A cmp_swap $events
		done
		ours write_bw -c XRC -n 500 -s 65535 $events
	done
	ours write_lat -c XRC -n 500 -s 1
}

xrc_shapes()
{
	local op

	for op in send write read atomic; do
		ours ${op}_bw -c XRC -n 500 -q 8 -l 8
		ours ${op}_bw -c XRC -n 500 -b -q 2 -e
		ours ${op}_bw -c XRC -n 500 -q 2 -l 4 --post-api wr --poll-api extended
		ours ${op}_lat -c XRC -n 500 -q 3 --post-api wr
	done
	ours send_bw -c XRC -n 501 -q 3 --threads 2 -r 7 --imm -b
	ours send_bw -c XRC -n 500 -I 64 -s 33 --imm -b --post-api wr
}

xrc_link()
{
	local SOFTHCA_LINK=bandwidth=10G,delay=5us,loss=1%,seed=3

	export SOFTHCA_LINK
	ours send_bw -c XRC -n 500 -s 4097 -q 2 -b
	ours read_bw -c XRC -n 300 -s 4097 -u 8
	ours send_lat -c XRC -n 200 -u 8
}

xrc_refused()
{
	local listening=1

	client=(-c XRC -n 10)
	SOFTHCA_MODE=null both "$guard" "$build/vb_send_bw"
	verdict 'xrc: a device without XRC is refused by name' "$(
		[[ $ended == *"-c XRC: softhca0 of "*" has no XRC (IBV_DEVICE_XRC); what works: verbench check"* ]] ||
			echo "it is not: $ended")"
}

part_xrc()
{
	xrc_kinds
	xrc_shapes
	xrc_link
	xrc_refused
}
