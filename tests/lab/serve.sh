# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# One node: clients that do not follow the protocol, refusals that need a device, and standard output.

# Runs one measurement with the server of the case, and prints what is wrong, or nothing.
measures()
{
	timeout -k 5 60 vb_send_bw -p "$port" -n 50 -s 1000 -u 18 --csv "$csv" --csv-new localhost >/dev/null 2>"$err"
	exited $? 0 "$err"
	rows "$csv" 1 status=ok messages=50
}

to_port() { exec 9<>"/dev/tcp/localhost/$port"; }

garbage()
{
	to_port
	head -c 4000 /dev/urandom >&9 2>/dev/null
	exec 9>&-
}

half_a_frame()
{
	to_port
	printf '\0\0\1\0{"type":"hel' >&9
	exec 9>&-
}

oversized_frame()
{
	to_port
	printf '\377\377\377\377{"type":"hello"}' >&9
	# the server must refuse it at once, not after a time-out
	timeout 20 cat <&9 >/dev/null
	exec 9>&-
}

no_object()
{
	to_port
	printf '\0\0\0\7[1,2,3]' >&9
	timeout 20 cat <&9 >/dev/null
	exec 9>&-
}

thousand_connections()
{
	local i fd fds=()

	for ((i = 0; i < 1000; i++)); do
		exec {fd}<>"/dev/tcp/localhost/$port" || return
		fds+=("$fd")
	done
	for fd in "${fds[@]}"; do exec {fd}>&-; done
}

# Clients that do not follow the protocol, with a server for many clients or for one.
strangers()	# command of the server...
{
	local name=$1 what silent_fd

	begin
	serve "$@"
	exec {silent_fd}<>"/dev/tcp/localhost/$port"
	for what in garbage half_a_frame oversized_frame no_object thousand_connections; do
		"$what" 2>/dev/null
		if gone "$server"; then
			verdict "$name after $what" "it has ended: $(tail -n 1 "$work/$port.server.err")"
			return
		fi
		# a server for one client measures at the end
		[[ $name != verbench ]] || verdict "serve after $what" "$(measures)"
	done
	verdict "${name/verbench/serve}, with a silent connection and after all strangers" "$(measures)"
	exec {silent_fd}>&-
	if [[ $name != verbench ]]; then
		collect "$server" 20
		verdict "$name: exit status" "$(exited "$status" 0 "$work/$port.server.err"
			rows "$work/$port.server.csv" 1 status=ok messages=50)"
	fi
}

# A session that crashes, and two sessions at the same time.
sessions()
{
	local before client session

	before=$(moved)
	vb_send_bw -p "$port" -D 60 localhost >/dev/null 2>"$err" &
	client=$!
	moving "$before" 400
	verdict 'serve: a second client at the same time' "$(measures)"
	read -r session < <(children "$server")
	kill -KILL "$session"
	collect "$client" 20
	verdict 'serve: a session crashes' "$(exited "$status" 1 "$err"; says "$work/$port.server.err" 'signal 9')"
	verdict 'serve after a session has crashed' "$(measures)"

	begin
	kill -INT "$server"
	collect "$server" 20
	verdict 'serve: exit status after SIGINT' "$(exited "$status" 0 "$work/$((port - 1)).server.err")"
	verdict 'serve: every session has its rows' "$(rows "$work/$((port - 1)).server.csv" 8 status=ok messages=50)"
}

# A plan that the devices or the machine cannot do: exit status and error message.
refused()	# name, exit status, regular expression, test, options...
{
	local name=$1 expect=$2 regex=$3 test=$4

	shift 4
	timeout -k 5 60 "vb_$test" -p "$port" "$@" >"$work/out" 2>"$err"
	verdict "refused: $name" "$(exited $? "$expect" "$err"; says "$err" "$regex"
		[[ ! -s $work/out ]] || say "standard output: $(head -n 1 "$work/out")")"
}

refusals()
{
	local longest

	begin
	serve verbench serve --allow any
	refused 'datagram over the MTU' 2 '5000.*4096' send_bw -c UD -s 5000 localhost
	refused 'inline too large' 2 '-I 60000' write_bw -s 60000 -I 60000 localhost
	refused 'unknown device' 2 'nothere.*rxe0' send_bw -d nothere localhost
	refused 'unknown port of the device' 2 'port' send_bw -i 7 localhost
	refused 'GID index that is not there' 2 'GID' send_bw -x 200 localhost
	refused 'unknown host' 1 'no-such-host' send_bw --connect-timeout 1 no-such-host.invalid
	refused 'too many QPs' 2 'QP' send_bw -q 16384 -t 16384 localhost
	# Soft-RoCE of Linux 6.12 takes 2 GiB, as IBA does
	longest=$(ibv_devinfo -v -d rxe0 | awk '$1 == "max_msg_sz:" { print $2 }')
	if ((longest < 1 << 30)); then
		refused 'message beyond the device' 2 '[0-9]{4}' write_bw -s 1G localhost
	else
		skip 'refused: message beyond the device' "the device takes $longest bytes"
	fi
	refused 'port in use' 1 'in use' send_bw
	end "$server"
	refused 'nobody listens' 1 'refused.*no server' send_bw --connect-timeout 300ms localhost
}

# Runs a command without the capability to lock more memory than its limit.
poor() { setpriv --bounding-set -all --inh-caps -all bash -c 'ulimit -l 64; exec "$@"' poor "$@"; }

memlock()
{
	begin
	if ! poor true 2>/dev/null; then
		skip 'memlock' 'setpriv cannot drop capabilities here'
		return
	fi
	serve verbench serve --allow any
	poor vb_send_bw -p "$port" -s 1M localhost >/dev/null 2>"$err"
	verdict 'refused: memory that may not be locked' "$(exited $? 1 "$err"; advises MEMLOCK "$err")"
	end "$server"
	begin
	serve poor verbench serve --allow any
	vb_send_bw -p "$port" -s 1M localhost >/dev/null 2>"$err"
	verdict 'refused: memory that the server may not lock, told to the client' "$(
		exited $? 1 "$err"; says "$err" 'reports: '; advises MEMLOCK "$err")"
	end "$server"
}

# Standard output carries one format and nothing else.
outputs()
{
	local reason

	begin
	timeout 60 vb_write_bw -p "$port" --csv - >"$work/server.csv" 2>/dev/null &
	server=$!
	timeout 60 vb_write_bw -p "$port" --csv - -n 50 -b localhost >"$csv" 2>"$err"
	verdict 'CSV on standard output, client' "$(exited $? 0 "$err"; rows "$csv" 2 status=ok role=client)"
	collect "$server" 20
	verdict 'CSV on standard output, server' "$(rows "$work/server.csv" 2 status=ok role=server)"

	begin
	timeout 60 vb_read_lat -p "$port" --json - >"$work/server.json" 2>/dev/null &
	server=$!
	timeout 60 vb_read_lat -p "$port" --json - -n 50 --csv "$csv" localhost >"$work/client.json" 2>"$err"
	status=$?
	collect "$server" 20
	if ! command -v jq >/dev/null; then
		skip 'JSON on standard output' 'there is no jq'
		return
	fi
	# both formats have the same keys and values; jq -r prints text as CSV does
	reason=$(exited "$status" 0 "$err"; rows "$csv" 1 status=ok lat_samples=50
		jq -e '.rows | length == 1' "$work/client.json" >/dev/null || say 'not one row'
		[[ $(jq -r '.rows[0] | keys_unsorted | join(",")' "$work/client.json") == $(head -n 1 "$csv") ]] ||
			say 'its keys are not those of CSV')
	verdict 'JSON on standard output, client' "$reason"
	reason=$(jq -e '.rows[0].lat_samples == 50' "$work/server.json" 2>&1 >/dev/null || say 'no row with 50 samples')
	verdict 'JSON on standard output, server' "$reason"
}

# The last case, since eth0 does not get all addresses back.
port_down()
{
	begin
	serve verbench serve --allow any
	ip link set eth0 down
	refused 'port down' 1 'down|not active|no .*active' send_bw -d rxe0 localhost
	ip link set eth0 up
	end "$server"
}

# The owner's file in /etc, which is that of the guest alone. A hang-up reads it again; one that is there and cannot be
# opened (here a link to itself: root has all rights) is not the same as none.
owners_file()
{
	local file=/etc/verbench/serve.conf why='' log

	begin
	mkdir -p "${file%/*}"
	echo 'max-qps = 4' >"$file"
	serve verbench serve --allow any
	log=$work/$port.server.err
	kill -HUP "$server"
	await 20 grep -q reloaded "$log" || why+="not reloaded: $(<"$log") "
	timeout -k 5 40 vb_send_bw -p "$port" -n 10 -q 8 localhost >/dev/null 2>"$err" && why+='8 QPs are served; '
	grep -qF -- "--max-qps 4 of the server's owner" "$err" || why+="$(tail -n 1 "$err") "
	verdict 'serve: SIGHUP reads the file in /etc again' "$why"

	why=
	ln -sfn serve.conf "$file"
	kill -HUP "$server"
	await 20 grep -q "reload: cannot open $file: .*; the server goes on as before" "$log" || why+="$(<"$log") "
	timeout -k 5 40 vb_send_bw -p "$port" -n 10 -q 8 localhost >/dev/null 2>"$err" && why+='8 QPs are served; '
	end "$server"
	timeout -k 5 20 verbench serve -p "$port" --idle-exit 1s >/dev/null 2>"$err" && why+='a server starts; '
	grep -q "cannot open $file: " "$err" || why+="$(tail -n 1 "$err") "
	rm -r "${file%/*}"
	verdict 'serve: a file in /etc that cannot be opened' "$why"
}

part_serve()
{
	strangers verbench serve --allow any
	sessions
	strangers vb_send_bw
	refusals
	memlock
	outputs
	port_down
	owners_file
}
