"""Checks of a pipeline before it starts. They need neither a JVM nor a network."""

from __future__ import annotations

import dataclasses
import importlib
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from confluent_kafka.spark.formats.ddl import parse_ddl, unreadable
from confluent_kafka.spark.formats.model import REGISTERED, Decoding
from confluent_kafka.spark.read_options import read_options
from confluent_kafka.spark.write_options import write_options

from .failures import raised
from .graph import inputs, order
from .model import ONE_COLUMN, Encoding, Pipeline, Sink, Source, Step, Watermark
from .problems import Findings, Key, Problem, nearest
from .reading import read
from .settings import exactly_once, read_settings, write_settings

_NAME = re.compile(r"[A-Za-z_]\w*")
_UNIT = r"(?:week|day|hour|minute|second|millisecond|microsecond)s?"
_INTERVAL = re.compile(rf"\s*(interval\s+)?(\d+\s*{_UNIT}\s*)+", re.IGNORECASE)
_SCHEME = re.compile(r"[A-Za-z][\w+.-]*:")
_OPTION = re.compile(r"option '?([\w.]+\w)'?")
_SINK_KEYS: dict[str, dict[str, bool]] = {
    # The keys that a format takes, and whether it requires them.
    "topic": {"topic": True, "key": False, "value": False, "headers": False},
    "parquet": {"path": True, "partition_by": False},
    "console": {},
    "jdbc": {},
}


def check(pipeline: Pipeline) -> list[Problem]:
    """Return all problems of a pipeline that can be found without starting Spark.

    The list is empty if there are none.
    """
    # A pipeline that is declared in Python may have values of wrong types.
    return examine(_as_table(pipeline), Findings())[1]


def examine(document: Any, found: Findings) -> tuple[Pipeline, list[Problem]]:
    """Return the pipeline of a document, and all problems that can be found without Spark.

    If there are problems, the pipeline is not as the document declares it.

    Args:
        document: the tables of a file.
        found: the problems that are known already.
    """
    pipeline = read(Pipeline, document, (), found)
    checks = (_whole, _sources, _steps, _sinks)
    problems = [problem for part in checks for problem in part(pipeline)]
    # A value that replaces a broken value can cause problems that the file does not have.
    return pipeline, found.problems + [one for one in problems if not found.follows(one)]


def interval(text: str) -> bool:
    """Return whether a text is an interval such as ``10 minutes``."""
    return _INTERVAL.fullmatch(text) is not None


def function(path: str) -> Callable[..., Any]:
    """Return the function that ``module:function`` names.

    Raises:
        ValueError: there is no such function.
    """
    module, colon, name = path.partition(":")
    if not colon:
        raise ValueError(f"{path!r} is not module:function")
    try:
        found = getattr(importlib.import_module(module), name, None)
    # The module's own code can raise anything, and can try to end Python.
    except (Exception, SystemExit) as error:
        raise ValueError(f"cannot import {module!r}: {raised(error)}") from error
    if not callable(found):
        raise ValueError(f"{module!r} has no function {name!r}")
    return found  # type: ignore[no-any-return]


def _as_table(part: Any) -> Any:
    """Return a part of a pipeline in the form that a TOML file would have."""
    if dataclasses.is_dataclass(part):
        fields = {field.name: getattr(part, field.name) for field in dataclasses.fields(part)}
        return {name: _as_table(value) for name, value in fields.items() if value is not None}
    if isinstance(part, Mapping):
        return {name: _as_table(value) for name, value in part.items()}
    return part


def _whole(pipeline: Pipeline) -> Iterator[Problem]:
    for key in ("sources", "sinks"):
        if not getattr(pipeline, key):
            yield Problem((key,), "a pipeline needs at least one")
    for key in ("name", "checkpoint"):
        if not getattr(pipeline, key).strip():
            yield Problem((key,), "cannot be empty")
    if pipeline.trigger != "availableNow" and not interval(pipeline.trigger):
        yield Problem(
            ("trigger",),
            f"{pipeline.trigger!r} is neither availableNow nor an interval such as '10 seconds'",
        )
    for name in pipeline.spark:
        if not name.startswith("spark."):
            yield Problem(("spark", name), f"Spark's settings begin with 'spark.': 'spark.{name}'?")
    for name in pipeline.kafka:
        if name.startswith("kafka."):
            yield Problem(("kafka", name), f"write it without 'kafka.' here: {name[6:]!r}")
    for kind in ("sources", "steps", "sinks"):
        for name in getattr(pipeline, kind):
            if not _NAME.fullmatch(name):
                yield Problem((kind, name), "a name has letters, digits and _, a letter first")
    # SQL does not distinguish upper and lower case in names.
    lowered: dict[str, Key] = {}
    for kind in ("sources", "steps"):
        for name in getattr(pipeline, kind):
            other = lowered.setdefault(name.lower(), (kind, name))
            if other != (kind, name):
                yield Problem((kind, name), f"{'.'.join(other)} has this name already")


def _sources(pipeline: Pipeline) -> Iterator[Problem]:
    for name, source in pipeline.sources.items():
        key = ("sources", name)
        yield from _topics(pipeline, source, key)
        for part in ("key", "value"):
            yield from _decoding(pipeline, source, getattr(source, part), (*key, part))
        if source.watermark is not None:
            yield from _watermark(source.watermark, (*key, "watermark"))
        if source.dead_letter is not None and not source.dead_letter.strip():
            yield Problem((*key, "dead_letter"), "needs the name of a topic")


def _topics(pipeline: Pipeline, source: Source, key: Key) -> Iterator[Problem]:
    names = {name.lower(): name for name in source.options}
    others = {"subscribepattern", "assign"} & names.keys()
    for name in {"keyformat", "valueformat"} & names.keys():
        part = name.removesuffix("format")
        yield Problem((*key, "options", names[name]), f"use {'.'.join(key)}.{part} instead")
    if "subscribe" in names:
        yield Problem((*key, "options", names["subscribe"]), f"use {'.'.join(key)}.topics instead")
    elif not source.topics and not others:
        yield Problem(key, "the key 'topics' is missing (or an option subscribePattern or assign)")
    elif source.topics and others:
        yield Problem((*key, "topics"), f"cannot be combined with option {names[others.pop()]}")
    else:
        given = {name.lower(): text for name, text in read_settings(pipeline, source).items()}
        try:
            read_options(given, streaming=True)
        except ValueError as error:
            yield _option_problem(error, key, source.options, pipeline)


def _option_problem(
    error: ValueError, key: Key, options: Mapping[str, str], pipeline: Pipeline
) -> Problem:
    """Return a problem with the key of the option that an error of the data source names."""
    message = str(error)
    found = _OPTION.search(message)
    option = found[1].lower() if found else ""
    for name in options:
        if name.lower() == option:
            return Problem((*key, "options", name), message)
    for name in pipeline.kafka:
        if f"kafka.{name}".lower() == option:
            return Problem(("kafka", name), message)
    if option == "kafka.bootstrap.servers":
        return Problem((), "the key 'bootstrap.servers' in the table [kafka] is missing")
    return Problem(key, message)


def _decoding(
    pipeline: Pipeline, source: Source, decoding: Decoding, key: Key
) -> Iterator[Problem]:
    if decoding.format == "json" and decoding.schema is None:
        yield Problem(key, "the key 'schema' is missing: the columns, such as 'id BIGINT'")
    elif decoding.format in ("json", "json-schema") and decoding.schema is not None:
        yield from _json_ddl(decoding.schema, (*key, "schema"))
    elif decoding.schema is not None and decoding.format != "avro":
        yield Problem((*key, "schema"), f"the format {decoding.format} does not take this key")
    if decoding.message is not None and decoding.format != "protobuf":
        yield Problem((*key, "message"), f"the format {decoding.format} does not take this key")
    if decoding.format not in REGISTERED:
        if decoding.subject is not None:
            yield Problem((*key, "subject"), f"the format {decoding.format} does not take this key")
        return
    if pipeline.registry is None:
        yield Problem(key, f"the format {decoding.format} needs the table [registry]")
    if decoding.subject is None and decoding.schema is None and len(source.topics) != 1:
        yield Problem(key, "the key 'subject' is missing: there is not exactly one topic")


def _ddl(text: str, key: Key) -> Iterator[Problem]:
    try:
        parse_ddl(text)
    except ValueError as error:
        yield Problem(key, str(error))


def _json_ddl(text: str, key: Key) -> Iterator[Problem]:
    problems = list(_ddl(text, key))
    yield from problems
    if not problems and (without := unreadable(parse_ddl(text))):
        yield Problem(key, f"JSON cannot be read as {without}: the keys are strings")


def _watermark(watermark: Watermark, key: Key) -> Iterator[Problem]:
    if not interval(watermark.delay):
        message = f"{watermark.delay!r} is not an interval such as '10 minutes'"
        yield Problem((*key, "delay"), message)


def _steps(pipeline: Pipeline) -> Iterator[Problem]:
    views = [*pipeline.sources, *pipeline.steps]
    for name, step in pipeline.steps.items():
        key = ("steps", name)
        given = [one for one in ("sql", "map_in_arrow", "map_in_pandas") if getattr(step, one)]
        if len(given) != 1:
            found = " and ".join(given) or "none"
            yield Problem(key, f"needs one of sql, map_in_arrow and map_in_pandas, not {found}")
            continue
        yield from _function(step, given[0], key) if step.sql is None else _sql(step, key)
        for place, view in inputs(step):
            if view.lower() not in {one.lower() for one in views}:
                yield Problem((*key, place), f"there is no view {view!r}: {nearest(view, views)}")
        if step.watermark is not None:
            yield from _watermark(step.watermark, (*key, "watermark"))
    _, circle = order(pipeline)
    if circle:
        path = " reads ".join([*circle, circle[0]])
        yield Problem(("steps", circle[0]), f"the steps form a cycle: {path}")


def _sql(step: Step, key: Key) -> Iterator[Problem]:
    for name in ("input", "schema"):
        if getattr(step, name) is not None:
            yield Problem((*key, name), "is for functions; SQL names its views and columns itself")
    if not inputs(step):
        yield Problem((*key, "sql"), "reads no view")


def _function(step: Step, kind: str, key: Key) -> Iterator[Problem]:
    for name in ("input", "schema"):
        if getattr(step, name) is None:
            yield Problem(key, f"the key {name!r} is missing")
    if step.schema is not None:
        yield from _ddl(step.schema, (*key, "schema"))
    try:
        function(getattr(step, kind))
    except ValueError as error:
        yield Problem((*key, kind), str(error))


def _sinks(pipeline: Pipeline) -> Iterator[Problem]:
    views = [*pipeline.sources, *pipeline.steps]
    modes: dict[str, tuple[str, str]] = {}
    directories: dict[str, str] = {}
    for name, sink in pipeline.sinks.items():
        key = ("sinks", name)
        if sink.input not in views:
            hint = nearest(sink.input, views)
            yield Problem((*key, "input"), f"there is no view {sink.input!r}: {hint}")
        yield from _sink_keys(sink, key)
        if sink.path is not None:
            yield from _own_directory(sink.path, name, directories)
        if sink.format == "topic":
            yield from _topic_sink(pipeline, sink, key)
        if sink.format == "jdbc":
            for option in ("url", "dbtable"):
                if option not in sink.options:
                    yield Problem(key, f"the option {option!r} is missing")
        if exactly_once(sink):
            if sink.output_mode == "update":
                message = "exactly-once delivery cannot have 'update': use 'append' or 'complete'"
                yield Problem((*key, "output_mode"), message)
            continue
        mode, other = modes.setdefault(sink.input, (sink.output_mode, name))
        if mode != sink.output_mode:
            message = f"the sink {other!r} of the same view has {mode!r}: one query feeds both"
            yield Problem((*key, "output_mode"), message)


def _own_directory(path: str, name: str, taken: dict[str, str]) -> Iterator[Problem]:
    """Report a directory that is, contains or is within another sink's; else add it to `taken`."""
    key = ("sinks", name, "path")
    if not path.strip():
        yield Problem(key, "cannot be empty")
        return
    directory = _directory(path)
    for other, owner in taken.items():
        if f"{directory}/".startswith(f"{other}/") or f"{other}/".startswith(f"{directory}/"):
            message = f"the sink {owner!r} has {other!r}: each sink needs a directory of its own"
            yield Problem(key, message)
            return
    taken[directory] = name


def _directory(path: str) -> str:
    """Return the normal form of a path, which is the same for all its spellings."""
    found = _SCHEME.match(path)
    scheme = found[0].lower() if found else ""
    place = posixpath.normpath(path[len(scheme) :])
    if scheme not in ("", "file:"):
        return scheme + place
    # A path without a scheme may be in another file system of Spark. Few pipelines use both.
    if place.startswith("/"):
        return re.sub("^/+", "/", place)
    return place if place == "." or place.startswith("..") else f"./{place}"


def _sink_keys(sink: Sink, key: Key) -> Iterator[Problem]:
    known = _SINK_KEYS[sink.format]
    empty = Sink(input="")
    for name in {name: None for keys in _SINK_KEYS.values() for name in keys}:
        given = getattr(sink, name) != getattr(empty, name)
        if given and name not in known:
            yield Problem((*key, name), f"the format {sink.format} does not take this key")
        if not given and known.get(name):
            yield Problem(key, f"the key {name!r} is missing: the format {sink.format} needs it")


def _topic_sink(pipeline: Pipeline, sink: Sink, key: Key) -> Iterator[Problem]:
    parts = {"value": sink.value} if sink.key is None else {"key": sink.key, "value": sink.value}
    found = [
        problem
        for part, encoding in parts.items()
        for problem in _encoding(pipeline, encoding, (*key, part))
    ]
    yield from found
    names = {name.lower() for name in sink.options}
    for name in sorted({"topic", "keyformat", "valueformat"} & names):
        place = name.removesuffix("format")
        yield Problem((*key, "options"), f"use {'.'.join(key)}.{place} instead of the option")
        return
    if sink.topic is None or found:
        return
    given = {name.lower(): text for name, text in write_settings(pipeline, sink).items()}
    try:
        write_options(given, streaming=True)
    except ValueError as error:
        yield _option_problem(error, key, sink.options, pipeline)


def _encoding(pipeline: Pipeline, encoding: Encoding, key: Key) -> Iterator[Problem]:
    registered = encoding.format in REGISTERED
    if registered and pipeline.registry is None:
        yield Problem(key, f"the format {encoding.format} needs the table [registry]")
    taken = {"subject": registered, "schema": registered, "message": encoding.format == "protobuf"}
    for name in taken:
        if getattr(encoding, name) is not None and not taken[name]:
            yield Problem((*key, name), f"the format {encoding.format} does not take this key")
    if encoding.format in ONE_COLUMN and len(encoding.columns) != 1:
        yield Problem(key, f"the format {encoding.format} needs one column: columns = ['name']")
