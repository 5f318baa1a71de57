# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Time-outs of sessions that are about something else."""

import re
from typing import Sequence

PATIENT = {"--connect-timeout": 60, "--stall-timeout": 60}
"""A process without a processor is silent for seconds: no program takes that for the end of its peer."""

OF_SESSIONS = r"run|copy|pingpong|setup|compare-completion|\w+_(bw|lat)"


def patient(argv: Sequence[str]) -> list[str]:
    """The command with the time-outs of PATIENT, unless it has its own. It may be behind another one."""
    for index, word in enumerate(argv):
        name, following = word.rpartition("/")[2], (argv[index + 1:] or [""])[0]
        if re.fullmatch(r"vb_\w+_(bw|lat)", name):
            at, names = index + 1, list(PATIENT)
        elif name == "verbench" and re.fullmatch(OF_SESSIONS, following):
            at, names = index + 2, list(PATIENT)
        elif name == "verbench" and following == "serve" and "--status" not in argv:
            at, names = index + 2, ["--connect-timeout"]
        else:
            continue
        added = [str(value) for name in names if name not in argv for value in (name, PATIENT[name])]
        return [*argv[:at], *added, *argv[at:]]
    return list(argv)
