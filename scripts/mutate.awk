# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Called by scripts/mutate. Lists each operator of C files that can be changed: FILE TAB LINE TAB COLUMN TAB OLD TAB
# NEW. Comments, preprocessor lines and texts are left out. The coding style has a blank on both sides of a binary
# operator.

BEGIN {
	# old~new; the blanks belong to the operator, so that "*" of a pointer and "-" of a number are left out
	n = split(" < ~ <= , <= ~ < , > ~ >= , >= ~ > , == ~ != , != ~ == , && ~ || , || ~ && , + ~ - , - ~ + ," \
		  " * ~ / , / ~ * , % ~ / , & ~ | , | ~ & , << ~ >> , >> ~ << , += ~ -= , -= ~ += ,++~--,--~++," \
		  "!~,return rc;~return 0;,return true;~return false;,return false;~return true;," \
		  "break;~continue;", rows, ",")
	for (i = 1; i <= n; i++) {
		split(rows[i], pair, "~")
		old[i] = pair[1]
		new[i] = pair[2]
	}
}

# The line with each character of a text or a comment replaced by "."; remembers an open comment.
function plain(line,    out, i, c, two, text)
{
	out = ""
	text = ""
	for (i = 1; i <= length(line); i++) {
		c = substr(line, i, 1)
		two = substr(line, i, 2)
		if (comment) {
			if (two == "*/") { comment = 0; out = out "."; i++ }
			out = out "."
		} else if (text != "") {
			if (c == "\\") { out = out "."; i++ }
			else if (c == text) text = ""
			out = out "."
		} else if (two == "/*") {
			comment = 1
			out = out ".."
			i++
		} else if (c == "\"" || c == "'") {
			text = c
			out = out "."
		} else {
			out = out c
		}
	}
	return out
}

function list(line, k,    from, at, next_char)
{
	from = 1
	while ((at = index(substr(line, from), old[k])) > 0) {
		at += from - 1
		from = at + length(old[k])
		next_char = substr(line, from, 1)
		# "!" of "!=" is no operator of its own
		if (old[k] == "!" && next_char == "=") continue
		print FILENAME "\t" FNR "\t" at "\t" old[k] "\t" new[k]
	}
}

FNR == 1 { comment = 0; macro = 0 }

{
	code = plain($0)
	if (macro || code ~ /^[ \t]*#/) {
		macro = code ~ /\\$/
		next
	}
	# at the end of a line the operator has no blank behind it
	code = code " "
	for (k = 1; k <= n; k++) list(code, k)
}
