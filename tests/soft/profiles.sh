# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Device profiles: every kind and every feature on each of them is measured as it was asked, or refused before anything
# is created. What each cell comes to is compared with results/profiles.md; with UPDATE=1, that file is written. Stock
# programs meet what the provider of the device does. Pairs of unlike devices.

profile_dir=$(realpath "$here/../../src/softhca/profiles")
profile_expected=$here/../../results/profiles.md

# The file of a profile; a path is one already.
profile_file() { if [[ $1 == /* ]]; then echo "$1"; else echo "$profile_dir/$1.conf"; fi; }

profile_names() { for conf in "$profile_dir"/*.conf; do basename "$conf" .conf; done; }

# A server on a profile. Sets job and process.
profile_serve()	# profile
{
	((++port))
	SOFTHCA_PROFILE=$(profile_file "$1") start server "$build/verbench" serve -p "$port"
	await_listener "$process"
}

# Sets profile_rc.
profile_run()	# profile of the client, options and scenarios
{
	local profile=$1

	shift
	SOFTHCA_PROFILE=$(profile_file "$profile") softhca timeout "$guard" \
		"$build/verbench" run -p "$port" "$@" 127.0.0.1 >"$work/client" 2>"$work/errors"
	profile_rc=$?
}

profile_serve_end()
{
	kill "$process"
	wait "$job"
}

# An option of a cell and the column that says that it was in force.
profile_asked='
	def asked: {
		"--cm": ["connect", "rdma_cm"], "--srq": ["recv_queue", "srq"], "--one-qp": ["recv_queue", "one_qp"],
		"--mw 1": ["mw", "1"], "--mw 2": ["mw", "2"], "--buffers odp": ["buffers", "odp"],
		"--buffers device": ["buffers", "device"], "--poll-api extended": ["poll_api", "extended"],
		"--post-api wr": ["post_api", "wr"], "--completion event": ["completion", "event"],
		"--fence": ["fence", "1"], "--disturb cq": ["disturb", "cq"], "--disturb sq": ["disturb", "sq"],
		"--locks off": ["locks", "off"], "--mcast-join cm": ["mcast_join", "cm"],
		"--mcast-join verbs": ["mcast_join", "verbs"]
	};
	def numbers: {"--depth": "depth", "--sge": "sges", "--outstanding": "outstanding", "--size": "size_bytes",
		"--threads": "threads", "--signal-interval": "signal_interval", "--solicited": "solicited",
		"--inline": "inline_bytes"};
	def number: capture("(?<n>[0-9]+)(?<unit>[kM]?)") | (.n | tonumber) * {"": 1, "k": 1024, "M": 1048576}[.unit];
	select(.status == "ok" and .direction != "both") | . as $row
	| ((asked | to_entries[] | select(.key as $k | $row.cell + " " | contains(" " + $k + " "))
		| select(($row[.value[0]] | tostring) != .value[1])
		| "\($row.cell): \(.value[0]) is \($row[.value[0]])"),
	  (numbers | to_entries[] | .value as $column | .key as $k
		| $row.cell | capture(" " + $k + " (?<n>[0-9]+[kM]?)( |$)").n | number
		| select($row[$column] != .)
		| "\($row.cell): \($column) is \($row[$column])"))'

# Each cell of a profile; prints its tables.
profile_cells()	# profile
{
	local rows=$work/$1.jsonl wanted job process

	profile_serve "$1"
	profile_run "$1" "$here/profiles/kinds.bench" "$here/profiles/features.bench" --jsonl "$rows"
	profile_serve_end
	wanted=$("$build/verbench" run "$here/profiles/kinds.bench" "$here/profiles/features.bench" --dry-run |
		sed -n 's/^\([0-9]*\) cells.*; \([0-9]*\) skipped$/\1 + \2/p')
	wanted=$((wanted))
	verdict "profiles: $1: each cell is measured or refused before anything is created" "$(
		((profile_rc == 0)) || echo "exit $profile_rc: $(tail -n 1 "$work/errors") "
		[[ $(jq -r .cell "$rows" | sort -u | wc -l) == "$wanted" ]] || echo "not $wanted cells "
		jq -r 'select((.status == "ok" or .status == "skipped") | not)
			| "\(.cell): \(.status): \(.reason)"' "$rows")"
	verdict "profiles: $1: what is measured is what was asked" "$(jq -r "$profile_asked" "$rows")"
	verdict "profiles: $1: what is refused has a reason" "$(
		jq -r 'select(.status != "ok" and (.reason == null or .reason == "")) | .cell' "$rows")"
	{
		printf '\n## %s\n\n' "$1"
		sed -n 's/^stands_for = \(.*\)/\1./p' "$profile_dir/$1.conf"
		echo
		jq -rs --arg host "$(hostname)" -f "$here/profiles/matrix.jq" "$rows"
	} >>"$work/matrix.md"
}

profile_matrix()
{
	local name

	cat >"$work/matrix.md" <<'END'
# What is measured on each device profile

Which kinds and features verbench measures on each profile of the emulated HCA (`docs/softhca.md`), and with what reason
it refuses the others. Both sides have the profile. `UPDATE=1 tests/soft/run BUILD_DIR profiles` makes this file from
`tests/soft/profiles/*.bench`; without `UPDATE`, it compares. HOST is the name of the machine.
END
	for name in $(profile_names); do profile_cells "$name"; done
	if [[ -n ${UPDATE-} ]]; then
		cp "$work/matrix.md" "$profile_expected"
	fi
	verdict 'profiles: the outcomes are those of results/profiles.md (UPDATE=1 writes them)' "$(
		diff "$profile_expected" "$work/matrix.md" 2>&1 | head -n 20)"
}

# A stock program between two processes on a profile: both end with 0.
profile_stock()	# profile, command...
{
	local SOFTHCA_PROFILE

	SOFTHCA_PROFILE=$(profile_file "$1")
	export SOFTHCA_PROFILE
	client=()
	both 20 "${@:2}"
	verdict "profiles: $1: ${*:2}" "$ended"
}

# The same over rdma_cm, whose listener TCP does not show.
profile_stock_cm()	# profile, command...
{
	local SOFTHCA_PROFILE

	SOFTHCA_PROFILE=$(profile_file "$1")
	export SOFTHCA_PROFILE
	cm_both "${*:2} -p P" "${*:2} -p P 127.0.0.1"
	verdict "profiles: $1: ${*:2}" "$ended"
}

# As profile_stock, but the client fails, and a side says the message that the provider's errors give.
profile_stock_fails()	# profile, message, command...
{
	local SOFTHCA_PROFILE

	SOFTHCA_PROFILE=$(profile_file "$1")
	export SOFTHCA_PROFILE
	client=()
	both 20 "${@:3}"
	verdict "profiles: $1: ${*:3}: $2" "$(
		[[ $ended == 'client exit 1:'* ]] || echo "the client does not fail: $ended"
		grep -qF -- "$2" "$work/client" "$work/server" || echo "says: $ended")"
}

profile_info()	# profile, lines of ibv_devinfo -v...
{
	local line

	SOFTHCA_PROFILE=$(profile_file "$1") softhca ibv_devinfo -v >"$work/info" 2>&1
	sed -i 's/[[:space:]][[:space:]]*/ /g' "$work/info"
	verdict "profiles: $1: ibv_devinfo" "$(
		for line in "${@:2}"; do grep -qF " $line" "$work/info" || echo "no '$line' "; done)"
}

# What each provider's code predicts; the functions are named in the profiles.
profile_stocks()
{
	local listening=1

	profile_info connectx-ib 'port_lid: 1691' 'link_layer: InfiniBand' 'max_qp_wr: 32768' \
		'active_speed: 100.0 Gbps (128)'
	profile_info irdma-iwarp 'transport: iWARP (1)' 'vendor_part_id: 5522'
	profile_info efa 'transport: unspecified (4)' 'link_layer: Unspecified' 'hw_ver: 0xEFA0'
	profile_info mana 'max_msg_sz: 0x0' 'gid_tbl_len: 16'
	# by LID, without a GRH
	profile_stock connectx-ib ibv_rc_pingpong
	profile_stock connectx-ib ibv_ud_pingpong
	profile_stock connectx-ib ib_send_bw -n 200 --use_old_post_send
	profile_stock connectx-ib ib_write_lat -n 200 --use_old_post_send
	# 8192 requests of four blocks are all that a send queue takes
	profile_stock connectx-ib ib_write_bw -n 8192 -t 8192 -I 0 --use_old_post_send
	profile_stock_fails connectx-ib 'Unable to create QP' ib_write_bw -n 10000 -t 8193 -I 0 --use_old_post_send
	profile_stock_fails connectx-vport 'Failed to create AH' ibv_ud_pingpong
	profile_stock_fails connectx-vport 'Failed to modify QP to RTR' ibv_rc_pingpong
	# entry 0 is a limited member on both sides, which do not hear each other; entry 1 is a full one
	profile_stock_fails connectx-vport 'transport retry counter exceeded' ibv_rc_pingpong -g 0
	profile_stock connectx-vport ib_send_bw -n 200 -x 0 --pkey_index=1 --use_old_post_send
	profile_stock connectx-roce-lag ibv_rc_pingpong -g 3
	profile_stock_fails connectx-roce-lag 'Failed to modify QP to RTR' ibv_rc_pingpong
	profile_stock connectx-xdr ib_send_lat -n 200 -e --use_old_post_send
	profile_stock bnxt_re ibv_ud_pingpong -g 1
	profile_stock_fails bnxt_re "Couldn't create QP" ibv_uc_pingpong -g 1
	profile_stock_fails bnxt_re 'Unable to create QP' ib_write_lat -n 200 -I 97 -s 64
	profile_stock bnxt_re ib_write_lat -n 200 -I 96 -s 64
	profile_stock irdma-roce ib_send_bw -n 200
	profile_stock_fails irdma-roce 'Unable to create QP' ib_send_bw -n 200 -c UC
	# iWARP: INIT and RTR succeed, RTS wants the connection of rdma_cm
	profile_stock_fails irdma-iwarp 'Failed to modify QP to RTS' ibv_rc_pingpong -g 0
	profile_stock_fails siw 'Failed to modify QP to RTS' ibv_rc_pingpong -g 0
	profile_stock_fails erdma 'Failed to modify QP to RTS' ibv_rc_pingpong -g 0
	profile_stock_cm irdma-iwarp ib_send_bw -n 200 -R
	profile_stock_cm irdma-iwarp ib_read_bw -n 200 -R
	profile_stock_fails irdma-iwarp "Couldn't create QP" ibv_ud_pingpong -g 0
	profile_stock_fails efa "Couldn't create QP" ibv_rc_pingpong -g 0
	# unlike ibv_rc_pingpong, it does not ask for a LID
	profile_stock efa ibv_ud_pingpong -g 0
	profile_stock mana ib_write_lat -n 200 -I 200 -s 64
	profile_stock_fails mana "Couldn't create QP" ibv_ud_pingpong -g 0
	profile_stock rxe ibv_uc_pingpong -g 1
	profile_stock rxe ib_send_bw -n 200 -c UD
}

# Unlike devices: both sides agree, or refuse by name.
profile_pair()	# server's profile, client's, expected status, regular expression of the reason, options
{
	local rows=$work/pair.jsonl job process

	rm -f "$rows"
	profile_serve "$1"
	profile_run "$2" --test send_bw,write_bw -n 100 -s 64 --verify on --jsonl "$rows" "${@:5}"
	profile_serve_end
	verdict "profiles: ${2##*/} to ${1##*/}${5:+ with ${*:5}}: $3" "$(
		[[ $(jq -r .status "$rows" | sort -u) == "$3" ]] ||
			echo "exit $profile_rc: $(jq -r '"\(.status) \(.reason)"' "$rows" 2>&1
				tail -n 1 "$work/errors")"
		[[ -z $4 || $(jq -r .reason "$rows") =~ $4 ]] || echo "no reason '$4'")"
}

profile_pairs()
{
	# the same device in another subnet: the path goes by the router, so it has a GRH
	sed 's/^subnet_prefix = .*/subnet_prefix = 0xfec0000000000001/' "$profile_dir/connectx-ib.conf" \
		>"$work/other-subnet.conf"
	profile_pair connectx-ib connectx-xdr ok ''
	profile_pair connectx-ib "$work/other-subnet.conf" ok ''
	profile_pair connectx-ib connectx-vport ok '' --pkey 0xffff
	profile_pair bnxt_re connectx-roce-lag ok ''
	profile_pair hns rxe ok ''
	profile_pair connectx-ib bnxt_re skipped 'InfiniBand|Ethernet'
	profile_pair irdma-iwarp irdma-roce skipped 'cannot reach each other'
	profile_pair irdma-iwarp siw ok '' --cm on
	profile_pair efa rxe skipped ''
}

part_profiles()
{
	profile_matrix
	profile_stocks
	profile_pairs
}
