# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""What the tests in Python share: programs, the emulated HCA, rows, ports."""
