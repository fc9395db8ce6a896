"""The options of every command that connects to a cluster: its profile, and --yes-really."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

import click

from confluent_kafka.cli.base.declared import CONNECTION, option, parameters_of
from confluent_kafka.cli.base.values import name as name_of

PROFILE = "profile"
YES_REALLY = "yes_really"

# Whether a command changes the cluster or the registry: always, never, or with these parameters.
# Messages that a command sends, and offsets that it commits for them, are not such changes.
Changes = bool | Callable[[Mapping[str, Any]], bool]


def when(*parameters: str) -> Changes:
    """Return that a command changes something if one of these parameters is given.

    Args:
        *parameters: their names.
    """
    return lambda given: any(given[name] for name in parameters)


def _connecting(
    profile: Annotated[
        str | None,
        option(
            "--profile",
            "-C",
            panel=CONNECTION,
            metavar="NAME",
            envvar="KAFKA_PROFILE",
            parse=name_of,
            kept=True,
            help="Profile of the cluster, from profiles.toml.",
        ),
    ] = None,
) -> None: ...


def _changing(
    yes_really: Annotated[
        str | None,
        option(
            "--yes-really",
            metavar="NAME",
            kept=True,
            help="Name of the profile, to confirm a change of a production cluster.",
        ),
    ] = None,
) -> None: ...


def with_profile(parameters: list[click.Parameter], changes: Changes) -> list[click.Parameter]:
    """Add the options of profiles to the parameters of a command that connects to a cluster.

    Args:
        parameters: the parameters that the function of the command has.
        changes: whether the command changes the cluster or the registry.
    """
    if not any(parameter.name == "config_file" for parameter in parameters):
        return parameters
    changing = parameters_of(_changing) if changes else ()
    return [*parameters, *changing, *parameters_of(_connecting)]


def chosen_profile() -> str | None:
    """Return the name of the profile that the running command uses, or None.

    The command line takes precedence over the environment: ``-C`` over KAFKA_CONFIG_FILE, and
    ``-F`` over KAFKA_PROFILE.
    """
    context = click.get_current_context(silent=True)
    if context is None:
        return None
    name: str | None = context.meta.get(PROFILE)
    if not name or context.params.get("config_file") is None:
        return name or None
    profile, file = (_is_typed(context, each) for each in (PROFILE, "config_file"))
    if profile != file:
        return name if profile else None
    both = ("--profile", "--config-file") if profile else ("KAFKA_PROFILE", "KAFKA_CONFIG_FILE")
    raise click.BadParameter(f"cannot be combined with {both[1]}", param_hint=both[0])


def _is_typed(context: click.Context, parameter: str) -> bool:
    source = context.get_parameter_source(parameter)
    return source is not None and source.name == "COMMANDLINE"


def refuse_unmeant_change(context: click.Context, changes: Changes) -> None:
    """Refuse to change a production cluster unless the user has named its profile again.

    Args:
        context: the context of a command that is about to run.
        changes: whether the command changes the cluster or the registry.
    """
    given: str | None = context.meta.get(YES_REALLY)
    is_change = changes(context.params) if callable(changes) else changes
    is_change = is_change and not context.params.get("check")  # --check only validates
    if given is None and not is_change:
        return
    profile = chosen_profile()
    if given is not None and given != profile:
        raise click.BadParameter(
            f"{given!r} is not the profile in use, which is {profile!r}"
            if profile
            else f"needs a profile: choose it with -C {given}",
            param_hint="--yes-really",
        )
    if given is None and profile is not None and _is_production(profile):
        raise click.BadParameter(
            f"profile {profile!r} is a production cluster: also give --yes-really {profile}",
            param_hint="--yes-really",
        )


def _is_production(profile: str) -> bool:
    from confluent_kafka.cli.connection.profile_file import is_production

    return is_production(profile)


__all__ = ["Changes", "chosen_profile", "refuse_unmeant_change", "when", "with_profile"]
