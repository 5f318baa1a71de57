# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""rdma-core's own tests (python3-pyverbs) on the emulated HCA: none fails, and none is skipped that once passed."""

import re
from collections import Counter
from pathlib import Path

import pytest

from harness.emulated import Hca, SOURCE

# Why tests are skipped, and how many at most in rdma-core 44 (Debian 12) and 56 (Debian 13): results/suites.md. Some
# run where there are huge pages.
SKIPPED = {
    "MLX5 device|EFA device|PCI device must|cuda-python": (97, 134),
    "^Device /dev/dri|^Allocating dmabuf is not supported by": (10, 10),
    "Raw Packet QP|^Create QP type 8 |root on Ethernet": (11, 11),
    "^Create Extended CQ is not supported|^Query device real time": (6, 6),
    "^Extended CQ is not supported": (4, 4),
    "^There are no huge pages": (3, 3),
    "^ODP implicit is not supported": (3, 3),
    "^Some object imports |^Importing a device ": (2, 2),
    "IBV_ACCESS_FLUSH_GLOBAL access flag is not supported": (0, 2),
    "^Extended QP is not supported on this device": (1, 1),
}
PASSED = (136, 145)
TESTS = [passed + sum(skipped[version] for skipped in SKIPPED.values()) for version, passed in enumerate(PASSED)]


@pytest.mark.full
def test_rdma_core(hca: Hca, build: Path) -> None:
    ended = hca.run([SOURCE / "scripts" / "pyverbs", "-v", build], preload=False)
    if ended.status == 77:
        pytest.skip("python3-pyverbs or its tests are not installed")
    lines = re.findall(r"^(passed|failed|skipped)\t(.*?)\t(.*)$", ended.out, re.M)
    assert [f"{name}: {text}" for what, name, text in lines if what == "failed"] == []
    assert ended.status == 0 and lines, ended
    if len(lines) not in TESTS:
        pytest.skip(f"no test failed, but these are not the {TESTS} tests of rdma-core 44 or 56")
    version = TESTS.index(len(lines))
    reasons = Counter(text for what, _, text in lines if what == "skipped")
    matched = {pattern: [text for text in reasons if re.search(pattern, text)] for pattern in SKIPPED}
    assert set(reasons) - set(sum(matched.values(), [])) == set()
    assert {pattern: sum(reasons[text] for text in texts) for pattern, texts in matched.items()
            if sum(reasons[text] for text in texts) > SKIPPED[pattern][version]} == {}
    assert sum(what == "passed" for what, _, _ in lines) >= PASSED[version]
