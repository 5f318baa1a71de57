# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# The commands of README.md, docs/*.md and results/README.md that docs.sh does not run: they must work, whatever they
# print. The blocks of these documents are "```console" (docs.sh), "```sh" (a script), "```yaml" (of which "command"
# and "args" are one) and "```text", which has no command.
#
# - A script is run as it is, but for its hosts and devices, and with -D 100ms in place of longer times. Each program of
#   verbench in it must exit with 0, or with 3 if it has --expect. srun, scontrol and scp are stand-ins that only start
#   the command that they are given.
# - A command of verbench within a text, in one pair of "`": one word behind "verbench" is a command that "help" knows.
#   Others are run: tests and sweeps with --dry-run, the rest really. HOST, FILE, ... have values; "..." and what is in
#   "[ ]" is left out. Commands of other packages are not looked at.
# - What cannot be run here stands in docs_not_run(), with the reason. A row that no document has fails. Where a row has
#   a test or a sweep, its options are tried with --dry-run.

# "DOCUMENT: COMMAND # REASON"; the command is a line of a script, or what is in "`".
docs_not_run()
{
	cat <<'END'
README.md: ./autogen.sh && mkdir build && cd build && ../configure && make && make install # installs; scripts/bare
drop-in.md: ib_write_bw --help # exits with 1, as in perftest: tests/soft/perftest.sh
drop-in.md: ib_write_bw -n 5000 # names an option of perftest: tests/soft/perftest.sh
many-nics.md: vb_write_bw -d mlx5_0 --peer-device mlx5_0 --pin 2 --peer-pin 2 -D 10 node1 & # CPUs of a server
many-nics.md: vb_write_bw -d mlx5_1 --peer-device mlx5_1 --pin 34 --peer-pin 34 -D 10 node1 & # CPUs of a server
serve.md: RUNTIME_DIRECTORY=/run/verbench verbench serve --status # a server of systemd: tests/units
softhca.md: ib_send_bw -R # stock perftest: tests/soft/stock.sh
testing.md: mkdir build-coverage && cd build-coverage # builds; scripts/coverage
testing.md: ../configure CC=clang CFLAGS=-O0 --enable-coverage # builds
testing.md: LLVM_PROFILE_FILE=$PWD/profiles/%m.profraw make check # builds
testing.md: ../scripts/coverage . src/loop # needs that build
troubleshooting.md: ping node1 # no second node
troubleshooting.md: firewall-cmd --add-port=18515/tcp --add-port=4791/udp # changes the machine
troubleshooting.md: echo 'KERNEL=="uverbs*", MODE="0666"' >/etc/udev/rules.d/99-rdma.rules # changes the machine
troubleshooting.md: udevadm trigger # changes the machine
troubleshooting.md: echo '* - memlock unlimited' >/etc/security/limits.d/rdma.conf # changes the machine
troubleshooting.md: ping -M do -s 8972 node1 # no second node
two-nodes.md: firewall-cmd --add-port=18515/tcp --add-port=4791/udp # changes the machine
two-nodes.md: echo '* - memlock unlimited' >/etc/security/limits.d/rdma.conf # changes the machine
END
}

# A busy machine loses messages over UC and UD, and "check" then exits with 1; a wrong command exits with 2.
docs_tries='1 2 3'

docs_program='((vb|ib)_(send|write|read|atomic)_(bw|lat)|verbench|softhca)'

# Is the command one of those that are not run? Remembers the row.
docs_is_row()	# document, command
{
	local row

	row=$(docs_not_run | grep -nF -- "$1: $2 # " | grep -m 1 -E "^[0-9]+:$1: " | cut -d : -f 1)
	[[ -n $row ]] || return 1
	echo "$row" >>"$work/rows"
}

# Stand-ins of programs of other packages.
docs_stand_ins()
{
	cat >"$work/bin/srun" <<-'END'
		#!/usr/bin/env bash
		# srun -N1 -n1 -w NODE COMMAND...
		while [[ $1 == -* ]]; do [[ $1 != -w ]] || shift; shift; done
		exec "$@"
	END
	printf '#!/bin/sh\necho node1\necho node2\n' >"$work/bin/scontrol"
	chmod +x "$work/bin/srun" "$work/bin/scontrol"
}

# A server and the files that the commands name, in $work/cwd; a port that is free.
docs_scene()
{
	docs_spare=$((++port))
	export DOCS_PORT=$((++port)) DOCS_LOG=
	mkdir -p "$work/cwd/copies"
	(cd "$work/cwd" && exec verbench serve --allow any --copy-to copies >"$work/scene" 2>&1) &
	docs_server=$!
	await_lines "$docs_server" "$work/scene" 1
	(
		cd "$work/cwd" || exit 1
		vb_send_bw -s 4k,64k --completion poll,event -n 100 --csv rows.csv node1 >table 2>&1
		sed -n '/^title Small messages$/,/^report /p' "$top/docs/sweeps.md" >small.bench
		softhca ibv_devinfo -v -d softhca0 >dump
		[[ -s rows.csv && -s small.bench && -s dump ]]
	)
}

docs_scene_end()
{
	kill -TERM "$docs_server"
	wait "$docs_server"
}

# ---- blocks

# Prints the lines of the script that are run; tries the options of the others. File 3 is for what is wrong.
docs_script_lines()	# document, script
{
	local line

	while IFS= read -r line; do
		if ! docs_is_row "$1" "$line"; then
			printf '%s\n' "$line"
		elif [[ $line =~ $docs_program ]]; then
			docs_try "$1" "${line% &}" >&3
		fi
	done <"$2"
}

# Runs $work/script in a directory of its own; the exit statuses of its programs go to $work/statuses.
docs_script_run()
{
	: >"$work/statuses"
	rm -rf "$work/apart"
	mkdir "$work/apart"
	cp "$top/src/softhca/profiles/rxe.conf" "$work/apart/mine.conf"
	(
		# a server for one client takes the port of the script's client
		[[ $(<"$work/script") != *srun* ]] || DOCS_PORT=$docs_spare
		export DOCS_PORT DOCS_LOG=$work/statuses SLURM_JOB_NODELIST='node[1-2]' SLURM_JOB_ID=1
		cd "$work/apart" || exit
		host=node1 nodes=node1 out=out.csv timeout -k 5 "$guard" bash -o pipefail "$work/script" \
			>"$work/script.out" 2>&1 &
		wait "$!"
		rc=$?
		# its group: a server whose client has failed still waits
		kill -TERM -- "-$!" 2>/dev/null
		exit "$rc"
	)
}

# Runs a script and prints what is wrong.
docs_script()	# document, its name and line, file
{
	local rc _

	docs_script_lines "$1" "$3" 3>"$work/wrong" >"$work/script"
	sed "s|^|$2: |" "$work/wrong"
	[[ -s $work/script ]] || return
	for _ in $docs_tries; do
		docs_script_run
		rc=$?
		grep -q '^1 ' "$work/statuses" || break
	done
	grep -vE '^(0 |3 .* --expect)' "$work/statuses" | sed "s|^|$2: exit |"
	[[ -s $work/statuses ]] || ! grep -qE '(^|[( ])(vb_[a-z_]*|verbench) ' "$work/script" ||
		echo "$2: no program of verbench was run"
	((rc == 0)) || { ((rc == 3)) && grep -q '^3 ' "$work/statuses"; } ||
		echo "$2: exit $rc: $(grep -E "^$docs_program: " "$work/script.out" | tail -n 2)"
	grep -E 'command not found|No such file' "$work/script.out" | sed "s|^|$2: |"
}

# A block that ends: runs it, or says why it cannot be one.
docs_block_of()	# document, line, kind, file
{
	local where="$1 line $2"

	case $3 in
	console) ;;
	sh) docs_script "$1" "$where" "$4" ;;
	yaml)
		sed -nE 's/^ *(command|args): \[(.*)\]$/\2/p' "$4" | sed 's/, / /g' | paste -sd ' ' >"$4.sh"
		[[ ! -s $4.sh ]] || docs_script "$1" "$where" "$4.sh"
		;;
	text)
		grep -nE "^[[:blank:]]*(\\$ |node[12]\\$ |$docs_program( |\$))" "$4" |
			sed "s|^|$where: a command in a block of text, line |"
		;;
	*) echo "$where: a block is \`\`\`console, sh, yaml or text, not \`\`\`$3" ;;
	esac
}

docs_blocks()	# file
{
	local line kind='' begun n=0 inside=

	while IFS= read -r line; do
		((++n))
		if [[ $inside && $line == '```' ]]; then
			docs_block_of "${1##*/}" "$begun" "$kind" "$work/block"
			inside=
		elif [[ $inside ]]; then
			printf '%s\n' "$line" >>"$work/block"
		elif [[ $line == '```'* ]]; then
			inside=1 kind=${line#'```'} begun=$n
			: >"$work/block"
		fi
	done <"$1"
}

# ---- commands within a text

# The commands of verbench that stand in one pair of "`", one on a line.
docs_spans()	# file
{
	awk '/^```/ { inside = !inside; next }
		!inside { gsub(/^[>|* ]+/, ""); gsub(/\\\|/, "|"); printf "%s ", $0 }' "$1" |
		awk -v RS='`' 'NR % 2 == 0 { $1 = $1; print }' |
		grep -E "^([A-Z_]+=[^ ]* )*$docs_program " | sort -u
}

# The span as a command that can be run here.
docs_real()	# span
{
	local file=rows.csv

	[[ $1 != *softhca' '* ]] || file=dump
	[[ $1 != 'verbench key '* ]] || file=new.key
	sed -E "s/ \[[^]]*\]//g; s/ ?\.\.\.//g; s/ (\|\|? |&|>[a-z]).*//
		s/\bHOST\b/node1/g; s/\bFILE\b/$file/g
		s/\bNAME\b/mtu/g; s/\bN\b/2/g; s/\bGROUP\b/ff0e::1/g
		s/\bDEVICE\b/softhca0/g; s/\bCOMMAND\b/true/g" <<<"$1"
}

# A server runs until it is told to end.
docs_run_server()	# command
{
	local server

	(cd "$work/cwd" && DOCS_PORT=$docs_spare exec bash -c "exec $1") >"$work/try" 2>&1 </dev/null &
	server=$!
	await_lines "$server" "$work/try" 1
	kill -TERM "$server" 2>/dev/null
	wait "$server"
}

docs_run_command()	# command
{
	if [[ $1 == 'verbench serve '* && $1 != *' --status'* ]]; then
		docs_run_server "$1"
	else
		(cd "$work/cwd" && timeout -k 5 "$guard" bash -c "$1") >"$work/try" 2>&1 </dev/null
	fi
}

# Prints why the command of a text does not work, or nothing.
docs_try()	# document, span
{
	local command out=$work/try rc _

	command=$(docs_real "$2")
	! grep -qxF -- "$command" "$work/tried" || return
	echo "$command" >>"$work/tried"
	case $command in
	'verbench '[a-z]*' '* | 'verbench help'* | *' -'*) ;;
	'verbench '*) command="verbench help ${command#* }" ;;
	esac
	case $command in
	*--list* | *--help*) ;;
	vb_* | 'verbench run '* | 'verbench compare-completion '* | 'verbench '*_bw' '* | 'verbench '*_lat' '*)
		command+=' --dry-run' ;;
	esac
	for _ in $docs_tries; do
		docs_run_command "$command"
		rc=$?
		((rc == 1)) || break
	done
	((rc == 0)) || echo "$1: $command: exit $rc: $(tail -n 1 "$out")"
	! grep -q '^    skipped: ' "$out" || echo "$1: $command: $(grep -m 1 '^    skipped: ' "$out")"
}

docs_text()	# file
{
	local span

	docs_spans "$1" >"$work/spans"
	while IFS= read -r span <&4; do
		docs_is_row "${1##*/}" "$span" || docs_try "${1##*/}" "$span"
	done 4<"$work/spans"
}

part_docs_commands()
{
	local file top row why='' number=0 docs_server docs_spare
	local -x SOFTHCA_LINK=bandwidth=10G,delay=5us SOFTHCA_DEVICES=2 PATH=$work/bin:$PATH

	top=$(realpath "$here/../..")
	docs_programs
	docs_stand_ins
	: >"$work/rows"
	: >"$work/tried"
	docs_scene >"$work/out" 2>&1 || why=$(cat "$work/out" "$work/scene" "$work/cwd/table")
	verdict 'docs: a server and files for the commands' "$why"
	for file in "$top"/README.md "$top"/docs/*.md "$top"/results/README.md; do
		verdict "docs: scripts of ${file#"$top/"}" "$(docs_blocks "$file")"
		verdict "docs: commands in the text of ${file#"$top/"}" "$(docs_text "$file")"
	done
	docs_scene_end
	while IFS= read -r row; do
		((++number))
		grep -qx "$number" "$work/rows" || echo "no document has '$row'"
	done < <(docs_not_run) >"$work/stale"
	verdict 'docs: what is not run is in the documents' "$(<"$work/stale")"
}
