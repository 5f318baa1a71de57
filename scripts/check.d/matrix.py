# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""scripts/matrix: builds and tests with other compilers, options, C libraries and processors."""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Optional

import main
import steps
import sysroot
from steps import OUT, Run, TOP

FOLDER = OUT / "matrix"
SMALL = "CFLAGS=-O1 -g0"
ALL = ""
PROGRAMS = "$(unit_tests) $(fake_tests) $(pair_tests) $(softhca_unit_tests)"
# what an emulator can run: not what counts the CPU time of its own thread, and has no hugepages of that processor
EMULATED = "$(filter-out %/test_cpu_use %/test_mem,$(unit_tests)) $(fake_tests) $(softhca_unit_tests)"
# the headers of libraries, and of the kernel, without those of glibc
MUSL_HEADERS = (("/usr/include", "infiniband rdma hwloc* jansson* openssl seccomp* cmocka* linux asm-generic"),
                ("/usr/include/x86_64-linux-gnu", "hwloc openssl jansson* asm"))


class Skip(Exception):
    """Why a row cannot run here."""


@dataclass(frozen=True)
class Row:
    """A row: the option or words that differ, which tests run, the program that must be there, and its function."""

    name: str
    compiler: str
    options: tuple[str, ...] = (SMALL,)
    tests: str = ALL
    needs: str = ""
    function: Callable[["Row", Run], None] = lambda row, run: native(row, run)

    @property
    def build(self) -> str:
        return f"matrix/{self.name}"

    @property
    def folder(self) -> Path:
        return FOLDER / self.name


def native(row: Row, run: Run) -> None:
    if steps.build(run, row.build, row.compiler, row.options):
        steps.make_check(run, row.build, row.tests)


def rows_only(row: Row, run: Run) -> None:
    """What needs no rdma-core; its 'make check' runs cases of command lines."""
    if steps.build(run, row.build, row.compiler, row.options, "all"):
        run.printed(f"{row.build}: make check", FOLDER / f"{row.name}-check.log", ["make", "-C", row.folder, "check"])


def refused(row: Row, run: Run) -> None:
    """configure must say why, not a compiler."""
    row.folder.mkdir(exist_ok=True)
    script = 'cd "$1" && shift && ! ../../../configure "$@" && grep "error: verbench does not run on 32" config.log'
    run.one("configure refuses with the reason", FOLDER / f"{row.name}.log",
            ["sh", "-c", script, "sh", row.folder, f"CC={row.compiler}", *row.options])


def musl(row: Row, run: Run) -> None:
    """Libraries for musl are not there, but headers serve: all is compiled, and what needs libc alone is linked."""
    flags = []
    for folder, names in MUSL_HEADERS:
        links = row.folder / "include" / Path(folder).name
        links.mkdir(parents=True, exist_ok=True)
        flags.append(f"-isystem {links}")
        for path in (path for name in names.split() for path in Path(folder).glob(name)):
            if not (links / path.name).is_symlink():
                (links / path.name).symlink_to(path)
    steps.build(run, row.build, row.compiler, [*row.options, f"CPPFLAGS={' '.join(flags)}"],
                "libverbench.a libvb-softhca.so")


def cross(row: Row, run: Run) -> None:
    """Builds with a folder of packages of that processor, and runs the tests with an emulator."""
    processor, triplet = row.name, next(word for word in row.compiler.split() if "linux" in word).split("=")[-1]
    row.folder.mkdir(exist_ok=True)
    try:
        root = sysroot.make(processor, row.folder / "sysroot")
    except OSError as error:
        raise Skip(f"no packages of {processor}: {error}") from error
    modules = f"{root}/usr/lib/{triplet}/pkgconfig:{root}/usr/share/pkgconfig"
    if not steps.build(run, row.build, f"{row.compiler} --sysroot={root}",
                       [*row.options, f"--host={triplet}", f"PKG_CONFIG_LIBDIR={modules}",
                        f"PKG_CONFIG_SYSROOT_DIR={root}"]):
        return
    env = {"QEMU_LD_PREFIX": str(root)}
    steps.make_check(run, row.build, row.tests, {**env, "LOG_COMPILER": row.needs})
    wrapper = row.folder / "emulated"
    wrapper.write_text(f'#!/bin/sh\nexec {row.needs} -0 "$0" "{row.folder}/verbench" "$@"\n')
    wrapper.chmod(0o755)
    steps.make_check(run, row.build, "tests/cli/run", {**env, "TESTS_ENVIRONMENT": f"VERBENCH='{wrapper}';"})


def without() -> list[str]:
    """The parts that configure can leave out of a whole program."""
    found = re.findall(r"^AC_ARG_WITH\(\[(\w+)\]", (TOP / "configure.ac").read_text(), re.MULTILINE)
    return [name for name in found if name not in ("rdma", "systemdsystemunitdir")]


ROWS = {row.name: row for row in (
    *(Row(f"gcc-{version}", f"gcc-{version}", ("CFLAGS=-O2 -g0",)) for version in range(11, 17)),
    Row("clang", "clang", ("CFLAGS=-O2 -g0",)),
    # Objects for the link have no code that tests/hot could read. gcc 12 takes a name that a test program leaves out
    # for one that is copied (log.c).
    Row("lto", "gcc", ("CFLAGS=-O3 -g0 -flto=auto -Wno-stringop-overflow", "AR=gcc-ar", "RANLIB=gcc-ranlib"),
        f"{PROGRAMS} tests/cli/run tests/topo/run tests/manual/run"),
    Row("fortify", "gcc", ("CFLAGS=-O2 -g0", "CPPFLAGS=-D_FORTIFY_SOURCE=3")),
    *(Row(f"without-{name}", "gcc", (SMALL, f"--without-{name}")) for name in without()),
    Row("without-rdma", "gcc", (SMALL, "--without-rdma"), function=rows_only),
    Row("musl", "musl-gcc", function=musl),
    Row("arm64", "clang --target=aarch64-linux-gnu", tests=EMULATED, needs="qemu-aarch64-static", function=cross),
    Row("s390x", "clang --target=s390x-linux-gnu", tests=EMULATED, needs="qemu-s390x-static", function=cross),
    Row("32-bits", "gcc -m32", ("--host=i686-linux-gnu",), function=refused),
)}


def missing(row: Row) -> Optional[str]:
    """What the row needs and this machine does not have."""
    for program in (row.compiler.split()[0], *row.needs.split()):
        if not shutil.which(program):
            return f"no {program} here"
    works = subprocess.run([*row.compiler.split(), "-x", "c", "-", "-o", "/dev/null"], capture_output=True,
                           input=b"int main(void) { return 0; }").returncode == 0
    return None if works or row.function is cross else f"{row.compiler} does not make programs here"


def run_row(row: Row, jobs: int) -> tuple[Run, str, float]:
    """Runs a row and prints its line; returns what it found, its result and the seconds."""
    begun, run = time.monotonic(), Run(True, jobs)
    reason = missing(row)
    try:
        if not reason:
            row.function(row, run)
    except Skip as skip:
        reason = str(skip)
    seconds = time.monotonic() - begun
    counts = [sum(case.outcome == outcome for case in run.cases) for outcome in ("passed", "failed", "skipped")]
    result = f"skipped ({reason})" if reason else "not ok" if counts[1] or not run.cases else "ok"
    print(f"{result} {row.name}" + ("" if reason else " ({} passed, {} failed, {} skipped; {:.0f} s)".format(
        *counts, seconds)), flush=True)
    return run, result, seconds


def table(ended: list[tuple[Row, Run, str, float]]) -> str:
    """The rows as a table of a document."""
    lines = ["| row | compiler, options | result | cases | skipped | s |", "| --- | --- | --- | ---: | ---: | ---: |"]
    for row, run, result, seconds in ended:
        skipped = sum(case.outcome == "skipped" for case in run.cases)
        options = " ".join(option.replace("CFLAGS=", "") for option in row.options)
        lines.append(f"| `{row.name}` | `{row.compiler} {options}` | {result} | {len(run.cases)} | {skipped} | "
                     f"{seconds:.0f} |")
    return "\n".join(lines) + "\n"


def arguments() -> argparse.Namespace:
    rows = "\n".join(f"  {row.name:<18}{row.compiler} {' '.join(row.options)}" for row in ROWS.values())
    parser = argparse.ArgumentParser(
        prog="scripts/matrix", formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False,
        description="Builds with other compilers, options, C libraries and processors, and runs the tests of 'make "
                    "check' that apply. Without ROW all rows. Each row has its folder below build-check/matrix; "
                    "table.md there is the table of the rows that ran.",
        epilog=f"rows:\n{rows}\n\nOne line a row: 'ok', 'not ok' or 'skipped (reason)'. Exit status: 0 no row failed, "
               "1 one failed, 2 usage or missing packages.")
    parser.add_argument("row", nargs="*", metavar="ROW")
    given = parser.parse_args()
    for name in given.row:
        if name not in ROWS:
            parser.error(f"no row '{name}'; rows: {' '.join(ROWS)}")
    return given


def matrix() -> int:
    given = arguments()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, steps.stop)
    main.prepare([], False)
    # a row whose program cannot be installed is skipped
    subprocess.run(["scripts/install-deps", "matrix"], cwd=TOP)
    FOLDER.mkdir(exist_ok=True)
    ended = [(row, *run_row(row, len(os.sched_getaffinity(0)))) for row in (ROWS[name] for name in given.row or ROWS)]
    (FOLDER / "table.md").write_text(table(ended))
    for row, run, _, _ in ended:
        main.print_failed(run.cases)
    return 1 if any(result == "not ok" for _, _, result, _ in ended) else 0


if __name__ == "__main__":
    sys.exit(matrix())
