"""``python -m confluent_kafka quotas``: rate limits of users, clients and addresses."""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, TypeVar

import click

from confluent_kafka import KafkaException
from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.ending import fail
from confluent_kafka.cli.connection.administration import (
    AsJson,
    Timeout,
    administering,
    pairs,
    report_change,
    show,
)
from confluent_kafka.cli.connection.settings import Connection
from confluent_kafka.cli.shell.command import Group

if TYPE_CHECKING:
    from confluent_kafka.admin import ClientQuotaEntity

app = Group(
    help="Show and change client quotas.\n\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage, 130 Ctrl-C.",
    examples=(
        "confluent-kafka quotas describe -b localhost:9092",
        "confluent-kafka quotas alter consumer_byte_rate=1000000 --user alice \\\n"
        "    -F prod.properties",
    ),
)

_T = TypeVar("_T")

_QUOTAS = (
    "consumer_byte_rate",
    "producer_byte_rate",
    "request_percentage",
    "controller_mutation_rate",
    "connection_creation_rate",
)
_DEFAULT = "<default>"  # as Kafka's tools write it


class Kind(StrEnum):
    """The kinds of entities that have quotas."""

    user = "user"
    client_id = "client-id"
    ip = "ip"


User = Annotated[str | None, option("--user", help="User with this name.")]
ClientId = Annotated[str | None, option("--client-id", help="Clients with this id.")]
Ip = Annotated[str | None, option("--ip", help="Connections from this IP address.")]
Default = Annotated[
    list[Kind] | None,
    option(
        "--default",
        help="All entities of this type that have no quotas of their own. Can be given more than "
        "once.",
    ),
]


@app.command(
    changes=False,
    examples=(
        "confluent-kafka quotas describe -b localhost:9092",
        "confluent-kafka quotas describe --every user --json -F prod.properties",
    ),
)
def describe(
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    user: User = None,
    client_id: ClientId = None,
    ip: Ip = None,
    default: Default = None,
    every: Annotated[
        list[Kind] | None,
        option(
            "--every",
            help="Every entity of this type, and its default. Can be given more than once.",
        ),
    ] = None,
    only: Annotated[
        bool,
        option("--only", help="Leave out quotas that also name an entity of another type."),
    ] = False,
) -> None:
    """Show the quotas that match the options. Without options, show all quotas."""
    from confluent_kafka.admin import ClientQuotaFilter, ClientQuotaFilterComponent

    component = ClientQuotaFilterComponent
    chosen = _by_type(
        *[
            (kind, component.of_entity(kind, name))
            for kind, name in zip(Kind, (user, client_id, ip), strict=True)
            if name is not None
        ],
        *[(kind.value, component.of_default_entity(kind.value)) for kind in default or []],
        *[(kind.value, component.of_entity_type(kind.value)) for kind in every or []],
    )
    wanted = ClientQuotaFilter(list(chosen.values()), strict=only)
    with administering(connection, timeout) as admin:
        found = admin.describe_client_quotas(wanted, request_timeout=timeout).result()
    rows = [
        (*_names(entity), quota, value)
        for entity, quotas in found.items()
        for quota, value in quotas.items()
    ]
    rows.sort(key=lambda row: [cell or "" for cell in row[:-1]])
    show((*Kind, "quota", "value"), rows, as_json)


@app.command(
    changes=True,
    examples=(
        "confluent-kafka quotas alter producer_byte_rate=1000000 --user alice \\\n"
        "    -F prod.properties",
        "confluent-kafka quotas alter --default client-id --remove producer_byte_rate \\\n"
        "    -F prod.properties",
    ),
)
def alter(
    values: Annotated[
        list[str] | None,
        argument(
            metavar="[QUOTA=VALUE...]", help="Quotas to set, such as producer_byte_rate=1000000."
        ),
    ] = None,
    *,
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    user: User = None,
    client_id: ClientId = None,
    ip: Ip = None,
    default: Default = None,
    remove: Annotated[
        list[str] | None,
        option("--remove", help="Remove this quota. Can be given more than once."),
    ] = None,
    check: Annotated[
        bool, option("--check", help="Only validate the request, and change nothing.")
    ] = False,
) -> None:
    """Set and remove quotas of the entity that the options name. Other quotas do not change."""
    from confluent_kafka.admin import ClientQuotaAlteration, ClientQuotaEntity

    names: dict[str, str | None] = _by_type(
        *[
            (kind, name)
            for kind, name in zip(Kind, (user, client_id, ip), strict=True)
            if name is not None
        ],
        *[(kind.value, None) for kind in default or []],
    )
    if not names:
        raise click.BadParameter("give --user, --client-id, --ip or --default")
    changes = _rates(values or []) | dict.fromkeys(remove or [])
    if not changes:
        raise click.BadParameter("give QUOTA=VALUE or --remove")
    entity = ClientQuotaEntity(names)
    with administering(connection, timeout) as admin:
        futures = admin.alter_client_quotas(
            [ClientQuotaAlteration(entity, changes)], validate_only=check, request_timeout=timeout
        )
        try:
            futures[entity].result()
        except KafkaException as error:
            if advice := _near(changes):
                fail(error.args[0].str(), advice=advice)
            raise
    text = ", ".join(f"{kind} {name or _DEFAULT}" for kind, name in names.items())
    text = f"quotas of {text} {'can be' if check else 'were'} changed"
    report_change(text, as_json, dict(names), not check)


def _near(given: Iterable[str]) -> str:
    """Return a line that suggests the right names for unknown quotas."""
    from confluent_kafka._suggestions import did_you_mean

    near = ((name, did_you_mean(name, _QUOTAS)) for name in given if name not in _QUOTAS)
    return " ".join(f"{name}: {question}" for name, question in near if question)


def _by_type(*chosen: tuple[str, _T]) -> dict[str, _T]:
    found = dict(chosen)
    if len(found) < len(chosen):
        raise click.BadParameter("an entity type is given twice: choose each type only once")
    return found


def _rates(values: list[str]) -> dict[str, float | None]:
    rates: dict[str, float | None] = {}
    for name, text in pairs(values, "QUOTA=VALUE").items():
        try:
            rates[name] = float(text)
        except ValueError:
            rates[name] = math.nan
        if not math.isfinite(rates[name] or 0):
            raise click.BadParameter(f"{text!r} is not a number", param_hint=name)
    return rates


def _names(entity: ClientQuotaEntity) -> tuple[str | None, ...]:
    entries = entity.entries
    return tuple((entries[kind] or _DEFAULT) if kind in entries else None for kind in Kind)
