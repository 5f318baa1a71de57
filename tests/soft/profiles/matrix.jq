# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# jq -rs --arg host NAME -f matrix.jq rows.jsonl: the rows of kinds.bench and features.bench of one
# profile as two tables, a line for each outcome.

# What a cell came to; the names of this machine are not part of it.
def outcome:
	if .status == "ok" then "measured"
	else (if .status == "skipped" then "" else "**" + .status + "**: " end) + .reason
		| gsub($host; "HOST") | gsub("port [0-9]+ refuses"; "port refuses") | gsub("\\|"; "\\|")
	end;

def how: (if .pattern == "stream" then "bandwidth" else "latency" end)
	+ (if .completion == "event" then ", events" else "" end);

# The rows of a cell are those of its directions: the worst one counts. The sum of both needs a long run.
def cells: map(select(.direction != "both")) | group_by(.cell) | map(sort_by(.status == "ok") | .[0]);

def order($rows): [$rows[].cell] as $all | map(. as $c | $c + {at: ($all | index($c.cell))}) | sort_by(.at);

# What has the same outcome becomes one, at the place of the first.
def merge: reduce .[] as $c ([]; (map(.outcome) | index($c.outcome)) as $i
	| if $i then .[$i].what += [$c.what] else . + [{outcome: $c.outcome, what: [$c.what]}] end);

def kinds: map({kind: "\(.transport) \(.opcode)", how: how, outcome: outcome})
	| reduce .[] as $c ([]; (map(.kind) | index($c.kind)) as $i
		| if $i then .[$i].of += [$c] else . + [{kind: $c.kind, of: [$c]}] end)
	| map(if (.of | map(.outcome) | unique | length) == 1
		then {what: .kind, outcome: .of[0].outcome}
		else .kind as $k | (.of | group_by(.outcome) | .[]
			| {what: "\($k) (\(map(.how) | join("; ")))", outcome: .[0].outcome}) end);

def feature: .cell | gsub(" --(verify|completion poll|messages [0-9]+|size (64|16))(?= |$)"; "")
	| gsub(" on(?= |$)"; "");

def table: map("| \(.what | join(", ")) | \(.outcome) |") | join("\n");

. as $rows
| (map(select(.scenario == "kinds")) | . as $r | cells | order($r) | kinds | merge | table) as $kinds
| (map(select(.scenario == "features")) | . as $r | cells | order($r)
	| map({what: "`\(feature)`", outcome: outcome}) | merge | table) as $features
| "| kind | outcome |\n| --- | --- |\n\($kinds)\n\n| feature | outcome |\n| --- | --- |\n\($features)"
