#compdef verbench softhca @programs@
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Completion in zsh. The tables are made from those of the program.

#@tables@

# Where the devices are; tests have another place.
: ${_verbench_sysfs:=/sys/class/infiniband}

# Some of the words, with commas.
_verbench_list()	# words
{
	local -a given
	local before=$PREFIX

	if compset -P '*,'; then
		given=(${(s:,:)before%,*})
	fi
	compadd -- ${@:|given}
}

_verbench_devices()
{
	local -a devices=($_verbench_sysfs/*(N:t))
	local i

	if [[ -n $words[(r)--soft] || $LD_PRELOAD == *softhca* || -n $_verbench_emulated ]]; then
		for ((i = 0; i < ${SOFTHCA_DEVICES:-1}; i++)); do
			devices+=(softhca$i)
		done
	fi
	_verbench_list $devices
}

_verbench_operand()	# what it may be
{
	local kind
	local -a names

	for kind; do
		case $kind in
		host) _hosts ;;
		file) _files ;;
		command) _describe -t commands command _verbench_commands ;;
		scenario)
			names=(${${(f)"$($_verbench_program run --list 2>/dev/null)"}%% *})
			compadd -- ${(M)names:#[a-z0-9]*}
			;;
		*) compadd -- $kind ;;
		esac
	done
}

_verbench()
{
	local command key _verbench_program=${words[1]/#\~/$HOME}
	local -a specs keys operands

	case $service in
	softhca)
		local _verbench_emulated=1
		shift words
		((--CURRENT))
		_normal
		return
		;;
	verbench)
		if ((CURRENT == 2)); then
			_describe -t commands command _verbench_commands
			return
		fi
		command=$words[2]
		shift words
		((--CURRENT))
		;;
	vb_*) command=${service#vb_} ;;
	*) command=$service ;;
	esac
	_verbench_takes $command
	for key in $keys; do
		if [[ $command == ib_* ]]; then
			_verbench_ib_spec $key
		else
			_verbench_spec $key
		fi
	done
	(($#operands)) && specs+=("*: : _verbench_operand $operands")
	_arguments -s : $specs
}

_verbench "$@"
