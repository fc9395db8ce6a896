"""Files of configuration properties: of Java's clients, of librdkafka and of kcat.

kcat's files have librdkafka's properties. The two kinds of files look alike, so the reader decides
only where no doubt is left: a property that only one of them has, or a file that both kinds of
clients read in the same way. Otherwise the user has to say which kind it is.

A Java client ignores properties that it does not have. Its files can therefore contain properties
of serializers and other libraries, which are left out here.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from pathlib import Path

import click

from confluent_kafka._java import ONLY_JAVA, Wording, java_lines, translate
from confluent_kafka.cli.base.ending import note
from confluent_kafka.cli.base.values import JAVA, LIBRDKAFKA, divided

_WORDING = Wording("property", "")
_NAME = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+)+")
# Properties that can protect a Java client, and have no effect on this command.
_PROTECTING = frozenset(
    {
        *("ssl.enabled.protocols", "ssl.protocol", "ssl.provider"),
        *("ssl.keymanager.algorithm", "ssl.trustmanager.algorithm"),
        *("ssl.secure.random.implementation", "interceptor.classes"),
        *("sasl.oauthbearer.jwt.validator.class", "sasl.oauthbearer.header.urlencode"),
    }
)
# Nothing that the command line does depends on them.
_LEFT_OUT = _PROTECTING | frozenset(
    {
        *("key.serializer", "value.serializer", "key.deserializer", "value.deserializer"),
        *("metric.reporters", "partitioner.class", "partitioner.ignore.keys"),
    }
)
_CHECKED = (
    *("bootstrap.", "security.", "sasl.", "ssl."),
    *("schema.registry.", "basic.auth.", "bearer.auth."),
)
# A Java client would log in without them, or fail.
_ONLY_LIBRDKAFKA = frozenset(
    {
        *("sasl.username", "sasl.password", "sasl.mechanisms", "metadata.broker.list", "debug"),
        *("ssl.ca.location", "ssl.ca.pem", "ssl.certificate.location", "ssl.certificate.pem"),
        *("ssl.key.location", "ssl.key.pem", "ssl.ca.certificate.stores", "ssl.crl.location"),
        *("enable.ssl.certificate.verification", "sasl.oauthbearer.method"),
        *("socket.timeout.ms", "message.max.bytes", "queue.buffering.max.messages"),
        *("queue.buffering.max.kbytes", "queue.buffering.max.ms", "compression.codec"),
        *("statistics.interval.ms", "log_level", "broker.address.family", "enable.partition.eof"),
    }
)


def read(file: Path) -> dict[str, str]:
    """Return the properties of a file, with librdkafka's names.

    Args:
        file: value of -F: the path, perhaps after ``java:`` or ``librdkafka:``.

    Raises:
        click.BadParameter: the file cannot be read, or it is not clear how.
    """
    kind, path = divided(str(file))
    try:
        data = path.read_bytes().removeprefix(codecs.BOM_UTF8)
        if kind == JAVA:
            found = _java(data, path)
        else:
            found = _librdkafka(data) if kind == LIBRDKAFKA else _either(data, path)
    except OSError as error:
        raise _wrong(path, f": {error.strerror}") from None
    except UnicodeDecodeError:
        raise _wrong(path, ": not UTF-8") from None
    except ValueError as error:
        separator = ", " if str(error).startswith("line ") else ": "
        raise _wrong(path, f"{separator}{error}") from None
    return {f"{_prefix_of(name)}{name}": value for name, value in found.items()}


def _prefix_of(name: str) -> str:
    """Return what precedes a name of serializers, which can leave the registry's prefix out."""
    return "schema.registry." if name.startswith(("basic.auth.", "bearer.auth.")) else ""


def _wrong(path: Path, problem: str) -> click.BadParameter:
    return click.BadParameter(f"{path}{problem}", param_hint="-F")


def _either(data: bytes, path: Path) -> dict[str, str]:
    """Read a file whose kind nobody has named."""
    names = {name for _, name, _ in java_lines(data.decode("latin-1"))}
    if names & ONLY_JAVA:
        return _java(data, path)
    try:
        ours = _librdkafka(data)
    except ValueError:
        if not all(map(_NAME.fullmatch, names)):
            raise
        return _java(data, path)
    if names & _ONLY_LIBRDKAFKA:
        return ours
    try:
        # Java keeps spaces at the ends of lines, which nobody sees or means.
        java = {name: text.rstrip() for name, text in _translated(data)[0].items()}
        different = sorted(name for name in names if java.get(name) != ours.get(name))
    except ValueError:
        java, different = {}, []
    if java == ours:
        return ours
    where = f" in {', '.join(different)}" if different else ""
    raise ValueError(
        f"a Java client and librdkafka read this file differently{where}. Say which one it is for: "
        f"-F {JAVA}{path} or -F {LIBRDKAFKA}{path}"
    )


def _librdkafka(data: bytes) -> dict[str, str]:
    """Return the properties of lines ``key=value``; ``#`` begins a comment."""
    config = {}
    for number, line in enumerate(data.decode().splitlines(), start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise ValueError(f"line {number}: needs key=value")
        config[key.strip()] = value.strip()
    return config


def _java(data: bytes, path: Path) -> dict[str, str]:
    config, left_out = _translated(data)
    if ignored := [name for name in left_out if name in _PROTECTING]:
        note(
            f"{path}: {', '.join(ignored)} can protect the connection or the messages of Java's "
            "clients, and has no effect here"
        )
    understood = _understood(config)
    return {name: value for name, value in config.items() if name in understood}


def _understood(names: Iterable[str]) -> set[str]:
    """Return the names that are passed to the client.

    These include unknown names of security properties: the client refuses them, so that a mistake
    does not go unnoticed.
    """
    from confluent_kafka._properties import known_properties

    known = known_properties()
    return {name for name in names if name.startswith(_CHECKED) or name in known}


def _translated(data: bytes) -> tuple[dict[str, str], list[str]]:
    # Java reads these files as Latin-1: other characters are \u escapes.
    given = {name: value for _, name, value in java_lines(data.decode("latin-1"))}
    return translate(given, _WORDING, _LEFT_OUT)
