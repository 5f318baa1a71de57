# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""The page of 'verbench report --html' in a browser. With PAGES=DIR, the page, its pictures and what the browser shows
at 400 and 1400 pixels, light, dark and printed, are kept in DIR."""

import json
import os
import re
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from harness.browser import DARK, LIGHT, browser
from harness.cluster import Cluster, write_rows
from harness.emulated import SOURCE
from harness.images import Image, decode
from harness.programs import GUARD
from harness.report import Report


def frame(folder: Path, page: Path, width: int, height: int = 900) -> str:
    """A page around the page, as wide as a screen, that measures it: the page itself has no script."""
    text = (SOURCE / "tests" / "page" / "frame.html").read_text()
    text = text.replace("PAGE", str(page), 1).replace("WIDTH", str(width), 1).replace("HEIGHT", str(height), 1)
    (folder / "frame.html").write_text(text)
    return f"file://{folder}/frame.html"


def measured(folder: Path, page: Path, width: int, *options: str) -> dict:
    shown = browser(folder, *options, "--dump-dom", frame(folder, page, width))
    return json.loads(re.search(r"measured:({.*?})<", shown)[1])


def looked_at(folder: Path, page: Path, left: float, top: float) -> Image:
    """What the browser shows from there on, of a page of 1400 pixels."""
    frame(folder, page, 1400, 4000)
    around = folder / "frame.html"
    around.write_text(around.read_text().replace("margin:0", f"margin:-{top}px 0 0 -{left}px", 1))
    browser(folder, "--window-size=100,100", f"--screenshot={folder}/part.png", f"file://{around}")
    return decode((folder / "part.png").read_bytes())


@pytest.mark.parametrize("page, width", [
    ("page", 400),
    pytest.param("page", 1400, marks=pytest.mark.full),
    pytest.param("hostile", 400, marks=pytest.mark.full),
])
def test_page_fits(report: Report, folder: Path, page: str, width: int) -> None:
    """No text is cut or covers another, and no word is on two lines."""
    found = measured(folder, report.page(page), width)
    assert (found["width"], found["cut"], found["over"], found["broken"]) == (width, 0, 0, 0)
    assert found["titles"] > 0


@pytest.mark.full
def test_tables_of_repeats_fit_a_screen(report: Report, folder: Path) -> None:
    assert report.run(report.rows, report.rows, "--html", folder / "twice.html").returncode == 0
    assert measured(folder, folder / "twice.html", 1400)["wide"] == 0


@pytest.mark.full
@pytest.mark.parametrize("option, color", [
    pytest.param(DARK, "rgb(18, 23, 29)", id="dark"),
    pytest.param(LIGHT, "rgb(255, 255, 255)", id="light"),
])
def test_page_has_the_colors_of_the_reader(report: Report, folder: Path, option: str, color: str) -> None:
    assert measured(folder, report.page("page"), 1400, option)["back"] == color


@pytest.mark.full
def test_no_request_leaves_the_page(report: Report, folder: Path) -> None:
    log = folder / "net.json"
    shown = browser(folder, f"--log-net-log={log}", "--dump-dom", f"file://{report.page('hostile')}")
    assert "verbench report" in shown
    assert log.stat().st_size > 0
    assert re.findall(r".{0,80}host\.example.{0,80}", log.read_text()) == []


@pytest.mark.full
def test_what_it_shows(report: Report, folder: Path) -> None:
    kept = Path(os.environ.get("PAGES", folder))
    shutil.copytree(report.pictures("page"), kept / "pictures", dirs_exist_ok=True)
    shutil.copy(report.page("page"), kept / "page.html")
    for width in (400, 1400):
        for name, option in (("light", LIGHT), ("dark", DARK)):
            around = frame(folder, report.page("page"), width, 12000)
            browser(folder, option, f"--window-size={max(width, 500)},12000",
                    f"--screenshot={kept}/{name}-{width}.png", around)
    browser(folder, "--no-pdf-header-footer", f"--print-to-pdf={kept}/print.pdf", f"file://{report.page('page')}")
    assert len(list(kept.glob("*.png"))) == 4 and (kept / "print.pdf").exists()


def large_mesh(report: Report, folder: Path) -> Path:
    cluster = Cluster(4096, 16, slow={(1234, 3210): 0.5}, failed={(3000, 100)})
    assert report.run(cluster.write(folder / "mesh.csv"), "--html", folder / "mesh.html").returncode == 0
    return folder / "mesh.html"


def test_the_bad_pair_of_a_large_mesh_is_seen(report: Report, folder: Path) -> None:
    """Of 4096 nodes: the tile of the slow pair is black on the screen, that of the failed one red."""
    page = large_mesh(report, folder)
    found = measured(folder, page, 1400)
    assert (found["width"], found["cut"], found["over"], found["broken"], found["wide"]) == (1400, 0, 0, 0, 0)
    left, top, width, height = found["map"]
    side = -(-4096 // int(re.search(r"a tile is (\d+) clients", page.read_text())[1]))
    size = width / side
    assert width == height and size == int(size) >= 3
    for client, server, color in ((1234, 3210, (0, 0, 0)), (3000, 100, (0xd9, 0x1e, 0x18))):
        x, y = left + server * side // 4096 * size, top + client * side // 4096 * size
        image = looked_at(folder, page, x - 20, y - 20)
        at = range(20, 20 + int(size))
        assert {image.pixels[line][column] for line in at for column in at} == {color}
        # what is around it is not
        assert color not in {image.pixels[line][column] for line in (10, 40) for column in range(10, 40)}


@pytest.mark.full
def test_no_request_leaves_the_page_of_a_mesh(report: Report, folder: Path) -> None:
    """Also of nodes whose names are markup and addresses."""
    rows = Cluster(4, 3).rows()
    for row in rows:
        row["pair"] = str(row["pair"]).replace("n1", "http://host.example/x.png' onload='")
    page, log = folder / "mesh.html", folder / "net.json"
    assert report.run(write_rows(folder / "mesh.csv", rows), "--html", page).returncode == 0
    assert "http://host.example" in page.read_text()
    shown = browser(folder, f"--log-net-log={log}", "--dump-dom", f"file://{page}")
    assert "Worst pairs" in shown and log.stat().st_size > 0
    assert re.findall(r".{0,80}host\.example.{0,80}", log.read_text()) == []


@pytest.mark.full
def test_the_pictures_of_the_readme_are_made_of_kept_rows(build: Path, folder: Path) -> None:
    ended = subprocess.run([SOURCE / "scripts" / "make-pictures", build, "-o", folder], capture_output=True, text=True,
                           timeout=GUARD)
    assert ended.returncode == 0, ended.stderr
    for name in ("report-light.png", "report-dark.png"):
        kept, made = (path.read_bytes() for path in (SOURCE / "docs" / name, folder / name))
        assert len(kept) < 100_000 and len(made) < 100_000
        assert size(kept) == size(made) == (1000, 1150)


def size(png: bytes) -> tuple[int, ...]:
    return struct.unpack(">II", png[16:24])
