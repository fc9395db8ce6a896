#!/usr/bin/env python3
"""Checks that the modules depend on each other only as the tables below allow.

An arrow is a dependency: in C an include or the use of another file's function, in Python an
import, even if it imports only types. A room is a folder or module. An arrow must lead from a room
to a room that the tables below allow, and files must not depend on each other in a circle. A header
and the source of the same name count as one file; declarations in a header do not count. The parts
of `Client` belong to one file each: no other file touches the part's fields.

    python tools/layers.py         # prints each violation; the exit code is 1 if there are any
    python tools/layers.py --list  # each room and the rooms it uses
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "confluent_kafka"
SOURCES = ROOT / "src" / PACKAGE

# The rooms of csrc/, from the bottom up. Each room may use itself and the rooms in its set.
_SHARED = {"base", "values", "client"}
C_ROOMS: Mapping[str, set[str]] = {
    "base": set(),
    "values": {"base"},
    "arrow": {"base"},
    "codec": {"base"},
    "avro": {"base"},
    "columns": {"base", "arrow"},
    "mock": {"base", "values"},
    "client": {"base", "values"},
    "producer": _SHARED | {"arrow"},
    "consumer": _SHARED | {"arrow"},
    "share": _SHARED,
    "admin": _SHARED,
    # The room that combines the other rooms: its file is the only one that uses every type.
    "module": _SHARED
    | {"arrow", "avro", "codec", "columns", "mock", "producer", "consumer", "share", "admin"},
}

# The rooms of the package, in the same form. "" is confluent_kafka/__init__.py. The APIs for users
# are last.
_CLIENTS = {"", "cimpl", "_values", "_suggestions", "error", "serialization"}
PYTHON_ROOMS: Mapping[str, set[str]] = {
    "_values": set(),
    "_suggestions": set(),
    "_concealing": set(),
    "_java": set(),
    "_other_clients": set(),
    "_properties": set(),
    "_daemon_threads": set(),
    "_way_out": set(),
    "cimpl": {"_values"},
    "error": {"cimpl"},
    "statistics": {"_values"},
    "serialization": {"cimpl", "error"},
    "serializing_producer": _CLIENTS,
    "deserializing_consumer": _CLIENTS,
    "deserializing_share_consumer": _CLIENTS,
    "_share_renewal": {""},
    "": {"_other_clients", "_values", "cimpl", "statistics"},
    "_diagnosis": {""},
    "admin": {"", "_values", "_suggestions", "cimpl", "protocol"},
    "columns": {"_suggestions", "_values", "cimpl", "schema_registry", "serialization"},
    "schema_registry": {"_suggestions", "cimpl", "error", "serialization"},
    "protocol": {"_suggestions", "cimpl"},
    "testing": {"_values", "cimpl", "protocol", "schema_registry"},
    "avro": _CLIENTS | {"schema_registry"},
    "aio": _CLIENTS
    | {"_daemon_threads", "_other_clients", "_way_out", "admin", "columns", "statistics"},
    "processing": _CLIENTS | {"_properties", "aio"},
    "spark": _CLIENTS | {"_concealing", "_java", "admin", "columns", "protocol", "schema_registry"},
    # aiokafka's API uses aio, and kafka-python's API uses the blocking clients.
    "compat": {"", "_daemon_threads", "_suggestions", "_values", "_way_out"}
    | {"admin", "aio", "cimpl", "protocol"},
    # These are import paths of confluent-kafka 2.x. No module here uses them.
    "_model": {""},
    "_types": {"serialization"},
    # The commands use the other APIs.
    "cli": _CLIENTS
    | {"admin", "columns", "compat", "protocol", "schema_registry", "spark", "testing"}
    | {"statistics", "_concealing", "_daemon_threads", "_diagnosis", "_java", "_properties"},
    # `doctor` also works without the packages of the extra [cli].
    "__main__": {"cli", "_diagnosis"},
}

# The rooms of cli/, from the bottom up, in the same form. "" is cli/__init__.py.
_COMMON = {"base", "connection"}
CLI_ROOMS: Mapping[str, set[str]] = {
    "base": set(),
    "connection": {"base"},
    "shell": _COMMON,
    "topics": _COMMON,
    "groups": _COMMON | {"topics"},
    "lag": _COMMON | {"groups", "topics"},
    "reassignment": _COMMON | {"topics"},
    "registry": _COMMON | {"shell"},
    "messages": _COMMON | {"registry", "topics"},
    "bench": _COMMON | {"messages"},
    "live": _COMMON | {"groups", "lag", "messages", "topics"},
    "mcp": {"base", "groups", "lag", "messages", "topics"},
    "administration": _COMMON | {"topics"},
    "local": {"base"},
    "pipelines": {"base"},
    "commands": _COMMON
    | {"administration", "bench", "groups", "lag", "live", "local", "mcp", "messages"}
    | {"pipelines", "reassignment", "registry", "shell", "topics"},
    # It imports the module of a command by its name.
    "": {"base", "shell"},
}

# Each part of `struct Client` and the one file of csrc/client that touches its fields.
CLIENT_PARTS: Mapping[str, str] = {
    part: f"client/{file}"
    for part, file in {
        "guard": "guard",
        "signals": "signals",
        "serving": "serve",
        "callbacks": "callbacks",
        "logs": "logs",
        "parked": "parked",
        "diagnosis": "diagnosis",
        "tokens": "oauth",
        "requests": "request",
        "loop": "loop",
        "registration": "registry",
    }.items()
}


class Arrow(NamedTuple):
    """A dependency of one file on another. `where` is the line that causes it, as file:line."""

    source: str
    target: str
    where: str


# --- C ------------------------------------------------------------------------------------

_INCLUDE = re.compile(r'^#include "([\w/]+)\.h"', re.MULTILINE)
_COMMENT_OR_TEXT = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
# In our C style, a definition has the type of its result on a line of its own, then the name in the
# first column.
_FUNCTION = re.compile(r"^(?!.*\bstatic\b)[A-Za-z_][\w \t*]*\n(\w+)\(", re.MULTILINE)
_TABLE = re.compile(r"^(?:const )?(?:struct )?\w+ (\w+)(?:\[\w*\])? = \{", re.MULTILINE)
_WORD = re.compile(r"\b[A-Za-z_]\w*\b")
# The functions in a header have their braces in the first column. Declarations have no braces.
_BODY = re.compile(r"^\{\n.*?^\}", re.MULTILINE | re.DOTALL)
_IMPORTED = re.compile(rf'"{PACKAGE}\.(\w+)[\w.]*"')


def c_arrows(folder: Path) -> Iterator[Arrow]:
    """Yield every arrow between two files of `folder`."""
    texts = {path: path.read_text() for path in sorted(folder.rglob("*.[ch]"))}
    codes = {path: _COMMENT_OR_TEXT.sub(_blank, text) for path, text in texts.items()}
    owners = {
        name: _c_file(folder, path)
        for path, code in codes.items()
        if path.suffix == ".c"
        for pattern in (_FUNCTION, _TABLE)
        for name in pattern.findall(code)
    }
    for path, code in codes.items():
        source = _c_file(folder, path)
        includes = ((match[1], match.start()) for match in _INCLUDE.finditer(texts[path]))
        parts = [code] if path.suffix == ".c" else [_only_bodies(code)]
        uses = (
            (owners.get(match[0], source), match.start())
            for part in parts
            for match in _WORD.finditer(part)
        )
        for target, offset in (*includes, *uses):
            if source != target:
                yield Arrow(source, target, _line(path, code, offset))


def _only_bodies(code: str) -> str:
    """Replace all code outside of function bodies with spaces."""
    text = ["\n" if letter == "\n" else " " for letter in code]
    for match in _BODY.finditer(code):
        text[match.start() : match.end()] = match[0]
    return "".join(text)


def _blank(match: re.Match[str]) -> str:
    return "".join(letter if letter == "\n" else " " for letter in match[0])


def _c_file(folder: Path, path: Path) -> str:
    return path.relative_to(folder).with_suffix("").as_posix()


def _c_room(file: str) -> str:
    return file.split("/", maxsplit=1)[0]


def _line(path: Path, text: str, offset: int) -> str:
    name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    return f"{name}:{text.count(chr(10), 0, offset) + 1}"


def touched_parts(folder: Path, parts: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each use of a part of `Client` outside of its own file."""
    for path in sorted(folder.rglob("*.[ch]")):
        code = _COMMENT_OR_TEXT.sub(_blank, path.read_text())
        for match in re.finditer(r"(?:->|\.)(\w+)(?:\.|->)\w", code):
            owner = parts.get(match[1])
            if owner is not None and _c_file(folder, path) != owner:
                yield (
                    f"{_line(path, code, match.start())}: only {owner}.c and .h may touch "
                    f"Client.{match[1]}: call one of their functions, or add one"
                )


def c_imports(folder: Path, allowed: set[str]) -> Iterator[str]:
    """Yield a line for each of the extension's imports of the package that is not `allowed`."""
    for path in sorted(folder.rglob("*.c")):
        text = path.read_text()
        for match in _IMPORTED.finditer(text):
            line = text[text.rfind("\n", 0, match.start()) + 1 : match.end()]
            # The name of a type ("confluent_kafka.cimpl.Message") is not an import.
            if match[1] not in {"cimpl", *allowed} and "import" in line:
                yield (
                    f"{_line(path, text, match.start())}: cimpl imports {PACKAGE}.{match[1]}, "
                    f"but may import only: {', '.join(sorted(allowed))}"
                )


# --- Python -------------------------------------------------------------------------------


def python_arrows(folder: Path, *, types: bool = False) -> Iterator[Arrow]:
    """Yield every import between modules of the package; `types` adds imports of types alone."""
    modules = {_module(folder, path): path for path in sorted(folder.rglob("*.py"))}
    for module, path in modules.items():
        is_package = path.name == "__init__.py"
        package = module if is_package else module.rpartition(".")[0]
        # An __init__ loads some modules on demand, and imports their types for type checkers only.
        for node in _imports(ast.parse(path.read_text()), types and not is_package):
            for name in _imported(node, package, modules):
                if name != module and (name == PACKAGE or name.startswith(f"{PACKAGE}.")):
                    where = f"{path.relative_to(folder.parent.parent)}:{node.lineno}"
                    yield Arrow(module, name, where)


def _module(folder: Path, path: Path) -> str:
    parts = path.relative_to(folder.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(tree: ast.AST, types: bool) -> Iterator[ast.Import | ast.ImportFrom]:
    for node in ast.iter_child_nodes(tree):
        of_types = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif types or not of_types:
            yield from _imports(node, types)


def _imported(
    node: ast.Import | ast.ImportFrom, package: str, modules: Mapping[str, Path]
) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
        return
    base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
    origin = ".".join([*base, *([node.module] if node.module else [])])
    for alias in node.names:
        submodule = f"{origin}.{alias.name}"
        yield submodule if submodule in modules else origin


def _python_room(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def _cli_room(module: str) -> str:
    parts = module.split(".")
    return parts[2] if len(parts) > 2 else ""


# --- C and Python -------------------------------------------------------------------------


def wrong_arrows(
    arrows: Iterable[Arrow], rooms: Mapping[str, set[str]], room_of: Mapping[str, str]
) -> Iterator[str]:
    """Yield a line for each arrow that the tables do not allow."""
    seen = set()
    for arrow in arrows:
        source, target = room_of[arrow.source], room_of[arrow.target]
        if source == target or target in rooms.get(source, ()) or arrow[:2] in seen:
            continue
        seen.add(arrow[:2])
        allowed = ", ".join(name or PACKAGE for name in sorted(rooms.get(source, ())))
        yield (
            f"{arrow.where}: {arrow.source} uses {arrow.target}, but {source or PACKAGE} may use "
            f"only: {allowed or 'nothing'}"
        )


def circles(arrows: Iterable[Arrow]) -> Iterator[list[str]]:
    """Yield the files of each circle (Tarjan's strongly connected components)."""
    targets: dict[str, set[str]] = {}
    for arrow in arrows:
        targets.setdefault(arrow.source, set()).add(arrow.target)
        targets.setdefault(arrow.target, set())
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []

    def visit(file: str) -> Iterator[list[str]]:
        index[file] = low[file] = len(index)
        stack.append(file)
        for target in sorted(targets[file]):
            if target not in index:
                yield from visit(target)
                low[file] = min(low[file], low[target])
            elif target in stack:
                low[file] = min(low[file], index[target])
        if low[file] == index[file]:
            circle = stack[stack.index(file) :]
            del stack[stack.index(file) :]
            if len(circle) > 1:
                yield circle

    for file in sorted(targets):
        if file not in index:
            yield from visit(file)


def described_circles(arrows: Iterable[Arrow]) -> Iterator[str]:
    """Yield a line for each circle."""
    arrows = list(arrows)
    for circle in circles(arrows):
        members = frozenset(circle)
        steps = {a[:2]: a.where for a in arrows if members.issuperset(a[:2])}
        yield f"{len(circle)} files depend on each other in a circle: " + "; ".join(
            f"{source} uses {target} ({where})" for (source, target), where in steps.items()
        )


def _rooms(arrows: Iterable[Arrow], room: Mapping[str, str]) -> Iterator[str]:
    used: dict[str, set[str]] = {}
    for arrow in arrows:
        used.setdefault(room[arrow.source], set()).add(room[arrow.target])
    for name in sorted(used):
        others = sorted(used[name] - {name})
        yield f"{name or PACKAGE}: {', '.join(other or PACKAGE for other in others)}"


def main() -> int:
    parser = argparse.ArgumentParser(description="Check the directions of arrows.")
    parser.add_argument("--list", action="store_true", help="print each room and what it uses")
    csrc = SOURCES / "csrc"
    c = list(c_arrows(csrc))
    python = list(python_arrows(SOURCES))
    typed = list(python_arrows(SOURCES, types=True))
    c_rooms = {file: _c_room(file) for arrow in c for file in arrow[:2]}
    python_rooms = {module: _python_room(module) for arrow in python for module in arrow[:2]}
    cli = [a for a in typed if all(f"{name}.".startswith(f"{PACKAGE}.cli.") for name in a[:2])]
    cli_rooms = {module: _cli_room(module) for arrow in cli for module in arrow[:2]}
    if parser.parse_args().list:
        rooms = (_rooms(c, c_rooms), _rooms(python, python_rooms), _rooms(cli, cli_rooms))
        print(*("\n".join(lines) for lines in rooms), sep="\n\n")
        return 0
    found = [
        *wrong_arrows(c, C_ROOMS, c_rooms),
        *described_circles(c),
        *touched_parts(csrc, CLIENT_PARTS),
        *c_imports(csrc, PYTHON_ROOMS["cimpl"]),
        *wrong_arrows(python, PYTHON_ROOMS, python_rooms),
        *wrong_arrows(cli, CLI_ROOMS, cli_rooms),
        *described_circles(typed),
    ]
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
