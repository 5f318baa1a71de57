# shellcheck shell=bash disable=SC2034,SC2154,SC2086
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# DC on the emulated HCA, which is an mlx5 device with SOFTHCA_MLX5DV: verbench with every test, polled and by events,
# one and several QPs, both ways, over a link that loses, payload verified; a server that is killed; perftest; what is
# refused by name. A build without libmlx5 refuses DC.

dc_kinds()
{
	local metric events

	for events in '' -e '--completion hybrid'; do
		for metric in bw lat; do
			ours send_$metric -c DC -n 500 -s 4097 $events
			ours send_$metric -c DC -n 500 -s 1 --imm $events
			ours write_$metric -c DC -n 500 -s 4097 --imm $events
			ours read_$metric -c DC -n 500 -s 65535 $events
			ours atomic_$metric -c DC -n 500 $events
			ours atomic_$metric -c DC -n 500 -A cmp_swap $events
		done
		ours write_bw -c DC -n 500 -s 65535 $events
	done
	ours write_lat -c DC -n 500 -s 1
}

dc_shapes()
{
	local op

	for op in send write read atomic; do
		ours ${op}_bw -c DC -n 500 -q 8 -l 8
		ours ${op}_bw -c DC -n 500 -b -q 2 -e
		ours ${op}_bw -c DC -n 500 -q 2 -l 4 --post-api wr --poll-api extended
		ours ${op}_lat -c DC -n 500 -q 3
	done
	for op in send write read; do ours ${op}_bw -c DC -n 500 --sge 3 -s 4097 -q 2; done
	ours send_bw -c DC -n 501 -q 3 --threads 2 -r 7 --imm -b
	ours send_bw -c DC -n 500 -I 64 -s 33 --imm -b
	ours write_bw -c DC -n 500 -I 64 -s 33 --sge 2
	ours send_bw -c DC -n 500 -s 0 -e
	ours read_bw -c DC -n 500 --fence --locks on
}

dc_link()
{
	local SOFTHCA_LINK=bandwidth=10G,delay=5us,loss=1%,seed=3

	export SOFTHCA_LINK
	ours send_bw -c DC -n 500 -s 4097 -q 2 -b
	ours read_bw -c DC -n 300 -s 4097 -u 8
	ours send_lat -c DC -n 200 -u 8
}

dc_perftest()
{
	local op metric listening=1

	installed ib_send_bw ss || return 0
	for op in send write read atomic; do
		for metric in bw lat; do
			stock ib_${op}_$metric -c DC -n 1000
		done
		stock ib_${op}_bw -c DC -n 1000 -q 4
		stock ib_${op}_bw -c DC -n 1000 -b
	done
}

# The message is of the client.
dc_refused()	# message, options...
{
	local message=$1 listening=1

	shift
	client=(-n 10 "$@")
	both "$guard" "$build/vb_send_bw"
	verdict "dc: send_bw $* is refused: $message" "$([[ $ended == *"$message"* ]] || echo "it is not: $ended")"
}

part_dc()
{
	local SOFTHCA_MLX5DV=1 none='(driver unknown), so it has no DC (the emulated HCA has it with SOFTHCA_MLX5DV=1'

	export SOFTHCA_MLX5DV
	if [[ ! -x $build/tests/soft/soft_dc ]]; then
		dc_refused 'was built without libmlx5 (configure --with-mlx5dv); what works: verbench check' \
			-c DC
		return
	fi
	dc_kinds
	dc_shapes
	dc_link
	killed -c DC
	killed -c DC -q 3 -e
	dc_perftest
	SOFTHCA_MLX5DV=0 dc_refused "$none" -c DC
	SOFTHCA_MODE=null dc_refused "$none" -c DC
}
