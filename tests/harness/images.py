# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Pixels of PNG files: ISO/IEC 15948, colours of a palette or RGB, with 8 or 4 bits of a sample."""

import base64
import re
import struct
import zlib
from dataclasses import dataclass

Pixel = tuple[int, int, int]


def chunks(png: bytes) -> dict[bytes, bytes]:
    """By their kinds, each with its sum checked."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    found: dict[bytes, bytes] = {}
    at = 8
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at:at + 8])
        data, (crc,) = png[at + 8:at + 8 + size], struct.unpack(">I", png[at + 8 + size:at + 12 + size])
        assert zlib.crc32(kind + data) == crc
        found[kind] = found.get(kind, b"") + data
        at += 12 + size
    return found


def _paeth(left: int, above: int, corner: int) -> int:
    to = left + above - corner
    return min((left, above, corner), key=lambda one: abs(to - one))


def _lines(data: bytes, size: int, step: int) -> list[bytearray]:
    """Without the filters; step: bytes of a pixel."""
    lines, above = [], bytearray(size)
    for at in range(0, len(data), size + 1):
        kind, line = data[at], bytearray(data[at + 1:at + 1 + size])
        for i in range(size if kind else 0):
            left, corner = (line[i - step], above[i - step]) if i >= step else (0, 0)
            guess = (0, left, above[i], (left + above[i]) // 2, _paeth(left, above[i], corner))
            line[i] = (line[i] + guess[kind]) % 256
        lines.append(line)
        above = line
    return lines


@dataclass
class Image:
    width: int
    height: int
    pixels: list[list[Pixel]]  # line by line


def decode(png: bytes) -> Image:
    found = chunks(png)
    width, height, depth, colour = struct.unpack(">IIBB", found[b"IHDR"][:10])
    data = zlib.decompress(found[b"IDAT"])
    if colour == 3 and depth == 4:
        palette = [tuple(found[b"PLTE"][i:i + 3]) for i in range(0, len(found[b"PLTE"]), 3)]
        pixels = [[palette[number] for byte in line for number in (byte >> 4, byte & 15)][:width]
                  for line in _lines(data, (width + 1) // 2, 1)]
    else:
        step = {2: 3, 6: 4}[colour]
        assert depth == 8
        pixels = [[tuple(line[i:i + 3]) for i in range(0, step * width, step)]
                  for line in _lines(data, step * width, step)]
    assert len(pixels) == height
    return Image(width, height, pixels)


def embedded(markup: str) -> Image:
    """The one that is in a page."""
    return decode(base64.b64decode(re.search(r"href='data:image/png;base64,([^']*)'", markup)[1], validate=True))
