"""tools/kafka_news.py prints the differences of a newer release of Kafka's own client."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from confluent_kafka.protocol._tables import TABLES

TOOLS = Path(__file__).parents[2] / "tools"
REQUEST = """request 3 0-12 9+
topics []Topic 0+ nullable=1+
 name string 0+
old bool 4+"""
RESPONSE = "response 3 0-12 9+"
RECORD = "metadata 2 0 0+"
OURS = {"PageRequest": REQUEST, "PageResponse": RESPONSE, "PageRecord": RECORD}


@pytest.fixture(scope="module")
def news() -> Iterator[ModuleType]:
    """The program as a module. It imports two modules whose names other packages also have."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(TOOLS), *sys.path])
        for name in ("kafka", "protocol"):
            patch.delitem(sys.modules, name, raising=False)
        module = importlib.import_module("kafka_news")
        for name in ("kafka", "protocol"):
            del sys.modules[name]
        yield module


@pytest.fixture
def ours(news: ModuleType) -> Any:
    """A package with two messages of the protocol, a record, an error code and a configuration."""
    return news.Client(OURS, {2: "CORRUPT"}, {("topic", "retention.ms")})


def said(news: ModuleType, ours: Any, **theirs: object) -> list[str]:
    """The lines about a client that differs from this package only in `theirs`."""
    return list(news.differences(ours, replace(ours, **theirs)))


def test_messages(news: ModuleType, ours: Any) -> None:
    """The program names new and removed messages, versions and fields, with the structs of
    fields."""
    changed = """request 3 1-13 9+ unstable
topics []Topic 0+ nullable=1+
 name string 0-12
 topic_id uuid 13+"""
    assert said(news, ours, messages=OURS | {"PageRequest": changed}) == [
        "3 PageRequest: versions 0-12 -> 1-13",
        "3 PageRequest: latest version stable -> unstable",
        "3 PageRequest: field Topic.name: string 0+ -> string 0-12",
        "3 PageRequest: new field Topic.topic_id: uuid 13+",
        "3 PageRequest: removed field old",
    ]
    other = {"PageRequest": REQUEST, "Header": "header - 0 none", "SinkRequest": "request 94 0 0+"}
    assert said(news, ours, messages=other) == [
        "Header: new",
        "94 SinkRequest: new",
        "3 PageResponse: removed",  # the record is in another jar
    ]


def test_names(news: ModuleType, ours: Any) -> None:
    """The program names new error codes, and new and removed configurations."""
    errors = {2: "RENAMED", 136: "CONTROLLER_ID_NOT_REGISTERED"}
    assert said(news, ours, errors=errors, configurations={("producer", "retention.ms")}) == [
        "error code 136 CONTROLLER_ID_NOT_REGISTERED: new",
        "configuration retention.ms (producer): new",
        "configuration retention.ms (topic): removed",
    ]


def test_exit_code(
    news: ModuleType,
    ours: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The exit code is 0 if there are no differences, 1 if there are some, and 2 if Maven fails.

    LATEST selects the release.
    """
    asked: list[str] = []
    same = replace(news.this_package(ours.configurations), messages=dict(TABLES))
    newer = replace(same, errors=same.errors | {999: "NEW_CODE"})

    def client_of(release: str, folder: Path) -> Any:
        asked.append(release)
        return newer if release == "5.0.0" else same

    monkeypatch.setattr(news, "client_of", client_of)
    monkeypatch.delenv("LATEST", raising=False)
    assert news.main() == 0
    assert capsys.readouterr().out == "no differences\n"
    monkeypatch.setenv("LATEST", "5.0.0")
    assert news.main() == 1
    assert capsys.readouterr().out == "error code 999 NEW_CODE: new\n"
    assert asked == [news.NEWEST, news.VERSION, "5.0.0", news.VERSION]

    def failing(release: str, folder: Path) -> Any:
        raise news.AssemblyError("mvn is missing")

    monkeypatch.setattr(news, "client_of", failing)
    assert news.main() == 2
    assert "mvn is missing" in capsys.readouterr().err
