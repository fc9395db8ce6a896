"""Commands for several topics, of which some fail."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest

from confluent_kafka import KafkaError, KafkaException

pytest.importorskip("click", reason="the extra [cli] is not installed")

from confluent_kafka.cli.commands import topics
from tests.support.command_line import run


def answers(result: Callable[[str], Any], code: int) -> dict[str, Future[Any]]:
    """A failed result between two successful ones."""
    futures: dict[str, Future[Any]] = {name: Future() for name in ("first", "wrong", "last")}
    for name, future in futures.items():
        if name == "wrong":
            future.set_exception(KafkaException(KafkaError(code)))
        else:
            future.set_result(result(name))
    return futures


class Admin:
    """The requests that the embedded cluster cannot answer."""

    def delete_topics(self, names: Any, **_: Any) -> dict[str, Future[Any]]:
        return answers(lambda name: None, KafkaError.UNKNOWN_TOPIC_OR_PART)

    def list_topics(self, **_: Any) -> Any:
        return SimpleNamespace(topics={"first": None, "wrongs": None})


def test_some_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """stdout has the items that succeeded, stderr the items that failed, and the status is 1."""

    @contextlib.contextmanager
    def administering(*arguments: object) -> Iterator[Admin]:
        yield Admin()

    monkeypatch.setattr(topics, "administering", administering)
    stdout = b"topic first was deleted\ntopic last was deleted\n"
    error = "error: topic 'wrong' does not exist: did you mean 'wrongs'?\n"
    assert run("topics", "delete", "-y", "first", "wrong", "last", "-b", "x") == (1, stdout, error)
