"""Whether a command reads as a member of a group, and of which one."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import click

from confluent_kafka.cli.base.bound import Bound


def joined(
    config: dict[str, Any],
    option: str | None,
    quiet: bool,
    begin: Bound | None,
    has_partitions: bool,
    end: Bound | None,
) -> str | None:
    """Complete the configuration, and return the group to join, or None for no group.

    Args:
        config: the configuration of the consumer.
        option: value of --group.
        quiet: value of --quiet.
        begin: where to start; None for the default.
        has_partitions: whether the command names partitions.
        end: where to stop; None for no end.
    """
    config |= {"enable.partition.eof": True, "enable.auto.offset.store": False}
    group = _group(config, option, quiet)
    if group is None:
        config |= {"group.id": "unused", "enable.auto.commit": False}
        return None
    config["group.id"] = group
    if begin is not None:
        config["auto.offset.reset"] = _reset(begin)
    else:
        config.setdefault("auto.offset.reset", "earliest")
    if has_partitions or (end is not None and end.kind != "end"):
        raise click.BadParameter(
            "cannot be combined with --partition, or with an --until other than end; "
            "--group '' reads without a group",
            param_hint="--group",
        )
    return group


def _group(config: Mapping[str, Any], option: str | None, quiet: bool) -> str | None:
    """Return the group to join, of --group or else of the configuration, or None for no group."""
    if option is not None:
        return option or None
    group = config.get("group.id") or None
    if group is not None and not quiet:
        # The command commits offsets of this group, and the user has not named it just now.
        print(f"group {group} of the configuration (--group '' reads without it)", file=sys.stderr)
    return group


def _reset(begin: Bound) -> str:
    if begin.kind == "beginning":
        return "earliest"
    if begin.kind == "end":
        return "latest"
    raise click.BadParameter(
        "must be earliest or latest with --group: a group continues from its committed offsets",
        param_hint="--from",
    )
