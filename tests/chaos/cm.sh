# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Part of scripts/chaos: each call of librdmacm, and each event of rdma_cm, fails once (cm_fails.c).

# The sessions: the command of the client and its options.
cm_talks=('send_bw --cm -n 200 --verify' 'write_lat --cm --imm -n 50 -e' 'send_bw --cm -c UD -n 200 --both'
	'read_bw --cm -n 100 -q 3 --threads 2' 'send_bw -c UD --mcast 239.1.2.3 --mcast-join cm -n 100'
	'send_bw -c UD --mcast 239.1.2.3 --mcast-join verbs -n 100' 'send_bw --disturb cq -n 2000'
	'setup --only cm -n 3 -q 2')

# Runs a session, one side of which makes its calls by way of cm_fails.so.
cm_through()	# directory, port, side, number of the call that fails or nothing, options of the client
{
	local with=(env "LD_PRELOAD=${runtime:+$runtime:}$work/cm_fails.so" "CHAOS_CALLS=$1/calls")
	local client_with=(env "LD_PRELOAD=$runtime") server_with=(env "LD_PRELOAD=$runtime")

	[[ -z $4 ]] || with+=("CHAOS_FAILS=$4")
	mkdir -p "$1"
	: >"$1/calls"
	if [[ $3 == client ]]; then client_with=("${with[@]}"); else server_with=("${with[@]}"); fi
	through "$1" "$2" none "$5"
}

# Adds the cases of a session and a side to cases: each call that it makes when none fails.
cm_cases()	# side, options of the client
{
	local dir=$work/cm/whole calls i

	rm -rf "$dir"
	cm_through "$dir" "$port" "$1" '' "$2"
	((port += 2))
	if [[ $(<"$dir/statuses") != '0 0 '* ]]; then
		verdict "no fault: $2" "$(cat "$dir/statuses"; tail -n 2 "$dir/client" "$dir/server")"
		return
	fi
	calls=$(wc -l <"$dir/calls")
	for ((i = 0; i < calls; i += step)); do cases+=("$1 $i $2"); done
}

# The rules of a case. May both sides succeed? What is measured stays so when an object cannot be removed afterwards;
# and the first id is one of librdmacm itself, which asks the kernel for AF_IB (ucma_set_af_ib_support()).
cm_broken()	# directory, side, command of the client
{
	local may=no so_far

	so_far=$(sed '/ fails$/q' "$1/calls")
	! grep -qE '^(rdma_destroy_id fails|rdma_disconnect|rdma_leave_multicast|ibv_detach_mcast)' <<<"$so_far" ||
		may=both
	[[ $so_far == *rdma_destroy_id* || $so_far != *@(_create_id|_channel|_bind_addr)' fails' ]] || may=both
	if [[ $3 == setup ]]; then
		# what fails is a row, or, on the server, a line of its log
		! grep -q '^ *failed: ' "$1/client" || echo 'verbench: a row says why' >>"$1/client"
		[[ $2 != server ]] || ! grep -qE '^verbench: (setup|rdma_cm): ' "$1/server" || may=both
	fi
	broken "$1" "$may" "$3"
}

part_cm()
{
	local cases=() side talk n dir said number options name client server missed=0 runtime=
	local -A table=()

	if ! "${CC:-gcc}" -O1 -fPIC -shared -I"$build" -D_GNU_SOURCE -o "$work/cm_fails.so" \
		"$here/tests/chaos/cm_fails.c" || ! build_proxy; then
		verdict 'build of cm_fails.c and proxy.c' 'failed'
		return
	fi
	# it must be loaded first
	[[ -z $sanitizes ]] || runtime=$("${CC:-gcc}" -print-file-name=libasan.so)
	for talk in "${cm_talks[@]}"; do
		[[ $talk == *"$word"* ]] || continue
		for side in client server; do cm_cases "$side" "$talk"; done
	done
	for n in "${!cases[@]}"; do
		((n % jobs)) || wait
		read -r side number options <<<"${cases[n]}"
		cm_through "$work/cm/$n" $((port + n % jobs * 2)) "$side" "$number" "$options" &
	done
	wait
	for n in "${!cases[@]}"; do
		read -r side number options <<<"${cases[n]}"
		dir=$work/cm/$n
		name=$(sed -n 's/ fails$//p' "$dir/calls")
		if [[ -z $name ]]; then
			((++missed))
			continue
		fi
		said=$(cm_broken "$dir" "$side" "${options%% *}")
		[[ -z $said ]] || verdict "${cases[n]} ($name)" "$said"
		read -r client server _ <"$dir/statuses"
		name+=" $side $client $server"
		table[$name]=$((${table[$name]-0} + 1))
	done
	echo '# what failed once, on which side, exit of client and server: cases'
	for name in "${!table[@]}"; do echo "# $name: ${table[$name]}"; done | sort
	echo "# $missed cases did not come so far"
	((failed)) || verdict "each call and event of rdma_cm: ${#cases[@]} cases" ''
}
