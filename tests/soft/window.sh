# shellcheck shell=bash disable=SC2034,SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# What lies in the measured window beside the test: page faults of the measuring thread, counted by an observer in its
# process.

# Fewer than 20 minor faults. Before pages were populated: 2185 with 8 MiB, 17417 with 64 MiB.
window_faults()	# name, test, options of the client...
{
	local name=$1 test=$2 server posts='' faults=''

	shift 2
	((++port))
	softhca timeout "$guard" "$build/vb_$test" -p "$port" >"$work/server" 2>&1 &
	server=$!
	await_listener "$server"
	rm -f "$work/faults"
	LD_PRELOAD=$work/window_faults.so WINDOW_FAULTS=$work/faults "$here/../../src/softhca/softhca" \
		timeout "$guard" "$build/vb_$test" -p "$port" "$@" 127.0.0.1 >"$work/client" 2>&1
	wait "$server"
	read -r posts faults <"$work/faults"
	verdict "window: page faults of $test, $name" "$(
		((posts >= 1000 && faults >= 0 && faults < 20)) ||
			echo "$faults faults in $posts posts; $(failure_of "$work/client")")"
}

part_window()
{
	if ! "${CC:-gcc}" -I"$build" -shared -fPIC -o "$work/window_faults.so" "$here/preload/window_faults.c" -ldl \
		2>"$work/cc"; then
		verdict 'window: page faults are counted' "cannot build window_faults.c: $(head -n 1 "$work/cc")"
		return
	fi
	window_faults '8 MiB' write_bw
	window_faults '8 MiB' send_bw
	window_faults '8 MiB' read_bw
	window_faults '8 MiB over UD' send_bw -c UD -s 4k
	window_faults '64 MiB' write_bw --footprint 64M -s 4k -n 20000
	window_faults '64 MiB' read_bw --footprint 64M -s 4k -n 20000
}
