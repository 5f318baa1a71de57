# shellcheck shell=bash disable=SC2034,SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Options of a test on a server of one client and on "serve", and the device of the server chosen by the client, on the
# emulated HCA.

# Both sides get the same options, as scripts of perftest do it.
expect_same()	# test, options...
{
	local test=$1

	shift
	client=()
	both "$guard" "$build/vb_$test" "$@"
	verdict "expect: $test $* on both sides" "$ended"
}

# Server and client end with status 2, and both say the text.
expect_refused()	# name, text, options of the server, options of the client
{
	local server ended='' rc_client rc_server

	((++port))
	# shellcheck disable=SC2086
	softhca timeout "$guard" "$build/vb_write_bw" -p "$port" $3 >"$work/server" 2>&1 &
	server=$!
	# shellcheck disable=SC2086
	softhca timeout "$guard" "$build/vb_write_bw" -p "$port" $4 127.0.0.1 >"$work/client" 2>&1
	rc_client=$?
	wait "$server"
	rc_server=$?
	((rc_client == 2 && rc_server == 2)) || ended="exit $rc_client and $rc_server, not 2 and 2 "
	grep -qF -e "$2" "$work/client" || ended+="client: $(tail -n 1 "$work/client") "
	grep -qF -e "$2" "$work/server" || ended+="server: $(tail -n 1 "$work/server")"
	verdict "expect: $1" "$ended"
}

# "serve" refuses a client, and goes on.
expect_serve()
{
	local server ended='' rc i

	((++port))
	# shellcheck disable=SC2016
	softhca timeout "$guard" bash -c 'echo $$ >"$1"; shift; exec "$@"' _ "$work/server.pid" \
		"$build/verbench" serve -s 4k -p "$port" >"$work/server" 2>&1 &
	server=$!
	for i in '2 -s 64k' '0 -s 4k' '2 -s 8k' '0 -s 4k -b'; do
		# shellcheck disable=SC2086
		softhca timeout "$guard" "$build/vb_write_bw" -n 100 -p "$port" ${i#* } 127.0.0.1 >"$work/client" 2>&1
		rc=$?
		((rc == ${i%% *})) || ended+="client ${i#* }: exit $rc: $(tail -n 1 "$work/client") "
	done
	kill -TERM "$(<"$work/server.pid")"
	wait "$server"
	rc=$?
	((rc == 0)) || ended+="server exit $rc: $(tail -n 2 "$work/server")"
	verdict 'expect: serve refuses one client and serves the next' "$ended"
}

# --soft on one side only: the message names the side that has no device, and nothing else. A server without a device
# does not wait for a client.
expect_soft()
{
	local text='uses the emulated one: start both sides with --soft' server ended='' program rc

	[[ -z $("$build/verbench" list) || $("$build/verbench" list) == 'no RDMA devices'* ]] || return 0
	((++port))
	timeout "$guard" "$build/vb_write_bw" -p "$port" --soft >"$work/server" 2>&1 &
	server=$!
	timeout "$guard" "$build/vb_write_bw" -p "$port" 127.0.0.1 >"$work/client" 2>&1
	wait "$server"
	grep -qF -e "$text" "$work/client" || ended+="client: $(tail -n 1 "$work/client") "
	grep -qF -e "$text" "$work/server" || ended+="server: $(tail -n 1 "$work/server")"
	for program in vb_write_bw 'verbench serve' perftest/ib_write_bw; do
		# shellcheck disable=SC2086
		timeout "$guard" "$build/"$program -p "$port" >"$work/server" 2>&1
		rc=$?
		if ((rc != 1)) || ! grep -q 'no RDMA device found: .*--soft on both sides' "$work/server" ||
			grep -qi waiting "$work/server"; then
			ended+="$program: exit $rc: $(tail -n 1 "$work/server") "
		fi
	done
	verdict 'expect: --soft on one side' "$ended"
}

# The row has perftest's settings, and names them.
expect_like()
{
	local wrong='' pair

	client=(-n 1000 --like perftest --csv "$work/rows.csv")
	rm -f "$work/rows.csv"
	both "$guard" "$build/vb_write_bw"
	for pair in like=perftest footprint_bytes=65536 signal_interval=1 depth=128 locks=on messages=1000; do
		[[ $(field "$work/rows.csv" "${pair%=*}") == "${pair#*=}" ]] || wrong+="not $pair "
	done
	verdict 'expect: --like perftest' "$ended$wrong"
}

part_expect()
{
	expect_like
	expect_same write_bw -s 64k -n 1000
	expect_same send_bw -s 4k -n 1000 -b
	expect_same send_lat -n 100 -c UD -e
	expect_same read_bw -n 1000 -q 4 -o 4 --pin none
	expect_refused 'size' '-s: server 64k, client 4k' '-s 64k' '-n 100 -s 4k'
	expect_refused 'direction' 'server yes, client no' '-b' '-n 100'
	expect_refused 'device' 'no RDMA device is called none0; there are: softhca0' '' '--peer-device none0'
	expect_serve
	expect_soft
}
