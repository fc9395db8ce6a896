"""The names that a shell completes: topics, groups and profiles.

A shell asks at each TAB. So the names of a cluster are kept for some seconds, the wait for a
cluster is limited, and nothing is ever written but names.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from confluent_kafka.cli.connection.chosen_profile import chosen_profile

# Seconds. A wait that takes longer looks as if the shell had stopped.
_LIMIT = 1.0
_FRESH = 10.0
_ENVIRONMENT = ("KAFKA_BOOTSTRAP_SERVERS", "KAFKA_SASL_USERNAME")


def names(kind: str, context: click.Context, incomplete: str) -> list[str]:
    """Return the names that begin with a text, or none after any failure.

    Args:
        kind: "topic", "group" or "profile".
        context: the context of the command, with the options that stand before the cursor.
        incomplete: the text.
    """
    with contextlib.suppress(Exception), context.scope(cleanup=False):
        found = _profiles() if kind == "profile" else _kept(kind, context)
        return [
            name for name in found if name.startswith(incomplete) and _is_shown(name, incomplete)
        ]
    return []


def _is_shown(name: str, incomplete: str) -> bool:
    """Return whether a name is offered.

    The names come from a cluster, and end up in a command line: a terminal must not execute
    anything in them. The scripts of shells quote other characters. Internal topics are only
    offered if the word begins with an underscore.
    """
    return name.isprintable() and (not name.startswith("__") or incomplete.startswith("_"))


def _profiles() -> list[str]:
    from confluent_kafka.cli.connection.profile_file import profiles

    return list(profiles()[0])


def _kept(kind: str, context: click.Context) -> list[str]:
    """Return the names of a cluster, from the cache if they are fresh."""
    file = _cache() / f"{_digest(kind, context)}.json"
    with contextlib.suppress(OSError, ValueError):
        if 0 <= time.time() - file.stat().st_mtime < _FRESH:
            kept: list[str] = json.loads(file.read_text(encoding="utf-8"))
            return kept
    found = _within_limit(lambda: _asked(kind, context))
    # Also if the cluster did not answer: the next TAB should not wait again.
    _keep(file, found or [])
    if found is None:
        # The thread still waits, and closing its client would wait, too.
        sys.stdout.flush()
        os._exit(0)
    return found


def _within_limit(ask: Callable[[], list[str]]) -> list[str] | None:
    """Return the answer, an empty one after a failure, or None if there was no answer in time."""
    answers: list[list[str]] = []

    def run() -> None:
        with contextlib.suppress(BaseException), contextlib.redirect_stderr(io.StringIO()):
            answers.append(ask())
            return
        answers.append([])

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(_LIMIT)
    return answers[0] if answers else None


def _asked(kind: str, context: click.Context) -> list[str]:
    """Return the names that the cluster has."""
    from confluent_kafka.admin import AdminClient
    from confluent_kafka.cli.connection.settings import Connection, settings

    given: dict[str, Any] = context.params
    with context.scope(cleanup=False):
        config = settings(
            Connection(given.get("brokers"), given.get("config_file"), given.get("properties"))
        )
    config.pop("debug", None)
    with AdminClient(config) as admin:
        if kind == "topic":
            return sorted(admin.list_topics(timeout=_LIMIT).topics)
        found = admin.list_consumer_groups(request_timeout=_LIMIT).result(_LIMIT)
        return sorted(group.group_id for group in found.valid or [])


def _cache() -> Path:
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "confluent-kafka" / "completion"


def _digest(kind: str, context: click.Context) -> str:
    """Return a name for the cluster and the user, which contains no secret."""
    given: dict[str, Any] = context.params
    prefix = "bootstrap.servers="
    brokers = [text for text in given.get("properties") or () if text.startswith(prefix)]
    parts = [kind, chosen_profile(), given.get("brokers"), str(given.get("config_file")), brokers]
    parts += [os.environ.get(name) for name in _ENVIRONMENT]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def _keep(file: Path, found: list[str]) -> None:
    """Store names for the next TAB, if that is possible."""
    with contextlib.suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=file.parent, delete=False
        ) as written:
            json.dump(found, written)
        os.replace(written.name, file)
