# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""The device profiles of the emulated HCA, and profiles of a test's own."""

from pathlib import Path

from harness.emulated import SOURCE

FOLDER = SOURCE / "softhca" / "profiles"
NAMES = sorted(file.stem for file in FOLDER.glob("*.conf"))


def profile_file(name: str) -> Path:
    """The file of a profile."""
    return FOLDER / f"{name}.conf"


def profile_like(file: Path, name: str, **settings: str) -> Path:
    """Writes a profile that is another one but for some settings."""
    lines = [line for line in profile_file(name).read_text().splitlines() if line.split("=")[0].strip() not in settings]
    lines += [f"{key} = {value}" for key, value in settings.items()]
    file.write_text("\n".join(lines) + "\n")
    return file
