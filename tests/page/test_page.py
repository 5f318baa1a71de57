# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""The page of 'verbench report --html' and the pictures of --plot: from sweep.csv, which has rows of the emulated HCA,
and from the same rows with hostile texts. test_browser.py looks at the page in a browser."""

import csv
import re
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.images import decode
from harness.installed import need
from harness.report import Report

MARKED = "emulated HCA: not a result of hardware"


def is_well_formed(file: Path) -> None:
    need("xmllint")
    subprocess.run(["xmllint", "--noout", file], check=True)


@pytest.mark.parametrize("page", ["page", "hostile"])
def test_page_is_well_formed_and_loads_nothing(report: Report, page: str) -> None:
    text = report.page(page).read_text()
    assert "default-src 'none'" in text
    assert re.findall(r"<(?:script|link|img|iframe|object|embed|form|base)\b|@import|url\(", text) == []
    assert re.findall(r"(?:src|href|action|poster|data|srcset)='[^#'][^']*'", text) == []
    is_well_formed(report.page(page))


def test_page_goes_to_standard_output(report: Report) -> None:
    assert report.run(report.rows, "--html", "-").stdout == report.page("page").read_text()


def test_page_has_sections_units_and_values(report: Report) -> None:
    text = report.page("page").read_text()
    sections = re.findall("<h2 id='(.*?)'>", text)
    assert set(sections) >= {"summary", "plots", "tables", "hosts", "settings", "remarks", "method"}
    for part in (">message size (bytes)<", ">bandwidth (Gbit/s)<", "<title>event, 512k bytes: ", MARKED):
        assert part in text
    assert [one for one, number in Counter(re.findall(r" id='([^']*)'", text)).items() if number > 1] == []


def changed(report: Report, name: str, change: Callable[[int, dict[str, str]], None]) -> str:
    """The page of the bandwidth rows of sweep.csv after a change of each of them, by its number."""
    with report.rows.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["test"] == "send_bw"]
    for number, row in enumerate(rows):
        row.update(warnings="", warning_codes="")
        change(number, row)
    page = report.folder / f"{name}.html"
    ended = report.run(report.write(f"{name}.csv", rows), "--html", page, "--force")
    assert ended.returncode == 0, ended.stderr
    return page.read_text()


def test_a_figure_has_its_interval_below(report: Report) -> None:
    """Rates of 100, 110, ... 190: 145, and 116.6 to 173.4 (tests/unit/test_repeats.c has the places)."""
    same = {"schema": "1", "test": "send_bw", "size_bytes": "64", "status": "ok"}
    rows = [{**same, "bandwidth_gbit_s": str(100 + 10 * i)} for i in range(10)]
    page = report.run(report.write("repeats.csv", rows), "--html", "-", "--of", "bandwidth_gbit_s").stdout
    assert "<td class='n'>145<small>100 to 190</small><small>95 %: 116.6 to 173.4</small></td>" in page


def test_page_tells_which_rows_were_disturbed(report: Report) -> None:
    def disturb(number: int, row: dict[str, str]) -> None:
        if number in (1, 4):
            row.update(warnings="text", warning_codes=("short_window preempted", "short_window")[number == 4])

    page = changed(report, "disturbed", disturb)
    assert re.findall(r"id='disturbed'><strong>(\d+) of (\d+) ", page) == [("1", "18")]
    # one point of each picture over the size: bandwidth, message rate, CPU time of both sides
    assert page.count("class='ring'") == 4 == page.count(", disturbed</title>")
    calm = changed(report, "calm", lambda number, row: None)
    assert "id='disturbed'" not in calm and "class='ring'" not in calm


def test_cards_show_what_is_typical(report: Report) -> None:
    """The median of the largest size, without the row that was disturbed; and from where to where it goes."""
    def four(number: int, row: dict[str, str]) -> None:
        rate, code = {0: ("9.5", ""), 1: ("9", ""), 2: ("4", ""), 3: ("99", "preempted")}.get(number, ("100", ""))
        row.update(bandwidth_gbit_s=rate, warning_codes=code, size_bytes="64" if number > 3 else "65536",
                   completion=("poll", "hybrid", "event", "poll", "poll")[min(number, 4)])

    card = re.search(r"<dt>(bandwidth[^<]*)</dt>(.*?)</div>", changed(report, "cards", four), re.S)
    assert card[1] == "bandwidth at 64k bytes"
    assert ">9 Gbit/s<" in card[2] and "4 Gbit/s (event) to 9.5 Gbit/s (poll)" in card[2]
    assert "without 1 disturbed" in card[2]


def test_page_has_facts_of_both_machines(report: Report) -> None:
    """What no row tells has no line: rows of an older version, a virtual machine without a governor."""
    def tell(number: int, row: dict[str, str]) -> None:
        row.update(kernel="6.1.0-9", peer_kernel="6.6.1", cpu_model="Some CPU", peer_cpu_model="", governor="",
                   peer_governor="")

    page = changed(report, "facts", tell)
    assert "<tr><td>kernel</td><td>6.1.0-9</td><td>6.6.1</td></tr>" in page
    assert "<tr><td>CPU model</td><td>Some CPU</td><td>-</td></tr>" in page
    assert "<td>governor</td>" not in page
    assert re.search("<td>(kernel|CPU model|governor)</td>", report.page("page").read_text()) is None


def test_latencies_are_in_us(report: Report) -> None:
    page = report.page("page").read_text()
    assert re.search(r">lat_<wbr/>p50 <small>us</small>", page) and "<small>ns</small>" in page
    assert "<td class='n'>38.54</td>" in page


def test_hostile_texts_are_escaped_in_the_page(report: Report) -> None:
    text = report.page("hostile").read_text()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;`touch HACKED`&#39;&quot;;&amp;amp; @x _{y}^2 %s" in text
    assert "&lt;/style&gt;&lt;link rel=stylesheet" in text


def of_scenarios(report: Report, one: str, both: str) -> Path:
    """sweep.csv as rows of a scenario; and again, of both directions at once, as rows of another."""
    with report.rows.open(newline="") as file:
        rows = [{**row, "scenario": one} for row in csv.DictReader(file)]
    rows = [copy for row in rows
            for copy in ([row, {**row, "bidir": "1", "scenario": both}] if row["pattern"] == "stream" else [row])]
    return report.write("scenarios.csv", rows)


def test_page_tells_the_scenarios_of_the_rows(report: Report) -> None:
    folder = report.folder / "bench"
    folder.mkdir(exist_ok=True)
    text = "title Some & others\nquestion Which is faster?\nexpect None.\nrun --test send_bw\n"
    (folder / "some.bench").write_text(text)
    (folder / "other.bench").write_text(text.replace("&", "none"))
    (report.folder / "outside.bench").write_text(text.replace("&", "none"))

    def page_of(one: str, both: str) -> str:
        ended = report.run(of_scenarios(report, one, both), "--html", report.folder / "some.html", "--force",
                           VERBENCH_BENCH_PATH=str(folder))
        assert ended.returncode == 0, ended.stderr
        return (report.folder / "some.html").read_text()

    page = page_of("some", "some")
    for part in ("<title>verbench: Some &amp; others</title>", "<h1>Some &amp; others</h1>", ">Which is faster?</p>",
                 "</strong> None.</p>", "poll, both directions at once<", "poll, one direction at a time<"):
        assert part in page
    page = page_of("some", "other")
    for part in ("<h1>verbench report</h1>", "<h3>Some &amp; others</h3>", "<h3>Some none others</h3>"):
        assert part in page
    # a name that is a path is not opened
    assert "Some none" not in page_of("../outside", str(report.folder / "outside.bench"))


def test_page_replaces_a_page_and_keeps_another_file(report: Report) -> None:
    diary = report.folder / "diary.html"
    diary.write_text("dear diary\n")
    ended = report.run(report.rows, "--html", diary)
    assert ended.returncode == 2 and "no page of verbench" in ended.stderr
    assert diary.read_text() == "dear diary\n"
    assert report.run(report.rows, "--html", diary, "--force").returncode == 0
    assert report.run(report.rows, "--html", diary).returncode == 0
    assert diary.read_text() == report.page("page").read_text()


def test_folder_that_does_not_exist(report: Report) -> None:
    ended = report.run(report.rows, "--html", report.folder / "none" / "page.html")
    assert ended.returncode == 1 and "directory does not exist" in ended.stderr
    assert list(report.folder.rglob("*.tmp")) == []


# ---- pictures


@pytest.mark.parametrize("picture, texts", [
    ("bandwidth-over-message-size",
     ["message size (bytes)", "bandwidth (Gbit/s)", "poll", "event", "hybrid", "8k", "512k", "link: 10 Gbit/s",
      MARKED]),
    ("message-rate-over-message-size", []),
    ("latency-over-message-size-median", []),
    ("bandwidth-over-queue-pairs", ["queue pairs", "bandwidth (Gbit/s)", "16"]),
    ("distribution", ["samples that took no longer (%)", "latency (ms)", "100", MARKED]),
    ("percentiles", ["percentile of the samples", "latency (us)", "50 %", MARKED]),
    ("cpu-over-message-size-bandwidth-tests", ["CPU time per message (us)", "poll, client", "poll, server", MARKED]),
    ("completions-bandwidth-tests-2-bytes", ["ratio to poll", "message rate", MARKED]),
])
def test_picture(report: Report, picture: str, texts: list[str]) -> None:
    """All that the rows are worth. Each text of a picture has its unit, the curves are named, and the device."""
    file = report.pictures("page") / f"{picture}.svg"
    text = file.read_text()
    assert [one for one in texts if f">{one}</text>" not in text] == []
    is_well_formed(file)


def test_hostile_texts_are_texts_in_pictures(report: Report) -> None:
    files = sorted(report.pictures("hostile").glob("*.svg"))
    assert files
    active = r"<(?:script|link|img|image|iframe|foreignObject|a)\b|@import|url\(|href="
    for file in files:
        assert re.findall(active, file.read_text()) == [], file
    named = (report.pictures("hostile") / "bandwidth-over-message-size.svg").read_text()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;`touch HACKED`" in named
    assert list(report.folder.rglob("HACKED")) == []


def test_picture_that_is_asked_for(report: Report) -> None:
    asked = ("--y", "message_rate_per_s", "--x", "qps")
    assert report.run(report.rows, "--plot", report.folder / "one.svg", *asked).returncode == 0
    text = (report.folder / "one.svg").read_text()
    assert ">queue pairs</text>" in text and ">message rate (thousand/s)</text>" in text
    ended = report.run(report.rows, "--plot", report.folder / "none" / "one.svg", *asked)
    assert ended.returncode == 1 and "cannot write to" in ended.stderr


def test_png_file_has_the_curves(report: Report) -> None:
    assert report.run(report.rows, "--plot", report.folder / "one.png", "--y", "message_rate_per_s",
                      "--where", "test == send_bw").returncode == 0
    image = decode((report.folder / "one.png").read_bytes())
    colors = {bytes(pixel).hex() for line in image.pixels for pixel in line}
    # white, a text, and the curves of poll, event and hybrid
    assert colors >= {"ffffff", "000000", "0060a8", "cc5500", "007a5e"}


def test_pdf_file_has_a_page_for_each_picture(report: Report) -> None:
    assert report.run(report.rows, "--plot", report.folder / "all.pdf").returncode == 0
    pdf = (report.folder / "all.pdf").read_bytes()
    table = int(re.search(rb"startxref\n(\d+)\n%%EOF\n$", pdf)[1])
    places = re.findall(rb"(\d{10}) 00000 n \n", pdf[table:])
    assert pdf[table:].startswith(b"xref\n")
    for number, place in enumerate(places, 1):
        assert pdf[int(place):].startswith(b"%d 0 obj\n" % number)
    for size, content in re.findall(rb"/Length (\d+)>>\nstream\n(.*?)\nendstream", pdf, re.S):
        assert int(size) == len(content)
    assert pdf.count(b"/Type/Page/") == len(list(report.pictures("page").glob("*.svg")))
    assert b"(Bandwidth over message size) Tj" in pdf and b"(latency \\(us\\)) Tj" in pdf
