# shellcheck shell=bash disable=SC2034,SC2154,SC2086
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# What options ask of each request (--sge, --fence, --solicited, -s 0, --mw), on the emulated HCA: with every transport
# that has it, polled and by events, by both ways to post; payload verified.

asked()	# test, options...
{
	local test=$1

	shift
	client=("$@" --verify -n 500 --csv "$work/rows.csv" --csv-new)
	both "$guard" "$build/vb_$test"
	verdict "requests: $test $*" "$ended"
}

# Messages in pieces, of sizes that do not divide, inline and not.
in_pieces()
{
	local api options

	for api in '' '--post-api wr'; do
		for options in 'send_bw --sge 4 -s 4097' 'send_bw --sge 4 -s 4097 -e' \
			'send_bw --sge 3 -s 33 -c UC -e' 'send_bw --sge 32 -s 33 -c UD' 'send_bw --sge 2 -c UD -e' \
			'send_bw --sge 4 -b -I 64 -s 61' 'send_bw --sge 4 -q 3 -l 4 --imm' 'send_lat --sge 2' \
			'send_lat --sge 2 -s 4097 -e' 'send_lat --sge 5 -s 99 -c UC' \
			'send_lat --sge 5 -s 99 -c UD -e' 'write_bw --sge 5 -s 777' \
			'write_bw --sge 5 -s 777 -c UC -e' 'write_bw --sge 30 -s 64 -I 64 -b' \
			'write_bw --sge 4 --imm -e' 'write_lat --sge 4 -s 5' 'write_lat --sge 4 -s 4097 -c UC' \
			'write_lat --sge 3 --imm -e' 'read_bw --sge 7 -s 70000' 'read_bw --sge 4 -b -e' \
			'read_lat --sge 4 -s 6' 'read_lat --sge 4 -e'; do
			asked $options $api
		done
	done
	verdict 'requests: the row has the pieces' "$(
		[[ $(field "$work/rows.csv" sges) == 4 ]] || echo "it is '$(field "$work/rows.csv" sges)'")"
}

# Requests that wait for those before them; on reads and atomics it has an effect.
fenced()
{
	local options

	for options in 'send_bw -q 2 -l 4' 'send_lat -e -I 64' 'write_bw -b' 'write_lat' \
		'read_bw -l 4 --post-api wr' 'read_bw -e -b' 'read_lat' 'atomic_bw --post-api wr' \
		'atomic_bw -A cmp_swap -e'; do
		asked $options --fence
	done
	verdict 'requests: the row has the fence' "$([[ $(field "$work/rows.csv" fence) == 1 ]] || echo 'it has not')"
}

# Receivers that wait for some messages only: all arrive, and no event is taken for lost.
solicited()
{
	local options

	for options in 'send_bw -e --solicited 1' 'send_bw -e --solicited 16' 'send_bw -e --solicited 7 -l 4 -q 3' \
		'send_bw -e --solicited 16 -b' 'send_bw -e --solicited 16 -b --imm --post-api wr' \
		'send_bw --completion hybrid --solicited 8' 'send_bw -c UC -e --solicited 3' \
		'send_bw -c UD -e --solicited 3' 'write_bw --imm -e --solicited 5' \
		'write_bw --imm -c UC -e --solicited 5' 'send_lat -e --solicited 1' \
		'send_lat -e --solicited 1 -c UD' 'write_lat --imm -e --solicited 1'; do
		asked $options
		! grep -q 'missing completion events' "$work/rows.csv" ||
			verdict "requests: $options" 'events are taken for lost'
	done
}

# Messages without payload, wherever nothing depends on it.
empty()
{
	local options

	for options in 'send_bw' 'send_bw -e -c UC' 'send_bw -c UD' 'send_bw -c UD -e --imm' \
		'send_bw --imm --post-api wr' 'send_lat' 'send_lat -e' 'send_lat --imm -c UC' \
		'send_lat --imm -c UD -e' 'write_bw -b' 'write_bw -c UC -e' 'write_bw --imm' \
		'write_bw --imm -c UC -e --post-api wr' 'write_lat --imm' 'write_lat --imm -c UC -e' \
		'read_bw -b --post-api wr' 'read_bw -e' 'read_lat' 'read_lat -e'; do
		asked $options -s 0
	done
	verdict 'requests: the row has 0 bytes' "$([[ $(field "$work/rows.csv" bytes) == 0 ]] || echo 'it has not')"
}

# One-sided requests whose R_Key is that of a window; the region grants no remote right.
windows()
{
	local mw options

	for mw in 1 2; do
		for options in 'write_bw' 'write_bw -c UC -e' 'write_bw -b -q 3 --threads 2' \
			'write_bw --imm --locks on' 'write_bw --sge 3 --post-api wr' 'write_lat -I 64' \
			'write_lat -c UC' 'write_lat --imm -e' \
			'read_bw -b --post-api wr' 'read_bw -e --poll-api extended' 'read_lat -e' 'atomic_bw -q 2 -b' \
			'atomic_lat --post-api wr'; do
			asked $options --mw $mw
		done
		verdict "requests: the row has the window of type $mw" "$(
			[[ $(field "$work/rows.csv" mw) == "$mw" ]] || echo 'it has not')"
	done
}

# Memory registered for on-demand paging: each transport and family of opcodes.
paged()
{
	local options

	for options in 'send_bw -e' 'send_bw -c UD' 'send_lat -c UC' 'write_bw --sge 3' 'write_lat -c UC' \
		'read_bw -b --mw 2' 'atomic_bw -e'; do
		asked $options --buffers odp
	done
	verdict 'requests: the row has the buffers' "$(
		[[ $(field "$work/rows.csv" buffers) == odp ]] || echo 'it has not')"
}

# Memory of the device: each transport and family of opcodes. Sizes that are no multiple of a word are read and written
# beside the words of others.
in_device()
{
	local options

	for options in 'send_bw' 'send_bw -e -c UC -s 1001' 'send_bw -c UD' 'send_bw -c UD -e -s 7 -q 2' \
		'send_bw -s 4097 --sge 3' 'send_bw --srq -q 3 -s 999' 'send_lat -s 33' \
		'send_lat -c UC --imm -e' 'send_lat -c UD --imm -s 3' \
		'send_lat -c UD --imm --ah first' 'write_bw' 'write_bw -b -s 2001 --threads 2' \
		'write_bw -c UC -e -s 5 --post-api wr' 'write_bw --imm -e' 'write_lat --imm -s 9' 'write_bw -s 0' \
		'read_bw -b' 'read_bw -s 4099 --sge 2 -e' 'read_lat -s 3' 'atomic_bw -q 2 -b' \
		'atomic_lat -A cmp_swap'; do
		asked $options --buffers device
	done
	verdict 'requests: the row has device memory' "$(
		[[ $(field "$work/rows.csv" buffers) == device ]] || echo 'it has not')"
	read -r -a client <<<'-s 200000 -n 10 --buffers device'
	both "$guard" "$build/vb_write_bw"
	verdict 'requests: more than the device memory' "$(
		[[ $ended == *'take 1 times '*' bytes of device memory; softhca0 of '*' has 262144 (max_dm_size)'* ]] ||
			echo "$ended")"
}

# Queues that change while they are in use: nothing is lost, neither completion nor event.
disturbed()
{
	local what options count

	for what in cq sq; do
		for options in 'send_bw -q 3' 'send_bw -b -e' 'write_bw -c UC --imm -e' 'read_bw --poll-api extended' \
			'send_bw -c UD --threads 2' 'send_lat -e' 'atomic_bw -l 4'; do
			read -r -a client <<<"${options#* } --disturb $what --verify -D 1"
			client+=(--csv "$work/rows.csv" --csv-new)
			both "$guard" "$build/vb_${options%% *}"
			count=$(field "$work/rows.csv" disturbances)
			[[ -n $ended || $count -ge 2 ]] || ended="disturbed '$count' times"
			! grep -q 'missing completion events' "$work/rows.csv" || ended+=' events are lost'
			verdict "requests: $options --disturb $what" "$ended"
		done
	done
}

part_requests()
{
	paged
	in_device
	disturbed
	windows
	in_pieces
	fenced
	solicited
	empty
}
