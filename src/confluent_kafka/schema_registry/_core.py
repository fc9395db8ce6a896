"""Serializes and deserializes messages with a registry, for all formats.

Each message needs one look-up of a plan. The plan contains the bytes before the payload and how to
encode the object, or how to decode the payload after an id. Coroutines make the plans. They await
the registry in the asyncio classes, and block in the blocking classes: see run().
"""

from __future__ import annotations

import asyncio
import inspect
import io
import time
from collections.abc import Callable, Coroutine, Generator, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Self, TypeVar

from confluent_kafka.error import SerializationError
from confluent_kafka.serialization import SerializationContext
from confluent_kafka.serialization._coroutines import run

from ._calls import Calls
from ._names import unrecognized
from .schema import RegisteredSchema, Rule, RuleMode, Schema
from .schema_registry_client import AsyncSchemaRegistryClient, SchemaRegistryClient
from .serde import (
    GUID_MAGIC,
    GUID_SIZE,
    ID_SIZE,
    AssociatedNameStrategy,
    AsyncAssociatedNameStrategy,
    AsyncBaseDeserializer,
    AsyncBaseSerializer,
    BaseDeserializer,
    BaseSerializer,
    SchemaId,
    _Serde,
    add_header,
    dual_schema_id_deserializer,
    header_of,
    header_schema_id_serializer,
    prefix_schema_id_deserializer,
    prefix_schema_id_serializer,
    record_subject_name_strategy,
    topic_record_subject_name_strategy,
    topic_subject_name_strategy,
)

_SUBJECT_DEFAULTS: dict[str, Any] = {
    "subject.name.strategy": None,
    "subject.name.strategy.conf": None,
    "subject.name.strategy.type": None,
    "use.latest.version": False,
    "use.latest.with.metadata": None,
}
SERIALIZER_DEFAULTS: dict[str, Any] = _SUBJECT_DEFAULTS | {
    "auto.register.schemas": True,
    "normalize.schemas": False,
    "schema.id.serializer": prefix_schema_id_serializer,
    "use.schema.id": None,
    "validation.rules.execution": None,
    "validation.rules.executor": None,
    "validation.rules.fail.fast": False,
}
DESERIALIZER_DEFAULTS: dict[str, Any] = _SUBJECT_DEFAULTS | {
    "schema.id.deserializer": dual_schema_id_deserializer,
}

# The subjects of these strategies depend only on the topic, the field and the name of the type.
_FIXED_STRATEGIES = (
    topic_subject_name_strategy,
    record_subject_name_strategy,
    topic_record_subject_name_strategy,
)


def read_conf(conf: Mapping[str, Any] | None, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Check and return the configuration of a serde.

    Raises:
        TypeError: it is not a dict.
        ValueError: a key is unknown, or a value has a wrong type.
    """
    if conf is not None and not isinstance(conf, Mapping):
        raise TypeError(f"conf must be a dict, not {type(conf).__name__}")
    if unknown := unrecognized(conf or (), defaults):
        raise ValueError(unknown)
    for name, value in (conf or {}).items():
        if isinstance(defaults[name], bool) and not isinstance(value, bool):
            raise ValueError(f"{name} must be a bool, not {value!r:.100}")
        if callable(defaults[name]) and not callable(value):
            raise ValueError(f"{name} must be callable, not {type(value).__name__}")
    options = {**defaults, **(conf or {})}
    metadata = options["use.latest.with.metadata"]
    if metadata is not None and not isinstance(metadata, dict):
        kind = type(metadata).__name__
        raise ValueError(f"use.latest.with.metadata must be a dict, not {kind}")
    number = options.get("use.schema.id")
    if number is not None and (not isinstance(number, int) or isinstance(number, bool)):
        raise ValueError(f"use.schema.id must be an int, not {number!r:.100}")
    if options["use.latest.version"] and options.get("auto.register.schemas"):
        raise ValueError(
            "use.latest.version and auto.register.schemas are mutually exclusive: set one to False"
        )
    return options


def callable_or_none(name: str, value: Any, signature: str) -> Any:
    """Return a conversion function, or None.

    Raises:
        ValueError: it cannot be called.
    """
    if value is not None and not callable(value):
        kind = type(value).__name__
        raise ValueError(f"{name} must be callable as {signature}, not {kind}")
    return value


@dataclass(frozen=True)
class Plan:
    """How to serialize or deserialize the messages of one subject."""

    work: Callable[[Any], Any]
    """Returns the bytes of an object, or the object for the bytes that follow an id."""
    prefix: bytes = b""
    guid: bytes = b""
    schema_id: SchemaId | None = None
    generation: int = 0
    """The client's generation when the plan was begun; it changes when the caches are cleared."""
    end: float = 0.0
    """When to ask for the latest version again; None for never."""


class _Delegate:
    """Makes a registry's calls with the methods of a client whose class may override them.

    The client is an instance of a subclass, or a test's mock that has only the methods.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._own: Calls | None = client._calls if _derived(client, SchemaRegistryClient) else None
        self.latest_ttl = None if self._own is None else self._own.latest_ttl

    @property
    def generation(self) -> int:
        return 0 if self._own is None else self._own.generation

    def __getattr__(self, name: str) -> Callable[..., Coroutine[Any, Any, Any]]:
        method = getattr(self._client, name)

        async def call(*args: Any) -> Any:
            found = method(*args)
            return await found if inspect.isawaitable(found) else found

        return call


def _derived(client: object, kind: type[Any]) -> bool:
    """Return whether the class is derived. isinstance() would also accept a Mock(spec=...)."""
    return issubclass(type(client), kind)


def _calls_of(client: Any, kind: type[Any]) -> Any:
    """Return the calls of a registry's client, as coroutine functions.

    Raises:
        TypeError: it is neither a client of this kind nor a stand-in for one.
    """
    if client is None or (_derived(client, kind) and kind is not SchemaRegistryClient):
        return client
    if type(client) is SchemaRegistryClient and kind is SchemaRegistryClient:
        return client._calls  # which never wait
    other = isinstance(client, SchemaRegistryClient | AsyncSchemaRegistryClient)
    stands_in = not other and callable(getattr(client, "register_schema", None))
    if not isinstance(client, kind) and not stands_in:
        given = type(client).__name__
        raise TypeError(f"schema_registry_client must be a {kind.__name__}, not {given}")
    return _Delegate(client)


class Core(_Serde):
    """The work that is done once per subject or schema."""

    _type = ""
    _client_kind: type[Any] = SchemaRegistryClient

    def _start(
        self, client: Any, conf: Mapping[str, Any] | None, defaults: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Store the client and the configuration; return the checked configuration."""
        options = read_conf(conf, defaults)
        calls = _calls_of(client, self._client_kind)
        self._client = client
        self._calls: Calls = calls
        self.configure_subject_name_strategy(
            options["subject.name.strategy.type"],
            options["subject.name.strategy.conf"],
            options["subject.name.strategy"],
        )
        self._latest: bool = options["use.latest.version"]
        self._metadata: dict[str, str] | None = options["use.latest.with.metadata"]
        self._fixed = self._strategy in _FIXED_STRATEGIES or isinstance(
            self._strategy, AssociatedNameStrategy | AsyncAssociatedNameStrategy
        )
        self._plans: dict[Hashable, Plan] = {}
        self._lock = asyncio.Lock()
        changes = self._latest or self._metadata is not None
        self._ttl = calls.latest_ttl if changes and client is not None else None
        return options

    def _known(self, key: Hashable) -> Plan | None:
        """Return the plan of a key. None if there is none, or if it may be outdated."""
        plan = self._plans.get(key)
        if plan is None or self._client is None:
            return plan
        if plan.generation != self._calls.generation:
            return None
        if self._ttl is not None and time.monotonic() >= plan.end:
            return None
        return plan

    def _keep(self, key: Hashable, plan: Plan) -> Plan:
        if len(self._plans) >= 10_000:  # if a strategy always returns new subjects
            self._plans.clear()
        self._plans[key] = plan
        return plan

    def _end(self) -> float:
        """Return the time at which a plan that is made now expires."""
        return 0.0 if self._ttl is None else time.monotonic() + self._ttl

    async def _subject(self, ctx: SerializationContext | None, name: str | None) -> str:
        strategy = self._strategy
        found: str | None
        if isinstance(strategy, AssociatedNameStrategy | AsyncAssociatedNameStrategy):
            found = await strategy.find(ctx, name, self._calls, self._strategy_conf)
        else:
            found = strategy(ctx, name)
        if not isinstance(found, str) or not found:
            called = getattr(strategy, "__name__", type(strategy).__name__)
            why = "the schema has no name" if name is None else f"it returned {found!r:.100}"
            raise SerializationError(f"{called} returned no subject: {why}")
        return found

    async def _newest(self, subject: str) -> RegisteredSchema:
        if self._metadata is not None:
            return await self._calls.get_latest_with_metadata(subject, self._metadata, True)
        return await self._calls.get_latest_version(subject)

    def _check_type(self, schema: Schema, name: str) -> None:
        if (schema.schema_type or "AVRO") != self._type:
            raise SerializationError(f"{name} is {schema.schema_type}, not {self._type}")

    async def _referenced(self, schema: Schema) -> dict[str, Schema]:
        return await referenced(self._calls, schema)


async def referenced(calls: Calls, schema: Schema) -> dict[str, Schema]:
    """Return the schemas that a schema refers to, by the names that it uses for them.

    A schema comes after the schemas that it needs.

    Args:
        calls: the calls of the registry.
        schema: the schema that refers to them.

    Raises:
        SchemaRegistryError: the registry does not have them, refuses the request or cannot be
            reached.
    """
    found: dict[str, Schema] = {}
    places: dict[tuple[str, int], Schema | None] = {}  # None: in progress

    async def add(one: Schema) -> None:
        for reference in one.references or ():
            place = (reference.subject, reference.version)
            if place not in places:
                places[place] = None
                schema = (await calls.get_version(*place, True)).schema
                await add(schema)
                places[place] = schema
            known = places[place]
            if known is not None:
                found.setdefault(reference.name, known)

    await add(schema)
    return found


def refuse_rules(schema: Schema, modes: frozenset[RuleMode], name: str) -> None:
    """Refuse a schema with rules that would have to be run.

    Raises:
        SerializationError: it has such rules, and without them the messages would be wrong.
    """
    rules = schema.rule_set
    if rules is None:
        return
    groups: list[list[Rule] | None] = [rules.domain_rules, rules.encoding_rules]
    if RuleMode.UPGRADE in modes:
        groups = [rules.migration_rules]
    for rule in (rule for group in groups for rule in group or ()):
        if rule.mode in modes and not rule.disabled:
            raise SerializationError(
                f"{name} has the rule {rule.name!r} (type {rule.type}, mode {rule.mode}), and "
                "this client runs no rules"
            )


_ON_WRITE = frozenset({RuleMode.WRITE, RuleMode.WRITEREAD})
_ON_READ = frozenset({RuleMode.READ, RuleMode.WRITEREAD})
_ON_MIGRATION = frozenset({RuleMode.UPGRADE, RuleMode.DOWNGRADE, RuleMode.UPDOWN})


def refuse_rule_arguments(rule_conf: Any, rule_registry: Any) -> None:
    """Refuse a configuration of rules.

    Raises:
        ValueError: rules are configured.
    """
    for name, value in (("rule_conf", rule_conf), ("rule_registry", rule_registry)):
        if value:
            raise ValueError(f"{name} must be None: this client runs no rules")


def _bytes(data: Any) -> bytes:
    if isinstance(data, bytes | bytearray | memoryview):
        return bytes(data)
    raise SerializationError(f"a message must be bytes, not {type(data).__name__}")


class SerializerCore(Core):
    """Objects to messages."""

    _name: str | None = None
    """The name of the type that the objects are of."""
    _to_dict: Callable[[Any, SerializationContext | None], Any] | None = None

    def _configure(
        self, client: Any, conf: Mapping[str, Any] | None, defaults: Mapping[str, Any]
    ) -> dict[str, Any]:
        if client is None:
            raise TypeError("schema_registry_client must not be None")
        options = self._start(client, conf, defaults)
        self.configure_validation_rules(options)
        self._register: bool = options["auto.register.schemas"]
        self._normalize: bool = options["normalize.schemas"]
        self._use_id: int | None = options["use.schema.id"]
        self._frame: Any = options["schema.id.serializer"]
        return options

    def _planned(self, ctx: SerializationContext | None) -> Plan | None:
        """Return the plan for a message; None if there is none yet."""
        if not self._fixed:
            return None
        return self._known(None if ctx is None else (ctx.topic, ctx.field))

    async def _make_plan(self, ctx: SerializationContext | None) -> Plan:
        """Return the plan for a message; ask the registry if necessary."""
        generation = self._calls.generation
        subject = await self._subject(ctx, self._name)
        key: Hashable = subject
        if self._fixed:
            key = None if ctx is None else (ctx.topic, ctx.field)
        elif (known := self._known(key)) is not None:
            return known
        registered = await self._registered(subject, ctx)
        where = f"the schema of subject {subject!r}"
        self._check_type(registered.schema, where)
        refuse_rules(registered.schema, _ON_WRITE, where)
        header = self._frame is header_schema_id_serializer
        if registered.guid is None and header:
            registered = await self._calls.lookup_schema(subject, registered.schema)
        schema_id = SchemaId(
            self._type, registered.schema_id, registered.guid, self._indexes(registered.schema)
        )
        plan = Plan(
            await self._writer(registered.schema, subject),
            schema_id.id_to_bytes() if self._frame is prefix_schema_id_serializer else b"",
            schema_id.guid_to_bytes() if header else b"",
            schema_id,
            generation,
            self._end(),
        )
        return self._keep(key, plan)

    async def _registered(self, subject: str, ctx: SerializationContext | None) -> RegisteredSchema:
        calls = self._calls
        if self._use_id is not None:
            schema = await calls.get_schema(self._use_id, subject)
            return RegisteredSchema(subject, None, self._use_id, None, schema)
        if not self._writes_own_schema():
            return await self._newest(subject)
        schema = await self._own_schema(ctx)
        if self._register:
            answer = await calls.register_schema_full_response(subject, schema, self._normalize)
            # The answer of a test's mock often has only an id.
            known = isinstance(answer.schema, Schema)
            return (
                answer
                if known
                else RegisteredSchema(
                    subject=subject,
                    version=answer.version,
                    schema_id=answer.schema_id,
                    guid=answer.guid,
                    schema=schema,
                )
            )
        return await calls.lookup_schema(subject, schema, self._normalize)

    def _framed(self, plan: Plan, payload: bytes, ctx: SerializationContext | None) -> bytes:
        """Return the message of a payload."""
        if plan.prefix:
            return plan.prefix + payload
        if plan.guid:
            add_header(ctx, plan.guid)
            return payload
        framed: bytes = self._frame(payload, ctx, plan.schema_id)
        return framed

    def _needed(self, schema: Schema | None) -> Schema:
        """Return the given schema.

        Raises:
            SerializationError: no schema was given.
        """
        if schema is None:
            raise SerializationError(
                "a serializer without schema_str needs use.latest.version, "
                "use.latest.with.metadata or use.schema.id"
            )
        return schema

    async def _own_schema(self, ctx: SerializationContext | None) -> Schema:
        """Return the schema of the objects, in the form to register.

        Raises:
            SerializationError: no schema was given.
        """
        raise NotImplementedError

    def _indexes(self, schema: Schema) -> list[int] | None:
        """Return the path of the message in its schema.

        Raises:
            SerializationError: the schema does not have the message.
        """
        return None

    def _writes_own_schema(self) -> bool:
        """Return whether messages are written with the given schema, not with the registry's."""
        return self._use_id is None and not self._latest and self._metadata is None

    async def _writer(self, schema: Schema, subject: str) -> Callable[[Any], bytes]:
        """Return a function that encodes an object."""
        raise NotImplementedError


class DeserializerCore(Core):
    """Messages to objects."""

    _from_dict: Callable[[Any, SerializationContext | None], Any] | None = None
    _has_indexes = False
    """Whether the message's path follows the schema's id; then a plan is for one path."""

    def _configure(
        self, client: Any, conf: Mapping[str, Any] | None, defaults: Mapping[str, Any]
    ) -> dict[str, Any]:
        options = self._start(client, conf, defaults)
        self._unframe: Any = options["schema.id.deserializer"]
        self._dual = self._unframe is dual_schema_id_deserializer
        self._builtin = self._dual or self._unframe is prefix_schema_id_deserializer
        self._by_subject = self._latest or self._metadata is not None
        # The subject of a user's strategy may determine the registry's context of an id.
        self._by_place = self._by_subject or not self._fixed
        if self._by_subject and client is None:
            raise ValueError("use.latest.version needs a schema_registry_client")
        return options

    def _look_up(
        self, data: bytes, ctx: SerializationContext | None
    ) -> tuple[Plan | None, bytes, Hashable, SchemaId | None]:
        """Return the plan for a message or None, its payload, the plan's key, and the id.

        Raises:
            SerializationError: the message has no id of a schema.
        """
        if type(data) is not bytes:
            data = _bytes(data)
        if self._builtin:
            header = header_of(ctx) if self._dual and ctx is not None and ctx.headers else None
            frame = data if header is None else header
            end = GUID_SIZE if frame[:1] == GUID_MAGIC else ID_SIZE
            if self._has_indexes:
                end = self._indexes_end(frame, end)
            mark = frame[:end]
            key = self._key(mark, ctx) if self._by_place else mark
            plan = self._known(key)
            if plan is not None:
                return plan, data[end:] if header is None else data, key, None
        schema_id, payload = self._identify(data, ctx)
        if not self._builtin:
            indexes = tuple(schema_id.message_indexes or ())
            key = self._key((schema_id.guid or schema_id.id, indexes), ctx)
            plan = self._known(key)
        return plan, payload, key, schema_id

    def _key(self, mark: Hashable, ctx: SerializationContext | None) -> Hashable:
        return mark if ctx is None else (mark, ctx.topic, ctx.field)

    def _indexes_end(self, frame: bytes, start: int) -> int:
        """Return the end of the message indexes, which begin at ``start``, after the id."""
        raise NotImplementedError

    def _check_indexes(self, written: Schema | None, indexes: list[int] | None, name: str) -> None:
        """Check that the message indexes name the message that is read.

        Raises:
            SerializationError: they name no message, or another one of the schema.
        """

    def _identify(self, data: bytes, ctx: SerializationContext | None) -> tuple[SchemaId, bytes]:
        """Return the id of a message's schema, and its payload.

        Raises:
            SerializationError: the message has no id.
        """
        schema_id = SchemaId(self._type)
        if self._builtin:
            header = header_of(ctx) if self._dual else None
            if header is not None:
                schema_id.parse(header)
                return schema_id, data
            return schema_id, data[schema_id.parse(data) :]
        rest: io.BytesIO = self._unframe(data, ctx, schema_id)
        return schema_id, rest.read()

    async def _make_plan(
        self, key: Hashable, schema_id: SchemaId, ctx: SerializationContext | None
    ) -> Plan:
        """Return the plan for messages of a schema, from the registry."""
        if self._client is None:
            self._check_indexes(None, schema_id.message_indexes, "the schema")
            return self._keep(key, Plan(await self._reader(None, None, "the schema")))
        generation = self._calls.generation
        written, name = await self._written(schema_id, ctx)
        self._check_indexes(written, schema_id.message_indexes, name)
        wanted: Schema | None = None
        if self._by_subject:
            subject = await self._subject(ctx, self._record_name(written))
            wanted = (await self._newest(subject)).schema
            name = f"the schema of subject {subject!r}"
            self._check_type(wanted, name)
            if wanted != written:
                refuse_rules(wanted, _ON_MIGRATION, name)
        refuse_rules(wanted or written, _ON_READ, name)
        reader = await self._reader(written, wanted, name)
        return self._keep(key, Plan(reader, generation=generation, end=self._end()))

    async def _written(
        self, schema_id: SchemaId, ctx: SerializationContext | None
    ) -> tuple[Schema, str]:
        if schema_id.guid is not None:
            name = f"schema {schema_id.guid}"
            schema = await self._calls.get_schema_by_guid(str(schema_id.guid))
        elif schema_id.id is None:
            raise SerializationError("schema.id.deserializer found no id and no GUID of a schema")
        else:
            name = f"schema {schema_id.id}"
            subject = None if ctx is None else self._reading_subject(ctx)
            schema = await self._calls.get_schema(schema_id.id, subject)
        self._check_type(schema, name)
        return schema, name

    def _reading_subject(self, ctx: SerializationContext) -> str | None:
        """Return the subject that determines the registry's context of an id.

        The name of the type is not known yet, and strategies that need it return None.
        """
        strategy = self._strategy
        if isinstance(strategy, AssociatedNameStrategy | AsyncAssociatedNameStrategy):
            strategy = topic_subject_name_strategy
        found: str | None = strategy(ctx, None)
        return found

    def _record_name(self, schema: Schema) -> str | None:
        """Return the name of a schema's type."""
        raise NotImplementedError

    async def _reader(
        self, written: Schema | None, wanted: Schema | None, name: str
    ) -> Callable[[bytes], Any]:
        """Return a function that decodes payloads that were written with a schema.

        Args:
            written: the writer's schema; None without a registry.
            wanted: the reader's schema; None for the writer's.
            name: the name of the schema in errors.
        """
        raise NotImplementedError


class BlockingSerializer(SerializerCore, BaseSerializer):
    """A serializer that blocks while it waits for the registry."""

    def __call__(self, obj: Any, ctx: SerializationContext | None = None) -> bytes | None:
        """Return the message of an object; None stays None.

        Args:
            obj: the object.
            ctx: the context of the message.

        Raises:
            SerializationError: the object does not fit the schema, or the schema cannot be used.
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        if obj is None:
            return None
        if self._to_dict is not None:
            obj = self._to_dict(obj, ctx)
        plan = self._planned(ctx)
        if plan is None:
            plan = run(self._make_plan(ctx))
        return self._framed(plan, plan.work(obj), ctx)


class AwaitingSerializer(SerializerCore, AsyncBaseSerializer):
    """A serializer that awaits the registry. You can call the class or await the call."""

    _client_kind = AsyncSchemaRegistryClient

    def __await__(self) -> Generator[None, None, Self]:
        return _ready(self)

    def __call__(  # type: ignore[override]
        self, obj: Any, ctx: SerializationContext | None = None
    ) -> Coroutine[Any, Any, bytes | None]:
        """Return an awaitable of the message of an object; None stays None.

        Args:
            obj: the object.
            ctx: the context of the message.

        Raises:
            SerializationError: the object does not fit the schema, or the schema cannot be used.
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return self._serialize(obj, ctx)

    async def _serialize(self, obj: Any, ctx: SerializationContext | None) -> bytes | None:
        if obj is None:
            return None
        if self._to_dict is not None:
            obj = self._to_dict(obj, ctx)
        plan = self._planned(ctx)
        if plan is None:
            # One task asks the registry, and the other tasks wait for its answer.
            async with self._lock:
                plan = self._planned(ctx) or await self._make_plan(ctx)
        return self._framed(plan, plan.work(obj), ctx)


class BlockingDeserializer(DeserializerCore, BaseDeserializer):
    """A deserializer that blocks while it waits for the registry."""

    def __call__(self, data: bytes | None, ctx: SerializationContext | None = None) -> Any:
        """Return the object of a message; None stays None.

        Args:
            data: the message.
            ctx: the context of the message.

        Raises:
            SerializationError: the bytes are not a message of the schema, or the schema cannot be
                used.
            SchemaRegistryError: the registry does not have the schema, refuses the request or
                cannot be reached.
        """
        if data is None:
            return None
        plan, payload, key, schema_id = self._look_up(data, ctx)
        if plan is None:
            assert schema_id is not None
            plan = run(self._make_plan(key, schema_id, ctx))
        obj = plan.work(payload)
        return obj if self._from_dict is None else self._from_dict(obj, ctx)


class AwaitingDeserializer(DeserializerCore, AsyncBaseDeserializer):
    """A deserializer that awaits the registry. You can call the class or await the call."""

    _client_kind = AsyncSchemaRegistryClient

    def __await__(self) -> Generator[None, None, Self]:
        return _ready(self)

    def __call__(
        self, data: bytes | None, ctx: SerializationContext | None = None
    ) -> Coroutine[Any, Any, Any]:
        """Return an awaitable whose result is the deserialized message; None stays None.

        Args:
            data: the message.
            ctx: the context of the message.

        Raises:
            SerializationError: the bytes are not a message of the schema, or the schema cannot be
                used.
            SchemaRegistryError: the registry does not have the schema, refuses the request or
                cannot be reached.
        """
        return self._deserialize(data, ctx)

    async def _deserialize(self, data: bytes | None, ctx: SerializationContext | None) -> Any:
        if data is None:
            return None
        plan, payload, key, schema_id = self._look_up(data, ctx)
        if plan is None:
            assert schema_id is not None
            async with self._lock:
                plan = self._known(key) or await self._make_plan(key, schema_id, ctx)
        obj = plan.work(payload)
        return obj if self._from_dict is None else self._from_dict(obj, ctx)


S = TypeVar("S")


def _ready(serde: S) -> Generator[None, None, S]:
    """Return at once: a serde sends its first request to the registry with its first message."""
    yield from ()
    return serde
