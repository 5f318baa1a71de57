# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""The steps of scripts/check: what each one runs, and the cases that it finds."""

import csv
import os
import platform
import re
import shlex
import shutil
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Mapping, Optional, Sequence

import cases
from cases import Case

TOP = Path(__file__).resolve().parents[2]
OUT = TOP / "build-check"
GCC = OUT / "gcc"
# Ends what hangs, and not what is slow, because nobody knows how slow a machine is: no output for so many seconds.
SILENCE = 900
# A variable without quotes is only an "info", but breaks with a blank in a path. Left out: texts that look like code
# (SC1003, SC2016), "a && b || c" (SC2015), functions that are called by name (SC2317) or in a subshell (SC2031).
SHELLCHECK = ("shellcheck", "-x", "-S", "info", "-e", "SC1003,SC2015,SC2016,SC2031,SC2317", "-f", "gcc",
              "-P", "SCRIPTDIR")
PYTEST = ("/usr/bin/python3", "-B", "-m", "pytest", "-o", "junit_family=xunit1")
running: set[subprocess.Popen] = set()
ENDED = 124  # the exit status of a command that was ended


@dataclass
class Run:
    """One run of a step: how it runs, and what it has found."""

    full: bool  # --all
    jobs: int  # processors
    nice: int = 0
    cases: list[Case] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def command(self, log: Path, argv: Sequence[object], env: Optional[Mapping[str, str]] = None) -> int:
        """Runs a command, its output in a log; returns its exit status, ENDED if it hung."""
        words = [*(("nice", "-n", str(self.nice)) if self.nice else ()), *map(str, argv)]
        with log.open("wb") as output:
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                       env={**os.environ, **(env or {})}, cwd=TOP, start_new_session=True)
        running.add(process)
        status = wait(process, log)
        running.discard(process)
        return status

    def found(self, what: str, found: Sequence[Case]) -> None:
        """Counts cases, and says how many."""
        count = {outcome: sum(case.outcome == outcome for case in found) for outcome in ("passed", "failed", "skipped")}
        self.lines.append("  {}: {passed} passed, {failed} failed, {skipped} skipped".format(what, **count))
        self.cases += found

    def one(self, what: str, log: Path, argv: Sequence[object], env: Optional[Mapping[str, str]] = None) -> bool:
        """Runs a command that is one case; did it succeed?"""
        status = self.command(log, argv, env)
        self.found(what, [cases.of_command(what, status, log, shlex.join(map(str, argv)))])
        return status == 0

    def printed(self, what: str, log: Path, argv: Sequence[object], env: Optional[Mapping[str, str]] = None) -> None:
        """Runs a command that prints its cases. One that prints none has checked nothing, and failed."""
        status = self.command(log, argv, env)
        again = shlex.join(map(str, argv))
        found = cases.of_log(log, status, again, f"{what}: ")
        if not found:
            found = [Case(f"{what}: it prints no case", "skipped" if status == 77 else "failed", (), again)]
        self.found(what, found)


def wait(process: subprocess.Popen, log: Path) -> int:
    """Waits for the end. It counts its own steps, so that it is slow where all others are."""
    silent, size = 0, -1
    while silent < SILENCE:
        try:
            return process.wait(1)
        except subprocess.TimeoutExpired:
            now = log.stat().st_size
            silent, size = (silent + 1, size) if now == size else (0, now)
    end(process)
    return ENDED


def end(process: subprocess.Popen) -> None:
    """Ends a command and what it has started, unless that is in another session."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(10)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass


def stop(number: int, _frame: object) -> None:
    """Ends what runs, then this program."""
    for process in list(running):
        end(process)
    os._exit(128 + number)


def build(run: Run, name: str, compiler: str, options: Sequence[str] = (), goals: str = "") -> bool:
    """Builds the goals outside of the source tree, or else the programs and those of the tests; did it succeed?"""
    folder = OUT / name
    folder.mkdir(parents=True, exist_ok=True)
    make = f"make -j{run.jobs}"
    # by a relative path: configure takes no absolute one with a blank
    configure = "" if (folder / "Makefile").exists() else f'{os.path.relpath(TOP, folder)}/configure "$@" && '
    script = f'cd "{folder}" && {configure}{make} {goals or f"&& {make} check TESTS="}'
    return run.one(f"{name}: builds without a warning", OUT / f"{name}-build.log",
                   ["sh", "-c", script, "sh", f"CC={compiler}", "--enable-werror", *options])


def make_check(run: Run, name: str, tests: str = "", env: Optional[Mapping[str, str]] = None) -> None:
    """Runs 'make check' in a build; tests: other ones than all."""
    folder = OUT / name
    for old in [*folder.rglob("*.trs"), folder / "test-suite.log"]:
        old.unlink(missing_ok=True)
    variables = [f"TESTS={tests}"] if tests else []
    log = OUT / f"{name}-check.log"
    # many tests wait for a time limit
    status = run.command(log, ["make", "-C", folder, f"-j{2 * run.jobs}", "check", *variables], env)

    def again(program: str) -> str:
        variables = shlex.join(f"{name}={value}" for name, value in (env or {}).items())
        return f"{variables} make -C {folder.relative_to(TOP)} check TESTS={program}".lstrip()

    found = cases.of_make(folder, again)
    if status and not any(case.outcome == "failed" for case in found):
        found.append(cases.of_command(f"{name}: make check", status, log, f"make -C {folder} check"))
    run.found(f"{name}: make check", found)


def pytest(run: Run, what: str, name: str, which: Sequence[object], folder: Path = GCC,
           env: Optional[Mapping[str, str]] = None, all_may_be_left_out: bool = False) -> None:
    """Runs tests in Python; name is that of its files. A step without a test (status 5) has checked nothing."""
    junit, log = OUT / f"{name}.xml", OUT / f"{name}.log"
    junit.unlink(missing_ok=True)
    status = run.command(log, [*PYTEST, "-q", f"--junitxml={junit}", f"--build={folder}", *which], env)
    found = cases.of_junit(junit, folder)
    if status not in ((0, 5) if all_may_be_left_out else (0,)) and not any(case.outcome == "failed" for case in found):
        found.append(cases.of_command(f"{what}: pytest", status, log, f"the log is {log}"))
    run.found(what, found)


def marked(run: Run, expression: str) -> list[str]:
    return ["-m", expression if run.full else f"{expression} and not full"]


def gcc(run: Run) -> None:
    if build(run, "gcc", "gcc"):
        make_check(run, "gcc")


def clang(run: Run) -> None:
    """Not optimised: clang finds what it warns of before that. "make distcheck" removes its build, so what says which
    lines were executed is beside it."""
    kept = OUT / "clang"
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir()
    run.one("make distcheck", OUT / "clang.log",
            ["make", "-C", GCC, f"-j{run.jobs}", "distcheck", f"KEEP_PROGRAM={kept}/verbench",
             "DISTCHECK_CONFIGURE_FLAGS=CC=clang CFLAGS=-O0 --enable-werror --enable-coverage"],
            # VERBOSE: automake prints the log of what failed; %4m: four files for each program
            {"LLVM_PROFILE_FILE": f"{kept}/profiles/%4m.profraw", "VERBOSE": "1"})
    log = OUT / "coverage.log"
    if run.one("coverage of src without the emulated HCA", log, ["scripts/coverage", kept]):
        run.lines += [f"    {line}" for line in log.read_text().splitlines()]


def fuzz(run: Run) -> None:
    """Always the same inputs: what other ones find is found by hand, and not by a change that did not cause it."""
    run.printed("programs of libFuzzer", OUT / "fuzz.log", ["scripts/fuzz", "-b", OUT / "fuzz", "-s", "1", "2"],
                {"FUZZ_LEVEL": "0"})


def sanitize(run: Run) -> None:
    env = {"ASAN_OPTIONS": "detect_leaks=1:strict_string_checks=1", "UBSAN_OPTIONS": "print_stacktrace=1",
           # libpciaccess, which hwloc's plugin for PCI uses, does not free the names of all PCI devices
           "HWLOC_PLUGINS_PATH": "/nonexistent"}
    # less than -O1 takes twice as long: the measured loops become 20 times as large
    if build(run, "sanitize", "gcc", ["--enable-sanitizers", "CFLAGS=-O1 -g1"]):
        # the other scripts run no code that has sanitizers, or none that tests/cli does not run
        tests = "$(unit_tests) $(fake_tests) $(pair_tests) $(softhca_unit_tests) tests/cli/run tests/topo/run"
        make_check(run, "sanitize", tests, env)
        pytest(run, "sanitize: tests on the emulated HCA", "sanitize-soft", ["-n", run.jobs, *TESTS],
               OUT / "sanitize", env)


def style(run: Run) -> None:
    run.printed("check-style", OUT / "style.log", ["scripts/check-style", GCC])
    run.printed("self-test of check-style", OUT / "style-self-test.log", ["scripts/check-style", "--self-test"])
    run.printed("check-headers", OUT / "headers.log", ["scripts/check-headers"])
    run.one("shellcheck of all scripts", OUT / "shellcheck.log",
            [*SHELLCHECK, *shell_scripts()])
    run.one("shellcheck of scripts/lab with what it reads", OUT / "shellcheck-lab.log",
            [*SHELLCHECK, "-a", "scripts/lab"])
    python = ["conftest.py", "scripts/check.d", "scripts/repeat", "scripts/compare-killed",
              "scripts/make-pictures", "tests", "softhca/tests"]
    run.one("pyflakes of all Python", OUT / "pyflakes.log", ["/usr/bin/python3", "-m", "pyflakes", *python])


def shell_scripts() -> list[str]:
    """Scripts with an interpreter; shellcheck follows the others from there."""
    found = [TOP / "autogen.sh", TOP / ".ci" / "run", TOP / "softhca" / "softhca"]
    for pattern in ("scripts/*", "scripts/lab.d/*", "scripts/lab.d/guest/*", "tests/*/run"):
        found += sorted(path for path in TOP.glob(pattern) if path.is_file())
    return [str(path.relative_to(TOP)) for path in found if re.match(rb"#!.*sh\b", path.read_bytes()[:64])]


def soft(run: Run) -> None:
    pytest(run, "tests on the emulated HCA", "soft", ["-n", run.jobs, *marked(run, "not alone"), *TESTS])


def truth(run: Run) -> None:
    pytest(run, "tests that mostly wait", "waits", ["-n", 2 * run.jobs, *marked(run, "alone and waits"), *TESTS])
    pytest(run, "tests that run alone", "truth", ["-n", "0", *marked(run, "alone and not waits"), *TESTS])


TESTS = ["tests", "softhca/tests", "--ignore=tests/lab", "--ignore=tests/chaos"]


def lab(run: Run) -> None:
    if platform.machine() != "x86_64":
        run.found("lab", [Case("tests in the lab (its guests are x86-64)", "skipped")])
        return
    pytest(run, "tests in the lab", "lab", ["-n", "0", "tests/lab"])


def overhead(run: Run) -> None:
    run.printed("cost of the measured loops", OUT / "overhead.log", ["scripts/overhead", "--check", GCC])


def quickstart(run: Run) -> None:
    log = OUT / "quickstart.log"
    if not run.one("scripts/quickstart", log, ["scripts/quickstart"]):
        return
    wrong = wrong_rows(log.read_text(errors="replace"), TOP / "build-quick" / "results" / "all.csv")
    what = "the rows of scripts/quickstart say what they were measured on"
    run.found(what, [Case(what, "failed" if wrong else "passed", tuple(wrong), "scripts/quickstart")])


def wrong_rows(text: str, file: Path) -> list[str]:
    """What is wrong with the rows: each was measured, and names its device as the tables do."""
    emulated = "1" if ", emulated: not results of a real HCA" in text else "0"
    with file.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    wrong = [] if len(rows) == 4 else [f"{file}: {len(rows)} rows, not 4"]
    for number, row in enumerate(rows, 1):
        if row["status"] != "ok":
            wrong.append(f"{file}: row {number}: status {row['status']}")
        if not row["device"]:
            wrong.append(f"{file}: row {number}: no device")
        if row["emulated"] != emulated:
            wrong.append(f"{file}: row {number}: emulated {row['emulated']}")
        if row["emulated"] == "1" and not row["firmware"].startswith("emulated link "):
            wrong.append(f"{file}: row {number}: does not say its link")
    return wrong


@dataclass(frozen=True)
class Step:
    """A step: what it does, its function, is it for --all only, and does it need the programs of the step gcc?"""

    name: str
    does: str
    function: Callable[[Run], None]
    only_all: bool = False
    needs_build: bool = True


STEPS = {step.name: step for step in (
    Step("gcc", "build with gcc, warnings are errors; make check: unit, fake, pair, cli, topo", gcc, needs_build=False),
    Step("soft", "the emulated HCA: verbs, stock programs, our own, drop-ins; --all: profiles, documents", soft),
    Step("style", "check-style with its self-test, check-headers, shellcheck, pyflakes", style),
    Step("truth", "what runs alone: figures against the link of the emulated HCA", truth),
    Step("quickstart", "the first command of the README does what it says", quickstart, needs_build=False),
    Step("lab", "two nodes with Soft-RoCE (scripts/lab)", lab, True),
    Step("clang", "make distcheck with clang, warnings are errors; which lines of src its tests execute", clang, True),
    Step("sanitize", "build with ASan and UBSan; make check, verbs on the emulated HCA", sanitize, True, False),
    Step("overhead", "instructions per message of the measured loops, against bench/budgets", overhead, True),
    Step("fuzz", "the programs of libFuzzer, always with the same inputs", fuzz, True, False),
)}

# Steps of a lane run one after the other, lanes side by side: the guests of the lab often wait. What measures time runs
# when no other step does.
LANES = ((("gcc",),), (("lab", "soft"), ("clang", "sanitize", "style", "overhead", "fuzz")), (("truth",),),
         (("quickstart",),))
