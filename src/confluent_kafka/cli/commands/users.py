"""``python -m confluent_kafka users``: users who log in with SCRAM."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import click

from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.ending import INTERRUPTED, fail
from confluent_kafka.cli.base.terminal import printable
from confluent_kafka.cli.connection.administration import (
    AsJson,
    Timeout,
    Yes,
    administering,
    confirm,
    report_change,
    settled,
    show,
)
from confluent_kafka.cli.connection.settings import Connection
from confluent_kafka.cli.shell.command import Group

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient, ScramMechanism, UserScramCredentialsDescription

app = Group(
    help="List, set and delete the credentials of users who log in with SCRAM.\n\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage, 130 Ctrl-C.",
    examples=(
        "confluent-kafka users list -b localhost:9092",
        "confluent-kafka users set alice -F prod.properties",
    ),
)


class Mechanism(StrEnum):
    """The mechanisms that Kafka has."""

    sha_256 = "scram-sha-256"
    sha_512 = "scram-sha-512"


Name = Annotated[str, argument(help="User.")]


@app.command(
    changes=False,
    name="list",
    examples=(
        "confluent-kafka users list -b localhost:9092",
        "confluent-kafka users list alice bob --json -F prod.properties",
    ),
)
def list_(
    users: Annotated[
        list[str] | None, argument(help="Users. Without them, the command lists all users.")
    ] = None,
    *,
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
) -> None:
    """List users with the mechanisms of their credentials. Brokers never return passwords."""
    with administering(connection, timeout) as admin:
        found, failures = _described(admin, users, timeout)
    if found or not failures:
        show(
            ("user", "mechanism", "iterations"),
            (
                (user, _text(one.mechanism), one.iterations)
                for user, description in sorted(found.items())
                for one in description.scram_credential_infos
            ),
            as_json,
        )
    if failures:
        fail(*failures)


def _described(
    admin: AdminClient, users: list[str] | None, timeout: float
) -> tuple[dict[str, UserScramCredentialsDescription], list[str]]:
    if users is None:
        return admin.describe_user_scram_credentials(request_timeout=timeout).result(), []
    names = list(dict.fromkeys(users))
    return settled("user", admin.describe_user_scram_credentials(names, request_timeout=timeout))


def _text(mechanism: ScramMechanism) -> str:
    return mechanism.name.lower().replace("_", "-")


@app.command(
    changes=True,
    name="set",
    examples=(
        "confluent-kafka users set alice -b localhost:9092",
        "confluent-kafka users set alice -F prod.properties < password.txt",
    ),
)
def set_(
    user: Name,
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    mechanism: Annotated[
        Mechanism, option("--mechanism", "-m", help="Mechanism of the credential.")
    ] = Mechanism.sha_512,
    iterations: Annotated[
        int,
        option(
            "--iterations",
            "-i",
            min=4096,
            max=16384,
            help="How many times the password is hashed. A higher number makes it harder to guess.",
        ),
    ] = 8192,
) -> None:
    """Create or replace the credential of a user.

    The command asks for the password. Without a terminal, it reads the first line of stdin. The
    user can also have a credential of the other mechanism, which stays as it is.
    """
    from confluent_kafka.admin import ScramCredentialInfo, UserScramCredentialUpsertion

    info = ScramCredentialInfo(_member(mechanism), iterations)
    change = UserScramCredentialUpsertion(user, info, _password(user))
    with administering(connection, timeout) as admin:
        admin.alter_user_scram_credentials([change], request_timeout=timeout)[user].result()
    text = f"user {user} can log in with {mechanism}"
    report_change(text, as_json, {"user": user, "mechanism": str(mechanism)})


def _member(mechanism: Mechanism) -> ScramMechanism:
    from confluent_kafka.admin import ScramMechanism

    return ScramMechanism[mechanism.upper().replace("-", "_")]


def _password(user: str) -> bytes:
    """Return the password. It is not an option: other users can see the arguments of programs."""
    if sys.stdin.isatty():
        try:
            text = click.prompt(
                f"Password of {printable(user)}", hide_input=True, confirmation_prompt=True
            )
        except click.Abort:  # Ctrl-C, or the end of stdin
            raise click.exceptions.Exit(INTERRUPTED) from None
    else:
        text = _first_line()
    if not text:
        raise click.BadParameter("the first line of stdin must be the password", param_hint="stdin")
    return str(text).encode()


def _first_line() -> str:
    try:
        return sys.stdin.buffer.readline().rstrip(b"\r\n").decode()
    except UnicodeDecodeError:
        raise click.BadParameter("the password must be UTF-8", param_hint="stdin") from None


@app.command(
    changes=True,
    examples=(
        "confluent-kafka users delete alice -b localhost:9092",
        "confluent-kafka users delete alice --mechanism scram-sha-256 --yes \\\n"
        "    -F test.properties",
    ),
)
def delete(
    user: Name,
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    mechanism: Annotated[
        Mechanism | None,
        option("--mechanism", "-m", help="Delete only the credential of this mechanism."),
    ] = None,
    yes: Yes = False,
) -> None:
    """Delete the credentials of a user. The user can then no longer log in with SCRAM."""
    from confluent_kafka.admin import UserScramCredentialDeletion

    with administering(connection, timeout) as admin:
        found, failures = _described(admin, [user], timeout)
        if failures:
            fail(*failures)
        there = [one.mechanism for one in found[user].scram_credential_infos]
        chosen = there if mechanism is None else [_member(mechanism)]
        names = " and ".join(_text(one) for one in chosen)
        confirm(f"Delete {names} of {user}?", yes)
        changes: list[Any] = [UserScramCredentialDeletion(user, one) for one in chosen]
        admin.alter_user_scram_credentials(changes, request_timeout=timeout)[user].result()
    row = {"user": user, "mechanisms": [_text(one) for one in chosen]}
    report_change(f"user {user} cannot log in with {names}", as_json, row)
