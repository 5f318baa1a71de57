# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# A server that an administrator leaves running: nobody reads what it prints, it is stopped, asked, and watched.
# Sourced by run.

# A client of the server that runs.
daemon_client()	# options
{
	(($#)) || set -- -n 100 -s 64
	softhca timeout "$guard" "$build/vb_send_bw" -p "$port" "$@" 127.0.0.1 >"$work/client" 2>&1
}

# A pipe that is full and that nobody reads. Sets full; its other end stays open in this shell.
daemon_fill()	# file
{
	mkfifo "$1"
	exec {full}<>"$1"
	dd if=/dev/zero of="$1" oflag=nonblock bs=4096 count=1000 2>/dev/null
}

# Standard output and standard error of the server are a full pipe: plans that are refused, which the server logs, and
# sessions, which print a line each, take no longer than their deadline, and their rows are in the file.
daemon_unread()
{
	local why='' server cat i

	((++port))
	daemon_fill "$work/unread"
	start unread "$build/verbench" serve -p "$port" --csv "$work/unread.csv"
	server=$job
	await_listener "$server"
	for i in 1 2 3; do
		daemon_client --peer-device nosuch && why+="plan $i is not refused "
	done
	for i in 1 2 3; do
		daemon_client || why+="session $i: $(tail -n 1 "$work/client") "
	done
	# somebody reads again: the log says what is missing
	cat <&"$full" >"$work/unread.log" &
	cat=$!
	await "$server" grep -aq 'lines of this log are missing: nobody read' "$work/unread.log" ||
		why+="the log does not tell what is missing: $(tr -d '\0' <"$work/unread.log") "
	kill "$process"
	wait "$server" || why+="the server's exit is $? "
	kill "$cat"
	wait "$cat" 2>/dev/null
	exec {full}>&-
	(($(wc -l <"$work/unread.csv") == 4)) || why+="the file has $(wc -l <"$work/unread.csv") lines"
	verdict "daemon: nobody reads what the server prints" "$why"
}

# Closed descriptors are no files of results.
daemon_closed()
{
	local why='' server

	((++port))
	# shellcheck disable=SC2016 # the inner shell becomes the server
	start closed bash -c 'exec "$0" "$@" <&- >&-' "$build/verbench" serve -p "$port" --csv "$work/closed.csv"
	server=$job
	await_listener "$server"
	daemon_client || why+="session: $(tail -n 1 "$work/client") "
	kill "$process"
	wait "$server" || why+="the server's exit is $? "
	awk 'NR == 1 { next } !/^1,/ { bad = 1 } END { exit bad || NR != 2 }' "$work/closed.csv" ||
		why+="something else is in the file: $(cut -c -80 "$work/closed.csv")"
	verdict "daemon: standard output is closed" "$why"
}

# The process of the session that runs: the child of the server, once it has told what it runs.
daemon_session()	# server
{
	pgrep -P "$1"
}

# A line for each session, whatever ends it.
daemon_audit()
{
	local why='' server client got line

	((++port))
	start audit "$build/verbench" serve -p "$port" --audit "$work/audit.log" --audit-format json
	server=$job
	await_listener "$server"
	daemon_client -a -n 5 || why+="session: $(tail -n 1 "$work/client") "
	daemon_client --peer-device nosuch && why+="the plan is not refused "
	# a session that is killed from outside, and one that the server ends
	daemon_client -s 64 -D 60 --interval 100ms --csv "$work/audit.csv" &
	client=$!
	await_lines "$client" "$work/audit.csv" 2
	kill -KILL "$(daemon_session "$process")"
	wait "$client"
	await_lines "$server" "$work/audit.log" 3
	rm -f "$work/audit.csv"
	daemon_client -s 64 -D 60 --interval 100ms --csv "$work/audit.csv" &
	client=$!
	await_lines "$client" "$work/audit.csv" 2
	kill "$process"
	wait "$client"
	wait "$server" || why+="the server's exit is $? "
	got=$(jq -r '[.session, .address, .auth, .test, .transport, .size_min_bytes, .size_max_bytes, .plans, .points,
		.outcome, .reason] | map(tostring) | join(" ")' "$work/audit.log" 2>&1)
	while read -r line; do
		grep -qE "^$line" <<<"$got" || why+="no line '$line' in: $got "
	done <<-'END'
		1 127.0.0.1 none send_bw RC 2 8388608 1 23 measured $
		2 127.0.0.1 none   0 0 1 0 refused .*nosuch
		3 127.0.0.1 none send_bw RC 64 64 1 0 crashed signal 9
		4 127.0.0.1 none send_bw RC 64 64 1 1 interrupted the server was stopped$
	END
	(($(wc -l <"$work/audit.log") == 4)) || why+="there are $(wc -l <"$work/audit.log") lines "
	jq -es '.[0] | .bytes > 16777210 and .seconds > 0 and .port > 0 and .host == $host and
		(.time | test("^20[0-9-]*T[0-9:.]*Z$"))' --arg host "$(uname -n)" "$work/audit.log" >/dev/null ||
		why+="the first line: $(head -n 1 "$work/audit.log") "
	verdict "daemon: audit of each session" "$why"
}

# The audit as text on standard error, whatever else the log has to tell; a file that cannot be one.
daemon_audit_places()
{
	local why='' server i

	((++port))
	start places "$build/verbench" serve -p "$port" --audit - --max-log-rate 1
	server=$job
	await_listener "$server"
	daemon_client || why+="session: $(tail -n 1 "$work/client") "
	for i in 1 2 3 4 5; do
		daemon_client --peer-device nosuch && why+="plan $i is not refused "
	done
	kill "$process"
	wait "$server"
	grep -q 'audit: time=".*" session=1 .*test="send_bw" .* outcome="measured" reason=""$' "$work/places" ||
		why+="the log: $(<"$work/places") "
	(($(grep -c 'audit: time=.* outcome="refused" ' "$work/places") == 5)) ||
		why+="lines are missing: $(<"$work/places") "
	ln -s "$work/elsewhere" "$work/link"
	softhca timeout "$guard" "$build/verbench" serve -p "$port" --audit "$work/link" >"$work/places" 2>&1 &&
		why+="a link is followed "
	grep -q -- "--audit $work/link: " "$work/places" || why+="of a link: $(<"$work/places") "
	[[ ! -e $work/elsewhere ]] || why+="the link's target was made "
	verdict "daemon: places of the audit" "$why"
}

# A GET over TCP, by the shell alone.
daemon_get()	# port, path
{
	local tcp

	exec {tcp}<>"/dev/tcp/127.0.0.1/$1" || return
	printf 'GET %s HTTP/1.0\r\n\r\n' "$2" >&"$tcp"
	cat <&"$tcp"
	exec {tcp}>&-
}

# What runs, as text, as JSON, and for Prometheus; programs that connect and say nothing change nothing.
daemon_status()
{
	local why='' server client silent i fds=() metrics

	((port += 2))
	metrics=$((port - 1))
	export RUNTIME_DIRECTORY=$work/runtime
	start status "$build/verbench" serve -p "$port" --metrics "127.0.0.1:$metrics"
	server=$job
	await_listener "$server"
	for ((i = 0; i < 12; i++)); do
		exec {silent}<>"/dev/tcp/127.0.0.1/$metrics"
		fds+=("$silent")
	done
	daemon_client || why+="session: $(tail -n 1 "$work/client") "
	daemon_client -s 64 -D 60 --interval 100ms --csv "$work/status.csv" &
	client=$!
	await_lines "$client" "$work/status.csv" 2
	"$build/verbench" serve --status -p "$port" >"$work/status.text" 2>&1 || why+="--status: exit $? "
	grep -q "session 2: 127.0.0.1 port [0-9]* ($(uname -n)), none: send_bw RC, 1 plans" "$work/status.text" ||
		why+="the text: $(<"$work/status.text") "
	"$build/verbench" serve --status -p "$port" --json - >"$work/status.json" 2>&1 || why+="--json: exit $? "
	jq -e '.limits.sessions == {used: 1, most: 16} and (.sessions | length) == 1 and .state == "serving" and
		.sessions[0].test == "send_bw" and .totals.ended.measured == 1 and .totals.messages == 100' \
		"$work/status.json" >/dev/null || why+="the object: $(tr -d '\n' <"$work/status.json") "
	daemon_get "$metrics" /metrics >"$work/metrics"
	for i in '^HTTP/1.0 200 OK' '^verbench_sessions 1$' '^verbench_sessions_total{outcome="measured"} 1$' \
		'^verbench_bytes_total 6400$'; do
		grep -q "$i" <(tr -d '\r' <"$work/metrics") || why+="no '$i' in: $(<"$work/metrics") "
	done
	daemon_get "$metrics" /status | grep -q '^HTTP/1.0 404' || why+="--metrics tells more than numbers "
	[[ $(stat -c %a "$RUNTIME_DIRECTORY" "$RUNTIME_DIRECTORY/serve-$port.sock" | paste -sd ' ') == '700 600' ]] ||
		why+="modes: $(stat -c %a "$RUNTIME_DIRECTORY" "$RUNTIME_DIRECTORY"/*) "
	kill "$process"
	wait "$client"
	wait "$server" || why+="the server's exit is $? "
	for silent in "${fds[@]}"; do exec {silent}>&-; done
	[[ ! -e $RUNTIME_DIRECTORY/serve-$port.sock ]] || why+="the socket is left "
	"$build/verbench" serve --status -p "$port" >"$work/status.text" 2>&1 && why+="nobody is asked: exit 0 "
	grep -q 'no server answers at ' "$work/status.text" || why+="nobody is asked: $(<"$work/status.text") "
	unset RUNTIME_DIRECTORY
	verdict "daemon: status" "$why"
}

is_closed() { ! listens; }

# SIGTERM: sessions may end, new ones do not begin; a second one ends what still runs, and the audit tells it.
daemon_drain()
{
	local why='' server client

	((++port))
	start drain "$build/verbench" serve -p "$port" --drain-time 1h --audit "$work/drain.log"
	server=$job
	await_listener "$server"
	daemon_client -s 64 -D 2 --interval 100ms --csv "$work/drain.csv" &
	client=$!
	await_lines "$client" "$work/drain.csv" 2
	kill "$process"
	await "$server" is_closed || why+="it still listens "
	wait "$client" || why+="the session was cut: $(tail -n 1 "$work/client") "
	wait "$server" || why+="the server's exit is $? "
	grep -q 'outcome="measured"' "$work/drain.log" || why+="the audit: $(<"$work/drain.log") "

	start drain "$build/verbench" serve -p "$port" --drain-time 1h --audit "$work/drain.log"
	server=$job
	await_listener "$server"
	rm -f "$work/drain.csv"
	daemon_client -s 64 -D 100 --interval 100ms --csv "$work/drain.csv" &
	client=$!
	await_lines "$client" "$work/drain.csv" 2
	kill "$process"
	await "$server" grep -q 'sessions have 3600 s to end' "$work/drain" ||
		why+="nothing is said: $(<"$work/drain") "
	# what comes within half a second is the same wish
	while kill "$process" 2>/dev/null; do sleep 0.1; done
	wait "$client" && why+="the session was not ended "
	wait "$server" || why+="the server's exit after the second signal is $? "
	grep -q 'outcome="killed" reason="the server ended"' "$work/drain.log" ||
		why+="the audit: $(<"$work/drain.log") "
	verdict "daemon: drain" "$why"
}

# SIGHUP after the log was rotated; the end when nobody comes.
daemon_reload()
{
	local why='' server

	((++port))
	start reload "$build/verbench" serve -p "$port" --idle-exit 3s --audit "$work/reload.log"
	server=$job
	await_listener "$server"
	daemon_client || why+="session: $(tail -n 1 "$work/client") "
	await_lines "$server" "$work/reload.log" 1
	mv "$work/reload.log" "$work/reload.1"
	kill -HUP "$process"
	await "$server" grep -q reloaded "$work/reload" || why+="not reloaded: $(<"$work/reload") "
	daemon_client || why+="session: $(tail -n 1 "$work/client") "
	wait "$server" || why+="the server's exit is $? "
	[[ $(cat "$work/reload.1" "$work/reload.log" | grep -o ' session=[0-9]*' | tr -d '\n') == \
		' session=1 session=2' ]] ||
		why+="the files: $(cat "$work/reload.1" "$work/reload.log") "
	grep -q 'nobody has been connected for 3 s' "$work/reload" || why+="the log: $(<"$work/reload") "
	verdict "daemon: reload, and the end without clients" "$why"
}

# SIGHUP: the owner's file is read again; a wrong one changes nothing.
daemon_config()
{
	local why='' server

	((++port))
	echo 'max-qps = 4' >"$work/serve.conf"
	start config "$build/verbench" serve -p "$port" --config "$work/serve.conf"
	server=$job
	await_listener "$server"
	daemon_client -n 10 -q 8 && why+="8 QPs are not refused "
	echo 'max-qps = many' >"$work/serve.conf"
	kill -HUP "$process"
	await "$server" grep -q 'reload: .*serve.conf:1: ' "$work/config" || why+="of a wrong file: $(<"$work/config") "
	daemon_client -n 10 -q 4 || why+="4 QPs: $(tail -n 1 "$work/client") "
	daemon_client -n 10 -q 8 && why+="a wrong file has changed the limit "
	echo 'max-qps = 8' >"$work/serve.conf"
	chmod 666 "$work/serve.conf"
	kill -HUP "$process"
	await "$server" grep -q 'reload: .*serve.conf: mode 0666' "$work/config" ||
		why+="of a file that others can write: $(<"$work/config") "
	daemon_client -n 10 -q 8 && why+="a file that others can write has changed the limit "
	chmod 644 "$work/serve.conf"
	kill -HUP "$process"
	await "$server" grep -q 'reloaded$' "$work/config" || why+="not reloaded: $(<"$work/config") "
	daemon_client -n 10 -q 8 || why+="8 QPs: $(tail -n 1 "$work/client") "
	kill "$process"
	wait "$server" || why+="the server's exit is $? "
	verdict "daemon: the owner's file is read again" "$why"
}

# Every kind of session in the sandbox, on a device that has a driver, interrupts and a place on PCI.
daemon_sandbox()
{
	local why='' server client command SOFTHCA_PROFILE
	SOFTHCA_PROFILE=$(profile_file connectx-roce-lag)
	export SOFTHCA_PROFILE

	((++port))
	mkdir "$work/copies"
	start sandbox "$build/verbench" serve -p "$port" --sandbox on --copy-to "$work/copies"
	server=$job
	await_listener "$server"
	if grep -q 'sandbox' "$work/sandbox"; then
		verdict "daemon: sandbox" "$(<"$work/sandbox")"
		return
	fi
	for command in 'vb_send_bw -a -n 20' 'vb_send_lat -n 50 -e' 'vb_write_bw -b -q 3 --threads 2 -n 50' \
		'vb_read_lat -n 50' 'vb_atomic_bw -n 50' 'vb_send_bw -c UD -n 50 --verify' \
		'vb_write_lat -c XRC -n 50' 'vb_send_bw -R -n 50 --srq' 'vb_send_lat --completion hybrid -n 50' \
		'vb_write_bw -n 50 --hugepages off --pin auto --peer-pin auto'; do
		# shellcheck disable=SC2086 # words of options
		softhca timeout "$guard" "$build/"$command -p "$port" 127.0.0.1 >"$work/client" 2>&1 ||
			why+="$command: $(tail -n 1 "$work/client") "
	done
	softhca timeout "$guard" "$build/verbench" copy "$build/config.h" "127.0.0.1:copied" -p "$port" \
		>"$work/client" 2>&1 &&
		cmp -s "$build/config.h" "$work/copies/copied" || why+="copy: $(tail -n 1 "$work/client") "
	softhca timeout "$guard" "$build/verbench" setup -n 3 --only qp -p "$port" 127.0.0.1 >"$work/client" 2>&1 ||
		why+="setup: $(tail -n 1 "$work/client") "
	daemon_client -s 64 -D 60 --interval 100ms --csv "$work/sandbox.csv" &
	client=$!
	await_lines "$client" "$work/sandbox.csv" 2
	grep -q '^Seccomp:[[:space:]]*2' "/proc/$(daemon_session "$process")/status" ||
		why+="the session is in no sandbox "
	ls -l "/proc/$(daemon_session "$process")/fd" | grep -q '/softhca-sys-' ||
		why+="the session has no copy of /sys/class/infiniband "
	grep -q '^NoNewPrivs:[[:space:]]*1' "/proc/$process/status" || why+="the server may get new privileges "
	kill "$process"
	wait "$client"
	wait "$server" || why+="the server's exit is $? "
	verdict "daemon: sandbox" "$why"
}

part_daemon()
{
	daemon_audit
	daemon_audit_places
	daemon_status
	daemon_drain
	daemon_reload
	daemon_config
	daemon_sandbox
	daemon_unread
	daemon_closed
}
