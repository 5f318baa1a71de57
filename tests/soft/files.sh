# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Nothing is lost: runs and sessions add to one file; a signal, a full disk, a reader that is gone and a killed process
# leave what was measured, and no document that says ok.

# The values of a column in all rows, a line each.
column()	# file, column
{
	awk -F, -v n="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == n) c = i } NR > 1 { print $c }' "$1"
}

# Prints what is wrong with a CSV file: its header is there once, and it has so many rows.
has_rows()	# file, rows
{
	[[ $(grep -c '^schema,' "$1") == 1 && $(head -n 1 "$1") == schema,* ]] || echo "not one header in $1"
	[[ $(wc -l <"$1") == "$(($2 + 1))" ]] || echo "$(wc -l <"$1") lines in $1, not $(($2 + 1))"
}

json_says() { jq -r '.status' "$1" 2>&1; }	# file

files_add()
{
	local i

	rm -f "$work"/f.*
	for i in 1 2 3; do
		client=(-n 50 --csv "$work/f.csv" --jsonl "$work/f.jsonl" --json "$work/f.json")
		both "$guard" "$build/vb_send_bw"
		verdict "files: run $i adds" "$ended$(has_rows "$work/f.csv" $i
			[[ $(wc -l <"$work/f.jsonl") == "$i" ]] || echo 'rows are missing in JSON Lines'
			[[ $(jq '.rows | length' "$work/f.json") == 1 ]] || echo 'the document is not of one run'
			[[ $(json_says "$work/f.json") == ok ]] || echo 'it does not say ok')"
	done
	head -c -100 "$work/f.csv" >"$work/f.torn"
	client=(-n 50 --csv "$work/f.torn")
	both "$guard" "$build/vb_send_bw"
	verdict 'files: a torn row is cut off, and a note says so' "$ended$(
		grep -q 'torn' "$work/client" || echo 'no note'
		awk -F, 'NR == 1 { n = NF } NF < n { print "line " NR " is torn" }' "$work/f.torn")"
	client=(-n 50 --csv "$work/f.csv" --csv-new)
	both "$guard" "$build/vb_send_bw"
	verdict 'files: --csv-new starts over' "$ended$(has_rows "$work/f.csv" 1)"
	verdict 'files: the time has milliseconds' "$(
		[[ $(column "$work/f.csv" time) =~ ^[0-9-]{10}T[0-9:]{8}\.[0-9]{3}Z$ ]] ||
			echo "it is '$(column "$work/f.csv" time)'")"
	verdict 'files: times in the options have their unit' "$(
		jq -er '.run.options | keys[]' "$work/f.json" >"$work/keys" || echo 'no options'
		grep -xE 'stall_timeout|duration|spin' "$work/keys")"
}

# A server of many. Sets server and serving (the process of verbench).
files_serve()	# options...
{
	((++port))
	softhca "$build/verbench" serve -p "$port" "$@" >"$work/server" 2>&1 &
	server=$!
	await_listener "$server"
}

files_client()	# options...
{
	softhca timeout "$guard" "$build/vb_send_bw" -p "$port" -n 50 "$@" 127.0.0.1 >"$work/client" 2>&1
}

files_serve_end()
{
	kill "$(files_process serve)"
	wait "$server"
}

# The process of verbench with this word and the port of the case, not the ones that start it. The oldest: of a server,
# not of a session.
files_process() { pgrep -o -f "^$build/[a-z_]* ?$1 -p $port"; }	# word

# Sessions add, also at the same time, and so does the next server.
files_of_a_server()
{
	local i pids=()

	rm -f "$work"/f.*
	files_serve --csv "$work/f.csv" --json "$work/f.json" --jsonl "$work/f.jsonl"
	verdict 'files: a server without a session leaves no file' "$(find "$work" -name 'f.*')"
	for i in 1 2 3 4; do
		softhca timeout "$guard" "$build/vb_send_bw" -p "$port" -n 50 127.0.0.1 >/dev/null 2>&1 &
		pids+=($!)
	done
	wait "${pids[@]}"
	files_serve_end
	files_serve --csv "$work/f.csv" --json "$work/f.json" --jsonl "$work/f.jsonl"
	files_client
	files_serve_end
	verdict 'files: the sessions of two servers are in one file' "$(has_rows "$work/f.csv" 5
		[[ $(wc -l <"$work/f.jsonl") == 5 ]] || echo 'not 5 rows in JSON Lines'
		[[ $(jq -r .status "$work/f.json" | grep -cx ok) == 5 ]] || echo 'not 5 documents')"
	files_serve --csv "$work/f.csv" --csv-new
	files_client
	files_client
	files_serve_end
	verdict 'files: a server with --csv-new starts over once' "$(has_rows "$work/f.csv" 2)"
}

# Server and client, of all sizes and with files of all formats, in a process group of their own, whose number is in
# files.group; exit statuses are in files.client and files.server.
files_group()
{
	rm -f "$work"/files.* "$work"/f.*
	((++port))
	# a check that nohup(1) runs ignores SIGHUP
	softhca env --default-signal setsid bash -c '
		trap : INT TERM HUP	# the shell stays; its children have the default
		echo $$ >"$2/files.group"
		await() { until ! kill -0 "$1" 2>/dev/null; do wait "$1"; status=$?; done; echo "$status" >"$2"; }
		"$1/vb_send_bw" -p "$3" --csv "$2/f.server.csv" --json "$2/f.server.json" \
			>"$2/f.server.out" 2>"$2/f.server.err" &
		server=$!
		"$1/vb_send_bw" -p "$3" -a -D 1 --csv "$2/f.csv" --json "$2/f.json" 127.0.0.1 \
			>"$2/f.out" 2>"$2/f.err" &
		client=$!
		await "$client" "$2/files.client"
		await "$server" "$2/files.server"
	' bash "$build" "$work" "$port" &
	group=$!
	await_lines "$group" "$work/f.csv" 2
	await_lines "$group" "$work/f.server.csv" 2
}

# What is wrong with the files of an interrupted run of files_group.
interrupted()
{
	local side

	for side in client server; do
		[[ $(cat "$work/files.$side") == 1 ]] || echo "the exit of the $side is $(cat "$work/files.$side")"
	done
	for side in f f.server; do
		[[ $(column "$work/$side.csv" status | head -n 1) == ok ]] || echo "$side: the first row is not ok"
		[[ $(column "$work/$side.csv" status | tail -n 1) == interrupted ]] || echo "$side: no interrupted row"
		[[ $(json_says "$work/$side.json") == interrupted ]] ||
			echo "$side: the document says $(json_says "$work/$side.json")"
	done
	[[ -s $work/f.out ]] || echo 'no table'
}

# Has a process a SIGTERM that it has not handled? Without fork(2): it may end in milliseconds.
has_term()	# pid
{
	local key value=

	while read -r key value && [[ $key != ShdPnd: ]]; do :; done <"/proc/$1/status"
	((0x${value:-0} & 1 << 14))
} 2>/dev/null

# SIGTERM to a process group, until each of its processes has handled it: the next one is another one then.
handled_term()	# process group, pids...
{
	local pid

	kill -TERM -- -"$1" 2>/dev/null
	shift
	for pid in "$@"; do
		while has_term "$pid"; do :; done
	done
}

files_signals()
{
	local signal group id pids tries begun took

	for signal in INT TERM HUP; do
		files_group
		kill -"$signal" -- -"$(cat "$work/files.group")"
		wait "$group"
		verdict "files: SIG$signal to client and server" "$(interrupted)"
	done
	# as timeout(1) does. The second one must come within SIGNALS_TWIN_MS: a shell that was too slow tries again.
	for ((tries = 0; tries < 5; tries++)); do
		files_group
		id=$(cat "$work/files.group")
		mapfile -t pids < <(pgrep -g "$id")
		begun=${EPOCHREALTIME/[.,]/}
		handled_term "$id" "${pids[@]}"
		handled_term "$id" "${pids[@]}"
		took=$((${EPOCHREALTIME/[.,]/} - begun))
		wait "$group"
		((took >= 450000)) || break
	done
	verdict 'files: one wish as two signals' "$(interrupted)"
}

# As a service manager does: the server and its session get the signal at once, and the server asks the session too.
files_all_of_a_server()
{
	local i pid pids

	rm -f "$work"/f.*
	files_serve --csv "$work/f.csv" --json "$work/f.json"
	softhca timeout "$guard" "$build/vb_send_bw" -p "$port" -a -D 1 127.0.0.1 >/dev/null 2>&1 &
	pid=$!
	await_lines "$pid" "$work/f.csv" 2
	mapfile -t pids < <(pgrep -f "^$build/verbench serve -p $port")
	# the session first: it has handled this signal when the server asks it
	for ((i = ${#pids[@]} - 1; i >= 0; i--)); do
		kill -TERM "${pids[i]}" 2>/dev/null
		while has_term "${pids[i]}"; do :; done
	done
	wait "$pid" "$server"
	verdict 'files: SIGTERM to a server and its session' "$(
		[[ $(column "$work/f.csv" status | tail -n 1) == interrupted ]] || echo 'no interrupted row'
		[[ $(json_says "$work/f.json") == interrupted ]] || echo "the document: $(json_says "$work/f.json")")"
}

# The client cannot end in order: its server is stopped.
files_second_signal()
{
	local pid server rc

	rm -f "$work"/f.*
	((++port))
	softhca "$build/vb_send_bw" -p "$port" >/dev/null 2>&1 &
	server=$!
	printf '{"schema": 1, "status": "ok", "rows": []}\n' >"$work/f.json"
	softhca "$build/vb_send_bw" -p "$port" -a -D 1 --stall-timeout 60 --csv "$work/f.csv" --json "$work/f.json" \
		127.0.0.1 >"$work/client" 2>&1 &
	pid=$!
	await_lines "$pid" "$work/f.csv" 2
	pgrep -f "^$build/vb_send_bw -p $port$" | xargs kill -STOP
	# again and again, until half a second has passed since the first one
	while kill -TERM "$(pgrep -f "^$build/vb_send_bw -p $port -a")" 2>/dev/null; do sleep 0.1; done
	wait "$pid"
	rc=$?
	pgrep -f "^$build/vb_send_bw -p $port$" | xargs kill -KILL
	wait "$server"
	verdict 'files: a second signal ends at once' "$( ((rc == 143)) || echo "exit $rc"
		[[ $(column "$work/f.csv" status | head -n 1) == ok ]] || echo 'its rows are lost'
		[[ $(json_says "$work/f.json") == running ]] || echo "the document says $(json_says "$work/f.json")")"
}

files_nohup()
{
	local pid server rc

	rm -f "$work"/f.*
	((++port))
	softhca timeout "$guard" "$build/vb_send_bw" -p "$port" >/dev/null 2>&1 &
	server=$!
	(trap '' HUP && softhca "$build/vb_send_bw" -p "$port" -a -n 50 --csv "$work/f.csv" 127.0.0.1 >/dev/null 2>&1) &
	pid=$!
	await_lines "$pid" "$work/f.csv" 2
	kill -HUP "$(pgrep -f "^$build/vb_send_bw -p $port -a")" 2>"$work/no"
	wait "$pid"
	rc=$?
	wait "$server"
	verdict 'files: nohup stays nohup' "$( ((rc == 0)) || echo "exit $rc"
		[[ ! -s $work/no ]] || echo 'it ended too early')"
}

# What cannot be written is an error with its cause, and the table is printed all the same.
files_unwritable()
{
	local path

	mkfifo "$work/pipe"
	for path in /dev/full "$work/pipe"; do
		for format in csv jsonl json; do
			client=(-n 50 "--$format" "$path")
			both "$guard" "$build/vb_send_bw"
			verdict "files: --$format to ${path##*/}" "$(
				[[ $ended == 'client exit 1: '* ]] || echo "it is '$ended'"
				grep -qE "write .* to $path: (No space left|no program reads)" "$work/client" ||
					echo 'no cause'
				grep -q 65536 "$work/client" || echo 'no table')"
		done
	done
	rm "$work/pipe"
	client=(-n 50)
	both "$guard" "$build/vb_send_bw"
	((++port))
	softhca timeout "$guard" "$build/vb_send_bw" -p "$port" >/dev/null 2>&1 &
	server=$!
	# the reader is gone before the row comes: it has no descriptor of the pipe
	softhca timeout "$guard" "$build/vb_send_bw" -p "$port" -n 50 --csv - 127.0.0.1 2>"$work/client" > >(exec true)
	rc=$?
	wait "$server"
	verdict 'files: the reader of --csv - is gone' "$( ((rc == 1)) || echo "exit $rc"
		grep -q 'write CSV to -: the program that reads' "$work/client" || echo 'no cause')"
}

# No document of yesterday says ok.
files_old_document()
{
	local old='{"schema": 1, "status": "ok", "error": null, "rows": []}' pid

	printf '%s\n' "$old" >"$work/f.json"
	softhca timeout "$guard" "$build/vb_send_bw" -p 1 --connect-timeout 0.2 --json "$work/f.json" \
		127.0.0.1 >"$work/client" 2>&1
	verdict 'files: a run without a server says failed' "$(
		[[ $(json_says "$work/f.json") == failed ]] || json_says "$work/f.json"
		[[ $(jq -r .error "$work/f.json") == *connect* ]] || echo 'no cause')"
	files_serve
	printf '%s\n' "$old" >"$work/f.json"
	files_client -s 1g --json "$work/f.json" -l 4 -t 2
	verdict 'files: a run that is refused says refused' "$(
		[[ $(json_says "$work/f.json") == refused ]] || json_says "$work/f.json")"
	files_serve_end
	((++port))
	printf '%s\n' "$old" >"$work/f.json"
	softhca "$build/vb_send_bw" -p "$port" --json "$work/f.json" >"$work/server" 2>&1 &
	pid=$!
	await_listener "$pid"
	verdict 'files: a server that waits says running' "$(
		[[ $(json_says "$work/f.json") == running ]] || json_says "$work/f.json")"
	kill -INT "$(files_process '')"
	wait "$pid"
	verdict 'files: a server that is interrupted before a client says so' "$(
		[[ $(json_says "$work/f.json") == interrupted ]] || json_says "$work/f.json")"
}

part_files()
{
	files_add
	files_of_a_server
	files_signals
	files_all_of_a_server
	files_second_signal
	files_nohup
	files_unwritable
	files_old_document
}
