# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Who may ask a server: --key, --allow, --bind, and what a server listens on when nothing says who may.

# Starts a server that stays, on the next port. Sets server.
access_serve()	# options...
{
	((++port))
	start server "$build/verbench" serve -p "$port" "$@"
	server=$process
	await "$job" grep -q 'waiting for a client on port' "$work/server"
}

access_end()
{
	kill "$server"
	wait "$job"
}

# A command that fails on both sides, with words of each.
access_refused()	# name, words of the client, words of the server, command...
{
	local name=$1 client=$2 words=$3 said=''

	shift 3
	softhca timeout "$guard" "$@" >"$work/client" 2>&1
	(($? == 1)) || said+='the client did not exit with 1 '
	grep -qF -- "$client" "$work/client" || said+="client: $(tail -n 2 "$work/client") "
	await "$job" grep -qF -- "$words" "$work/server" || said+="server: $(tail -n 2 "$work/server")"
	verdict "access: $name" "$said"
}

# A command that is served.
access_served()	# name, command...
{
	local name=$1

	shift
	verdict "access: $name" "$(softhca timeout "$guard" "$@" >"$work/client" 2>&1 || tail -n 2 "$work/client")"
}

access_key()
{
	local key=$work/key in=$work/in one=127.0.0.1

	rm -rf "$key" "$key.2" "$in"
	mkdir "$in"
	"$build/verbench" key "$key" && "$build/verbench" key "$key.2"
	access_serve --key "$key" --copy-to "$in"
	access_served '--key: a test' "$build/vb_send_bw" --key "$key" -n 100 -p "$port" "$one"
	access_served '--key: run' "$build/verbench" run --key "$key" -n 20 --test send_bw -s 64,1M -p "$port" "$one"
	access_served '--key: check' "$build/verbench" check --key "$key" -p "$port" "$one"
	access_served '--key: setup' "$build/verbench" setup --key "$key" --only pd -p "$port" "$one"
	access_served '--key: copy' "$build/verbench" copy --key "$key" -p "$port" "$build/verbench" "$one:it"
	verdict 'access: --key: the copy is whole' "$(cmp "$build/verbench" "$in/it" 2>&1)"
	access_refused 'no key' 'asks for a key: give --key FILE' 'gives no key: a client needs --key FILE' \
		"$build/vb_send_bw" -n 100 -p "$port" "$one"
	access_refused 'another key' 'has another key, or none' 'has another key, or none' \
		"$build/vb_send_bw" --key "$key.2" -n 100 -p "$port" "$one"
	access_end
	access_serve
	access_refused 'a key, and the server has none' 'has no key: start it with --key FILE' \
		'gives a key, and this server has none' "$build/vb_send_bw" --key "$key" -n 100 -p "$port" "$one"
	access_end
	chmod g+r "$key"
	((++port))
	verdict 'access: a server does not take a key that others can read' "$(
		timeout "$guard" "$build/verbench" serve --key "$key" -p "$port" >"$work/out" 2>&1
		grep -q 'mode 0640 lets others than its owner at the key: chmod 600' "$work/out" || cat "$work/out")"
}

# Addresses of this host stand for other hosts: 127.0.0.2 is the server, 127.0.0.3 and 127.0.0.1 are clients.
access_ranges()
{
	access_serve --allow 127.0.0.3,10.0.0.0/8
	access_served '--allow: an address of the list' "$build/vb_send_bw" --bind 127.0.0.3 -n 100 -p "$port" 127.0.0.2
	access_refused '--allow: another address' 'is gone' \
		'ignored a connection from 127.0.0.1: --allow does not have it' \
		"$build/vb_send_bw" --bind 127.0.0.1 -n 100 -p "$port" 127.0.0.2
	access_end
	access_serve --bind 127.0.0.2,127.0.0.4
	verdict 'access: --bind: the line names the addresses' "$(
		grep -q "port $port of 127.0.0.2 and 127.0.0.4\$" "$work/server" || cat "$work/server")"
	access_served '--bind: the second address' "$build/vb_send_bw" -n 100 -p "$port" 127.0.0.4
	softhca timeout "$guard" "$build/vb_send_bw" --connect-timeout 300ms -p "$port" 127.0.0.1 >"$work/client" 2>&1
	verdict 'access: --bind: not on other addresses' "$(grep -q 'no server is listening' "$work/client" ||
		cat "$work/client")"
	access_end
	access_serve
	verdict 'access: loopback alone, and how to open it' "$(
		grep -qE "port $port of 127.0.0.1( and ::1)?\$" "$work/server" &&
			grep -q 'only this host can connect; --key or --allow' "$work/server" || cat "$work/server"
		ss -Hltn "sport = :$port" | awk '$4 !~ /^(127.0.0.1|\[::1\]):/ { print "listens on " $4 }')"
	access_end
	((++port))
	verdict 'access: --bind does not open it to everybody' "$(
		timeout "$guard" "$build/verbench" serve --bind 0.0.0.0 -p "$port" >"$work/out" 2>&1
		rc=$?
		((rc == 2)) && grep -q 'give --key FILE or --allow' "$work/out" || echo "exit $rc: $(<"$work/out")")"
}

part_access()
{
	access_key
	access_ranges
}
