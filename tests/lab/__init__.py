# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""Tests on Soft-RoCE and Soft-iWARP, in the guests of scripts/lab: pytest -n 0 tests/lab."""
