"""The options of every command that connects to a cluster: its profile, and --yes-really."""

from __future__ import annotations

from typing import Annotated

import click

from confluent_kafka.cli.declared import CONNECTION, option, parameters_of

PROFILE = "profile"
YES_REALLY = "yes_really"

# A command with one of these parameters destroys something, carries out a plan, or lets a model do
# that.
_DESTRUCTIVE = frozenset({"yes", "execute", "allow"})


def _connecting(
    profile: Annotated[
        str | None,
        option(
            "--profile",
            "-C",
            panel=CONNECTION,
            metavar="NAME",
            envvar="KAFKA_PROFILE",
            kept=True,
            help="Profile of the cluster, from profiles.toml.",
        ),
    ] = None,
) -> None: ...


def _destroying(
    yes_really: Annotated[
        str | None,
        option(
            "--yes-really",
            metavar="NAME",
            kept=True,
            help="Name of the profile, which a change of a production cluster requires.",
        ),
    ] = None,
) -> None: ...


def with_profile(parameters: list[click.Parameter]) -> list[click.Parameter]:
    """Add the options of profiles to the parameters of a command that connects to a cluster.

    Args:
        parameters: the parameters that the function of the command has.
    """
    names = {parameter.name for parameter in parameters}
    if "config_file" not in names:
        return parameters
    destroying = parameters_of(_destroying) if names & _DESTRUCTIVE else ()
    return [*parameters, *destroying, *parameters_of(_connecting)]


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


def demand_yes_really() -> None:
    """Refuse to change a production cluster unless the user has named its profile again."""
    profile = chosen_profile()
    if profile is None:
        return
    from confluent_kafka.cli.profile_file import is_production

    given: str | None = click.get_current_context().meta.get(YES_REALLY)
    if given is not None and given != profile:
        raise click.BadParameter(
            f"{given!r} is not the profile in use, which is {profile!r}", param_hint="--yes-really"
        )
    if given is None and is_production(profile):
        raise click.BadParameter(
            f"profile {profile!r} is a production cluster: also give --yes-really {profile}",
            param_hint="--yes-really",
        )


def refuse_unmeant_plan(context: click.Context) -> None:
    """Refuse --execute, which carries out a plan, as confirm() refuses a deletion.

    Args:
        context: the context of a command that is about to run.
    """
    if context.params.get("execute"):
        demand_yes_really()


__all__ = ["chosen_profile", "demand_yes_really", "refuse_unmeant_plan", "with_profile"]
