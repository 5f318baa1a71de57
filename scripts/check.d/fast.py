# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""scripts/check --fast: style, and the tests of the files that have changed since a commit."""

import subprocess
from pathlib import Path

import steps
from steps import OUT, Run, TOP


def git(*words: str) -> list[str]:
    """The lines that git prints; none if it fails."""
    ended = subprocess.run(["git", *words], cwd=TOP, capture_output=True, text=True)
    return ended.stdout.splitlines() if ended.returncode == 0 else []


def changed(commit: str) -> list[Path]:
    """The files that differ from a commit, or are new. Without commit: from the upstream branch, or the last commit."""
    if not commit:
        commit = (git("merge-base", "HEAD", "@{upstream}") or ["HEAD~1"])[0]
    names = git("diff", "--name-only", "--diff-filter=d", commit) + git("ls-files", "--others", "--exclude-standard")
    return [Path(name) for name in dict.fromkeys(names)]


def includes(test: Path, header: str) -> bool:
    return f'#include "{header}"' in (TOP / test).read_text()


def programs_of(files: list[Path]) -> set[str]:
    """The programs of 'make check' that are in the files, or include the header of a file of src."""
    tests = [path.relative_to(TOP) for folder in ("unit", "fake", "pair")
             for path in (TOP / "tests" / folder).glob("test_*.c")]
    found = {str(file.with_suffix("")) for file in files if file in tests}
    for file in files:
        if file.parts[0] == "src" and file.suffix in (".c", ".h"):
            header = "/".join(file.with_suffix(".h").parts[2:])
            found |= {str(test.with_suffix("")) for test in tests if includes(test, header)}
        if file.parts[:2] in (("tests", "cli"), ("tests", "topo"), ("tests", "manual")):
            found.add("/".join([*file.parts[:2], "run"]))
    return found


def check(run: Run, commit: str) -> None:
    files = changed(commit)
    run.lines.append(f"  {len(files)} files have changed")
    if not steps.build(run, "gcc", "gcc"):
        return
    run.printed("check-style", OUT / "style.log", ["scripts/check-style", steps.GCC])
    headers = [file for file in files if file.suffix == ".h" and file.parts[0] in ("src", "softhca")]
    if headers:
        run.printed("check-headers", OUT / "headers.log", ["scripts/check-headers", *headers])
    scripts = [name for name in steps.shell_scripts() if Path(name) in files]
    if scripts:
        run.one("shellcheck", OUT / "shellcheck.log", [*steps.SHELLCHECK, *scripts])
    programs = programs_of(files)
    if programs:
        steps.make_check(run, "gcc", " ".join(sorted(programs)))
    tests = [file for file in files if file.name.startswith("test_") and file.suffix == ".py"
             and file.parts[1] not in ("lab", "chaos")]
    if tests:
        steps.pytest(run, "tests in Python", "fast", ["-n", run.jobs, "-m", "not full", *tests],
                     all_may_be_left_out=True)
