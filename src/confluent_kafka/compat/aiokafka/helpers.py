"""Contexts for TLS."""

from __future__ import annotations

from .._common.tls import create_ssl_context

__all__ = ["create_ssl_context"]
