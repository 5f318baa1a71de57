# shellcheck shell=bash disable=SC2034,SC2154,SC2206
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Stock binaries run on the emulated HCA without a change: server and client exit with 0.

stock()	# command...
{
	client=()
	both "$guard" "$@"
	verdict "stock: $*" "$ended"
}

pingpongs()
{
	local t e

	for t in rc uc ud srq; do
		for e in '' '-e' '-g 0' '-g 1 -e'; do
			# an address handle needs a GID
			[[ $t == ud && $e != -g* ]] && continue
			# shellcheck disable=SC2086 # options are words
			stock "ibv_${t}_pingpong" $e
		done
	done
	stock ibv_rc_pingpong -N -c
	# shellcheck disable=SC2086 # options are words
	for e in '' '-e' '-g 0' '-g 1 -e -n 500'; do stock ibv_xsrq_pingpong $e; done
}

# The options of perftest depend on the test: no events for write, only RC for read and atomics.
options_of()	# opcode, metric
{
	printf '%s\n' '-n 2000'
	# 8 MiB each: as many as are in flight and a few more. Each size costs 0.2 s of a processor, whose frequency is
	# measured
	case $1:$2 in
	atomic:*) ;;
	send:lat) echo '-n 40 -a' ;;
	send:bw) echo '-n 140 -a' ;;
	*:lat) echo '-n 40 -s 8388608' ;;
	*:bw) echo '-n 140 -s 8388608' ;;
	esac
	[[ $1 == write ]] || printf '%s\n' '-n 2000 -e'
	[[ $2 == lat ]] || printf '%s\n' '-n 2000 -q 8' '-n 2000 -l 16' '-n 2000 -b' '-n 2000 -q 8 -l 16 -b' \
		'-n 2000 --use_old_post_send'
	printf '%s\n' '-n 2000 -c XRC' '-n 1000 -c XRC --use_old_post_send'
	[[ $2 == lat ]] || printf '%s\n' '-n 2000 -c XRC -q 4' '-n 2000 -c XRC -b'
	case $1:$2 in
	send:*) printf '%s\n' '-n 2000 -c UC' '-n 2000 -c UC -e' '-n 2000 -c UD' '-n 2000 -c UD -e' \
		'-n 2000 -I 64 -s 64' '-n 2000 --use-srq' ;;
	write:*) printf '%s\n' '-n 2000 -c UC' '-n 2000 -I 64 -s 64' ;;
	esac
	case $1:$2 in
	send:bw) printf '%s\n' '-n 2000 -q 4 --use-srq' '-n 2000 -c UD -b' '-n 2000 -c UD -q 8' '-n 2000 -c UD -l 16' ;;
	write:bw) printf '%s\n' '-n 2000 -c UC -b' '-n 2000 -c UC -q 8' ;;
	esac
}

perftest()
{
	local op metric options

	for op in send write read atomic; do
		for metric in bw lat; do
			while read -r options; do
				# shellcheck disable=SC2086 # options are words
				stock "ib_${op}_$metric" $options
			done < <(options_of "$op" "$metric")
		done
	done
}

part_stock()
{
	local listening=1

	if ! installed ibv_rc_pingpong ib_send_bw ss; then
		echo 'ok stock binaries # SKIP ibverbs-utils, perftest or ss is not installed'
		return
	fi
	softhca timeout 10 ibv_devinfo >"$work/devinfo" 2>&1 && grep -q 'fw_ver:.*emulated' "$work/devinfo"
	verdict 'stock: ibv_devinfo shows an emulated device' "$( (($? == 0)) || cat "$work/devinfo")"
	pingpongs
	perftest
}
