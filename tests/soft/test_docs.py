# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""The commands of the documents are run, and what they print is compared with what the document shows.

In these documents a block "```console" is run:

- A line "$ ", "node1$ " or "node2$ " begins a command. The lines below it are its output, on standard output and on
  standard error; "..." stands for any lines. It exits with 0, unless "echo $?" follows and shows its status.
- A command of node1, or one that ends with " &", goes on while the next one runs. "serve ... &" also serves the later
  blocks of the document that start nothing.
- A function or a variable is there for the commands below it in the block.

Figures, widths of columns and footnotes may differ; the rest may not. With UPDATE=1 in the environment, and on one
process, the output is written into the documents, but for commands with "...".

test_docs_commands.py has the other blocks, and the commands within the text.
"""

import json
import os
import re
import socket
import textwrap
from dataclasses import dataclass, field
from difflib import unified_diff
from pathlib import Path

import pytest

from harness.documents import Block, DOCUMENTS, Machine, blocks, name_of
from harness.emulated import Hca, SOURCE
from harness.killed import until_idle
from harness.programs import Ended, Program, listens

pytestmark = pytest.mark.full
CONSOLE = [block for block in blocks() if block.kind == "console"]
WIDTH = 80
FEW = "-: too few samples"
HOSTNAME = re.escape(socket.gethostname())


@dataclass
class Command:
    """A command of a block; head is its line in the document."""

    head: str
    node: str
    text: str
    shown: list[str] = field(default_factory=list)

    @property
    def goes_on(self) -> bool:
        return self.node == "node1" or self.text.endswith(" &")

    @property
    def serves(self) -> bool:
        return "serve" in self.text

    @property
    def defines(self) -> bool:
        """Is it a function or a variable?"""
        return bool(re.match(r"[a-z_]+(\(\) |=\S*$|='.*'$)", self.text))


def commands(block: Block) -> list[Command]:
    found = []
    for line in block.lines:
        if match := re.fullmatch(r"(node[12])?\$ (.*)", line):
            found.append(Command(line, match[1] or "", match[2]))
        else:
            assert found, f"{block}: the first line is no command: {line}"
            found[-1].shown.append(line)
    return found


def server_before(block: Block) -> list[Command]:
    """The last server of the document above a block."""
    before = [command for other in CONSOLE if other.document == block.document and other.line < block.line
              for command in commands(other)]
    return [command for command in before if command.serves and command.text.endswith(" &")][-1:]


class Shell:
    """Runs the commands of a block."""

    def __init__(self, hca: Hca):
        self.machine = Machine(hca)
        self.going: list[tuple[Command, Program]] = []
        self.definitions = hca.folder / "definitions"
        self.definitions.touch()
        self.status = 0

    def begin(self, command: Command) -> Program:
        """Starts a command that goes on, and waits until a client can come. One before it ends first, if it does."""
        for other, program in self.going:
            if not other.serves:
                program.wait()
        program = self.machine.start(command.text.removesuffix("&"))
        self.going.append((command, program))
        port = re.search(r" -p (\d+) ", command.text)
        port = int(port[1] if port else self.machine.hca.env["DOCUMENT_PORT"])
        # a program of perftest keeps its lines until it ends
        program.until(lambda: "ib_" in command.text and listens(port) or "waiting for a client" in program.out
                      or not program.running(), "a server")
        return program

    def run(self, command: Command) -> Ended:
        """Runs a command that ends."""
        if command.defines:
            with self.definitions.open("a") as file:
                file.write(f"{command.text}\n")
            return Ended((command.text,), 0, "", "")
        tries = 3 if command.text.startswith("verbench check ") else 1
        ended = self.machine.run(f"(exit {self.status}); {command.text}", tries, BASH_ENV=self.definitions)
        self.status = ended.status
        return ended

    def settle(self) -> None:
        """Ends what goes on; a server that serves without end is told to, when its sessions are over."""
        for command, program in self.going:
            if command.serves:
                until_idle(program)
            ended = program.stop() if command.serves else program.wait()
            assert ended.status == 0, ended


def is_message(line: str) -> bool:
    """Is it a message of verbench, and not a line of progress?"""
    return bool(re.match(r"(verbench|vb_\w*): ", line) and not re.search(r" of [0-9.e+]+ (s|messages), | left: ", line))


CHANGES = [
    (rf"\b(node[12]|{HOSTNAME}|127\.0\.0\.1|localhost)\b", "HOST"),
    # notes: a busy machine adds some, and advises to run for longer
    (r"(?m) ?\[\d+([,-]\d+)*\]$", ""),
    (r"(?m)^\[\d+\] .*(\n    .*)*", ""),
    (r"(?m)^warning: .*(\n {2,3}\S.*)*", ""),
    (rf"(?m)^{FEW} .*", ""),
    (r" \(run for [0-9.]+ s or longer: -D\)", ""),
    # progress
    (r".*: waiting for a server on .*", ""),
    (r".*: \d+ of \d+, .* left: .*", ""),
    (r".*: .*: [0-9.e+]+ of [0-9.e+]+ (s|messages), .*/s.*", ""),
    # the sum of two directions and the total of several pairs are there only if they took the same time
    (r" both .*", " both"),
    (r"(?m)^total .*", "total"),
    (r"(?m)^  fairness .*(\n.*)??\)$", ""),
    (r' -p \d+"', '"'),
    ("from any", "from 10.1.0.0/16"),
    (r"\d+(\.\d+)?(e[-+]\d+)?k?", "N"),
    (r"[ \t]+", " "),
    (r"(?m) $", ""),
]


def shape(text: str) -> list[str]:
    """The lines without what may differ. A message is one line, which a document breaks."""
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith("    ") and lines and is_message(lines[-1]):
            lines[-1] += f" {line}"
        else:
            lines.append(line)
    text = "\n".join(lines)
    for pattern, replacement in CHANGES:
        text = re.sub(pattern, replacement, text)
    return [line for line in text.splitlines() if line]


def differences(shown: list[str], printed: str) -> str:
    """What differs from the lines of a document, or nothing. A busy machine has no time for the last percentiles."""
    expected, found = shape("\n".join(shown)), shape(printed)
    figure = "[N-]" if FEW in printed else "N"
    pattern = "".join(r"(.*\n)*" if line == "..." else
                      re.escape(f"{line}\n").replace("N", figure if re.fullmatch("[ N-]+", line) else "N")
                      for line in expected)
    if not shown or re.fullmatch(pattern, "".join(f"{line}\n" for line in found)):
        return ""
    return "\n".join(unified_diff(expected, found, "shown", "printed", lineterm=""))


def disturbed(lines: list[str]) -> list[str]:
    """What says that the machine disturbed a row, or will. A footnote may only say why a row has no figures."""
    return [line for line in lines if re.match(r"(verbench: )?warning: ", line) or
            re.match(r"\[\d+\] (?!skipped|failed|incomplete|interrupted|messages were )", line)]


def too_wide(command: Command, printed: str) -> list[str]:
    """Lines that are too long. Messages, and what a script reads of --expect, are broken by the terminal."""
    if re.search(" -w|wide|^softhca| --expect ", command.text):
        return []
    return [line for line in printed.splitlines() if len(line) > WIDTH and not re.match(r"(verbench|vb_\w*): ", line)]


def as_shown(printed: str, client: str, port: str) -> list[str]:
    """Output for a document: the nodes have names, messages are broken as people read them."""
    for pattern, replacement in [(r"127\.0\.0\.1", "node1"), (rf"client (on )?{HOSTNAME}\b", rf"client \1{client}"),
                                 (rf"\b{HOSTNAME}\b", "node1"), (r"(?m)^node1 port ", "node2 port "),
                                 (rf" -p {port}\b", ""), (rf"\b{port}\b", "18515"), (r"(?m)[ \t]+$", ""),
                                 ("from any", "from 10.1.0.0/16")]:
        printed = re.sub(pattern, replacement, printed)
    return [part for line in printed.splitlines() for part in (
        textwrap.wrap(line, WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
        if re.match(r"(verbench|vb_\w*): ", line) else [line])]


def update(block: Block, mine: list[Command]) -> None:
    """Writes a block into its document."""
    old, new = "\n".join(block.lines), "\n".join(line for command in mine for line in [command.head, *command.shown])
    block.document.write_text(block.document.read_text().replace(f"\n{old}\n```\n", f"\n{new}\n```\n"))


@pytest.mark.parametrize("block", CONSOLE, ids=str)
def test_a_block_prints_what_it_shows(hca: Hca, block: Block) -> None:
    shell, mine, programs = Shell(hca), commands(block), []
    for server in [] if any(command.goes_on for command in mine) else server_before(block):
        shell.begin(server)
    for command, following in zip(mine, [*mine[1:], None]):
        programs.append(shell.begin(command) if command.goes_on else shell.run(command))
        if not command.goes_on and not (following and following.text == "echo $?"):
            assert shell.status == 0, programs[-1]
    shell.settle()
    for command, program in zip(mine, programs):
        assert not too_wide(command, program.out), command.head
        if "UPDATE" in os.environ and command.shown and "..." not in command.shown:
            client = "node2" if command.node or mine[0].node else "node1"
            assert not disturbed(program.out.splitlines()), "the machine is too busy for an example"
            command.shown = as_shown(program.out, client, hca.env["DOCUMENT_PORT"])
        if different := differences(command.shown, program.out):
            pytest.fail(f"{block}: {command.head}\n{different}", pytrace=False)
    if "UPDATE" in os.environ:
        update(block, mine)


@pytest.mark.parametrize("printed, differs", [
    (" 8 99 1.5 2.5", False), (" 8 99 1.5 -", True), (f" 8 99 1.5 -\n{FEW} (p99 needs 1000)", False),
    (f" 8 99 1.5 -\nanother line\n{FEW} (p99 needs 1000)", True),
])
def test_a_percentile_of_too_few_samples_is_no_difference(printed: str, differs: bool) -> None:
    assert bool(differences([" 8 84192 5.6 34.3"], printed)) == differs


def titles(document: Path) -> set[str]:
    """The names of its headings in links."""
    text = re.sub(r"(?ms)^```.*?^```$", "", document.read_text())
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in re.findall(r"(?m)^#+ (.*)$", text)}


def broken_links(document: Path) -> list[str]:
    """Links and pictures to files, or to headings of documents, that are not there."""
    text = document.read_text()
    links = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'(?:src|srcset|href)="([^"]+)"', text)
    broken = []
    for link in links:
        path, _, title = link.partition("#")
        file = document.parent / path if path else document
        if "://" not in link and (not file.exists() or title and title not in titles(file)):
            broken.append(link)
    return broken


@pytest.mark.parametrize("document", [*DOCUMENTS, SOURCE / "softhca" / "README.md"], ids=name_of)
def test_a_link_leads_to_a_file(document: Path) -> None:
    assert broken_links(document) == []


@pytest.mark.parametrize("link, is_broken", [
    ("[a](b.md)", False), ("[a](b.md#one-two-x)", False), ("[a](#here)", False), ("[a](c.md)", True),
    ("[a](b.md#three)", True), ('<img src="c.png">', True), ("[a](https://example.org/c.md)", False),
])
def test_a_broken_link_is_seen(tmp_path: Path, link: str, is_broken: bool) -> None:
    (tmp_path / "b.md").write_text("# One two, `x`\n```text\n# three\n```\n")
    (tmp_path / "a.md").write_text(f"## Here\n{link}\n")
    assert bool(broken_links(tmp_path / "a.md")) == is_broken


@pytest.mark.parametrize("document", sorted({block.document for block in CONSOLE}), ids=name_of)
def test_an_example_is_not_too_wide(document: Path) -> None:
    assert not [line for block in blocks() if block.document == document for line in block.lines if len(line) > WIDTH]


@pytest.mark.parametrize("document", sorted({block.document for block in blocks()}), ids=name_of)
def test_an_example_has_no_row_that_was_disturbed(document: Path) -> None:
    assert not [line for block in blocks() if block.document == document for line in disturbed(block.lines)]


@pytest.mark.parametrize("line", ["[1] 2 of 3 rows: a thread waited 11 to 93 % for a CPU", "[2] measured for 9.0 ms",
                                  "warning: node1 is busy", "warning: 2 of 3 rows: a thread waited for a CPU"])
def test_a_row_that_was_disturbed_is_seen(line: str) -> None:
    assert disturbed([line]) and not disturbed(["[1] skipped: no sum", "   64  1000  9.9 [1]"])


def test_the_dashboard_has_columns_of_rows(hca: Hca) -> None:
    text = (SOURCE / "docs" / "grafana.json").read_text()
    json.loads(text)
    named = set(re.findall(r"\bverbench_(\w+)(?=[{,])", text))
    page = hca.build / "verbench-row.5"
    columns = set(re.findall(r"^\.It Li (\w+) Pq ", page.read_text(), re.MULTILINE))
    assert len(named) == 4 and named <= columns
