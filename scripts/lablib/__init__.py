# SPDX-License-Identifier: Apache-2.0
"""The scripts behind scripts/lab and scripts/test: set-up, running notebooks, tests.

Until the set-up is done only Python's standard library may be imported; ``notebooks`` and the tests run in the environment it makes.
"""
