# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Rows of results, as verbench writes them in CSV and JSON."""

import csv
import json
import re
from pathlib import Path


class Row(dict):
    """A row of CSV: text by name of its column. A column that is not there is an error."""

    def __missing__(self, column: str) -> str:
        raise AssertionError(f"there is no column {column}")

    def number(self, column: str) -> float:
        assert self[column] != "", f"{column} is empty"
        return float(self[column])

    def wrong(self, expectations: str) -> list[str]:
        """What differs from 'messages=300 lost>=1 lost<=9 status~^(failed|incomplete)$', separated by blanks."""
        found = []
        for one in expectations.split():
            column, operator, value = re.fullmatch(r"(\w+)(>=|<=|=|~)(.*)", one).groups()
            text = self[column]
            good = {"=": lambda: text == value, "~": lambda: re.search(value, text),
                    ">=": lambda: text and float(text) >= float(value),
                    "<=": lambda: text and float(text) <= float(value)}[operator]()
            if not good:
                found.append(f"{column} is '{text}', not {operator} {value}")
        return found


DISTURBED = {"displaced", "moved", "preempted", "sibling_busy", "memory_displaced", "missed_events"}
"""Codes of rows that something outside has disturbed (verbench-row(5))."""

STOLEN_PCT = 3
"""Of the time of its CPUs: what other virtual machines took."""


def is_disturbed(row: Row) -> bool:
    """Does a row say that its machine, or that of its peer, had something else to do?"""
    stolen = any(float(row[column] or 0) >= STOLEN_PCT for column in ("steal_pct", "peer_steal_pct"))
    return stolen or bool(DISTURBED & set(row["warning_codes"].split()))


def late_rounds(count: int) -> str:
    """What is so, for Row.wrong(), of so many rounds over UC or UD of which none is lost. One that takes 100 ms, as on
    a busy machine, has no sample, and its answer is received in a later round; only the last may end before it."""
    return f"sent_messages={count} received_messages>={count * 3 // 4} received_messages<={count} lat_samples>=1"


def csv_rows(file: Path) -> list[Row]:
    """The rows of a CSV file (RFC 4180). A file that is not there has none."""
    if not file.exists():
        return []
    with file.open(newline="") as lines:
        return [Row(row) for row in csv.DictReader(lines)]


def json_rows(file: Path) -> list[dict]:
    """The objects of a file of JSON lines. A file that is not there has none."""
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
