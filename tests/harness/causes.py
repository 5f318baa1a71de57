# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""The causes that error messages name, in src/base/causes/remedy.def."""

import re

from harness.emulated import SOURCE


def commands(cause: str) -> tuple[str, str]:
    """What shows a cause, and what corrects it."""
    rows = (SOURCE / "src" / "base" / "causes" / "remedy.def").read_text()
    row = re.search(rf'^REMEDY\({cause}((,\s*"(\\.|[^"\\])*")+)\)', rows, re.MULTILINE)
    assert row, f"remedy.def has no {cause}"
    _, see, remedy = re.findall(r'"((?:\\.|[^"\\])*)"', row[1])
    return see, remedy


def has_commands(cause: str, text: str) -> bool:
    """Does the text have them, in a line or in several? It may have values for some words."""
    patterns = [re.sub("HOST|PORT|ADDRESS", ".*", re.escape(part)) for part in commands(cause)]
    return all(re.search(pattern, " ".join(text.split())) for pattern in patterns)
