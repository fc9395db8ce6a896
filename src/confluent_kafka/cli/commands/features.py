"""``python -m confluent_kafka features``: the versions of a cluster's features."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import click

from confluent_kafka.cli.administration.release_features import release as release_features
from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.ending import fail
from confluent_kafka.cli.base.terminal import counted
from confluent_kafka.cli.connection.administration import (
    AsJson,
    Timeout,
    Yes,
    administering,
    check_broker,
    confirm,
    pairs,
    report_change,
    settled,
    show,
)
from confluent_kafka.cli.connection.settings import Connection
from confluent_kafka.cli.shell.command import Group

if TYPE_CHECKING:
    from confluent_kafka.admin import FeatureMetadata, FeatureUpdate

app = Group(
    help="Show and change the versions of a cluster's features.\n\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage, 130 Ctrl-C.",
    examples=(
        "confluent-kafka features describe -b localhost:9092",
        "confluent-kafka features upgrade group.version=1 --check -F prod.properties",
    ),
)

Versions = Annotated[
    list[str], argument(metavar="FEATURE=VERSION", help="New versions of features.")
]
Check = Annotated[bool, option("--check", help="Only validate the request, and change nothing.")]
Unsafe = Annotated[
    bool,
    option("--unsafe", help="Downgrade even if this loses metadata permanently."),
]


@app.command(
    changes=False,
    examples=(
        "confluent-kafka features describe -b localhost:9092",
        "confluent-kafka features describe --release 4.4",
    ),
)
def describe(
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    broker: Annotated[
        int | None,
        option(
            min=0, help="Ask this broker for the versions that it supports; by default any broker."
        ),
    ] = None,
    release: Annotated[
        Mapping[str, int] | None,
        option(
            "--release",
            metavar="X.Y",
            parse=release_features,
            help="Show the versions that a new cluster of this release of Kafka has, such as 4.4. "
            "The command then asks no broker.",
        ),
    ] = None,
) -> None:
    """Show the versions of each feature that a broker supports, and the version in use."""
    if release is not None:
        if broker is not None:
            raise click.BadParameter("cannot be combined with --broker", param_hint="--release")
        show(("feature", "version"), sorted(release.items()), as_json)
        return
    with administering(connection, timeout) as admin:
        check_broker(admin, broker, timeout)
        found = admin.describe_features(broker=broker, request_timeout=timeout).result()
    show(
        ("feature", "lowest", "highest", "version", "epoch"),
        ((name, *_versions(found, name)) for name in sorted(found.supported_features)),
        as_json,
    )


@app.command(
    changes=True,
    examples=(
        "confluent-kafka features upgrade group.version=1 -b localhost:9092",
        "confluent-kafka features upgrade group.version=1 --check -F prod.properties",
    ),
)
def upgrade(
    versions: Versions,
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    check: Check = False,
    yes: Yes = False,
) -> None:
    """Raise the versions of features: `features upgrade share.version=1`.

    If the cluster refuses one of the versions, no version changes.
    """
    from confluent_kafka.admin import FeatureUpdate

    wanted = {name: FeatureUpdate(each) for name, each in _wanted(versions, 1).items()}
    _update(connection, timeout, wanted, check, yes, as_json)


@app.command(
    changes=True,
    examples=(
        "confluent-kafka features downgrade group.version=0 -b localhost:9092",
        "confluent-kafka features downgrade group.version=0 --check -F prod.properties",
    ),
)
def downgrade(
    versions: Versions,
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    check: Check = False,
    unsafe: Unsafe = False,
    yes: Yes = False,
) -> None:
    """Lower the versions of features. Version 0 disables a feature.

    If the cluster refuses one of the versions, no version changes.
    """
    from confluent_kafka.admin import FeatureUpdate, UpgradeType

    kind = UpgradeType.UNSAFE_DOWNGRADE if unsafe else UpgradeType.SAFE_DOWNGRADE
    wanted = {name: FeatureUpdate(each, kind) for name, each in _wanted(versions, 0).items()}
    _update(connection, timeout, wanted, check, yes, as_json)


def _update(
    connection: Connection,
    timeout: float,
    wanted: dict[str, FeatureUpdate],
    check: bool,
    yes: bool,
    as_json: bool,
) -> None:
    confirm(f"Change {counted(len(wanted), 'feature')}?", yes or check)
    with administering(connection, timeout) as admin:
        futures = admin.update_features(wanted, validate_only=check, request_timeout=timeout)
        updated, failures = settled("feature", futures)
    for name in updated:
        level = wanted[name].max_version_level
        text = f"feature {name} {'can have' if check else 'has'} version {level}"
        report_change(text, as_json, {"feature": name, "version": level}, not check)
    if failures:
        fail(*failures)


def _wanted(arguments: list[str], lowest: int) -> dict[str, int]:
    wanted = {}
    for name, text in pairs(arguments, "FEATURE=VERSION").items():
        if not text.isascii() or not text.isdecimal() or not lowest <= int(text) < 2**15:
            raise click.BadParameter(
                f"{name}: {text!r} is not a version from {lowest} to {2**15 - 1}",
                param_hint="FEATURE=VERSION",
            )
        wanted[name] = int(text)
    return wanted


def _versions(found: FeatureMetadata, name: str) -> tuple[int | None, ...]:
    can, has = found.supported_features[name], found.finalized_features.get(name)
    return (
        can.min_version,
        can.max_version,
        0 if has is None else has.max_version_level,
        found.finalized_features_epoch,
    )
