# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""What is wrong with the rows of a document of 'verbench setup'."""

import math


def wrong_setup(rows: list[dict], operations: int) -> list[str]:
    """A line for each contradiction. operations: how many were asked for."""
    found = []
    for row in rows:
        if row["status"] == "ok":
            wrong = _wrong_figures(row, operations)
        elif row["status"] == "unsupported":
            measured = row["operations"] != 0 or row["mean_ns"] is not None
            wrong = ["unsupported, but measured"] if measured else []
            wrong += [] if row["reason"] else ["unsupported without a reason"]
        else:
            wrong = [f"{row['status']}: {row['reason']}"]
        found += [f"{row['measurement']} {row['operation']}: {one}" for one in wrong]
    return found


def _wrong_figures(row: dict, operations: int) -> list[str]:
    checks = [*_counts(row, operations), *_times(row), *_rates(row)]
    return [text for wrong, text in checks if wrong]


def _overlaps(row: dict) -> bool:
    """Up to an event of rdma_cm, while the same step of others is under way."""
    steps = ("rdma_resolve", "rdma_connect", "rdma_disconnect")
    return row["mode"] == "many" and row["operation"].startswith(steps)


def _counts(row: dict, operations: int) -> list[tuple[bool, str]]:
    many, got = row["mode"] == "many", row["operations"]
    return [
        (row["mode"] == "single" and got != operations, f"{got} operations, not {operations}"),
        (many and got * row["objects"] < operations, f"{got} operations, less than {operations}"),
        (many and row["objects"] == 1 and got % row["at_once"] != 0, "a round is not whole"),
        ((row["p50_ns"] is None) != (got < 20), "a median is missing, or of too few"),
        ((row["p99_ns"] is None) != (got < 1000), "p99 is missing, or of too few"),
    ]


def _times(row: dict) -> list[tuple[bool, str]]:
    least, mean, most = row["min_ns"], row["mean_ns"], row["max_ns"]
    p50, p99 = row["p50_ns"], row["p99_ns"]
    return [
        (row["first_ns"] <= 0 or least <= 0, "a time is 0"),
        (not least <= mean <= most, "min, mean, max are not in order"),
        (p50 is not None and not least <= p50 <= most, "the median is outside"),
        (p99 is not None and not p50 <= p99 <= most, "p99 is outside"),
        (row["cpu_ns"] < 0, "the CPU time is negative"),
        (row["system_ns"] is not None and not _near(row["user_ns"] + row["system_ns"], row["cpu_ns"]),
         "user and system are not the CPU time"),
    ]


def _rates(row: dict) -> list[tuple[bool, str]]:
    if _overlaps(row):
        return [
            (row["wall_ns"] < row["min_ns"], "the wall time is less than that of one operation"),
            (not _near(row["rate_per_s"] * row["wall_ns"], row["at_once"] * 1e9), "rate and wall time disagree"),
        ]
    alone = row["mode"] == "many" and row["objects"] == 1
    return [
        (alone and row["wall_ns"] < row["mean_ns"] * row["at_once"],
         "the wall time is less than the sum of its operations"),
        (not _near(row["rate_per_s"] * row["mean_ns"], row["objects"] * 1e9), "rate and mean disagree"),
    ]


def _near(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=2e-6)
