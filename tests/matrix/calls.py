"""All calls of all clients, by name."""

from __future__ import annotations

from tests.matrix import clients, compatibility

CALLS = {str(call): call for call in (*clients.calls(), *compatibility.calls())}
