# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Each allocation and each call of the system or of libibverbs fails once, over verbs in memory (session.c).

The build should have sanitizers: they find what leaks.
"""

import re
import subprocess
from pathlib import Path

import pytest

from harness.chaos import SECONDS, STEP
from harness.emulated import Hca, SOURCE
from harness.programs import words

pytestmark = [pytest.mark.full, pytest.mark.sanitized]

HERE = SOURCE / "tests" / "chaos"
PAIR = SOURCE / "tests" / "pair"


def of_make(build: Path, variables: str) -> list[str]:
    """The words of variables of the Makefile of the build."""
    rule = "include Makefile\nprint-it: ; @echo " + " ".join(f"$({name})" for name in variables.split())
    made = subprocess.run(["make", "-s", "-C", build, "-f", "-", "print-it"], input=rule, text=True, check=True,
                          stdout=subprocess.PIPE)
    # make may first say what it builds
    return words(made.stdout.splitlines()[-1])


@pytest.fixture(scope="session")
def session(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """session.c, with a copy of the library of the build that calls inject.c in place of what can fail."""
    folder = tmp_path_factory.mktemp("chaos")
    library, names = folder / "libverbench.a", folder / "names"
    replaced = re.findall(r"^(?:ALLOC|CALL|CALL_CLOSE)\([^,]*, *(\w+),", (HERE / "inject.def").read_text(), re.M)
    replaced += ["asprintf", "open", "openat", "fcntl", "syscall", "json_loadb", "json_loads", "json_load_file"]
    names.write_text("".join(f"{name} inject_{name}\n" for name in replaced))
    subprocess.run(["objcopy", f"--redefine-syms={names}", build / "libverbench.a", library], check=True)
    libraries = [str(library) if word == "libverbench.a" else word for word in of_make(build, "verbench_LDADD")]
    sources = [HERE / f"{name}.c" for name in ("session", "client", "inject")]
    sources += [PAIR / f"{name}.c" for name in ("pair", "pair_time", "verbs", "verbs_cq", "verbs_pd", "verbs_post",
                                                "verbs_ah", "verbs_qp", "verbs_srq")]
    folders = [f"-I{path}" for path in [".", PAIR, *sorted((SOURCE / "src").iterdir())]]
    subprocess.run([*of_make(build, "CC AM_CFLAGS CFLAGS"), "-Wno-error", *folders, "-D_GNU_SOURCE", "-o",
                    folder / "session", *sources, *libraries, *of_make(build, "CMOCKA_LIBS LIBS"), "-lpthread"],
                   cwd=build, check=True)
    return folder / "session"


@pytest.mark.timeout(7200)
@pytest.mark.parametrize("what", ["alloc", "call", "place"])
@pytest.mark.parametrize("plan", [
    # they reach other code: receives and credits, memory of the peer, events, datagrams, sleeping, files, the commands
    # that do not measure messages
    "send_bw -n 50 --verify", "write_lat -n 20", "send_bw -c UD -n 50 --both -e", "write_bw -c UC -n 50",
    "send_bw -q 4 --srq -n 50", "read_bw -n 20 --threads 2 -e", "send_lat -n 20 --key", "copy -s 4096",
    "setup --only pd,mr,srq,ah,mw,qp,qps -n 2 --qps 2",
])
def test_both_sides_end_and_say_why(hca: Hca, session: Path, plan: str, what: str) -> None:
    logs = f"log_path={hca.folder}/sanitizer"
    env = {"ASAN_OPTIONS": f"detect_leaks=1:allocator_may_return_null=1:{logs}",
           "UBSAN_OPTIONS": f"print_stacktrace=1:{logs}"}
    ended = hca.run([session, what, STEP, 1, SECONDS, plan], env, preload=False, seconds=7000)
    print(ended.out)
    # the places of which the sanitizers tell
    found = {line for file in hca.folder.glob("sanitizer.*") for line in file.read_text(errors="replace").splitlines()
             if re.search(r"runtime error|ERROR: |leak of| #\d+ .*(src|tests)/", line)}
    broken = [line for line in ended.out.splitlines() if line.startswith("not ok")]
    assert ended.status == 0, "\n".join([*broken, *sorted(found), repr(ended)])
