# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Completion in bash. The tables are made from those of the program.

#@tables@

# Where the devices are; tests have another place.
_verbench_sysfs=/sys/class/infiniband

_verbench_devices()	# not empty: also emulated devices
{
	local dir i

	for dir in "$_verbench_sysfs"/*; do
		[[ ! -e $dir ]] || echo "${dir##*/}"
	done
	[[ -n $1 ]] || return 0
	for ((i = 0; i < ${SOFTHCA_DEVICES:-1}; i++)); do
		echo "softhca$i"
	done
}

# The words that begin with cur.
_verbench_reply()	# words
{
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
}

# The words behind the last comma of cur, but for those before it.
_verbench_reply_list()	# words
{
	local word rest='' before=''

	[[ $cur != *,* ]] || before=${cur%,*},
	for word in $1; do
		[[ ,$before == *",$word,"* ]] || rest+=" $before$word"
	done
	_verbench_reply "$rest"
}

_verbench_reply_files()	# -f or -d
{
	mapfile -t COMPREPLY < <(compgen "$1" -- "$cur")
	# "compopt" fails outside of a completion
	compopt -o filenames 2>/dev/null || :
}

# The options that are not there yet.
_verbench_reply_options()	# options of a command
{
	local option name names left=''

	for option in $1; do
		IFS=, read -ra names <<<"$option"
		for name in "${names[@]}"; do
			[[ " ${before[*]} " != *" $name "* ]] || continue 2
		done
		left+=" ${names[*]}"
	done
	_verbench_reply "$left"
}

# What the operands of a command may be.
_verbench_reply_operands()	# command
{
	local kind words='' host
	local -a files=()

	for kind in $(_verbench_operands "$1"); do
		case $kind in
		host) while read -r host; do words+=" $host"; done < <(compgen -A hostname -- "$cur") ;;
		file) mapfile -t files < <(compgen -f -- "$cur") ;;
		scenario) words+=" $("$verbench" run --list 2>/dev/null | sed -n 's/^\([a-z0-9][a-z0-9-]*\) .*/\1/p')" ;;
		command) words+=" $_verbench_commands all" ;;
		*) words+=" $kind" ;;
		esac
	done
	_verbench_reply "$words"
	COMPREPLY+=("${files[@]}")
	((${#files[@]} == 0)) || compopt -o filenames 2>/dev/null || :
}

# What follows an option. Fails if nothing does.
_verbench_reply_value()	# command, option
{
	local kind words

	if [[ $1 == ib_* ]]; then
		read -r kind words < <(_verbench_ib_value "$2")
	else
		read -r kind words < <(_verbench_value "$2")
	fi
	case $kind in
	words) _verbench_reply "$words" ;;
	list) _verbench_reply_list "$words" ;;
	file) _verbench_reply_files -f ;;
	folder) _verbench_reply_files -d ;;
	device) _verbench_reply_list "$(_verbench_devices "$emulated")" ;;
	text) ;;
	*) return 1 ;;
	esac
}

_verbench()
{
	local cur=${COMP_WORDS[COMP_CWORD]} last=$((COMP_CWORD - 1)) first=0 command verbench emulated=''
	local -a before=("${COMP_WORDS[@]:0:COMP_CWORD}")

	COMPREPLY=()
	while [[ ${before[first]##*/} == softhca ]]; do
		((++first))
		emulated=1
	done
	[[ " ${before[*]} " != *' --soft '* ]] || emulated=1
	if ((first == COMP_CWORD)); then
		mapfile -t COMPREPLY < <(compgen -c -- "$cur")
		return
	fi
	verbench=${before[first]/#\~/$HOME}
	case ${before[first]##*/} in
	verbench)
		command=${before[first + 1]-}
		if ((first == last)); then
			_verbench_reply "$_verbench_commands --help --version"
			return
		fi
		;;
	vb_*) command=${before[first]##*/} command=${command#vb_} ;;
	ib_*) command=${before[first]##*/} ;;
	*) return ;;
	esac
	# bash makes three words of --name=value
	if [[ $cur == '=' ]]; then
		cur=
	elif [[ ${before[last]} == '=' ]]; then
		((--last))
	fi
	if [[ ${before[last]} == -* ]] && _verbench_reply_value "$command" "${before[last]}"; then
		return
	fi
	if [[ $cur == -* ]]; then
		_verbench_reply_options "$(_verbench_options "$command")"
	else
		_verbench_reply_operands "$command"
	fi
}

complete -F _verbench verbench @programs@
# of any other program it has nothing to say
complete -o bashdefault -o default -F _verbench softhca
