"""Other clients' APIs on librdkafka."""

from __future__ import annotations
