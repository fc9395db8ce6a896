"""``python -m confluent_kafka profiles``: the clusters that the file of profiles names."""

from __future__ import annotations

from typing import Annotated

from confluent_kafka.cli.base.declared import argument
from confluent_kafka.cli.base.ending import note
from confluent_kafka.cli.connection.administration import AsJson, show
from confluent_kafka.cli.connection.profile_secrets import Reference
from confluent_kafka.cli.shell.command import Group

app = Group(
    help="List and show the profiles of clusters.\n\n"
    "Exit status: 0 shown, 2 wrong usage, 130 Ctrl-C.",
    examples=(
        "confluent-kafka profiles list",
        "confluent-kafka profiles show prod",
    ),
)


@app.command(
    name="list",
    examples=(
        "confluent-kafka profiles list",
        "confluent-kafka profiles list --json",
    ),
)
def list_(as_json: AsJson = False) -> None:
    """List the profiles with their brokers and schema registries."""
    from confluent_kafka.cli.connection.profile_file import location, profiles

    found, errors = profiles()
    rows = [
        (
            name,
            each.production,
            _shown("bootstrap.servers", each.properties.get("bootstrap.servers")),
            _shown("url", each.registry.get("url")),
        )
        for name, each in found.items()
    ]
    show(("profile", "production", "brokers", "registry"), rows, as_json)
    if not rows and not errors:
        note(f"{location()} does not exist or has no profile")
    for error in errors:
        raise error


@app.command(
    name="show",
    examples=(
        "confluent-kafka profiles show prod",
        "confluent-kafka profiles show prod --json",
    ),
)
def show_(
    profile: Annotated[str, argument(help="Profile to show.")],
    as_json: AsJson = False,
) -> None:
    """Show the properties of a profile. Secrets are hidden, and not looked up."""
    from confluent_kafka.cli.connection import profile_file

    found = profile_file.profile(profile)
    rows: list[tuple[str, str | None]] = [("production", str(found.production).lower())]
    rows += [(key, _shown(key, value)) for key, value in found.properties.items()]
    rows += [(f"registry.{key}", _shown(key, value)) for key, value in found.registry.items()]
    show(("property", "value"), rows, as_json)


def _shown(key: str, value: str | Reference | None) -> str | None:
    """Return a value without secrets, or the place of a secret without a program's arguments."""
    from confluent_kafka._concealing import conceal

    if isinstance(value, Reference):
        words = value.words[:1] if value.kind == "command" else value.words
        return f"({value.kind}: {' '.join(words)})"
    return None if value is None else conceal(value, {key: value})
