# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""scripts/check: chooses the steps, runs them, and prints what failed."""

import argparse
import os
import platform
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import fast
from cases import Case
from steps import GCC, LANES, OUT, Run, STEPS, Step, TOP, build, stop


def arguments() -> argparse.Namespace:
    steps = "\n".join(f"  {step.name:<12}{step.does}{' (--all)' if step.only_all else ''}" for step in STEPS.values())
    parser = argparse.ArgumentParser(
        prog="scripts/check", formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False,
        description="Installs what the tests need and runs them. Without STEP it runs all steps but those of --all.",
        epilog=f"steps:\n{steps}\n\nThe last line is 'N passed, N failed, N skipped'. Exit status: 0 all passed or "
               "skipped, 1 something failed, 2 usage or missing packages.")
    parser.add_argument("--all", action="store_true", help="all steps, and all tests of each")
    parser.add_argument("--fast", nargs="?", const="", metavar="COMMIT",
                        help="style, and the tests of what has changed since COMMIT (default: what is not yet in the "
                             "upstream branch); for before a push: git config core.hooksPath scripts/hooks")
    parser.add_argument("--no-lab", action="store_true", help="leave the lab out")
    parser.add_argument("step", nargs="*", metavar="STEP")
    given = parser.parse_args()
    for step in given.step:
        if step not in STEPS:
            parser.error(f"no step '{step}'; steps: {' '.join(STEPS)}")
    if given.fast is not None and (given.step or given.all):
        parser.error("--fast takes neither STEP nor --all")
    return given


def chosen(given: argparse.Namespace) -> list[str]:
    names = given.step or [step.name for step in STEPS.values() if given.all or not step.only_all]
    return [name for name in names if name != "lab" or not given.no_lab]


def prepare(names: list[str], full: bool) -> None:
    """Installs packages and makes configure; ends the program if that fails."""
    groups = ["build", "test"]
    if full or any(STEPS[name].only_all for name in names):
        groups.append("all")
    if "lab" in names and platform.machine() == "x86_64":
        groups.append("lab")
    if subprocess.run(["scripts/install-deps", *groups], cwd=TOP).returncode:
        sys.exit(2)
    OUT.mkdir(exist_ok=True)
    if (TOP / "config.status").exists():
        sys.exit("check: the source tree is configured itself: 'make distclean' in it first")
    newest = max((TOP / name).stat().st_mtime for name in ("configure.ac", "Makefile.am"))
    made = [TOP / "configure", TOP / "Makefile.in"]
    if not all(file.exists() and file.stat().st_mtime >= newest for file in made):
        with (OUT / "autogen.log").open("w") as log:
            if subprocess.run(["./autogen.sh"], cwd=TOP, stdout=log, stderr=log).returncode:
                sys.exit((OUT / "autogen.log").read_text())


def run_step(step: Step, run: Run) -> tuple[Step, Run, float]:
    begun = time.monotonic()
    print(f"{step.name} runs", flush=True)
    try:
        step.function(run)
    except Exception as error:  # a step that did not get so far has failed
        run.found(step.name, [Case(f"{step.name}: the step", "failed", (repr(error),), f"scripts/check {step.name}")])
    seconds = time.monotonic() - begun
    print(f"== {step.name}: {step.does}", *run.lines, f"  ({seconds:.0f} s)", sep="\n", flush=True)
    return step, run, seconds


def run_steps(names: list[str], full: bool) -> list[tuple[Step, Run, float]]:
    jobs = len(os.sched_getaffinity(0))
    ended = []
    if any(STEPS[name].needs_build for name in names) and "gcc" not in names and not (GCC / "verbench").exists():
        step = Step("build", "what the steps test", lambda run: build(run, "gcc", "gcc"))
        ended.append(run_step(step, Run(full, jobs)))
    for lanes in LANES:
        todo = [[STEPS[name] for name in lane if name in names] for lane in lanes]

        def run_lane(lane: int) -> list[tuple[Step, Run, float]]:
            busy = sum(bool(other) for other in todo) > 1
            return [run_step(step, Run(full, jobs, nice=5 if lane and busy else 0)) for step in todo[lane]]

        with ThreadPoolExecutor(len(lanes)) as pool:
            for steps in pool.map(run_lane, range(len(lanes))):
                ended += steps
    return ended


def print_failed(found: list[Case]) -> int:
    """Prints the failed cases; returns how many."""
    failed = [case for case in found if case.outcome == "failed"]
    for case in failed:
        print(f"FAILED {case.name}", *(f"    {line}" for line in case.lines), f"  again: {case.again}", sep="\n")
    return len(failed)


def report(ended: list[tuple[Step, Run, float]], seconds: float) -> int:
    """Prints the failed cases, the times, and the totals; returns the exit status."""
    found = [case for _, run, _ in ended for case in run.cases]
    failed = print_failed(found)
    print("seconds:", ", ".join(f"{step.name} {took:.0f}" for step, _, took in ended) + f"; in all {seconds:.0f};",
          "logs are in", OUT.relative_to(TOP))
    skipped = sum(case.outcome == "skipped" for case in found)
    print(f"{len(found) - failed - skipped} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


def main() -> int:
    given = arguments()
    begun = time.monotonic()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, stop)
    names = [] if given.fast is not None else chosen(given)
    prepare(names, given.all)
    if given.fast is not None:
        step = Step("fast", "style, and the tests of what has changed", lambda run: fast.check(run, given.fast))
        ended = [run_step(step, Run(False, len(os.sched_getaffinity(0))))]
    else:
        ended = run_steps(names, given.all)
    return report(ended, time.monotonic() - begun)


if __name__ == "__main__":
    sys.exit(main())
