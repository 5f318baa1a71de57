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


def write_rows(file: Path, rows: list[dict[str, object]]) -> Path:
    with file.open("w", newline="") as out:
        writer = csv.DictWriter(out, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    return file
