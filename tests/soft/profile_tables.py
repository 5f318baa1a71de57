# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""The section of a profile in results/profiles.md: its rows of kinds.bench and features.bench as two tables, a line
for each outcome."""

import re
import socket
from typing import Iterable

from harness.profiles import profile_file


def section(profile: str, rows: list[dict]) -> str:
    """The section, from its heading on."""
    stands_for = re.search(r"^stands_for = (.*)", profile_file(profile).read_text(), re.MULTILINE).group(1)
    kinds, features = (cells(rows, scenario) for scenario in ("kinds", "features"))
    return (f"## {profile}\n\n{stands_for}.\n\n"
            + table("kind", merged_kinds(kinds))
            + "\n" + table("feature", ((f"`{feature(row)}`", outcome(row)) for row in features)))


def cells(rows: list[dict], scenario: str) -> list[dict]:
    """A row for each cell. Its rows are those of its directions: the worst counts. The sum of both needs a long run."""
    worst: dict[str, dict] = {}
    for row in rows:
        if row["scenario"] != scenario or row["direction"] == "both":
            continue
        if row["status"] != "ok" and worst.get(row["cell"], row)["status"] == "ok":
            worst[row["cell"]] = row
        worst.setdefault(row["cell"], row)
    return list(worst.values())


def outcome(row: dict) -> str:
    """What a cell came to; the names of this machine are not part of it."""
    if row["status"] == "ok":
        return "measured"
    text = ("" if row["status"] == "skipped" else f"**{row['status']}**: ") + row["reason"]
    text = re.sub(r"port \d+ refuses", "port refuses", text.replace(socket.gethostname(), "HOST"))
    return text.replace("|", "\\|")


def feature(row: dict) -> str:
    """A cell without the options that all have, and without the value 'on'."""
    text = re.sub(r" --(verify|completion poll|messages \d+|size (64|16))(?= |$)", "", row["cell"])
    return re.sub(r" on(?= |$)", "", text)


def merged_kinds(rows: list[dict]) -> Iterable[tuple[str, str]]:
    """The kinds with their outcomes: a kind has one line if it has one outcome, however it is measured."""
    kinds: dict[str, dict[str, list[str]]] = {}
    for row in rows:
        how = ("bandwidth" if row["pattern"] == "stream" else "latency") \
            + (", events" if row["completion"] == "event" else "")
        kinds.setdefault(f"{row['transport']} {row['opcode']}", {}).setdefault(outcome(row), []).append(how)
    for kind, outcomes in kinds.items():
        for result, how in sorted(outcomes.items()):
            yield (kind if len(outcomes) == 1 else f"{kind} ({'; '.join(how)})"), result


def table(what: str, lines: Iterable[tuple[str, str]]) -> str:
    """A table of Markdown. What has the same outcome becomes one line, at the place of the first."""
    outcomes: dict[str, list[str]] = {}
    for subject, result in lines:
        outcomes.setdefault(result, []).append(subject)
    return f"| {what} | outcome |\n| --- | --- |\n" + "".join(
        f"| {', '.join(subjects)} | {result} |\n" for result, subjects in outcomes.items())
