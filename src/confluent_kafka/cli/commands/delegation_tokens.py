"""``python -m confluent_kafka delegation-tokens``: credentials that a user can pass on."""

from __future__ import annotations

import base64
import sys
from typing import TYPE_CHECKING, Annotated, Any

import click

from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.values import principal
from confluent_kafka.cli.connection.administration import (
    AsJson,
    Timeout,
    administering,
    report_change,
    show,
)
from confluent_kafka.cli.connection.settings import Connection
from confluent_kafka.cli.shell.command import Group

if TYPE_CHECKING:
    from confluent_kafka.admin import DelegationToken

app = Group(
    help="Create, renew, expire and describe delegation tokens.\n\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage, 130 Ctrl-C.",
    examples=(
        "confluent-kafka delegation-tokens create --renewer User:bob -F prod.properties",
        "confluent-kafka delegation-tokens describe -F prod.properties",
    ),
)

_COLUMNS = ("token id", "owner", "requester", "renewers", "issued", "expires", "max")

Secret = Annotated[
    str,
    argument(
        metavar="[HMAC]",
        help="The secret of the token in base64; by default it is read from a line of stdin.",
    ),
]


@app.command(
    changes=True,
    examples=(
        "confluent-kafka delegation-tokens create --renewer User:bob -F prod.properties",
        "confluent-kafka delegation-tokens create --max-lifetime 86400 --json \\\n"
        "    -F prod.properties",
    ),
)
def create(
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    owner: Annotated[
        str | None,
        option(
            parse=principal, help="User whom the token logs in, such as User:alice; by default you."
        ),
    ] = None,
    renewer: Annotated[
        list[str] | None,
        option(
            "--renewer",
            parse=principal,
            help="Another user who may renew the token, such as User:bob. Can be given more than "
            "once.",
        ),
    ] = None,
    max_lifetime: Annotated[
        float | None,
        option(min=0.001, help="Number of seconds for which the token can be renewed."),
    ] = None,
) -> None:
    """Create a token, and show it with its secret.

    To log in, use the id of the token as the user name and the secret as the password. Times are
    in milliseconds since 1970.
    """
    with administering(connection, timeout) as admin:
        token = admin.create_delegation_token(
            owner=owner, renewers=renewer, max_lifetime=max_lifetime, request_timeout=timeout
        ).result()
    show((*_COLUMNS, "hmac"), [(*_row(token), token.hmac_as_base64)], as_json)


@app.command(
    changes=True,
    examples=(
        "confluent-kafka delegation-tokens renew -F prod.properties < secret.txt",
        "confluent-kafka delegation-tokens renew --period 3600 \\\n"
        "    -F prod.properties < secret.txt",
    ),
)
def renew(
    hmac: Secret = "-",
    *,
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    period: Annotated[
        float | None,
        option(min=0.001, help="Number of seconds after which the token expires."),
    ] = None,
) -> None:
    """Extend the lifetime of a token, by --period or by the default of the brokers.

    Their default is delegation.token.expiry.time.ms.
    """
    secret = _decoded(hmac)
    with administering(connection, timeout) as admin:
        expires = admin.renew_delegation_token(
            secret, renew_time_period=period, request_timeout=timeout
        ).result()
    report_change(f"the token expires at {expires}", as_json, {"expires": expires})


@app.command(
    changes=True,
    examples=(
        "confluent-kafka delegation-tokens expire -F prod.properties < secret.txt",
        "confluent-kafka delegation-tokens expire --period 60 \\\n"
        "    -F prod.properties < secret.txt",
    ),
)
def expire(
    hmac: Secret = "-",
    *,
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    period: Annotated[
        float | None,
        option(min=0.001, help="Number of seconds after which the token expires."),
    ] = None,
) -> None:
    """Make a token expire, by default immediately."""
    secret = _decoded(hmac)
    with administering(connection, timeout) as admin:
        expires = admin.expire_delegation_token(
            secret, expiry_time_period=period, request_timeout=timeout
        ).result()
    report_change(f"the token expires at {expires}", as_json, {"expires": expires})


@app.command(
    changes=False,
    examples=(
        "confluent-kafka delegation-tokens describe -F prod.properties",
        "confluent-kafka delegation-tokens describe --owner User:alice --json \\\n"
        "    -F prod.properties",
    ),
)
def describe(
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    owner: Annotated[
        list[str] | None,
        option(
            "--owner",
            parse=principal,
            help="Show only the tokens that this user owns, requested or may renew. Can be given "
            "more than once.",
        ),
    ] = None,
    secrets: Annotated[
        bool, option("--secrets", help="Also show the secrets of the tokens.")
    ] = False,
) -> None:
    """Show the tokens that you may see. Times are in milliseconds since 1970."""
    with administering(connection, timeout) as admin:
        found = admin.describe_delegation_token(
            owners=owner or None, request_timeout=timeout
        ).result()
    found.sort(key=lambda token: (token.token_info.issue_timestamp, token.token_info.token_id))
    if secrets:
        show((*_COLUMNS, "hmac"), ((*_row(one), one.hmac_as_base64) for one in found), as_json)
    else:
        show(_COLUMNS, map(_row, found), as_json)


def _row(token: DelegationToken) -> tuple[Any, ...]:
    known = token.token_info
    return (
        *(known.token_id, known.owner, known.token_requester, known.renewers),
        *(known.issue_timestamp, known.expiry_timestamp, known.max_timestamp),
    )


def _decoded(hmac: str) -> bytes:
    try:
        text = sys.stdin.readline().strip() if hmac == "-" else hmac
        decoded = base64.b64decode(text, validate=True)
    except ValueError:  # also of binascii, and for text that is not ASCII or not UTF-8
        decoded = b""
    if not decoded:
        raise click.BadParameter("must be base64", param_hint="HMAC")
    return decoded
