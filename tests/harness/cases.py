# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Tables of cases: a command is a case, and its text is the id of the case."""

import re
from typing import Iterable, Union

import pytest

full = pytest.mark.full


def commands(text: str, after: str = "") -> list[str]:
    """The commands of a text, each on a line or up to a comma; after: what each of them ends with."""
    found = [command.strip() for command in re.split(r"[,\n]", text)]
    return [f"{command} {after}".strip() for command in found if command]


def some_quick(cases: Iterable[Union[str, tuple]], quick: int = 2) -> list:
    """For parametrize: the first cases always run, the others are alike and run with scripts/check --all only.

    A case is a command, or a tuple that begins with one.
    """
    rows = [(case,) if isinstance(case, str) else case for case in cases]
    return [pytest.param(*row, id=row[0], marks=[] if number < quick else full) for number, row in enumerate(rows)]


def one_in(count: int, commands: Iterable[str]) -> list:
    """For parametrize: the first of each 'count' commands always runs, all of them with scripts/check --all only."""
    return [pytest.param(command, id=command, marks=full if number % count else [])
            for number, command in enumerate(commands)]
