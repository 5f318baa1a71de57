# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# verbench setup on the emulated HCA: every row is there and true, the counts are those of the calls, the formats agree,
# and a server that goes or a user that stops ends the run with what is measured.

# Starts "verbench serve"; its process is $serving, a child of the one of its time limit.
setup_serve()
{
	((++port))
	softhca timeout 600 "$build/verbench" serve -p "$port" >"$work/setup-server" 2>&1 &
	server=$!
	await_listener "$server"
	serving=$(pgrep -P "$(pgrep -P "$server")")
}

setup_stop()
{
	local rc

	kill "$serving"
	wait "$server"
	rc=$?
	verdict 'setup: the server ends when it is asked to' "$( ((rc == 0)) || echo "exit $rc")"
}

# Large memory is slow to register where processes wait for processors.
setup_client()
{
	softhca timeout "$guard" "$build/verbench" setup --stall-timeout 60 -p "$port" "$@" 127.0.0.1
}

# What is wrong with the rows of a JSON document, a line each. n: operations asked for.
wrong_rows() { jq -r --argjson n "$2" -f "$here/setup.jq" "$1"; }	# file, n

# The operations of one run, each name once.
operations() { jq -r '.rows[] | "\(.measurement) \(.operation)"' "$1" | sort -u; }

expected_operations()
{
	local step type

	printf '%s\n' 'pd ibv_alloc_pd' 'pd ibv_dealloc_pd' 'mr ibv_reg_mr' 'mr ibv_dereg_mr' 'cq ibv_create_cq' \
		'cq ibv_destroy_cq' 'cq ibv_resize_cq' 'srq ibv_create_srq' 'srq ibv_destroy_srq' 'ah ibv_create_ah' \
		'ah ibv_destroy_ah' 'mw ibv_bind_mw (type 1)' 'mw IBV_WR_BIND_MW (type 2)' \
		'mw IBV_WR_LOCAL_INV (type 2)' 'mw SEND_WITH_INV by the server (type 2)'
	for type in 1 2; do printf '%s\n' "mw ibv_alloc_mw (type $type)" "mw ibv_dealloc_mw (type $type)"; done
	for step in ibv_create_qp 'ibv_modify_qp to INIT' 'exchange with the server' 'ibv_modify_qp to RTR' \
		'ibv_modify_qp to RTS' 'create to RTS' ibv_destroy_qp; do
		printf '%s\n' "qp $step" "qps $step"
	done
	for step in rdma_create_id 'rdma_resolve_addr to its event' 'rdma_resolve_route to its event' rdma_create_qp \
		'rdma_connect to ESTABLISHED' 'rdma_create_id to ESTABLISHED' 'rdma_disconnect to its event' \
		'rdma_destroy_qp, rdma_destroy_id'; do
		printf '%s\n' "cm $step" "cms $step"
	done
}

setup_rows()
{
	local file=$work/setup n cells

	# sizes up to 256 MiB are slow to register: they have a run of their own
	ended=$(setup_client -n 1200 --qps 8 --only pd,cq,srq,ah,mw,qp,qps,cm,cms --json "$file.1" 2>&1 \
		>"$work/table" || echo "exit $?")
	verdict 'setup: every operation of the objects is measured and true' "$ended$(wrong_rows "$file.1" 1200)"
	ended=$(setup_client -n 3 --only mr --json "$file.2" --csv "$file.csv" --jsonl "$file.jsonl" 2>&1 \
		>"$work/table" || echo "exit $?")
	verdict 'setup: every memory region is measured and true' "$ended$(wrong_rows "$file.2" 3)"
	verdict 'setup: the rows are those of the documents' "$(
		diff <({ operations "$file.1"; operations "$file.2"; } | sort) <(expected_operations | sort))"
	verdict 'setup: a size, an access and the pages are a row each' "$(
		n=$(jq '[.rows[] | select(.pages == "small")] | length' "$file.2")
		((n == 30)) || echo "$n rows of small pages, not 30: 5 sizes, 3 accesses, 2 operations")"
	verdict 'setup: on-demand paging is measured' "$(
		n=$(jq '[.rows[] | select(.pages == "odp" and .status == "ok")] | length' "$file.2")
		((n == 30)) || echo "$n rows, not 30")"
	verdict 'setup: hugepages are measured, or the row says why not' "$(
		n=$(jq '[.rows[] | select(.pages == "huge" and (.status == "ok" or .status == "unsupported" and
			(.reason | test("hugepages"))))] | length' "$file.2")
		((n >= 2)) || echo "$n rows, not 2")"
	verdict 'setup: each line of CSV has all columns, named as the keys of JSON' "$(
		cells=$(jq -r '.rows[0] | keys_unsorted | join(",")' "$file.2")
		[[ $(head -n 1 "$file.csv") == "$cells" ]] || echo 'the names differ'
		awk -v want="$(tr -cd , <<<"$cells" | wc -c)" '{ gsub(/"([^"]|"")*"/, "x"); if (gsub(/,/, "") != want)
			print "line " NR " has other columns" }' "$file.csv"
		n=$(($(wc -l <"$file.csv") - 1))
		((n == $(jq '.rows | length' "$file.2"))) || echo "$n lines")"
	verdict 'setup: JSON Lines and JSON have the same rows' "$(
		cmp <(jq -c . "$file.jsonl") <(jq -c '.rows[]' "$file.2") 2>&1)"
	verdict 'setup: the table names units and what is unsupported' "$(
		grep -q '^times in us' "$work/table" || echo 'no unit'
		[[ -z $(jq '.rows[] | select(.status == "unsupported")' "$file.2") ]] ||
			[[ $(grep -A 1 'huge pages' "$work/table") =~ (^|$'\n')' '*'unsupported: ' ]] ||
				echo 'no reason')"
}

# The calls that the program makes, counted by a library that is preloaded before the emulated HCA.
calls_of()	# verb, options...
{
	local verb=$1

	shift
	rm -f "$work/counts"
	LD_PRELOAD=$work/count_verbs.so COUNT_VERBS=$work/counts "$here/../../src/softhca/softhca" \
		timeout "$guard" "$build/verbench" setup --stall-timeout 60 -p "$port" "$@" --jsonl "$work/counted" \
		127.0.0.1 >/dev/null 2>&1
	awk -v verb="$verb" '$1 == verb { print $2 }' "$work/counts"
}

# verb, its calls in each round, QPs of a round, measurement
check_count()
{
	local few many rounds

	# what the program calls beside the measurement is in both
	few=$(calls_of "$1" -n 80 --qps 8 --only "$4")
	many=$(calls_of "$1" -n 240 --qps 8 --only "$4")
	rounds=$((160 / $3))
	verdict "setup: the calls of $1 are as many as $4 says" "$(
		((many - few == rounds * $2 * $3)) || echo "$many - $few calls, expected $((rounds * $2 * $3)) more")"
}

setup_counts()
{
	local n

	if ! "${CC:-gcc}" -I"$build" -shared -fPIC -o "$work/count_verbs.so" "$here/preload/count_verbs.c" -ldl \
		2>"$work/cc"; then
		verdict 'setup: the calls are counted' "cannot build count_verbs.c: $(head -n 1 "$work/cc")"
		return
	fi
	# nothing but the measurement registers memory: the first operation of a row is the fourth call
	n=$(calls_of reg_mr -n 3 --only mr)
	verdict 'setup: each registration is in a row, or the first of one' "$(
		rows=$(jq -s '[.[] | select(.status == "ok" and (.operation | test("ibv_reg_mr")))] | length' \
			"$work/counted")
		((rows >= 15 && n == 4 * rows)) || echo "$n calls, not $((4 * rows))")"
	check_count create_cq 4 1 cq
	check_count create_qp 1 1 qp
	check_count modify_qp 3 1 qp
	check_count modify_qp 3 8 qps
	check_count destroy_qp 1 8 qps
	check_count create_ah 1 1 ah
	check_count rdma_connect 1 1 cm
	check_count rdma_connect 1 8 cms
}

status_of() { jq -r --arg m "$1" 'select(.measurement == $m) | .status' "$2" | sort -u; }	# measurement, file

# Ends a long run after its first rows. how: a function that gets the process of the client.
setup_broken()	# name, how
{
	local file=$work/broken.jsonl client rc

	rm -f "$file"
	setup_client -n 1000000 --only pd,qp --jsonl "$file" >/dev/null 2>"$work/broken" &
	client=$!
	await_lines "$client" "$file" 2
	"$2" "$client"
	wait "$client"
	rc=$?
	verdict "$1" "$(
		((rc == 1)) || echo "exit $rc"
		[[ $(status_of pd "$file") == ok ]] || echo 'no rows of pd'
		[[ $(status_of qp "$file") == incomplete ]] || echo 'qp is not incomplete'
		[[ -z $(jq -r 'select(.status == "incomplete" and .reason == null)' "$file") ]] || echo 'no reason'
		[[ -s $work/broken ]] || echo 'no message')"
}

# The program itself, a child of the one of its time limit, which would pass the signal on twice: then it ends at once.
interrupt() { pkill -INT -P "$(pgrep -P "$1")"; }
# The process of the session, a child of the server.
kill_session() { pkill -KILL -P "$serving"; }

next_client()
{
	verdict "setup: after $1 the server serves the next client" "$(
		setup_client -n 3 --only qp 2>&1 >/dev/null || echo "exit $?")"
}

setup_ends()
{
	setup_broken 'setup: Ctrl-C ends the run with what was measured' interrupt
	next_client Ctrl-C
	setup_broken 'setup: a killed session ends the run with what was measured' kill_session
	next_client 'a killed session'
}

part_setup()
{
	local server serving rc

	setup_serve
	setup_rows
	setup_counts
	setup_ends
	setup_stop
	((++port))
	softhca timeout "$guard" "$build/vb_send_bw" -p "$port" >"$work/server" 2>&1 &
	server=$!
	# the server may be later, and the client then says that it waits
	ended=$( (setup_client -n 3 --only qp,mw 2>&1 >/dev/null || echo "client exit $?") |
		grep -v ': waiting for a server on ')
	wait "$server"
	rc=$?
	((rc == 0)) || ended+="server exit $rc: $(tail -n 1 "$work/server")"
	verdict 'setup: a server for one client serves it' "$ended"
}
