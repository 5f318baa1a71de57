# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Cases of tests, read from what the programs leave: logs of cmocka, lines 'ok NAME', 'not ok NAME', JUnit."""

import re
import shlex
import xml.etree.ElementTree as xml
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

MOST_LINES = 20  # of a failed case

RESULT = re.compile(r"(?P<bad>not )?ok (?P<name>.+)|\[ +(?P<word>OK|FAILED|SKIPPED) +\] (?P<cmocka>\w+)")
RUNNING = re.compile(r"\[==========\] .*Running \d+ test")
RAN = re.compile(r"\[==========\] .*\d+ test\(s\) run")
# what says why, in an output of a compiler, of make, of a sanitizer, of a script
CAUSE = re.compile(r"error:|warning:|ERROR|runtime error|SUMMARY|^FAIL|FAILED|\*\*\*|^not ok|No such|denied")


@dataclass(frozen=True)
class Case:
    """One case: its name, passed, failed or skipped; of a failed one the lines that matter, and what repeats it."""

    name: str
    outcome: str
    lines: tuple[str, ...] = ()
    again: str = ""


def causes(text: str) -> tuple[str, ...]:
    """The lines of a log that say what failed; the last lines if none does."""
    lines = [line for line in text.splitlines() if line.strip() and not re.match(r"checking |config\.status:", line)]
    found = [line for line in lines if CAUSE.search(line)]
    return tuple(found[:MOST_LINES] or lines[-MOST_LINES:])


def of_command(name: str, status: int, log: Path, again: str) -> Case:
    """A command that is one case: exit status 0 passed, 77 skipped."""
    if status in (0, 77):
        return Case(name, "skipped" if status else "passed")
    how = f"exit {status}" + (": ended, it printed nothing for too long" if status == 124 else "")
    return Case(name, "failed", (how, *causes(log.read_text(errors="replace"))), again)


def of_program(log: Path, status: int, again: str, prefix: str) -> list[Case]:
    """The cases of a program; one that prints none is a case itself."""
    found = of_log(log, status, again, prefix)
    return found or [Case(prefix.rstrip(": "), "skipped" if status == 77 else "passed")]


def of_log(log: Path, status: int, again: str, prefix: str) -> list[Case]:
    """The cases that a program has printed. One that failed without a failed case is a failed case itself."""
    cases: list[Case] = []
    said: list[str] = []
    follows = False  # what follows 'not ok' says why; cmocka says it before
    listed = False  # cmocka lists failed and skipped tests again
    text = log.read_text(errors="replace")
    for line in text.splitlines():
        if RUNNING.match(line) or RAN.match(line):
            listed = not RUNNING.match(line)
        found = None if listed else RESULT.fullmatch(line)
        if not found:
            said.append(line)
            if follows and len(cases[-1].lines) < MOST_LINES:
                cases[-1] = Case(cases[-1].name, "failed", (*cases[-1].lines, line), again)
            continue
        follows = bool(found["bad"])
        name = prefix + (found["name"] or found["cmocka"])
        if found["word"] == "SKIPPED" or re.search(r"# *skip", name, re.IGNORECASE):
            cases.append(Case(name, "skipped"))
        elif found["bad"] or found["word"] == "FAILED":
            cases.append(Case(name, "failed", _before(said) if found["word"] else (), again))
        else:
            cases.append(Case(name, "passed"))
        said = []
    if status not in (0, 77) and not any(case.outcome == "failed" for case in cases):
        cases.append(Case(f"{prefix}the program", "failed", (f"exit {status}", *causes(text)), again))
    return cases


def _before(said: list[str]) -> tuple[str, ...]:
    """What cmocka prints before it says that a test failed: its message, of many lines perhaps, and the place."""
    first = next((i for i, line in enumerate(said) if "ERROR" in line), max(0, len(said) - MOST_LINES))
    lines = said[first:first + MOST_LINES]
    return (*lines, *(line for line in said[first + MOST_LINES:] if "[   LINE   ]" in line))


def of_make(build: Path, again: Callable[[str], str]) -> list[Case]:
    """The cases of all programs that 'make check' has run in a build."""
    cases = []
    for result in sorted(build.rglob("*.trs")):
        log = result.with_suffix(".log")
        program = str(log.relative_to(build).with_suffix(""))
        word = re.search(r"^:global-test-result: (\w+)", result.read_text(), re.MULTILINE)
        status = {"PASS": 0, "SKIP": 77}.get(word[1] if word else "", 1)
        cases += of_program(log, status, again(program), f"{program}: ")
    return cases


def of_junit(file: Path, build: Path) -> list[Case]:
    """The cases of pytest, which writes the older kind of JUnit: it names the file of a case."""
    if not file.exists():
        return []
    cases = []
    for case in xml.parse(file).getroot().iter("testcase"):
        where = case.get("file") or case.get("classname", "")
        name = f"{where}::{case.get('name')}"
        bad = [child for child in case if child.tag in ("failure", "error")]
        if bad:
            again = f"/usr/bin/python3 -m pytest --build={shlex.quote(str(build))} {shlex.quote(name)}"
            cases.append(Case(name, "failed", _why(bad[0]), again))
        else:
            cases.append(Case(name, "passed" if case.find("skipped") is None else "skipped"))
    return cases


def _why(failure: xml.Element) -> tuple[str, ...]:
    """The lines of pytest that begin with E, and the place of the assertion."""
    lines = (failure.text or "").splitlines()
    matter = [line for line in lines if re.match(r"E  |>  |[\w./-]+\.py:\d+: ", line)]
    return tuple((matter or [failure.get("message", ""), *lines])[:MOST_LINES])
