# shellcheck shell=bash disable=SC2034,SC2154,SC2086
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# What options ask of each request (--sge), on the emulated HCA: with every transport that has it, polled and by events,
# by both ways to post; payload verified.

asked()	# test, options...
{
	local test=$1

	shift
	client=("$@" --verify -n 500 --csv "$work/rows.csv")
	both "$guard" "$build/vb_$test"
	verdict "requests: $test $*" "$ended"
}

# Messages in pieces, of sizes that do not divide, inline and not.
in_pieces()
{
	local api options

	for api in '' '--post-api wr'; do
		for options in 'send_bw --sge 4 -s 4097' 'send_bw --sge 4 -s 4097 -e' 'send_bw --sge 3 -s 33 -c UC -e' \
			'send_bw --sge 32 -s 33 -c UD' 'send_bw --sge 2 -c UD -e' 'send_bw --sge 4 -b -I 64 -s 61' \
			'send_bw --sge 4 -q 3 -l 4 --imm' 'send_lat --sge 2' 'send_lat --sge 2 -s 4097 -e' \
			'send_lat --sge 5 -s 99 -c UC' 'send_lat --sge 5 -s 99 -c UD -e' 'write_bw --sge 5 -s 777' \
			'write_bw --sge 5 -s 777 -c UC -e' 'write_bw --sge 30 -s 64 -I 64 -b' 'write_bw --sge 4 --imm -e' \
			'write_lat --sge 4 -s 5' 'write_lat --sge 4 -s 4097 -c UC' 'write_lat --sge 3 --imm -e' \
			'read_bw --sge 7 -s 70000' 'read_bw --sge 4 -b -e' 'read_lat --sge 4 -s 6' 'read_lat --sge 4 -e'; do
			asked $options $api
		done
	done
	verdict 'requests: the row has the pieces' "$(
		[[ $(field "$work/rows.csv" sges) == 4 ]] || echo "it is '$(field "$work/rows.csv" sges)'")"
}

part_requests()
{
	in_pieces
}
