# shellcheck shell=bash disable=SC2034,SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# The failures that people meet first (src/remedy/remedy.def), as far as a device can make them: each is provoked by a
# profile, a fault of the link or a limit, and the message must have the commands of its row, which are read from there.
# tests/lab/first_contact.sh has those that need the kernel.

# Prints a row's string: 1 failure, 2 cause, 3 see, 4 remedy.
cause_text()	# row, number
{
	awk -v row="REMEDY($1," -v n="$2" 'index($0, row) == 1 { on = 1 }
		on { while (match($0, /"([^"\\]|\\.)*"/)) {
			if (++i == n) { print substr($0, RSTART + 1, RLENGTH - 2); exit }
			$0 = substr($0, RSTART + RLENGTH) } }' "$here/../../src/remedy/remedy.def"
}

# Says what the client's error message lacks of a row, in which HOST, PORT and ADDRESS may have values.
cause_lacks()	# row
{
	local part text pattern

	for part in 3 4; do
		text=$(cause_text "$1" "$part")
		[[ -n $text ]] || echo "remedy.def has no $1 "
		pattern=$(printf %q "$text" | sed -E 's/HOST|PORT|ADDRESS/*/g')
		# shellcheck disable=SC2053
		[[ $(<"$work/errors") == *$pattern* ]] || echo "no '$text' but: $(tail -n 1 "$work/errors") "
	done
}

# A profile of its own: another one with other lines, which come instead of those with the same key.
cause_profile()	# name, profile, lines...
{
	local line keys

	keys=$(printf '%s\n' "${@:3}" | sed 's/ *=.*//' | paste -sd '|')
	grep -vE "^($keys) *=" "$(profile_file "$2")" >"$work/$1.conf"
	for line in "${@:3}"; do echo "$line"; done >>"$work/$1.conf"
}

# A test between two profiles fails, and its message has the row's commands. cause_by: the command that runs the client.
cause_by=()
cause_met()	# row, name, server's profile, client's, options of a test
{
	local rc job process

	profile_serve "$3"
	SOFTHCA_PROFILE=$(profile_file "$4") softhca "${cause_by[@]}" timeout "$guard" "$build/verbench" \
		"${@:5}" -p "$port" 127.0.0.1 >/dev/null 2>"$work/errors"
	rc=$?
	profile_serve_end
	verdict "causes: $1: $2" "$(
		[[ $rc == 1 || $rc == 2 ]] || echo "exit $rc: $(tail -n 1 "$work/errors") "
		cause_lacks "$1")"
}

cause_ports()
{
	cause_profile init connectx-ib 'port_state = init'
	cause_profile lidless connectx-ib 'lid = 0'
	cause_profile down bnxt_re 'port_state = down'
	cause_profile empty rxe 'gid = none'
	cause_profile v1 rxe 'gid = roce_v1 {ip4}'
	cause_met NO_SM 'an InfiniBand port in INIT' connectx-ib "$work/init.conf" send_bw
	cause_met NO_SM 'the same port, by its number' connectx-ib "$work/init.conf" send_bw -d softhca0 -i 1
	cause_met NO_SM 'the peer has no LID' "$work/lidless.conf" connectx-ib send_bw
	cause_met PORT_DOWN 'a port that is down' bnxt_re "$work/down.conf" send_bw
	cause_profile addressless siw 'port_state = init'
	cause_met NO_GID 'an iWARP port in INIT' siw "$work/addressless.conf" send_bw -R
	cause_met NO_GID 'the same port, by its number' siw "$work/addressless.conf" send_bw -R -d softhca0 -i 1
	cause_others
	cause_met NO_GID 'a port without GID' rxe "$work/empty.conf" send_bw
	cause_met GID_PAIR 'RoCE v1 and v2' rxe "$work/v1.conf" send_bw
	cause_met MTU 'an MTU above that of the port' bnxt_re bnxt_re send_bw -m 4096
	cause_met NO_PKEY 'a partition that the port is not in' connectx-ib connectx-ib send_bw --pkey 0x8123
	cause_met IWARP 'an iWARP device without rdma_cm' siw siw send_bw
}

# The ports that are asked for decide the cause, not those of other devices.
cause_others()
{
	local cause_by

	cause_by=(env SOFTHCA_DEVICES=2 "SOFTHCA_PROFILE_1=$work/down.conf")
	cause_met PORT_DOWN 'another device is in INIT' bnxt_re "$work/init.conf" send_bw -d softhca1
	cause_met PORT_DOWN 'another device is in INIT, a port by its number' bnxt_re "$work/init.conf" \
		send_bw -d softhca1 -i 1
	cause_met NO_SM 'another device is down' bnxt_re "$work/init.conf" send_bw -d softhca0
	cause_met NO_SM 'one of any device is in INIT' bnxt_re "$work/init.conf" send_bw
}

# A server that cannot serve does not wait: it ends with the reason, as perftest does.
cause_server()	# row, name, profile, options...
{
	local why='' program rc

	for program in 'verbench serve' vb_send_bw perftest/ib_send_bw; do
		((++port))
		# shellcheck disable=SC2086 # words of a command
		SOFTHCA_PROFILE=$(profile_file "$3") softhca timeout "$guard" "$build/"$program -p "$port" "${@:4}" \
			>"$work/errors" 2>&1
		rc=$?
		((rc == 1)) || why+="$program: exit $rc "
		why+=$(cause_lacks "$1")
	done
	verdict "causes: a server: $1: $2" "$why"
}

cause_servers()
{
	cause_server PORT_DOWN 'its only port is down' "$work/down.conf"
	cause_server NO_SM 'the port that it shall take is in INIT' "$work/init.conf" -d softhca0 -i 1
	local -x SOFTHCA_LINK=nothing
	cause_server EMULATED 'the link is no link' bnxt_re
	"$build/verbench" list --soft >"$work/errors" 2>&1
	verdict 'causes: list: the link is no link' "$(tr -s ' \n' ' ' <"$work/errors" >"$work/out"
		mv "$work/out" "$work/errors"; cause_lacks EMULATED)"
}

# A port that comes up while the server waits for it.
cause_later()
{
	local why='' server

	((++port))
	cp "$work/down.conf" "$work/later.conf"
	SOFTHCA_PROFILE=$work/later.conf start later "$build/verbench" serve -p "$port" --wait-device 1h
	server=$job
	await "$server" grep -q 'no active port of any device.*--wait-device' "$work/later" || why="$(<"$work/later") "
	grep -q 'waiting for a client' "$work/later" && why+='it waits for a client '
	# the server must not read half of it
	cp "$(profile_file bnxt_re)" "$work/up.conf" && mv "$work/up.conf" "$work/later.conf"
	await "$server" grep -q 'waiting for a client' "$work/later" || why+="$(<"$work/later") "
	SOFTHCA_PROFILE=$work/later.conf softhca timeout "$guard" "$build/vb_send_bw" -n 100 -p "$port" 127.0.0.1 \
		>"$work/client" 2>&1 || why+="client: $(tail -n 1 "$work/client") "
	kill "$process"
	wait "$server" || why+="exit $? "
	verdict 'causes: a server waits for its port' "$why"
	((++port))
	SOFTHCA_PROFILE=$work/down.conf start later "$build/verbench" serve -p "$port" --wait-device 1h
	server=$job
	await "$server" grep -q -e --wait-device "$work/later"
	kill "$process"
	wait "$server"
	verdict 'causes: a server that waits for its port is stopped' "$( (($? == 0)) || echo "exit $?")"
}

# The command check says of a port in INIT what it waits for.
cause_check()	# profile, row, what it waits for
{
	SOFTHCA_PROFILE=$work/$1.conf softhca "$build/verbench" check --json "$work/check.json" >"$work/out" 2>&1
	verdict "causes: check of a port in INIT: $2" "$(
		grep -qF "initializing ($3)" "$work/out" || echo "not '$3' but: $(grep ' port 1' "$work/out") "
		jq -e --arg see "$(cause_text "$2" 3)" --arg mend "$(cause_text "$2" 4)" \
			'[.problems[] | select(.code == "no_active_port") | .remedy] ==
				[$see + "; remedy: " + $mend]' \
			"$work/check.json" >/dev/null || jq -c '[.problems[].remedy]' "$work/check.json")"
}

# A port that cannot be asked hides neither its device nor the next port.
cause_silent()
{
	local -x SOFTHCA_PORTS=2 SOFTHCA_FAULTS=query:EIO@1
	local says='cannot query port 1 of softhca0: Input/output error' rc why=''

	softhca "$build/verbench" list >"$work/out" 2>"$work/err"
	rc=$?
	((rc == 1)) || why="exit $rc "
	grep -qF "$says" "$work/err" || why+="no '$says' but: $(tail -n 1 "$work/err") "
	grep -q '^softhca0 .*link' "$work/out" || why+='no device '
	grep -q '^  port 2  active' "$work/out" || why+='no port 2 '
	verdict 'causes: list prints the port beside one that cannot be asked' "$why"

	why=
	softhca "$build/verbench" check --json "$work/check.json" >"$work/out" 2>&1
	rc=$?
	((rc == 1)) || why="exit $rc "
	jq -e --arg says "$says" '[.problems[] | .code + " " + .text] == ["not_open " + $says] and
		[.run.devices[].ports[].limits.port] == [2] and .run.devices[0].transports.RC' "$work/check.json" \
		>"$work/jq" 2>&1 || why+="$(jq -c '.problems' "$work/check.json") "
	grep -q '^  port 2: active' "$work/out" || why+='no port 2 '
	verdict 'causes: check looks at the port beside one that cannot be asked' "$why"
}

# The state is what programs see of it, in verbs and in files.
cause_state()
{
	local state

	for state in init:PORT_INIT:'2: INIT' down:PORT_DOWN:'1: DOWN'; do
		IFS=: read -r state name text <<<"$state"
		cause_profile "$state" connectx-ib "port_state = $state"
		verdict "causes: ibv_devinfo and sysfs of a port in $state" "$(
			export SOFTHCA_PROFILE=$work/$state.conf
			softhca ibv_devinfo | grep -q "state:.*$name" || echo "ibv_devinfo says no $name "
			[[ $(softhca bash -c 'cat /sys/class/infiniband/softhca0/ports/1/state' 2>&1) == "$text" ]] ||
				echo 'state is another one'
			[[ $state != init || $(softhca ibv_devinfo) != *port_lid:*169* ]] || echo 'there is a LID')"
	done
}

# What the limits of the process and the way of a message are.
cause_limits()
{
	local cause_by

	# the kernel counts nothing for a process with this capability, nor does a profile
	cause_by=(prlimit --memlock=4096:4096)
	((EUID)) || cause_by+=(setpriv --inh-caps -ipc_lock --bounding-set -ipc_lock)
	cause_met MEMLOCK 'queues above RLIMIT_MEMLOCK' connectx-ib connectx-ib send_bw
	cause_by=(env SOFTHCA_FAULTS=wc:RETRY_EXC_ERR@50)
	cause_met NO_ACK 'no acknowledgement' connectx-ib connectx-ib send_bw -n 100
	cause_by=(env SOFTHCA_FAULTS=wc:RNR_RETRY_EXC_ERR@50)
	cause_met NO_RECEIVE 'no receive' connectx-ib connectx-ib send_bw -n 100
}

# A server that serves its own host only, asked at another address of this host: the client's message has the command
# of a server that lets it in.
cause_own_host()
{
	local command job process rc

	((++port))
	start server "$build/verbench" serve -p "$port"
	await_lines "$job" "$work/server" 2
	softhca "$build/vb_write_bw" --connect-timeout 300ms -p "$port" 127.0.0.2 >/dev/null 2>"$work/errors"
	rc=$?
	kill -TERM "$process"
	wait "$job"
	verdict 'causes: NO_SERVER: a server of its own host only' "$(
		((rc == 1)) || echo "exit $rc "
		cause_lacks NO_SERVER)"
	command=$(sed -nE 's/.*: "verbench ([^"]*)"$/\1/p' "$work/errors")
	# shellcheck disable=SC2086 # words
	start server "$build/verbench" $command
	await_lines "$job" "$work/server" 1
	softhca "$build/vb_write_bw" -n 10 -p "$port" 127.0.0.2 >/dev/null 2>"$work/errors"
	rc=$?
	kill -TERM "$process"
	wait "$job"
	verdict 'causes: NO_SERVER: the command of the message lets the client in' "$(
		((rc == 0)) || echo "'$command': exit $rc: $(tail -n 1 "$work/errors")")"
}

part_causes()
{
	cause_own_host
	cause_ports
	cause_limits
	cause_state
	cause_silent
	cause_servers
	cause_later
	cause_check init NO_SM 'waits for a subnet manager'
	cause_check addressless NO_GID 'its network interface has no address'
}
