# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Rows of 'verbench mesh' of many nodes, as a file, without measuring them."""

import csv
import random
from dataclasses import dataclass, field
from pathlib import Path

GOOD = 390.0
"""Gbit/s of a pair without a fault, within 1 %."""

Pair = tuple[int, int]


@dataclass
class Cluster:
    """Nodes n0, n1, ... In each round each node is the client of one other node."""

    nodes: int
    rounds: int
    slow: dict[Pair, float] = field(default_factory=dict)  # client, server: share of GOOD
    failed: set[Pair] = field(default_factory=set)
    left_out: set[Pair] = field(default_factory=set)
    test: str = "write_bw"
    size: int = 65536

    def pairs(self, number: int, of: list[int]) -> list[Pair]:
        """Those of a round: each node and the one that is so many places further."""
        step = 1 + number * (self.nodes - 1) // self.rounds
        return [(of[i], of[(i + step) % self.nodes]) for i in range(self.nodes)]

    def rows(self) -> list[dict[str, object]]:
        noise = random.Random(self.nodes)
        of = noise.sample(range(self.nodes), self.nodes)
        all_pairs = [(number, pair) for number in range(self.rounds) for pair in self.pairs(number, of)]
        known = {pair for _, pair in all_pairs}
        all_pairs += [(self.rounds, pair) for pair in [*self.slow, *self.failed] if pair not in known]
        return [self._row(number, pair, noise) for number, pair in all_pairs if pair not in self.left_out]

    def _row(self, number: int, pair: Pair, noise: random.Random) -> dict[str, object]:
        figure = GOOD * self.slow.get(pair, noise.gauss(1, 0.003))
        is_latency = self.test.endswith("_lat")
        failed = pair in self.failed
        return {"schema": 1, "test": self.test, "transport": "RC", "completion": "poll", "role": "client",
                "kind": "result", "host": f"n{pair[0]}", "peer_host": f"n{pair[1]}", "pair": f"n{pair[0]}>n{pair[1]}",
                "mesh_round": number, "mesh_attempt": 0, "device": "mlx5_0", "size_bytes": self.size,
                "bandwidth_gbit_s": "" if failed or is_latency else f"{figure:.4f}",
                "lat_p50_ns": f"{1000 * GOOD / figure:.3f}" if is_latency and not failed else "",
                "status": "failed" if failed else "ok", "reason": "the agent is gone" if failed else ""}

    def write(self, file: Path) -> Path:
        return write_rows(file, self.rows())


def wiring(*leaves: tuple[str, list[str]]) -> str:
    """What ibnetdiscover would print of these switches, each with the devices that are on it, "n0 mlx5_0"."""
    text = ""
    for number, (leaf, devices) in enumerate(leaves):
        own = f"{0xa0 + number:016x}"
        text += f'switchguid=0x{own}({own})\nSwitch\t36 "S-{own}"\t\t# "{leaf}" enhanced port 0 lid 6 lmc 0\n'
        hcas = [(port, f"{0x1000 * (number + 1) + port:016x}", device) for port, device in enumerate(devices, 1)]
        for port, hca, device in hcas:
            text += f'[{port}]\t"H-{hca}"[1]({hca}) \t\t# "{device}" lid 4 4xHDR\n'
        for port, hca, device in hcas:
            text += f'\ncaguid=0x{hca}\nCa\t1 "H-{hca}"\t\t# "{device}"\n'
            text += f'[1]({hca}) \t"S-{own}"[{port}]\t\t# lid 4 lmc 0 "{leaf}" lid 6 4xHDR\n'
        text += "\n"
    return text


def write_rows(file: Path, rows: list[dict[str, object]]) -> Path:
    with file.open("w", newline="") as out:
        writer = csv.DictWriter(out, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    return file
