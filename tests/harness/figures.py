# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Computes the figures of a row again from its integers."""

import math
from typing import Sequence

from harness.rows import Row

LATENCY = ("min", "p50", "p90", "p95", "p99", "p99_9", "p99_99", "max")
OPEN = ("p50", "p99", "p99_9", "p99_99", "max")
TIMES = [[f"{time}_{quantile}_ns" for quantile in quantiles]
         for time, quantiles in (("lat", LATENCY), ("response", OPEN), ("service", OPEN))]


def contradictions(row: Row) -> list[str]:
    """What cannot be true of a row, whatever was measured."""
    if None in row or None in row.values():
        return ["the row has not as many cells as there are columns"]
    if row["messages"] == "" or row["window_ns"] == "":
        return []
    return [*_counts(row), *_rates(row), *[wrong for columns in TIMES for wrong in _percentiles(row, columns)]]


def is_sum(row: Row) -> bool:
    """The row that sums up both directions of a stream."""
    return row["direction"] == "both" and row["pattern"] == "stream"


def _counts(row: Row) -> list[str]:
    found = []
    count = {column: int(row[column] or 0) for column in ("polls", "empty_polls", "received_messages", "duplicated")}
    if row.number("bytes") != row.number("messages") * row.number("size_bytes") and not row["window_bytes"]:
        found.append("bytes is not messages * size_bytes")
    if row["polls"] and count["polls"] < count["empty_polls"]:
        found.append("more empty polls than polls")
    if row["pattern"] == "stream" and row["lost"]:
        arrived = count["received_messages"] - count["duplicated"]
        if arrived + int(row["lost"]) != int(row["sent_messages"] or 0):
            found.append("sent_messages is not received_messages - duplicated + lost")
    return found


def _rates(row: Row) -> list[str]:
    found = []
    window, messages, size = (int(row[column] or 0) for column in ("window_ns", "window_messages", "size_bytes"))
    if window > 0:
        if messages > row.number("messages"):
            found.append("more messages in the window than messages")
        if not row["message_rate_per_s"] and not any(code in row["warning_codes"] for code in ("no_gap", "above_link")):
            found.append("no rate, and no reason")
    if row["message_rate_per_s"]:
        payload = int(row["window_bytes"] or messages * size)
        truth = {"bandwidth_gbit_s": payload * 8 / window,
                 "bandwidth_mib_s": payload / 2**20 / (window / 1e9),
                 "message_rate_per_s": messages / (window / 1e9)}
        # 9 significant digits: half a unit of the last is 5e-9 of 1.00000000
        found += [f"{column} is '{row[column]}', not {value:.9g}" for column, value in truth.items()
                  if not math.isclose(float(row[column] or "nan"), value, rel_tol=6e-9)]
    return found


def _percentiles(row: Row, columns: Sequence[str]) -> list[str]:
    present = [column for column in columns if row[column]]
    # the middle of a histogram's bucket may lie beyond the exact extremes by half its width
    return [f"{second} {row[second]} is below {first} {row[first]}" for first, second in zip(present, present[1:])
            if row.number(second) * 1.004 < row.number(first)]
