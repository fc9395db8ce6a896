"""Parameters of commands, which the annotations of a function declare.

For example::

    def consume(
        topics: Annotated[list[str], argument(help="Topics to read.")],
        count: Annotated[int | None, option("--count", "-n", min=1, help="How many.")] = None,
    ) -> None: ...

A parameter without a default is required. ``bool`` is a flag, ``list`` can be given more than
once, and an enumeration takes the values of its members. A parameter can also be a group that
several commands share: a NamedTuple whose fields are such parameters.
"""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, NamedTuple, Required, TypedDict, Unpack, cast

import click

from confluent_kafka.cli.base.values import Choice, File, Parsed, number_type
from confluent_kafka.cli.base.values import name as name_of

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# The parts of a help text. Options of the connection come after the command's own options.
ARGUMENTS = "Arguments"
OPTIONS = "Options"
CONNECTION = "Connection"


class _Settings(TypedDict, total=False):
    """The settings of an argument.

    Attributes:
        help: its description.
        metavar: what help texts show in its place; by default its name, or the type of an option.
        min: the lowest number that is allowed.
        max: the highest number that is allowed.
        exists: whether it is a file that must exist.
        type: the type of the value, for a value with a type of its own.
        parse: turns the text into the value, or raises click.BadParameter with the reason.
    """

    help: Required[str]
    metavar: str
    min: float
    max: float
    exists: bool
    type: click.ParamType[Any]
    parse: Callable[[str], object]


class _OptionSettings(_Settings, total=False):
    """The settings of an option.

    Attributes:
        panel: the part of the help that lists it.
        show_default: what the help shows as its default, if it is not the parameter's default.
        envvar: the environment variable that sets it.
        value_is_optional: whether it can be given without a value, which is then an empty text.
        instead: is called with the value, instead of the command.
        kept: whether the context keeps the value in `meta`, instead of passing it to the command.
    """

    panel: str
    show_default: str
    envvar: str
    value_is_optional: bool
    instead: Callable[[Any], None]
    kept: bool


class _Declared(NamedTuple):
    """A parameter of a command. An argument has no names."""

    names: tuple[str, ...] | None
    settings: _OptionSettings


def argument(**settings: Unpack[_Settings]) -> _Declared:
    """Declare an argument."""
    return _Declared(None, cast("_OptionSettings", settings))


def option(*names: str, **settings: Unpack[_OptionSettings]) -> _Declared:
    """Declare an option.

    Args:
        *names: its names; by default the name of the parameter after two hyphens.
        **settings: its settings, see _OptionSettings.
    """
    return _Declared(names, settings)


class _Completed(click.Parameter):
    """A parameter whose values a shell completes with `names`, if it is not None."""

    names: Callable[[click.Context, str], list[str]] | None = None

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        if self.names is None:
            return super().shell_complete(ctx, incomplete)
        return [CompletionItem(name) for name in self.names(ctx, incomplete)]


class Argument(_Completed, click.Argument):
    """An argument with a description. Click has it since its version 8.5."""

    text = ""


class Option(_Completed, click.Option):
    """An option that belongs to a panel of the help."""

    panel = OPTIONS
    value_is_optional = False

    def get_help_extra(self, ctx: click.Context) -> Any:
        extra = super().get_help_extra(ctx)
        if isinstance(self.default, Enum) and self.show_default:
            extra["default"] = str(self.default.value)  # Click would show the name of the member
        if isinstance(self.show_default, str):
            extra["default"] = self.show_default  # which Click puts into parentheses
        if limits := _limits(self):
            extra["range"] = limits
        return extra


def _limits(parameter: click.Parameter) -> str:
    return parameter.type.limits if isinstance(parameter.type, Parsed) else ""


def parameters_of(function: Callable[..., Any]) -> Iterator[click.Parameter]:
    """Yield the parameters that the annotations of a function declare."""
    hints = typing.get_type_hints(function, include_extras=True)
    for name, parameter in inspect.signature(function).parameters.items():
        hint = hints[name]
        if _is_group(hint):
            yield from parameters_of(hint)
        for declared in getattr(hint, "__metadata__", ()):
            required = parameter.default is parameter.empty
            kind, several = _element(hint.__origin__)
            common: dict[str, Any] = {
                "type": _type(kind, declared.settings, is_argument=declared.names is None),
                "metavar": declared.settings.get("metavar"),
                "required": required,
                "callback": _as_list if several else None,
            }
            if not required:  # for Click None is a default, too
                common["default"] = parameter.default
            if declared.names is None:
                yield _argument(name, declared.settings, several, common)
            else:
                yield _option(name, declared, kind is bool, several, common)


def with_groups(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that takes the fields of groups one by one, as Click passes them.

    Args:
        function: the function of a command.
    """
    hints = typing.get_type_hints(function)
    groups = {name: hint for name, hint in hints.items() if _is_group(hint)}
    if not groups:
        return function

    @functools.wraps(function)
    def call(**given: Any) -> Any:
        for name, group in groups.items():
            given[name] = group(**{field: given.pop(field) for field in group._fields})
        return function(**given)

    return call


def _is_group(hint: Any) -> bool:
    return isinstance(hint, type) and hasattr(hint, "_fields")


def _element(hint: Any) -> tuple[Any, bool]:
    """Return the type of a value, and whether there can be several, from ``list[T] | None``."""
    kinds = [each for each in typing.get_args(hint) if each is not NoneType]
    if typing.get_origin(hint) is list:
        return kinds[0], True
    return _element(kinds[0]) if kinds else (hint, False)


def _type(kind: Any, settings: _OptionSettings, is_argument: bool) -> click.ParamType[Any]:
    if "type" in settings:
        return settings["type"]
    if "parse" in settings:
        return Parsed(settings["parse"])
    if settings.get("exists"):
        return File()
    if kind is bool:
        return click.BOOL
    if kind in (int, float):
        return number_type(kind, settings.get("min"), settings.get("max"))
    if issubclass(kind, Enum):
        return Choice(kind)
    if kind is Path:
        return click.Path(path_type=Path)
    return Parsed(name_of) if is_argument else click.STRING


def _argument(
    name: str, settings: _OptionSettings, several: bool, common: dict[str, Any]
) -> click.Parameter:
    found = Argument([name], nargs=-1 if several else 1, **common)
    limits = _limits(found)
    found.text = settings["help"] + (f"  [{limits}]" if limits else "")
    return found


def _option(
    name: str, declared: _Declared, is_flag: bool, several: bool, common: dict[str, Any]
) -> click.Parameter:
    names, settings = declared.names or [f"--{name.replace('_', '-')}"], declared.settings
    if is_flag:
        common["is_flag"] = True
    if settings.get("value_is_optional"):
        common |= {"is_flag": False, "flag_value": ""}
    if "instead" in settings:
        callback = _calling(settings["instead"])
        common |= {"callback": callback, "is_eager": True, "expose_value": False}
    if settings.get("kept"):
        common |= {"callback": _keep, "expose_value": False}
    found = Option(
        [*names, name],
        help=settings["help"],
        multiple=several,
        # A required option has no default, and Click would show a placeholder instead.
        show_default=settings.get("show_default", not common["required"]),
        envvar=settings.get("envvar"),
        show_envvar=True,
        **common,
    )
    found.panel = settings.get("panel", OPTIONS)
    found.value_is_optional = settings.get("value_is_optional", False)
    return found


def _as_list(ctx: click.Context, parameter: click.Parameter, values: Any) -> list[Any] | None:
    return list(values) if values else None


def _keep(ctx: click.Context, parameter: click.Parameter, value: Any) -> None:
    ctx.meta[parameter.name or ""] = value


def _calling(
    action: Callable[[Any], None],
) -> Callable[[click.Context, click.Parameter, Any], None]:
    def call(ctx: click.Context, parameter: click.Parameter, value: Any) -> None:
        if value not in (None, False) and not ctx.resilient_parsing:
            action(value)
            ctx.exit()

    return call
