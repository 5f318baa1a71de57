# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# What is wrong with the rows of a document of "verbench setup", a line each. $n: the operations that were asked for.

def near(a; b): ((a - b) | fabs) <= 1e-6 * ((a | fabs) + (b | fabs));
def check(bad; text): if bad then text else empty end;

# of rdma_cm: up to an event, while the same step of others is under way
def overlaps: .mode == "many" and (.operation | test("^rdma_(resolve|connect|disconnect)"));

def figures:
	check(.mode == "single" and .operations != $n; "\(.operations) operations, not \($n)"),
	check(.mode == "many" and .operations * .objects < $n; "\(.operations) operations, less than \($n)"),
	check(.mode == "many" and .objects == 1 and .operations % .at_once != 0; "a round is not whole"),
	check(overlaps and .wall_ns < .min_ns; "the wall time is less than that of one operation"),
	check(.mode == "many" and .objects == 1 and (overlaps | not) and .wall_ns < .mean_ns * .at_once;
		"the wall time is less than the sum of its operations"),
	check(.first_ns <= 0 or .min_ns <= 0; "a time is 0"),
	check(.min_ns > .max_ns or .mean_ns < .min_ns or .mean_ns > .max_ns; "min, mean, max are not in order"),
	check(.p50_ns != null and (.p50_ns < .min_ns or .p50_ns > .max_ns); "the median is outside"),
	check(.p99_ns != null and (.p99_ns < .p50_ns or .p99_ns > .max_ns); "p99 is outside"),
	check((.p50_ns == null) != (.operations < 20); "a median is missing, or of too few"),
	check((.p99_ns == null) != (.operations < 1000); "p99 is missing, or of too few"),
	check(near(.rate_per_s * .mean_ns; .objects * 1e9) or overlaps | not; "rate and mean disagree"),
	check(overlaps and (near(.rate_per_s * .wall_ns; .at_once * 1e9) | not); "rate and wall time disagree"),
	check(.cpu_ns < 0; "the CPU time is negative"),
	check(.system_ns != null and (near(.user_ns + .system_ns; .cpu_ns) | not);
		"user and system are not the CPU time");

.rows[] | "\(.measurement) \(.operation)" as $name |
if .status == "ok" then figures
elif .status == "unsupported" then
	check(.reason == null or .operations != 0 or .mean_ns != null; "unsupported, but measured or without a reason")
else "\(.status): \(.reason)"
end | "\($name): \(.)"
