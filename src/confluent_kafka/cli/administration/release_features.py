"""The versions of features that belong to the releases of Kafka."""

from __future__ import annotations

from collections.abc import Mapping

import click

# The features of a cluster that is formatted by a release, as Kafka's tools list them. A test
# compares the table with the tools.
_METADATA = {"4.0": 25, "4.1": 27, "4.2": 29, "4.3": 30, "4.4": 33}
_OTHERS = {
    "kraft.version": {"4.0": 1},
    "transaction.version": {"4.0": 2},
    "group.version": {"4.0": 1},
    "eligible.leader.replicas.version": {"4.0": 0, "4.1": 1},
    "share.version": {"4.0": 0, "4.2": 1, "4.4": 2},
    "streams.version": {"4.0": 0, "4.2": 1},
}

RELEASES: Mapping[str, Mapping[str, int]] = {
    release: {"metadata.version": level}
    | {
        name: next(level for since, level in reversed(levels.items()) if since <= release)
        for name, levels in _OTHERS.items()
    }
    for release, level in _METADATA.items()
}
"""The version of each feature, by the release. The releases have one digit after the point."""


def release(text: str) -> Mapping[str, int]:
    """Return the features of the release that a value of --release names.

    Args:
        text: the value.
    """
    if text not in RELEASES:
        known = ", ".join(RELEASES)
        raise click.BadParameter(f"{text!r} is not a known release: give one of {known}")
    return RELEASES[text]
