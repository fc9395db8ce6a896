"""`registry` on a real registry, Apicurio's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.registry_process import running_apicurio
from tests.support.command_line import run

pytestmark = pytest.mark.integration

ITEM = {"name": "item", "type": "string"}
OLD = {"type": "record", "name": "Order", "fields": [ITEM]}
COUNT = {"name": "count", "type": "int"}


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_apicurio(tmp_path_factory.mktemp("registry")) as address:
        yield address


def test_the_life_of_a_subject(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Register, list, show, check, compare, and delete for good."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCHEMA_REGISTRY_URL", url)
    for name, fields in (
        ("old", [ITEM]),
        ("wrong", [ITEM, COUNT]),
        ("new", [ITEM, COUNT | {"default": 1}]),
    ):
        Path(f"{name}.avsc").write_text(json.dumps(OLD | {"fields": fields}))

    def ask(*arguments: str, status: int = 0) -> str:
        done = run("registry", *arguments)
        assert done.status == status, done.stderr
        return done.stdout.decode() + done.stderr

    assert "orders-value version 1 has" in ask("register", "orders-value", "old.avsc")
    assert '"compatibility": "backward"' in ask(
        "compatibility", "orders-value", "--set", "backward", "--json"
    )
    refused = ask("check", "orders-value", "wrong.avsc", status=1)
    assert refused.startswith("problem\tplace\treason\n")
    assert len(refused.splitlines()) > 1
    assert "is compatible" in ask("check", "orders-value", "new.avsc")
    assert "version 2" in ask("register", "orders-value", "new.avsc")
    assert ask("versions", "orders-value").count("avro") == 2
    assert json.loads(ask("show", "orders-value", "--version", "1")) == OLD
    assert '+      "name": "count",' in ask("diff", "orders-value")
    assert ask("subjects") == "subject\norders-value\n"
    assert "did you mean 'orders-value'?" in ask("show", "order-value", status=1)
    assert "1 version deleted" in ask("delete", "orders-value", "--version", "1", "--yes")
    assert "deleted permanently" in ask("delete", "orders-value", "--permanent", "--yes")
    assert ask("subjects", "--deleted") == "subject\n"
    assert "Operation not supported" in ask("mode", status=1)  # Apicurio has no modes
