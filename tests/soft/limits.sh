# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# The limits of a server's owner that its processes enforce while sessions run: time and memory.

# A client of the server on $port whose test has no end of its own. Sets client_pid.
endless()	# name of its output, options...
{
	timeout -k 5 60 "$build/vb_write_bw" --soft -n 1000000000000 "${@:2}" "127.0.0.1:$port" >"$work/$1" 2>&1 &
	client_pid=$!
}

# The processes of the server's sessions, the oldest first.
sessions_of_server() { tr ' ' '\n' <"/proc/$process/task/$process/children" | grep .; }

is_stopped() { grep -q '^State:.T' "/proc/$1/status"; }

# An interval is told by the loops: the point runs.
has_interval() { grep -q '"kind": *"interval".*"status": *"ok"' "$1"; }

was_killed() { grep -qF -- "is killed: $1" "$2"; }

# Has the session run for so many seconds?
lives_for() { (($(ps -o etimes= -p "$session") >= $1)); }

stop_session()
{
	session=$(sessions_of_server)
	kill -STOP "$session" && await "$session" is_stopped "$session" || said='no session; '
}

# The loops of a point: they end in time, with what was measured; a session that does nothing any more is killed.
limits_point()
{
	local stopped said='' session server

	((++port))
	start server "$build/verbench" serve --soft -p "$port" --max-point-time 1 --max-total-memory 96M
	server=$job
	await_listener "$process"
	endless stopped --footprint 25M --interval 100ms --jsonl "$work/rows"
	stopped=$client_pid
	await "$stopped" has_interval "$work/rows"
	stop_session
	endless over --footprint 25M
	wait "$client_pid" && said+='not refused; '
	verdict 'limits: memory of all sessions' "$said$(
		grep -qF -- "--max-total-memory 100663296 of the server's owner: the test asks for " "$work/over" ||
			cat "$work/over")"
	endless client --csv "$work/rows.csv"
	wait "$client_pid"
	said=
	[[ $(field "$work/rows.csv" status) == interrupted ]] || said+='the row; '
	grep -qF -- "--max-point-time 1s of the server's owner is over" "$work/client" || said+=$(<"$work/client")
	verdict 'limits: time of a point' "$said"
	await "$process" was_killed "--max-point-time 1s of the server's owner" "$work/server"
	wait "$stopped"
	verdict 'limits: a session that does not end is killed' \
		"$(was_killed --max-point-time "$work/server" || cat "$work/server")"
	timeout -k 5 60 "$build/vb_write_bw" --soft -n 10 --footprint 25M "127.0.0.1:$port" >"$work/client" 2>&1 ||
		said="$(<"$work/client")"
	verdict 'limits: the server goes on, and has its memory again' "$said"
	kill "$process"
	wait "$server"
}

# Measurements of setup have no points: a session that shows no sign of life is killed, one that works is not.
limits_silent()
{
	local server client said='' session

	((++port))
	start silent_server "$build/verbench" serve --soft -p "$port" --max-idle 500ms --max-stall 500ms
	server=$job
	await_listener "$process"
	timeout -k 5 60 "$build/verbench" setup --soft --stall-timeout 500ms --only qp -n 1000000 \
		--jsonl "$work/setup" "127.0.0.1:$port" >"$work/client" 2>&1 &
	client=$!
	await "$client" sessions_of_server >/dev/null
	session=$(sessions_of_server)
	# far longer than the time without a sign of life
	await "$client" lives_for 4 || said='it did not live; '
	stop_session
	await "$process" was_killed '--max-idle 0.5s' "$work/silent_server"
	wait "$client" && said+='the client has a result; '
	was_killed "--max-idle 0.5s and twice --max-stall 0.5s of the server's owner, without a sign of life" \
		"$work/silent_server" || said+=$(<"$work/silent_server")
	verdict 'limits: a session that is silent between points is killed' "$said"
	kill "$process"
	wait "$server"
}

# A copy has no points, and its client says nothing on TCP while the windows move. It may take longer than silence.
limits_copy()
{
	local server said=''

	((++port))
	mkdir -p "$work/taken"
	head -c 24M /dev/zero | tr '\0' x >"$work/long"
	start copy_server "$build/verbench" serve --soft -p "$port" --max-idle 500ms --max-stall 500ms \
		--copy-to "$work/taken"
	server=$job
	await_listener "$process"
	# 3 s
	SOFTHCA_LINK=bandwidth=64M timeout -k 5 60 "$build/verbench" copy --soft -p "$port" -s 64K \
		--stall-timeout 500ms "$work/long" 127.0.0.1:long >"$work/client" 2>&1 || said=$(<"$work/client")
	cmp "$work/long" "$work/taken/long" >/dev/null || said+='; not the same file'
	verdict 'limits: a copy that takes longer than silence may' "$said"
	rm -f "$work/long" "$work/taken/long"
	kill "$process"
	wait "$server"
}

limits_session()
{
	local server

	((++port))
	start session_server "$build/verbench" serve --soft -p "$port" --max-session-time 1
	server=$job
	await_listener "$process"
	endless client
	wait "$client_pid"
	verdict 'limits: time of a session' \
		"$(grep -qF -- "--max-session-time 1s of the server's owner is over" "$work/client" ||
			cat "$work/client")"
	kill "$process"
	wait "$server"
}

# The owner's file; the command line replaces it.
limits_file()
{
	local server said=''

	((++port))
	printf '# of this test\nsoft = yes\nport = %s\nmax-threads = 1 # few\nmax-qps = 3\n' "$port" >"$work/serve.conf"
	start file_server "$build/verbench" serve --config "$work/serve.conf" --max-threads 2
	server=$job
	await_listener "$process"
	"$build/vb_write_bw" --soft -n 10 --threads 2 "127.0.0.1:$port" >"$work/client" 2>&1 || said=$(<"$work/client")
	"$build/vb_write_bw" --soft -n 10 --threads 2 -q 2 "127.0.0.1:$port" >"$work/client" 2>&1 &&
		said+='4 queue pairs are served'
	grep -qF -- "--max-qps 3 of the server's owner: the test asks for 4 queue pairs" "$work/client" ||
		said+=$(<"$work/client")
	verdict 'limits: a configuration file' "$said"
	kill "$process"
	wait "$server"
}

# A run of setup: its plan has one QP, and then it asks for more, also by rdma_cm.
limits_setup()
{
	local server said='' most="--max-qps 200 of the server's owner: --qps 201"

	((++port))
	# the plan needs little less; there is room for the queues of some 140 QPs
	start setup_server "$build/verbench" serve --soft -p "$port" --max-qps 200 --max-memory 1200K
	server=$job
	await_listener "$process"
	limits_setup_client --only qps,cms --qps 201 -n 1 --jsonl "$work/setup.rows" || said="$(<"$work/client") "
	[[ $(jq -r '.status + ": " + .reason' "$work/setup.rows" | sort -u) == "unsupported: $most" ]] ||
		said+=$(<"$work/setup.rows")
	verdict 'limits: queue pairs of setup' "$said"
	said=
	# all rounds together have more
	limits_setup_client --only qps,cms --qps 40 -n 400 || said="what fits: $(<"$work/client") "
	limits_setup_client --only cms --qps 200 -n 1 && said+='200 connections are made; '
	grep -q "is rejected: --max-memory 1228800 of the server's owner: " "$work/setup_server" ||
		said+="the server: $(<"$work/setup_server")"
	verdict 'limits: memory of connections of setup' "$said"
	kill "$process"
	wait "$server"
}

limits_setup_client()	# options
{
	timeout -k 5 60 "$build/verbench" setup --soft --depth 8 "$@" "127.0.0.1:$port" >"$work/client" 2>&1
}

soft_limit() { awk '/^Max open files/ { print $4 }' "/proc/$1/limits"; }

# A server has the descriptors that its sessions need, or does not start; a session has those of select(2).
limits_descriptors()
{
	local server said='' rc

	((++port))
	(ulimit -n 143 && exec timeout -k 5 20 "$build/verbench" serve --soft -p "$port") >"$work/few" 2>&1
	rc=$?
	((rc == 2)) || said="exit $rc; "
	grep -qF -- '--max-sessions 16 needs 144 descriptors, and the hard limit is 143' "$work/few" ||
		said+=$(<"$work/few")
	verdict 'limits: too few descriptors' "$said"
	said=
	# shellcheck disable=SC2016 # the inner shell becomes the program
	start many bash -c 'ulimit -Sn 24 && exec "$@"' _ "$build/verbench" serve --soft -p "$port" --max-sessions 600
	server=$job
	await_listener "$process"
	endless client --interval 100ms --jsonl "$work/many.rows"
	await "$client_pid" has_interval "$work/many.rows"
	[[ $(soft_limit "$process") == 1264 ]] || said="the server: $(soft_limit "$process"); "
	[[ $(soft_limit "$(sessions_of_server)") == 1024 ]] ||
		said+="its session: $(soft_limit "$(sessions_of_server)"); "
	kill "$process"
	wait "$client_pid"
	wait "$server" || said+="exit $?: $(<"$work/many")"
	verdict 'limits: descriptors of server and sessions' "$said"
}

part_limits()
{
	local guard=60	# nothing here takes longer

	limits_point
	limits_silent
	limits_copy
	limits_session
	limits_file
	limits_setup
	limits_descriptors
}
