# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# verbench run --resume: a sweep that is killed again and again gives the rows of one that is not; what cannot be
# written is an error, and what was written stays; a file of another sweep, or of something else, is refused and keeps
# every byte.

kills=20

resume_serve()
{
	((++port))
	SOFTHCA_DEVICES=2 "$build/verbench" serve --soft -p "$port" >"$work/server" 2>&1 &
	server=$!
	await_listener "$server"
}

# Cells of one row, of three, and of none: write_lat has no events, and one direction. A process of verbench itself.
resume_many=(--test "send_bw,write_bw,write_lat" -s 64,4k --completion "poll,event" -q 1,2 -b "on,off" -n 100)

resume_run()	# options...
{
	local host=(127.0.0.1)

	[[ ${*: -1} != 127.0.0.1:* ]] || host=()
	"$build/verbench" run --soft -p "$port" "$@" "${host[@]}" >"$work/out" 2>"$work/err"
}

# A few cells only.
resume_few()	# options...
{
	resume_run --test write_bw -s "${resume_sizes-64,128,256,512}" -n 100 "$@"
}

# Cell, direction and status of each result. A sum may be skipped, by the times of its two rows; how many intervals a
# cell has is a matter of time, too.
resume_rows()	# file
{
	awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; n = NF; next }
		{ line = $0; gsub(/"([^"]|"")*"/, "x", line) }
		split(line, cells, ",") != n { print "line " NR " is broken" }
		$1 == "schema" { print "line " NR " is a second header" }
		cells[c["kind"]] == "interval" { next }
		{ print $c["cell"] "|" $c["direction"] "|" ($c["direction"] == "both" ? "" : $c["status"]) }
	' "$1" | sort
}

# Kills a run when some rows have come, and a little later.
resume_kill()
{
	local pid want=$((1 + RANDOM % 4)) lines=0

	[[ ! -e $work/killed.csv ]] || lines=$(wc -l <"$work/killed.csv")
	"$build/verbench" run --soft -p "$port" "${resume_many[@]}" --resume "$work/killed.csv" 127.0.0.1 \
		>"$work/out" 2>"$work/err" &
	pid=$!
	((want += lines))
	await_lines "$pid" "$work/killed.csv" "$want"
	sleep "0.0$((RANDOM % 90 + 10))"	# so that it is at any place
	kill -KILL "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	if (($? == 137)); then
		((++killed))
		return
	fi
	# it was ready before: the next one begins again
	wrong+=$(diff <(resume_rows "$work/whole.csv") <(resume_rows "$work/killed.csv"))
	rm "$work/killed.csv"
}

resume_kills()
{
	local seed=${RESUME_SEED:-$RANDOM} i killed=0 wrong=

	RANDOM=$seed
	ended=
	resume_run "${resume_many[@]}" --csv "$work/whole.csv" || ended="exit $?: $(tail -n 1 "$work/err")"
	verdict 'resume: a sweep of 48 cells' "$ended$([[ $(jq '.cells | length' "$work/whole.csv.run.json") == 48 ]] ||
		echo 'FILE.run.json has not 48 cells')"
	for ((i = 0; i < 5 * kills && killed < kills; i++)); do resume_kill; done
	echo "# seed $seed: $killed of $i runs were killed"
	ended=
	resume_run "${resume_many[@]}" --resume "$work/killed.csv" || ended="exit $?: $(tail -n 1 "$work/err")"
	verdict "resume: killed $killed times, the rows are those of one run" "$ended$wrong$(
		((killed == kills)) || echo 'too many runs ended before they were killed'
		diff <(resume_rows "$work/whole.csv") <(resume_rows "$work/killed.csv"))"
	cp "$work/killed.csv" "$work/before"
	ended=
	resume_run "${resume_many[@]}" --resume "$work/killed.csv" || ended="exit $?"
	verdict 'resume: of a complete file nothing is done' "$ended$(cmp "$work/before" "$work/killed.csv" 2>&1
		[[ $(<"$work/err") == "verbench: $work/killed.csv: 48 of 48 cells are there" ]] || cat "$work/err")"
}

# A file that loses its last cell gets it again, in whatever order, and all rows count for what is expected of them.
resume_shape()	# name, options...
{
	local name=$1

	shift
	rm -f "$work"/shape.*
	[[ " $* " == *' -D '* ]] || set -- -n 500 "$@"
	ended=
	SOFTHCA_DEVICES=2 resume_run --test write_bw -s 64,128 --resume "$work/shape.csv" "$@" || ended="exit $? "
	resume_rows "$work/shape.csv" | sed 's/|[a-z]*$//' >"$work/shape.whole"
	sed -i '$d' "$work/shape.csv"
	SOFTHCA_DEVICES=2 resume_run --test write_bw -s 64,128 --resume "$work/shape.csv" \
		--expect 'size_bytes >= 65; messages > 0' "$@"
	rc=$?
	verdict "resume: $name" "$ended$(
		diff "$work/shape.whole" <(resume_rows "$work/shape.csv" | sed 's/|[a-z]*$//')
		[[ $(tr -s '\n ' '  ' <"$work/out") =~ 'FAIL '[^:]*': size_bytes 64, expected >= 65' ]] ||
			cat "$work/out"
		((rc == 3)) || echo "exit $rc, and the rows of 64 bytes are against what is expected")"
}

resume_shapes()
{
	local rc

	resume_shape 'both ways: a cell has three rows' -b
	resume_shape 'each cell is measured three times' --rounds 3
	resume_shape 'another order' --rounds 2 --shuffle 5
	resume_shape 'intervals' -D 0.3 --interval 100ms
	resume_shape 'two pairs, which have a total' 127.0.0.1:softhca0 127.0.0.1:softhca1
}

# The file loses something, and is resumed: the rows are those of a whole sweep.
resume_again()	# name, text on standard error
{
	ended=
	resume_few --resume "$work/few.csv" || ended="exit $?: $(tail -n 1 "$work/err")"
	verdict "resume: $1" "$ended$(diff <(resume_rows "$work/few.whole") <(resume_rows "$work/few.csv")
		grep -q -- "$2" "$work/err" || cat "$work/err")"
}

# Rows of intervals are there while their cell runs; those of a cell that did not end are taken out.
resume_interval()
{
	local pid said=

	rm -f "$work"/live.*
	"$build/verbench" run --soft -p "$port" --test write_bw -s 64,128 -D 1 --interval 100ms --csv "$work/live.csv" \
		--jsonl "$work/live.jsonl" 127.0.0.1 >"$work/out" 2>"$work/err" &
	pid=$!
	await_lines "$pid" "$work/live.csv" 3
	[[ $(resume_column "$work/live.csv" kind) != *result* ]] || said+='the rows come with their cell '
	jq -e .cells "$work/live.csv.run.json" >/dev/null 2>&1 || said+='rows before what they are of '
	await "$pid" resume_next_began "$work/live.csv"
	grep -q . "$work/live.jsonl" || said+='no JSON Lines '
	kill -KILL "$pid" || said+='the sweep ended before it was killed '
	wait "$pid" 2>/dev/null
	resume_run --test write_bw -s 64,128 -D 1 --interval 100ms --resume "$work/live.csv" || said+="exit $? "
	verdict 'resume: intervals of a cell that was killed' "$said$(
		grep -q 'rows of cells that are not complete are taken out' "$work/err" || cat "$work/err"
		resume_column "$work/live.csv" cell,kind,interval | awk -F, '
			$2 == "interval" && $3 != n[$1]++ { print "interval " $3 " of " $1 }
			$2 == "result" { result[$1]++ }
			END { for (cell in n) if (result[cell] != 1) print result[cell] + 0 " results of " cell }')"
}

# Is there an interval of the cell after the first one?
resume_next_began()	# file
{
	[[ $(resume_column "$1" kind) == *result$'\n'*interval* ]]
}

# Columns of all rows, with commas between them; none of them has a comma in it.
resume_column()	# file, columns
{
	awk -F, -v want="$2" '
		{ gsub(/"([^"]|"")*"/, "x") }
		NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; n = split(want, names, ","); next }
		{ for (i = 1; i <= n; i++) printf "%s%s", $c[names[i]], i < n ? "," : "\n" }' "$1"
}

resume_damage()
{
	local pid

	resume_few --csv "$work/few.csv"
	cp "$work/few.csv" "$work/few.whole"
	head -c -100 "$work/few.whole" >"$work/few.csv"
	resume_again 'a torn line, and the row before it, are measured again' '2 of 4 cells are there'
	head -n 3 "$work/few.whole" >"$work/few.csv"
	resume_again 'rows that are missing are added' '2 of 4 cells are there'
	head -c 20 "$work/few.whole" >"$work/few.csv"
	resume_again 'a torn header is no row' 'taken out'
	sed 's/,ok,/,failed,/2' "$work/few.whole" | sed '3s/,ok,/,failed,/' >"$work/few.csv"
	resume_again 'a row that failed is replaced' 'taken out'
	rm "$work/few.csv"
	resume_again 'a file that is gone is begun' ''
	# Ctrl-C
	rm "$work/few.csv"
	"$build/verbench" run --soft -p "$port" --test write_bw -s 64,128,256,512 -D 1 --resume "$work/int.csv" \
		127.0.0.1 >"$work/out" 2>"$work/err" &
	pid=$!
	await "$pid" test -e "$work/int.csv"
	kill -INT "$pid"
	wait "$pid"
	ended="$?"
	verdict 'resume: an interrupted sweep ends with 1, and says so in its last row' "$(
		[[ $ended == 1 ]] || echo "exit $ended"
		[[ $(resume_rows "$work/int.csv" | grep -c 'interrupted$') == 1 ]] || cat "$work/err")"
	ended=
	"$build/verbench" run --soft -p "$port" --test write_bw -s 64,128,256,512 -D 1 --resume "$work/int.csv" \
		127.0.0.1 >"$work/out" 2>"$work/err" || ended="exit $? "
	verdict 'resume: an interrupted cell is measured again' "$ended$(resume_rows "$work/int.csv" |
		grep -v '|ok$'; (($(wc -l <"$work/int.csv") == 5)) || echo "$(wc -l <"$work/int.csv") lines")"
}

# Exit status 2 with this text, and the files are as before.
resume_refused()	# name, text, options...
{
	local name=$1 text=$2

	shift 2
	resume_keeps "$name" "$text" --resume "$work/few.csv" "$@"
}

resume_keeps()	# name, text, options...
{
	local name=$1 text=$2 rc

	shift 2
	cat "$work/few.csv" "$work/few.csv.run.json" >"$work/before" 2>/dev/null
	resume_few "$@"
	rc=$?
	verdict "resume: refused: $name" "$(
		((rc == 2)) || echo "exit $rc"
		grep -qF -- "$text" "$work/err" || cat "$work/err"
		cat "$work/few.csv" "$work/few.csv.run.json" 2>/dev/null | cmp - "$work/before" 2>&1)"
}

resume_refusals()
{
	local holder

	head -n 3 "$work/few.whole" >"$work/few.csv"
	# options in an error message are those that were typed
	resume_refused 'another option' 'it has the cell "write_bw -s 128 -n 100", which this sweep lacks' -q 2
	resume_refused 'one cell more' 'it lacks the cell "write_bw -s 128 -n 100" of this sweep' --rounds 2
	SOFTHCA_LINK=bandwidth=10G resume_refused 'another device' 'firmware of the client was '
	resume_refused 'another host more' 'it has 1 servers, and this one has 2' 127.0.0.1 127.0.0.1:softhca0
	resume_refused 'with --json' '--resume excludes --json' --json "$work/few.json"
	resume_refused 'with another --csv' 'only one of them' --csv "$work/other.csv"
	exec {holder}<"$work/few.csv.run.json"
	flock "$holder"
	resume_refused 'another run writes it' 'another run writes these rows'
	exec {holder}<&-
	sed -i '2s/--size 64/--size 65/' "$work/few.csv"
	resume_refused 'a row of another sweep' "few.csv, line 2: the cell \"write_bw -s 65 -n 100\" is not of"
	head -n 3 "$work/few.whole" | sed '3s/,[^,]*$//' >"$work/few.csv"
	resume_refused 'a line without its last cell' 'few.csv, line 3: the number of cells'
	{ cat "$work/few.whole"; sed -n 3p "$work/few.whole"; } >"$work/few.csv"
	resume_refused 'a row that is there twice' 'is there more often than in the sweep'
	seq 10 >"$work/few.csv"
	resume_refused 'another file' 'this is no file of verbench'
	head -n 3 "$work/few.whole" >"$work/few.csv"
	cp "$work/few.csv.run.json" "$work/json"
	head -c 300 "$work/json" >"$work/few.csv.run.json"
	resume_refused 'a description that is cut off' 'few.csv.run.json, line '
	echo '{"rows": []}' >"$work/few.csv.run.json"
	resume_refused 'a description of something else' 'this is no description of a sweep'
	rm "$work/few.csv.run.json"
	resume_refused 'no description' 'few.csv.run.json, which says what the rows are of'
	cp "$work/json" "$work/few.csv.run.json"
	resume_keeps 'rows are added to those of another sweep' "lacks; --resume $work/few.csv goes on with that one" \
		--csv "$work/few.csv" -q 2
	resume_dry
	resume_few --csv "$work/few.csv"
	resume_refused 'rows of two runs' 'has rows of several runs'
}

# Two of four cells are there. Nothing is changed, and no server is needed.
resume_dry()
{
	cat "$work/few.csv" "$work/few.csv.run.json" >"$work/before"
	ended=
	resume_few --resume "$work/few.csv" --dry-run || ended="exit $? "
	verdict 'resume: --dry-run has only the cells that are missing' "$ended$(
		[[ $(sed '$d' "$work/out" | tr '\n' '|') == \
			'write_bw --size 256 --messages 100|write_bw --size 512 --messages 100|' ]] || cat "$work/out"
		[[ $(tail -n 1 "$work/out") == '2 cells, 2 points, '* ]] || tail -n 1 "$work/out"
		cat "$work/few.csv" "$work/few.csv.run.json" | cmp - "$work/before" 2>&1)"
}

# What is beside a file without rows and describes no sweep is somebody's.
resume_beside()
{
	local holder

	rm -f "$work"/few.csv*
	echo '{"mine": 1}' >"$work/few.csv.run.json"
	resume_keeps 'what is beside a new file is no description' \
		'this is no description of a sweep; the description of the rows of' \
		--csv "$work/few.csv"
	resume_few --csv "$work/few.csv" --force
	verdict 'resume: --force replaces it' "$(
		jq -e '.cells | length == 4' "$work/few.csv.run.json" 2>&1 >"$work/out" || cat "$work/err")"
	rm "$work/few.csv"
	exec {holder}<"$work/few.csv.run.json"
	flock "$holder"
	resume_keeps 'another run has just begun the file' 'another run writes these rows' --csv "$work/few.csv"
	exec {holder}<&-
	ended=
	resume_few --csv "$work/few.csv" -q 2 || ended="exit $?: $(tail -n 1 "$work/err")"
	verdict 'resume: a description without rows is replaced' "$ended$(
		[[ $(jq -r '.cells[0].cell' "$work/few.csv.run.json") == *'--qps 2'* ]] || echo 'it is the old one')"
}

# What is in the file when the disk is full is whole rows, and the sweep goes on from there. In a mount namespace.
part_resume_full()
{
	local server disk=$work/small rc resume_sizes=64:83

	resume_serve
	resume_few --csv "$work/few.csv"
	cp "$work/few.csv" "$work/few.whole"
	if ! mkdir "$disk" || ! mount -t tmpfs -o size=16k none "$disk"; then
		verdict 'resume: a disk that is full can be made' 'mount failed'
		kill "$server"
		wait "$server"
		return
	fi
	resume_few --csv "$disk/few.csv"
	rc=$?
	verdict 'resume: the disk is full: exit 1 and the cause' "$( ((rc == 1)) || echo "exit $rc"
		grep -q 'write CSV to .*No space left' "$work/err" || cat "$work/err"
		resume_rows "$disk/few.csv" | grep -v '|ok$')"
	cp "$disk/few.csv" "$work/before"
	resume_few --resume "$disk/few.csv"
	rc=$?
	verdict 'resume: the disk is still full: exit 1, and no row is lost' "$( ((rc == 1)) || echo "exit $rc"
		cmp -n "$(stat -c %s "$work/before")" "$disk/few.csv" "$work/before" 2>&1)"
	mount -o remount,size=1M "$disk"
	resume_few --resume "$disk/few.csv"
	rc=$?
	verdict 'resume: the disk has space again: the rest is added' "$( ((rc == 0)) || echo "exit $rc"
		cmp -n "$(stat -c %s "$work/before")" "$disk/few.csv" "$work/before" 2>&1
		diff <(resume_rows "$work/few.whole") <(resume_rows "$disk/few.csv"))"
	umount "$disk"
	kill "$server"
	wait "$server"
}

resume_unwritable()
{
	local rc

	if unshare -rm true 2>/dev/null; then
		SOFT_PORT=$((port + 10)) unshare -rm "$here/run" "$build" resume_full
	else
		echo 'ok resume: a full disk # SKIP no mount namespace'
	fi
	rm -f "$work"/few.csv*
	mkdir "$work/few.csv.run.json"
	resume_few --csv "$work/few.csv"
	rc=$?
	verdict 'resume: no description can be written: refused, and no row' "$( ((rc == 2)) || echo "exit $rc"
		grep -q 'few.csv.run.json, line 1: .* would replace it' "$work/err" || cat "$work/err"
		! cat "$work/few.csv" 2>/dev/null)"
	rmdir "$work/few.csv.run.json"
	"$build/verbench" run --soft -p "$port" --test write_bw -s 64:4k:*2 -n 100 --csv - 127.0.0.1 2>"$work/err" \
		> >(head -n 1 >"$work/head")
	rc=$?
	verdict 'resume: the reader of --csv - is gone: exit 1 and the cause' "$( ((rc == 1)) || echo "exit $rc"
		grep -q 'write CSV to -: the program that reads' "$work/err" || cat "$work/err")"
	resume_few --csv /dev/full
	rc=$?
	verdict 'resume: --csv /dev/full: exit 1 and the cause' "$( ((rc == 1)) || echo "exit $rc"
		grep -q 'write CSV to /dev/full: No space' "$work/err" || cat "$work/err")"
	mkdir "$work/no"
	resume_few --csv "$work/no"
	rc=$?
	verdict 'resume: a directory in place of the file is refused' "$( ((rc == 2)) || echo "exit $rc"
		grep -q "$work/no: Is a directory" "$work/err" || cat "$work/err")"
}

part_resume()
{
	local server

	resume_serve
	resume_kills
	resume_shapes
	resume_interval
	resume_damage
	resume_refusals
	resume_beside
	resume_unwritable
	kill "$server"
	wait "$server"
}
