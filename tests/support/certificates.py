"""The mark of tests whose cluster makes certificates."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

needs_certificates = pytest.mark.skipif(
    find_spec("cryptography") is None, reason="cryptography is not installed"
)
