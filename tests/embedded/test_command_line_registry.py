"""`registry`: the schemas of a registry, on the registry of the testing package."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("click", reason="the extra [cli] is not installed")
pytest.importorskip("httpx", reason="the extra [schemaregistry] is not installed")

from confluent_kafka.cli.connection.settings import registry_settings
from confluent_kafka.schema_registry import Schema, SchemaRegistryClient
from confluent_kafka.testing import MockRegistry
from tests.support.command_line import Ended, run, words
from tests.support.kafka import NO_BROKER
from tests.support.secrets import secret


def record(*fields: dict[str, Any]) -> str:
    return json.dumps({"type": "record", "name": "Order", "fields": list(fields)})


ITEM = {"name": "item", "type": "string"}
COUNT = {"name": "count", "type": "int"}
OLD = record(ITEM)
WRONG = record(ITEM, COUNT)
NEW = record(ITEM, COUNT | {"default": 1})


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.chdir(tmp_path)
    for name, text in (("old", OLD), ("wrong", WRONG), ("new", NEW)):
        Path(f"{name}.avsc").write_text(text)
    with MockRegistry() as registry:
        monkeypatch.setenv("SCHEMA_REGISTRY_URL", registry.url)
        yield registry.url


@pytest.fixture
def client(url: str) -> Iterator[SchemaRegistryClient]:
    with SchemaRegistryClient({"url": url}) as found:
        found.register_schema("orders-value", Schema(OLD))
        yield found


def registry(*arguments: str) -> Ended:
    return run("registry", *arguments)


def rows(*arguments: str) -> list[Any]:
    done = registry(*arguments, "--json")
    assert done.status == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_register(url: str) -> None:
    """A schema of a file becomes a version. Registering it again changes nothing."""
    for _ in range(2):
        done = registry("register", "orders-value", "old.avsc")
        assert done.stdout == b"orders-value version 1 has the schema with id 1\n"
    done = registry("register", "orders-value", "new.avsc")
    assert done.stdout == b"orders-value version 2 has the schema with id 2\n"
    done = registry("register", "orders-value", "wrong.avsc", "--registry", url)
    assert done.status == 0  # compatible with version 2
    Path("bad.avsc").write_text('{"type": "nothing"}')
    done = registry("register", "x", "bad.avsc")
    assert (done.status, done.stdout) == (1, b"")
    assert "Invalid Avro schema" in done.stderr


def test_an_incompatible_schema_is_not_registered(client: SchemaRegistryClient) -> None:
    """The error comes with the table of `registry check`; `produce --register` has the same
    reasons."""
    done = registry("register", "orders-value", "wrong.avsc")
    assert (done.status, done.stdout) == (
        1,
        registry("check", "orders-value", "wrong.avsc").stdout,
    )
    assert done.stdout.startswith(b"problem\tplace\treason\nREADER_FIELD_MISSING_DEFAULT_VALUE\t")
    assert done.stderr == (
        "error: wrong.avsc is not compatible with orders-value: nothing was registered\n"
    )
    (row,) = registry("register", "orders-value", "wrong.avsc", "--json").stdout.splitlines()
    assert json.loads(row)["problem"] == "READER_FIELD_MISSING_DEFAULT_VALUE"
    options = ["--value", "avro", "--schema", "wrong.avsc", "--register"]
    done = run("produce", "orders", *options, "-b", NO_BROKER, stdin=b"{}")
    first, second = done.stderr.splitlines()[:2]
    assert first == "error: --schema: wrong.avsc is not compatible with orders-value"
    assert second.startswith("error: READER_FIELD_MISSING_DEFAULT_VALUE: /fields/1: ")
    assert client.get_versions("orders-value") == [1]


def test_lists(client: SchemaRegistryClient) -> None:
    """The commands list subjects, versions and contexts."""
    client.register_schema("orders-value", Schema(NEW))
    client.register_schema("items-value", Schema('"string"'))
    assert rows("subjects") == [{"subject": "items-value"}, {"subject": "orders-value"}]
    assert rows("subjects", "--prefix", "ord") == [{"subject": "orders-value"}]
    assert registry("versions", "orders-value").stdout == (
        b"version\tid\ttype\treferences\n1\t1\tavro\t-\n2\t2\tavro\t-\n"
    )
    assert rows("contexts") == [{"context": "."}]


def test_show(client: SchemaRegistryClient) -> None:
    """`registry show` indents the schema; with --json, the schema is as the registry stores it."""
    client.register_schema("orders-value", Schema(NEW))
    shown = registry("show", "orders-value", "--version", "1").stdout.decode()
    assert shown == json.dumps(json.loads(OLD), indent=2) + "\n"
    (found,) = rows("show", "orders-value")
    assert (found["version"], found["schema"]) == (2, NEW)


def test_a_schema_is_data(client: SchemaRegistryClient) -> None:
    """Control characters of a schema are shown as escapes."""
    text = 'syntax = "proto3"; // \x1b[31m\n\tmessage M {}\n'
    client.register_schema("m", Schema(text, "PROTOBUF"))
    assert registry("show", "m").stdout == (b'syntax = "proto3"; // \\x1b[31m\n    message M {}\n')


def test_check(client: SchemaRegistryClient) -> None:
    """The status is 0 for a schema that can be registered; otherwise it is 1, with the reasons."""
    done = registry("check", "orders-value", "new.avsc")
    assert (done.status, done.stdout) == (0, b"new.avsc is compatible with orders-value\n")
    for options in ([], ["--version", "1"], ["--version", "latest"]):
        done = registry("check", "orders-value", "wrong.avsc", *options)
        assert (done.status, done.stderr) == (1, "")
        header, line = done.stdout.decode().splitlines()
        assert header == "problem\tplace\treason"
        assert line == (
            "READER_FIELD_MISSING_DEFAULT_VALUE\t/fields/1\t"
            "the writer does not have the field count, which has no default"
        )
    assert client.get_versions("orders-value") == [1]


def test_references(client: SchemaRegistryClient) -> None:
    """A file can refer to schemas of other subjects."""
    Path("list.avsc").write_text(
        record({"name": "order", "type": "Order"}).replace("Order", "L", 1)
    )
    arguments = ["register", "list-value", "list.avsc", "--reference", "Order=orders-value:1"]
    assert registry(*arguments).status == 0
    assert rows("versions", "list-value")[0]["references"] == ["Order=orders-value:1"]
    done = registry(*arguments[:3], "--reference", "Order")
    assert done.status == 2
    assert "--reference: 'Order': needs NAME=SUBJECT:VERSION" in done.stderr


def test_diff(client: SchemaRegistryClient) -> None:
    """The command shows the lines that differ, with the names of both versions."""
    assert registry("diff", "orders-value").stderr == (
        "error: orders-value has no version before 1\n"
    )
    client.register_schema("orders-value", Schema(NEW))
    shown = registry("diff", "orders-value").stdout.decode().splitlines()
    assert shown[:2] == ["--- orders-value version 1", "+++ orders-value version 2"]
    assert '+      "name": "count",' in shown
    assert registry("diff", "orders-value", "1", "2").stdout.decode().splitlines() == shown
    same = registry("diff", "orders-value", "2", "2").stdout
    assert same == b"orders-value version 2 and version 2 are the same\n"
    (found,) = rows("diff", "orders-value")
    assert (found["old"], found["new"], found["lines"]) == (1, 2, shown)


def test_delete(client: SchemaRegistryClient) -> None:
    """The versions are shown first. Without a terminal, --yes is required. --permanent deletes for
    good, whether or not the versions were deleted before."""
    client.register_schema("orders-value", Schema(NEW))
    done = registry("delete", "orders-value")
    assert done.status == 2
    assert "--yes: is required without a terminal" in done.stderr
    assert done.stdout == b"version\tid\ttype\n1\t1\tavro\n2\t2\tavro\n"
    done = registry("delete", "orders-value", "--version", "1", "--yes")
    assert done.stdout.endswith(b"orders-value: 1 version deleted\n")
    assert client.get_versions("orders-value") == [2]
    assert client.get_versions("orders-value", deleted=True) == [1, 2]
    assert registry("delete", "orders-value", "--version", "7", "--yes").status == 1
    done = registry("delete", "orders-value", "--permanent", "--yes")
    assert done.stdout.endswith(b"orders-value: 2 versions deleted permanently\n")
    assert client.get_subjects(deleted=True) == []


@pytest.mark.parametrize("deleted", [False, True])
def test_delete_a_version_for_good(client: SchemaRegistryClient, deleted: bool) -> None:
    """A single version can be deleted for good, whether or not it was deleted before."""
    client.register_schema("orders-value", Schema(NEW))
    if deleted:
        client.delete_version("orders-value", 1)
    done = registry("delete", "orders-value", "--version", "1", "--permanent", "--yes")
    assert done.stdout.endswith(b"orders-value: 1 version deleted permanently\n")
    assert client.get_versions("orders-value", deleted=True) == [2]


def test_compatibility(client: SchemaRegistryClient) -> None:
    """The level of the registry applies to a subject until it has its own."""
    subject = {"subject": "orders-value", "compatibility": "backward", "of": "registry"}
    assert rows("compatibility", "orders-value") == [subject]
    full = subject | {"compatibility": "full", "of": "subject"}
    assert rows("compatibility", "orders-value", "--set", "full") == [full]
    assert client.get_compatibility("orders-value") == "FULL"
    assert rows("compatibility", "orders-value", "--unset") == [subject]
    everything = {"subject": None, "compatibility": "none", "of": "registry"}
    assert rows("compatibility", "--set", "none") == [everything]
    assert registry("compatibility", "--unset").status == 2
    assert registry("compatibility", "orders-value", "--set", "fully").status == 2


def test_mode(client: SchemaRegistryClient) -> None:
    """The mode of the registry or of a subject can be shown, set and unset."""
    assert rows("mode")[0]["mode"] == "readwrite"
    assert rows("mode", "orders-value", "--set", "readonly")[0]["mode"] == "readonly"
    assert registry("register", "orders-value", "new.avsc").status == 1
    assert rows("mode", "orders-value", "--unset")[0]["mode"] == "readwrite"
    assert rows("mode", "--set", "readonly") == [
        {"subject": None, "mode": "readonly", "of": "registry"}
    ]


@pytest.mark.parametrize(
    "arguments",
    [["versions"], ["show"], ["diff"], ["delete", "--yes"], ["check", "new.avsc"]],
    ids=lambda arguments: arguments[0],
)
def test_an_unknown_subject(client: SchemaRegistryClient, arguments: list[str]) -> None:
    """The error suggests the nearest subject."""
    done = registry(arguments[0], "order-value", *arguments[1:])
    assert (done.status, done.stdout) == (1, b"")
    assert done.stderr == (
        "error: there is no subject 'order-value': did you mean 'orders-value'?\n"
    )


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["check", "s", "nowhere.avsc"], "FILE: 'nowhere.avsc' does not exist"),
        (["check", "s", "a.txt"], "--type: is needed: a.txt ends with none of .avsc"),
        (["show", "s", "--version", "x"], "--version: 'x' is neither the number of a version"),
        (["subjects", "-X", "url=x"], "-X: the properties of the registry begin with schema.reg"),
        (["subjects", "-X", "schema.registry.url"], "-X: needs KEY=VALUE"),
        (["subjects", "-X", "schema.registry.ulr=x"], "did you mean 'url'?"),
        (["subjects", "--registry", "nowhere"], "url"),
        (["register", "s", "empty.avsc"], "FILE: empty.avsc is empty"),
        (["compatibility", ".", "--set", "none"], "'.' cannot be in the address of a request"),
        (["mode", "..", "--set", "readonly"], "'..' cannot be in the address of a request"),
        (["delete", ".", "--yes", "--permanent"], "'.' cannot be in the address of a request"),
    ],
)
def test_wrong_usage(url: str, arguments: list[str], problem: str) -> None:
    """Wrong usage ends with status 2, and the error names the argument and the reason."""
    Path("a.txt").touch()
    Path("empty.avsc").write_text("\n")
    done = registry(*arguments)
    assert (done.status, done.stdout) == (2, b"")
    assert problem in words(done.stderr)


def test_the_settings_of_a_dot(url: str) -> None:
    """The subject "." does not stand for the whole registry."""
    for command in ("compatibility", "mode"):
        before = rows(command)
        registry(command, ".", "--set", "none" if command == "compatibility" else "readonly")
        assert rows(command) == before


@pytest.mark.parametrize("subject", ["a/b c?d#e", "\u00fcn\u00ef", "%2F", ":.ctx:s", "-x", "a\tb"])
def test_subjects_with_any_characters(url: str, subject: str) -> None:
    """The name of a subject can have any characters, and a mark of an editor does not matter."""
    Path("old.avsc").write_text(OLD, encoding="utf-8-sig")
    done = registry("register", "--", subject, "old.avsc")
    assert (done.status, done.stderr) == (0, "")
    assert {"subject": subject} in rows("subjects")
    assert registry("show", "--", subject).status == 0
    assert registry("delete", "--yes", "--permanent", "--", subject).status == 0
    assert rows("subjects") == []


def test_no_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command fails without an address, and with an address where nothing listens."""
    monkeypatch.delenv("SCHEMA_REGISTRY_URL", raising=False)
    done = registry("subjects")
    assert done.status == 2
    assert "registry: needs a schema registry: give --registry URL" in words(done.stderr)
    done = registry("subjects", "--registry", "http://127.0.0.1:1", "--timeout", "1")
    assert done.status == 1
    assert "Connection refused" in done.stderr


def test_where_the_address_comes_from(
    client: SchemaRegistryClient, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A profile or a file of Kafka's properties can contain the address; commands for Kafka ignore
    it."""
    monkeypatch.delenv("SCHEMA_REGISTRY_URL")
    text = f"schema.registry.url={url}\nkey.serializer=x\nbasic.auth.credentials.source=USER_INFO"
    Path("client.properties").write_text(text)
    assert registry("subjects", "-F", "client.properties").stdout == b"subject\norders-value\n"
    Path("profiles.toml").write_text(f'[local]\nregistry.url = "{url}"\nproduction = true\n')
    monkeypatch.setenv("KAFKA_PROFILES", "profiles.toml")
    assert registry("subjects", "-C", "local").stdout == b"subject\norders-value\n"
    done = registry("delete", "orders-value", "-C", "local", "--yes")
    assert done.status == 2
    assert "also give --yes-really local" in done.stderr
    done = run("topics", "list", "-F", "client.properties")
    assert "no brokers: give --brokers" in done.stderr


def test_settings_of_a_file(url: str) -> None:
    """Numbers of a file are numbers. The registry can inherit the credentials of the cluster."""
    Path("client.properties").write_text(
        "schema.registry.max.retries=5\nbasic.auth.credentials.source=SASL_INHERIT\n"
        "sasl.username=me\nsasl.password=pw\n"
    )
    assert registry_settings(None, Path("client.properties"), None) == {
        "url": url,
        "max.retries": 5,
        "basic.auth.user.info": "me:pw",
    }


def test_secrets_are_not_shown(client: SchemaRegistryClient, url: str) -> None:
    """No error repeats a password."""
    word = secret("registry")
    for given in (f"basic.auth.user.info={word}", f"bearer.auth.token={word}"):
        assert word not in registry("subjects", "-X", f"schema.registry.{given}").stderr
