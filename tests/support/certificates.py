"""The mark of tests that make certificates or read Java key stores."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

needs_cryptography = pytest.mark.skipif(
    find_spec("cryptography") is None, reason="cryptography is not installed"
)
