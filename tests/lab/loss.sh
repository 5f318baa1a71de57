# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Two nodes. Each loses some of the packets that it sends (netem), also those of the control connection: RC completes;
# UC and UD end and count what is missing; nothing hangs.

lose() { lab-loss "$1"; lab-barrier lose; }	# percent or off

lossy()	# name, expectations, test, options...
{
	local name=$1 expect

	read -r -a expect <<<"$2"
	shift 2
	pair "$@" --stall-timeout 20
	verdict "loss: $name, $(side)" "$(exited "$status" 0 "$err"; rows "$csv" 1 status=ok "${expect[@]}")"
}

reliable()
{
	local test

	# four packets of the MTU in each message
	for test in send_bw write_bw read_bw; do
		lossy "5 %, RC $test" 'messages=300' "$test" -n 300 -s 16k --verify
	done
	lossy '5 %, RC atomic_bw' 'messages=300' atomic_bw -n 300 --verify
	lossy '5 %, RC write_imm by events' 'messages=300' write_bw --imm -e -n 300 -s 5000 --verify
	for test in send_lat write_lat read_lat; do
		lossy "5 %, RC $test" 'lat_samples=100' "$test" -n 100 --verify
	done
}

unreliable()
{
	local lost='sent_messages=1000 lost>=1 received_messages>=500'

	lossy '5 %, UC send_bw' "$lost" send_bw -c UC -n 1000 -s 1000 --verify
	lossy '5 %, UC send_bw, immediate' "$lost" send_bw -c UC -n 1000 -s 1000 --imm --verify
	lossy '5 %, UC send_bw, many packets' 'sent_messages=300 lost>=1' send_bw -c UC -n 300 -s 9000 --verify
	lossy '5 %, UD send_bw' "$lost" send_bw -c UD -n 1000 -s 1000 --verify
	lossy '5 %, UD send_bw by events' "$lost" send_bw -c UD -n 1000 -s 1000 -e --verify
	lossy '5 %, UD send_bw, immediate, qps' 'sent_messages=1000 lost>=1' \
		send_bw -c UD -n 250 -q 4 -s 1000 --imm --verify
	lossy '5 %, UC write_bw' 'sent_messages=1000' write_bw -c UC -n 1000 -s 1000
	lossy '5 %, UC write_bw, immediate' "$lost" write_bw -c UC -n 1000 -s 1000 --imm --verify
	lossy '5 %, UD send_lat' 'sent_messages=100 lat_samples>=50 lost>=1' send_lat -c UD -n 100 --verify
	lossy '5 %, UD send_lat by events, immediate' 'lat_samples>=50 lost>=1' send_lat -c UD -n 100 --imm -e
	lossy '5 %, UC send_lat' 'lat_samples>=50 lost>=1' send_lat -c UC -n 100
	lossy '5 %, UC write_lat' 'lat_samples>=50 lost>=1' write_lat -c UC -n 100
	lossy '5 %, UC write_lat, immediate' 'lat_samples>=50 lost>=1' write_lat -c UC -n 100 --imm
	lossy '5 %, UD for a second' 'received_messages>=1' send_bw -c UD -D 1 -s 1000
}

# From the middle of a run on, every packet is lost.
cut_off()	# test, options...
{
	local test=$1 before process name="loss: cut off, $*" measured=messages\>=1

	# the target of a write gets no completion
	if [[ $test:$(side) == write_bw:server ]]; then measured=messages=; fi
	shift
	begin
	before=$(moved)
	if ((VB_LAB_NODE == 1)); then
		vb_"$test" -p "$port" --csv "$csv" >/dev/null 2>"$err" &
	else
		vb_"$test" -p "$port" --connect-timeout 60 --csv "$csv" -D 60 "$@" "$peer" >/dev/null 2>"$err" &
	fi
	process=$!
	moving "$before" 2000
	lab-loss 100
	collect "$process" 30
	lab-loss off
	verdict "$name, $(side)" "$(exited "$status" 1 "$err"
		rows "$csv" 1 "$measured" 'status~^(incomplete|failed)$' reason~.)"
	lab-barrier cut 120
}

part_loss()
{
	lose 5
	reliable
	unreliable
	lose off
	cut_off send_bw
	cut_off send_bw -c UD
	cut_off send_lat -c UD
	cut_off write_bw
}
