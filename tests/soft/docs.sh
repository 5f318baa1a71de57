# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# The commands of README.md and docs/*.md are run, on the emulated HCA, and what they print is compared with what the
# document shows. In these documents a block "```console" is run:
#
# - A line "$ ", "node1$ " or "node2$ " begins a command. The lines below it are its output, on standard output and on
#   standard error; "..." stands for any lines. It exits with 0, unless "echo $?" follows and shows its status.
# - A command of node1, or one that ends with " &", goes on while the next one runs. "serve ... &" also serves the later
#   blocks, until one starts another server.
# - A function or a variable is there for the commands below it in the block.
#
# Figures, widths of columns and footnotes may differ; the rest may not. Blocks of other kinds are not run. UPDATE=1
# writes the output into the documents, but for commands with "...".
#
# docs_commands.sh has the other blocks, and the commands within the text.
#
# Also: no line that is shown or printed is longer than 80 columns, and all relative links lead to files.

docs_wide=80

# Programs that run on the emulated HCA, on a port of this case, with the nodes as this machine, and 10.1.0.0/16 as
# where it is. With DOCS_LOG, of a script: devices of mlx5 are emulated ones, no -D is longer than 100 ms, and the exit
# status is written there.
docs_programs()
{
	local name

	mkdir -p "$work/bin"
	cat >"$work/bin/verbench" <<-END
		#!/usr/bin/env bash
		name=\${0##*/} args=() port=1
		for a; do
			case \$a in
			-p | --port | --help* | node[12]:[0-9]* | localhost:[0-9]* | *.*.*.*:[0-9]*) port= ;;
			list | place | key | help | version | perftest-path | report) port= ;;
			esac
			[[ ! \$a =~ ^(node[12]|rdma-server)(:.*)?\$ ]] || a=127.0.0.1\${BASH_REMATCH[2]}
			[[ \$a != 10.1.0.0/16 ]] || a=any
			if [[ \$DOCS_LOG ]]; then
				a=\${a/#mlx5_/softhca}
				[[ \${args[-1]-} != -D ]] || a=100ms
			fi
			args+=("\$a")
		done
		[[ -z \$port ]] || args+=(-p "\$DOCS_PORT")
		if [[ \$DOCS_LOG ]]; then
			DOCS_LOG='' "\$0" "\${args[@]}"
			rc=\$?
			echo "\$rc \$name \${args[*]}" >>"\$DOCS_LOG"
			exit "\$rc"
		fi
		# a node without any device
		[[ \${SOFTHCA_DEVICES-} != 0 ]] || exec -a "\$name" "$build/\$name" "\${args[@]}"
		LD_PRELOAD=$runtime exec -a "\$name" "$here/../../src/softhca/softhca" \\
			"$build/\$name" "\${args[@]}"
	END
	chmod +x "$work/bin/verbench"
	for name in vb_{send,write,read,atomic}_{bw,lat}; do
		ln -sf verbench "$work/bin/$name"
	done
	cat >"$work/bin/softhca" <<-END
		#!/usr/bin/env bash
		[[ \$1 != ib_* || " \$* " == *' -p '* ]] || set -- "\$@" -p "\$DOCS_PORT"
		exec "$here/../../src/softhca/softhca" "\$@"
	END
	printf '#!/bin/sh\n' >"$work/bin/scp" # the nodes have one home directory
	chmod +x "$work/bin/softhca" "$work/bin/scp"
}

# What must be equal: without figures, widths, footnotes and names of hosts, without the advice to run for longer, which
# depends on how busy the machine is, and without the sum of two directions and the total of several pairs, which are
# there only if they took the same time. An error message is one line, which a document breaks; a line of progress is
# whole, and a row may follow it.
docs_shape()	# file
{
	awk '
		/^    / && message { printf " %s", $0; next }
		{ printf "%s%s", (NR > 1 ? "\n" : ""), $0;
			message = /^(verbench|vb_[a-z_]*): / && !/ of [0-9.e+]+ (s|messages), | left: / }
		END { print "" }' "$1" | sed -E "s/\\b(node[12]|$HOSTNAME|127\\.0\\.0\\.1|localhost)\\b/HOST/g
		s/( \\[[0-9]+(,[0-9]+)*\\])+\$//
		/^\\[[0-9]+\\] /d
		/: waiting for a server on /d
		/: [0-9]+ of [0-9]+, .* left: /d
		/: .*: [0-9.e+]+ of [0-9.e+]+ (s|messages), .*\/s/d
		s/ \\(run for [0-9.]+ s or longer: -D\\)//
		s/ both .*/ both/
		s/^total .*/total/
		/^  fairness /{/[)]\$/!N;d}
		s/ -p [0-9]+\"/\"/
		s/[0-9]+([.][0-9]+)?(e[-+][0-9]+)?k?/N/g
		s/[[:blank:]]+/ /g
		s/ \$//
		/^\$/d"
}

# Prints why the output has another shape than the document shows, or nothing.
docs_compare()	# shown, output
{
	docs_shape "$1" >"$work/shape.shown"
	docs_shape "$2" >"$work/shape.is"
	[[ -s $work/shape.shown || ! -s $1 ]] || echo 'no shape of what is shown'
	awk '
		# Do the lines from i on have the shape of the lines shown from s on?
		function fits(s, i) {
			while (s <= n && shown[s] != "..." && i <= m && is[i] == shown[s]) {
				s++
				i++
			}
			at = i > at ? i : at
			if (s > n)
				return i > m
			if (shown[s] != "...")
				return 0
			for (; i <= m + 1; i++)
				if (fits(s + 1, i))
					return 1
			return 0
		}
		FILENAME == ARGV[1] { shown[++n] = $0; next }
		{ is[++m] = $0 }
		END {
			if (!fits(1, 1))
				print "it prints \"" is[at] "\", shown is \"" shown[at] "\""
		}' "$work/shape.shown" "$work/shape.is" 2>&1
}

# Ends what goes on in the background; a server that serves without end is told to.
docs_settle()
{
	local pid

	for pid in "${docs_pids[@]}"; do
		[[ ${docs_text[$pid]} != *serve* ]] || kill -TERM -- "-$pid" 2>/dev/null
		wait "$pid" || docs_rc=$?
	done
	docs_pids=() docs_text=()
}

# Does the program of perftest listen?
docs_listens()	# command
{
	local at=$DOCS_PORT

	[[ ! $1 =~ ' -p '([0-9]+) ]] || at=${BASH_REMATCH[1]}
	[[ -n $(ss -Hltn "sport = :$at") ]]
}

# Runs one command of a block; its output goes to $work/out.N. Sets docs_rc, which is that of the one before.
docs_command()	# prompt, command, number
{
	local out=$work/out.$3 pid i before _

	if [[ $1 == node1 || $2 == *' &' ]]; then
		for pid in "${docs_pids[@]}"; do
			[[ ${docs_text[$pid]} == *serve* ]] || wait "$pid"
		done
		(cd "$work/cwd" && exec setsid timeout --foreground "$guard" bash -c "${2% &}") \
			>"$out" 2>&1 </dev/null &
		pid=$!
		docs_pids+=("$pid")
		docs_text[$pid]=$2
		# a program of perftest keeps this line until it ends; a client waits for it
		until { [[ $2 == *ib_* ]] && docs_listens "$2"; } || grep -qs 'waiting for a client' "$out" ||
			! kill -0 "$pid" 2>/dev/null; do
			sleep 0.02
		done
		return
	fi
	if [[ $2 =~ ^[a-z_]+('() '|=[^ ]*$|=\'.*\'$) ]]; then
		printf '%s\n' "$2" >>"$work/functions"
		: >"$out"
		return
	fi
	before=$docs_rc
	for _ in $docs_tries; do
		(cd "$work/cwd" && BASH_ENV=$work/functions timeout "$guard" bash -c "(exit $before); $2") \
			>"$out" 2>&1 </dev/null
		docs_rc=$?
		[[ $docs_rc == 1 && $2 == 'verbench check '* ]] || break
	done
}

# The output as a document shows it.
docs_shown()	# file, is the client another node?
{
	local client=node1

	[[ -z $2 ]] || client=node2
	sed -E -e "s/127\.0\.0\.1/node1/g" -e "s/client (on )?$HOSTNAME\b/client \1$client/g" \
		-e "s/\b$HOSTNAME\b/node1/g" -e "s/^node1 port /node2 port /" -e "s/ -p $DOCS_PORT\b//" \
		-e "s/\b$DOCS_PORT\b/18515/g" -e 's/[[:blank:]]+$//' "$1" | awk '
		!/^(verbench|vb_[a-z_]*): / || length($0) <= 80 { print; next }
		{
			# broken at 80 columns, as people read it
			line = $1
			for (i = 2; i <= NF; i++)
				if (length(line " " $i) > 80) {
					print line
					line = "    " $i
				} else {
					line = line " " $i
				}
			print line
		}'
}

# Does the block start a program that goes on?
docs_starts() { printf '%s\n' "${prompts[@]}" "${commands[@]}" | grep -qE '^node1$| &$'; }

# Runs a block and prints what is wrong. The block is in commands, prompts and files $work/shown.N.
docs_block()
{
	local i why out

	! docs_starts || docs_settle
	((${#docs_pids[@]})) || export DOCS_PORT=$((++port))
	docs_rc=0
	for i in "${!commands[@]}"; do
		docs_command "${prompts[i]}" "${commands[i]}" "$i"
		((docs_rc == 0)) || [[ ${commands[i + 1]-} == 'echo $?' ]] ||
			echo "${commands[i]}: exit $docs_rc: $(tail -n 1 "$work/out.$i")"
	done
	docs_rc=0
	[[ "${prompts[*]}" == *node1* || ${docs_text[*]} != *serve* ]] && docs_settle
	((docs_rc == 0)) || echo "${commands[0]}: exit $docs_rc"
	for i in "${!commands[@]}"; do
		out=$work/out.$i
		[[ ${commands[i]} == *' -w'* || ${commands[i]} == *wide* || ${commands[i]} == softhca* ]] ||
			awk -v w="$docs_wide" -v c="${commands[i]}" '
				length($0) > w && !/^(verbench|vb_[a-z_]*): / {
					print c ": a line of " length($0) " columns: " $0
				}' "$out"
		[[ -s $work/shown.$i ]] || continue
		why=$(docs_compare "$work/shown.$i" "$out")
		[[ -z $why ]] || echo "${commands[i]}: $why"
		if [[ ${UPDATE-0} == 1 ]] && ! grep -qxF ... "$work/shown.$i"; then
			docs_shown "$out" "$([[ ${prompts[i]}${prompts[0]} != *node* ]] || echo apart)" \
				>"$work/shown.$i"
		fi
	done
}

# Reads a document, runs its blocks, and writes it again to $work/again.
docs_file()	# file
{
	local line block='' begun i n=0
	local -a commands prompts heads docs_pids=()
	local -A docs_text=()

	: >"$work/again"
	while IFS= read -r line; do
		if [[ $block && $line == '```' ]]; then
			docs_block >"$work/said"
			sed "s|^|${1##*/} line $begun: |" "$work/said"
			for i in "${!commands[@]}"; do
				printf '%s\n' "${heads[i]}"
				cat "$work/shown.$i"
			done >>"$work/again"
			block=
		elif [[ $line == '```console' ]]; then
			block=1 begun=$n commands=() prompts=() heads=()
			rm -rf "$work/cwd" "$work"/shown.* "$work"/out.*
			: >"$work/functions"
			mkdir "$work/cwd"
		elif [[ $block && $line =~ ^(node[12])?'$ '(.*)$ ]]; then
			prompts+=("${BASH_REMATCH[1]}")
			commands+=("${BASH_REMATCH[2]}")
			heads+=("$line")
			: >"$work/shown.$((${#commands[@]} - 1))"
		elif [[ $block ]]; then
			printf '%s\n' "$line" >>"$work/shown.$((${#commands[@]} - 1))"
		fi
		((++n))
		[[ $block && $line != '```console' ]] || printf '%s\n' "$line" >>"$work/again"
	done <"$1"
	docs_settle
	[[ ${UPDATE-0} != 1 ]] || cmp -s "$work/again" "$1" || cp "$work/again" "$1"
}

docs_links()	# file
{
	local target

	grep -oE '\]\([^)]+\)' "$1" | sed -E 's/^\]\(//; s/\)$//; s/#.*//' | sort -u | while read -r target; do
		[[ -z $target || $target == *://* || -e $(dirname "$1")/$target ]] || echo "no file $target"
	done
}

part_docs()
{
	local file top

	top=$(realpath "$here/../..")
	docs_programs
	for file in "$top"/README.md "$top"/docs/*.md "$top"/results/README.md; do
		verdict "docs: links of ${file#"$top/"}" "$(docs_links "$file")"
		grep -q '^```console$' "$file" || continue
		verdict "docs: ${file##*/} as it is run" "$(
			export PATH="$work/bin:$PATH" HOME="$work/cwd"
			export SOFTHCA_LINK=bandwidth=10G,delay=5us SOFTHCA_DEVICES=2
			docs_file "$file")"
		verdict "docs: examples of ${file##*/} within $docs_wide columns" "$(awk -v w="$docs_wide" '
			/^```/ { in_block = !in_block }
			in_block && length($0) > w { print "line " NR ": " length($0) " columns" }' "$file")"
	done
}
