# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Part of scripts/chaos: the messages of the control connection.

# The sessions: the command of the client and its options.
talks=('send_bw -n 2000' 'write_lat -c UC -n 200' 'send_bw --cm -n 500' 'copy -s 64k' 'setup --only mw,qp,cm -n 5 -q 2'
	check 'send_lat -n 20 --key')
declare -A last=()	# the number of the last record of each side that has a key

# The seconds that a side may take: a check has some 150 plans.
limit_of()	# command
{
	if [[ $1 == check ]]; then echo 60; else echo $limit; fi
}

# The server has ended, or has told of the session.
served() { ! kill -0 $server 2>/dev/null || [[ -s $1/audit ]]; }	# directory

# How a server that goes on has served its only client: as the exit status of one that does not, and the reason.
audited()	# directory, exit status of the server
{
	local outcome

	[[ -s $1/audit ]] || { echo "$2"; return; }
	sed -nE 's/.* reason="(.+)"$/verbench: \1/p' "$1/audit" >>"$1/server"
	outcome=$(sed -nE 's/.* outcome="([a-z]+)".*/\1/p' "$1/audit")
	case $2,$outcome in
	0,measured) echo 0 ;;
	0,refused) echo 2 ;;
	0,*) echo 1 ;;
	*) echo "$2" ;;
	esac
}

# Runs both sides in a directory of the case, the client by way of a proxy with a fault. Writes the statuses: "0 1 3",
# the last one is seconds; "waits" in place of the server's: no client came to it. The arrays server_with and
# client_with are words before the command of a side.
through()	# directory, port, fault of the proxy, options of the client
{
	local dir=$1 at=$2 limit=$limit server proxy begun=$SECONDS rc i waits=
	local -a fault client to=(127.0.0.1) program

	read -ra fault <<<"$3"
	read -ra client <<<"$4"
	limit=$(limit_of "${client[0]}")
	mkdir -p "$dir/to"
	case ${client[0]} in
	copy) program=("$build/verbench" copy --copy-to "$dir/to") to=("$work/file" 127.0.0.1:copy) ;;
	setup | check) program=("$build/verbench" serve --audit "$dir/audit") ;;
	*) program=("$build/vb_${client[0]}") ;;
	esac
	if [[ $4 == *' --key' ]]; then
		client+=("$work/key")
		program+=(--key "$work/key")
	fi
	"${server_with[@]}" "$lib" timeout -s KILL "$limit" \
		"${program[@]}" -p "$at" -d softhca1 "${timeouts[@]}" >"$dir/server" 2>&1 &
	server=$!
	await $server "$at"
	"$work/proxy" $((at + 1)) "$at" "${fault[@]}" >"$dir/proxy" 2>&1 &
	proxy=$!
	await $proxy $((at + 1))
	"${client_with[@]}" "$lib" timeout -s KILL "$limit" "$build/verbench" "${client[@]}" \
		-p $((at + 1)) -d softhca0 "${timeouts[@]}" "${to[@]}" >"$dir/client" 2>&1
	rc=$?
	# a server to which no client has come waits for one
	for ((i = 0; i < 100; i++)); do
		! served "$dir" || break
		sleep 0.1
	done
	((i < 100)) || waits=waits
	kill -INT "$(pgrep -P $server)" 2>/dev/null
	wait $server
	i=$?
	echo "$rc ${waits:-$(audited "$dir" $i)} $((SECONDS - begun))" >"$dir/statuses"
	kill $proxy 2>/dev/null
	wait $proxy 2>/dev/null
}

# A copy is whole or not there. A client that fails although it is there says so.
torn()	# directory, exit status of the client
{
	local names

	names=$(ls -A "$1/to")
	case $names in
	'') (($2 != 0)) || echo 'no copy' ;;
	copy)
		cmp "$work/file" "$1/to/copy" 2>&1
		(($2 == 0)) || grep -q 'the file is complete' "$1/client" || echo 'the client does not know of its copy'
		;;
	*) echo "left: $names" ;;
	esac
}

# The rules for both sides: they have ended, and who has failed says why.
broken()	# directory, what is allowed: may both succeed, may the server wait; the client's command
{
	local client server seconds side status limit=$limit

	limit=$(limit_of "${3-}")
	read -r client server seconds <"$1/statuses"
	# a check asks for what the server refuses
	[[ ${3-} != check || $server != 2 ]] || server=0
	if [[ $server == waits ]]; then
		[[ $2 == *waits* ]] || echo 'the server did not end'
		server=1
		echo 'verbench: nobody came' >>"$1/server"
	fi
	for side in client server; do
		status=$client
		[[ $side == client ]] || status=$server
		((status <= 2)) || echo "the $side: exit $status"
		((status == 0)) || grep -E '^(vb_[a-z_]+|verbench): ' "$1/$side" |
			grep -qvE ': (waiting for a (client|server)|only this host)' ||
			echo "the $side: exit $status, no message"
	done
	[[ $2 == *both* ]] || ((client + server > 0)) || echo 'both sides succeeded'
	((seconds < limit)) || echo "took $seconds s"
	[[ ${3-} != copy ]] || torn "$1" "$client"
}

# Adds the cases of a session to cases: each fault of the first and the second message of each type, of all records.
list_cases()	# number of the session, its options
{
	local dir=$work/messages/$1 fault type side all said

	through "$dir" "$port" none "$2"
	((port += 2))
	said=$(broken "$dir" both "${2%% *}")
	if [[ -n $said || $(<"$dir/statuses") != 0\ [02]\ * ]]; then
		verdict "no fault: $2" "$said $(cat "$dir/statuses"; tail -n 2 "$dir/client")"
		return
	fi
	# c endpoint 0
	mapfile -t all < <(awk '{ n = seen[$0]++ }
		$2 == "record" || n < 2 && $2 != "heartbeat" { print $1, $2, n }' "$dir/proxy")
	for side in c s; do
		[[ $2 == *' --key' ]] || break
		last[$side]=$(($(grep -c "^$side record$" "$dir/proxy") - 1))
	done
	for fault in drop double delay cut mute flip; do
		for type in "${all[@]}"; do
			((n++ % step == 0)) || continue
			cases+=("$fault $type|$2")
		done
	done
}

# May both sides succeed, may the server wait? What is said after the result may be lost, and nobody reads what comes
# after it. No other record can be changed or sent again by who has no key. Before hello and plan there is no client.
allowed()	# fault, side, type and number of the message
{
	local harmless=no early=no

	case $1,$3 in
	delay,*) harmless=yes ;;
	double,record) [[ $4 != "${last[$2]}" ]] || harmless=yes ;;
	*,record) [[ $2,$4 != c,${last[c]} ]] || harmless=yes ;;
	drop,* | cut,* | mute,*) [[ ! $3 =~ ^(bye|sent|alive)$ ]] || harmless=yes ;;
	*) harmless=yes ;;
	esac
	case $3 in
	record) (($4 > 4)) || early=yes ;;
	hello | plan | copy | setup | check) early=yes ;;
	esac
	[[ $harmless == no ]] || echo both
	[[ $early == no ]] || echo waits
}

part_messages()
{
	local n=0 cases=() fault side type number dir said at client server rc command
	local -A table=()

	build_proxy || { verdict 'build of proxy.c' 'failed'; return; }
	head -c 600000 /dev/urandom >"$work/file"
	"$build/verbench" key "$work/key" >/dev/null || { verdict 'a key' 'is not made'; return; }
	for n in "${!talks[@]}"; do
		[[ ${talks[n]} != *"$word"* ]] || list_cases "$n" "${talks[n]}"
	done
	for n in "${!cases[@]}"; do
		((n % jobs)) || wait
		at=$((port + n % jobs * 2))
		through "$work/messages/case$n" "$at" "${cases[n]%%|*}" "${cases[n]#*|}" &
	done
	wait
	for n in "${!cases[@]}"; do
		read -r fault side type number <<<"${cases[n]%%|*}"
		command=${cases[n]#*|}
		command=${command%% *}
		dir=$work/messages/case$n
		said=$(broken "$dir" "$(allowed "$fault" "$side" "$type" "$number")" "$command")
		[[ -z $said ]] || verdict "${cases[n]}" "$said"
		read -r client server _ <"$dir/statuses"
		rc="$command $fault $client$server"
		table[$rc]=$((${table[$rc]-0} + 1))
	done
	echo "# command, fault, exit of client and server: cases"
	for rc in "${!table[@]}"; do echo "# $rc: ${table[$rc]}"; done | sort
	((failed)) || verdict "each message dropped, doubled, delayed, cut, muted, changed: ${#cases[@]} cases" ''
	foreign
}

# A client that says that it is at the address of another device. Nothing comes to that device.
foreign()
{
	local dir=$work/foreign said

	# softhca0 and softhca2
	through "$dir" "$port" 'set:198.18.0.1=198.18.0.3 c endpoint 0' 'send_bw -c UD --both -D 1'
	((port += 2))
	said=$(broken "$dir" waits)
	grep -q 'the peer has named\|nothing came from the address' "$dir/client" "$dir/server" ||
		said+="no refusal: $(tail -n 1 "$dir/server")"
	verdict "UD to the address of another device is refused" "$said"
}
