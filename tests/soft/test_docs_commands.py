# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""The commands of documents that test_docs.py does not run: they must work, whatever they print.

A block is "```console" (test_docs.py), "```sh" (a script), "```yaml" (of which "command" and "args" are one) or
"```text", which has no command.

- A script is run as it is, but for its hosts and devices, and with -D 100ms in place of longer times. Each program of
  verbench in it must exit with 0, or with 3 if it has --expect.
- A command of verbench within a text, in one pair of "`": one word behind "verbench" is a command that "help" knows.
  Others are run: tests and sweeps with --dry-run, the rest really. HOST, FILE, ... have values; "..." and what is in
  "[ ]" is left out. Commands of other packages are not looked at.
"""

import re
import shutil
from pathlib import Path
from typing import Iterator

import pytest

from harness.documents import Block, DOCUMENTS, Machine, PROGRAM, blocks
from harness.emulated import Hca, Ports, SOURCE
from harness.programs import Ended

pytestmark = pytest.mark.full
TRIES = 3

NOT_RUN = """
README.md: ./autogen.sh && mkdir build && cd build && ../configure && make && make install # installs; scripts/bare
README.md: scripts/quickstart # the step quickstart of scripts/check
many-nics.md: vb_write_bw -d mlx5_0 --peer-device mlx5_0 --pin 2 --peer-pin 2 -D 10 node1 & # CPUs of a server
many-nics.md: vb_write_bw -d mlx5_1 --peer-device mlx5_1 --pin 34 --peer-pin 34 -D 10 node1 & # CPUs of a server
serve.md: RUNTIME_DIRECTORY=/run/verbench verbench serve --status # a server of systemd: tests/units
troubleshooting.md: echo 'KERNEL=="uverbs*", MODE="0666"' >/etc/udev/rules.d/99-rdma.rules # changes the machine
troubleshooting.md: udevadm trigger # changes the machine
troubleshooting.md: echo '* - memlock unlimited' >/etc/security/limits.d/rdma.conf # changes the machine
troubleshooting.md: ping -M do -s 8972 node1 # no second node
two-nodes.md: firewall-cmd --add-port=18515/tcp --add-port=4791/udp # changes the machine
""".strip().splitlines()
"""What cannot be run here, with the reason; the options of tests and sweeps in a script are tried with --dry-run."""


def is_run(document: Path, command: str) -> bool:
    return not any(row.startswith(f"{document.name}: {command} # ") for row in NOT_RUN)


# ---- what the documents have


def scripts() -> dict[Block, list[str]]:
    """The lines of each script."""
    found = {}
    for block in blocks():
        if block.document.name in ("testing.md", "CONTRIBUTING.md"):
            continue  # they build, or run tests
        if block.kind == "sh":
            found[block] = list(block.lines)
        elif block.kind == "yaml":
            words = re.findall(r"(?m)^ *(?:command|args): \[(.*)\]$", "\n".join(block.lines))
            found[block] = [" ".join(words).replace(", ", " ")]
    return found


def commands_in_texts() -> Iterator[tuple[str, Path, str]]:
    """The commands of verbench in a pair of "`": the place, the document, the command."""
    for document in DOCUMENTS:
        text = re.sub(r"(?ms)^```.*?^```$", lambda block: "\n" * block[0].count("\n"), document.read_text())
        for match in re.finditer("`([^`]*)`", text):
            command = " ".join(re.sub(r"\n[>|* ]+", " ", match[1]).replace(r"\|", "|").split())
            if re.match(rf"([A-Z_]+=\S* )*{PROGRAM} ", command):
                yield f"{document.relative_to(SOURCE)}:{text.count(chr(10), 0, match.start()) + 1}", document, command


def as_run_here(command: str) -> str:
    """A command of a text, as it can be run."""
    file = "dump" if "softhca " in command else "new.key" if command.startswith("verbench key ") else "rows.csv"
    command = re.sub(r" \[[^\]]*\]| ?\.\.\.| (\|\|? |&|>[a-z]).*", "", command)
    for word, value in {"HOST": "node1", "FILE": file, "NAME": "mtu", "N": "2", "GROUP": "ff0e::1",
                        "DEVICE": "softhca0", "COMMAND": "true"}.items():
        command = re.sub(rf"\b{word}\b", value, command)
    if re.fullmatch(r"verbench (?!help|.* -|-)\S+", command):
        command = command.replace("verbench ", "verbench help ")
    if (re.match(r"vb_|verbench (run|compare-completion|.*_bw|.*_lat) ", command)
            and "--list" not in command and "--help" not in command):
        command += " --dry-run"
    return command


COMMANDS = {as_run_here(command): place for place, document, command in commands_in_texts()
            if is_run(document, command)}
"""Each command once, with a place where it is."""

COMMANDS |= {as_run_here(line.removesuffix(" &")): str(block) for block, lines in scripts().items() for line in lines
             if not is_run(block.document, line) and re.search(PROGRAM, line)}

SCRIPTS = {block: [line for line in lines if line and is_run(block.document, line)]
           for block, lines in scripts().items()}


# ---- the tests


@pytest.fixture(scope="module")
def scene(build: Path, ports: Ports, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A server, and the files that the commands name."""
    machine = Machine(Hca(build, tmp_path_factory.mktemp("scene"), ports))
    (machine.home / "copies").mkdir()
    server = machine.start("exec verbench serve --allow any --copy-to copies")
    server.until_says("waiting for a client")
    for command in ("vb_send_bw -s 4k,64k --completion poll,event -n 100 --csv rows.csv node1",
                    "softhca ibv_devinfo -v -d softhca0 >dump"):
        ended = machine.run(command, TRIES)
        assert ended.status == 0, ended
    sweeps = (SOURCE / "docs" / "sweeps.md").read_text()
    (machine.home / "small.bench").write_text(re.search(r"(?ms)^title Small messages$.*?^report .*?$", sweeps)[0])
    yield machine
    assert server.stop().status == 0
    machine.hca.close()


def try_command(machine: Machine, command: str) -> Ended:
    """Runs it; a server runs until it is told to end."""
    if command.startswith("verbench serve ") and not re.search(" --(status|help)", command):
        server = machine.start(f"exec {command}", DOCUMENT_PORT=machine.hca.port())
        server.until(lambda: "\n" in server.out, "a line of output")
        return server.stop()
    return machine.run(command, TRIES)


@pytest.mark.parametrize("command", [pytest.param(command, id=f"{place}: {command}")
                                     for command, place in COMMANDS.items()])
def test_a_command_in_a_text(scene: Machine, command: str) -> None:
    ended = try_command(scene, command)
    assert ended.status == 0, ended
    assert "\n    skipped: " not in ended.out, ended.out


@pytest.mark.parametrize("block", [block for block, lines in SCRIPTS.items() if lines], ids=str)
def test_a_script(scene: Machine, block: Block) -> None:
    lines = SCRIPTS[block]
    apart, log = scene.home / "apart", scene.hca.folder / "statuses"
    (scene.hca.folder / "script").write_text("\n".join(lines) + "\n")
    env = dict(DOCUMENT_LOG=log, SLURM_JOB_NODELIST="node[1-2]", SLURM_JOB_ID=1, host="node1", nodes="node1",
               out="out.csv")
    if any("srun" in line for line in lines):
        env["DOCUMENT_PORT"] = scene.hca.port()  # its server is for one client
    for _ in range(TRIES):
        shutil.rmtree(apart, ignore_errors=True)
        apart.mkdir()
        shutil.copy(SOURCE / "softhca" / "profiles" / "rxe.conf", apart / "mine.conf")
        log.write_text("")
        program = scene.start("cd apart && exec bash -o pipefail ../../script", **env)
        ended = program.wait()
        program.kill()  # a server whose client has failed still waits
        statuses = log.read_text().splitlines()
        if not any(line.startswith("1 ") for line in statuses):
            break
    assert not [line for line in statuses if not re.match("0 |[34] .* --expect", line)]
    assert statuses or not any(re.search(r"(^|[( ])(vb_\w*|verbench) ", line) for line in lines), ended
    assert ended.status == 0 or ended.status == 3 and any(line.startswith("3 ") for line in statuses), ended
    assert not re.search("command not found|No such file", ended.out), ended.out


@pytest.mark.parametrize("block", [block for block in blocks() if block.kind not in ("console", "sh", "yaml")], ids=str)
def test_another_block_has_no_command(block: Block) -> None:
    assert block.kind == "text"
    assert not [line for line in block.lines if re.match(rf"\s*(\$ |node[12]\$ |{PROGRAM}( |$))", line)]


def test_what_is_not_run_is_in_the_documents() -> None:
    found = {f"{document.name}: {command}" for _, document, command in commands_in_texts()}
    found |= {f"{block.document.name}: {line}" for block, lines in scripts().items() for line in lines}
    assert not [row for row in NOT_RUN if row.rpartition(" # ")[0] not in found]
