# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""The command lines of public scripts around perftest, with the drop-in programs on the emulated HCA; the output is
read as those scripts do. Each file *.wrapper is one script; format.md says how it is written. With STOCK=1 in the
environment, the installed programs of perftest run."""

import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from harness.by_cm import until_listens_by_cm
from harness.emulated import Hca
from harness.installed import need_localhost
from harness.programs import Ended, Program, last_lines, listens, wait_until

STOCK = "STOCK" in os.environ
REDIRECTIONS = {"separate": '>"$0" 2>"$0.err"', "merged": '>"$0" 2>&1',
                # the script has started both sides with its own output
                "shared": ">>client 2>>client.err"}
SOURCES = [side + kind for side in ("client", "server") for kind in ("", ".err", ".json")]


@dataclass
class Case:
    """One case of a script; format.md describes its keys."""

    server: str = ""
    client: str = ""
    mode: str = ""
    output: str = "separate"
    exits: str = "0"
    refused: str = ""
    newer: str = ""
    fault: str = ""
    later: str = ""
    read: list[str] = field(default_factory=list)
    has: list[str] = field(default_factory=list)
    lacks: list[str] = field(default_factory=list)


def cases_of(file: Path) -> dict[str, Case]:
    """The cases of a script by name."""
    cases: dict[str, Case] = {}
    for line in file.read_text().splitlines():
        key, _, rest = line.partition(" ")
        if key == "case":
            case = cases[rest] = Case()
        elif key in ("read", "has", "lacks"):
            getattr(case, key).append(rest)
        elif key and key != "source" and not key.startswith("#"):
            assert hasattr(case, key), f"{file.name}: unknown key {key}"
            setattr(case, key, rest)
    return cases


def parameters() -> list:
    """All cases. Some run always: the short ones that move little data."""
    found = []
    for file in sorted(Path(__file__).parent.glob("*.wrapper")):
        for name, case in cases_of(file).items():
            marks = [pytest.mark.full] if case.mode or re.search("-D |--duration ", case.client) else []
            if case.later and not STOCK:
                marks.append(pytest.mark.xfail(reason=case.later, strict=True))
            found.append(pytest.param(case, id=f"{file.stem}: {name}", marks=marks))
    return found


def command(line: str, side: str, port: int) -> list[str]:
    """The words of a command line, with its placeholders replaced."""
    if "{port}" not in line and "--help" not in line:
        line += " -p {port}"
    line = re.sub(r"\{[^{}>]*>([^{}>]*)\}", r"\1", line)
    values = {"dev": "softhca0", "host": "127.0.0.1", "port": port, "gid": 1, "json": f"{side}.json"}
    return re.sub(r"\{(\w+)\}", lambda match: str(values[match[1]]), line).split()


def start(hca: Hca, case: Case, side: str, port: int) -> Program:
    """Starts a side in the folder of the test; its output goes where the script has it."""
    words = command(getattr(case, side), side, port)
    return hca.start(["sh", "-c", f'exec "$@" {REDIRECTIONS[case.output]}', side, *words], cwd=hca.folder)


def text(file: Path) -> str:
    """What a side wrote; nothing if there is no such file."""
    return file.read_text() if file.exists() else ""


def skip_unable(hca: Hca, case: Case) -> None:
    """Skips what the installed perftest cannot do."""
    if case.fault or case.refused:
        pytest.skip(case.fault or f"a build without {case.refused} refuses this")
    if case.newer and case.newer not in hca.run([case.client.split()[0], "--help"]).out:
        pytest.skip(f"it has no {case.newer}")


def measure(hca: Hca, case: Case, port: int) -> list[Ended]:
    """Runs both sides, or the client alone."""
    programs = []
    if case.server:
        programs.append(start(hca, case, "server", port))
        if STOCK and " -R " in case.server:
            until_listens_by_cm(hca, programs[0], port)
        else:
            wait_until(lambda: listens(port) or not programs[0].running(), "the server listens, or has ended")
    programs.append(start(hca, case, "client", port))
    return [program.wait() for program in reversed(programs)]


@pytest.mark.parametrize("case", parameters())
def test_script_reads_the_output(hca: Hca, case: Case) -> None:
    hca.env["PATH"] = f"{'/usr/bin' if STOCK else hca.program('perftest')}:{hca.env['PATH']}"
    if case.client.endswith(" localhost"):
        need_localhost()
    hca.env["SOFTHCA_MODE"] = case.mode.split(" ")[0]
    if STOCK:
        skip_unable(hca, case)
    ended = measure(hca, case, hca.port())
    said = {name: text(hca.folder / name) for name in SOURCES}
    if case.refused:
        option = case.refused.split()[0]
        assert ended[0].status != 0 and option in said["client"] + said["client.err"], (ended, said)
        return
    assert case.exits == "any" or all(one.status == 0 for one in ended), (ended, said)
    for line in case.read:
        names, _, program = line.partition("| ")
        name, source = names.split()
        # perftest wrote no valid JSON before 2024
        if STOCK and program.startswith("jq") and not valid_json(hca.folder / source):
            continue
        value = subprocess.run(["bash", "-c", program], input=said[source], capture_output=True, text=True)
        number = " ".join((value.stdout + value.stderr).split())
        positive = re.fullmatch(r"\d+(\.\d+)?", number) and float(number) > 0
        assert positive, f"{name} is '{number}' in {last_lines(said[source], 4)}"
    for lines, wanted in ((case.has, True), (case.lacks, False)):
        for line in lines:
            source, _, pattern = line.partition(" ")
            assert any(re.search(pattern, one) for one in said[source].splitlines()) == wanted, (line, said)


def valid_json(file: Path) -> bool:
    return subprocess.run(["jq", "empty", file], capture_output=True).returncode == 0
