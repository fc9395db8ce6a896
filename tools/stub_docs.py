"""Puts the extension's docstrings into a copy of its stub, because editors read only the stub.

The stub in the repository contains only signatures, for people to read. setup.py runs this on the
copy that goes into a wheel:

    python tools/stub_docs.py build/lib/confluent_kafka/cimpl.pyi
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

Definition = ast.ClassDef | ast.FunctionDef


def documented(stub: str, module: object) -> str:
    """Return a stub with the docstrings of its classes and functions.

    Args:
        stub: the text of a stub without docstrings.
        module: the module that the stub describes.
    """
    lines = stub.splitlines()
    # It starts at the end of the file, so that the line numbers of the other nodes stay correct.
    for node, text in sorted(_docstrings(ast.parse(stub), module), key=lambda one: -one[0].lineno):
        _insert(lines, node, text)
    return "\n".join(lines) + "\n"


def _docstrings(
    parent: ast.Module | ast.ClassDef, owner: object
) -> Iterator[tuple[Definition, str]]:
    """Yield the declarations that have a docstring.

    Of overloads, only the first declaration is yielded.
    """
    seen = set()
    for node in parent.body:
        if not isinstance(node, Definition) or node.name in seen:
            continue
        seen.add(node.name)
        found = vars(owner).get(node.name)
        # The docstrings of special methods contain no information: "Return repr(self)."
        if found is None or node.name.startswith("__"):
            continue
        if text := inspect.getdoc(found):
            yield node, text
        if isinstance(node, ast.ClassDef):
            yield from _docstrings(node, found)


def _insert(lines: list[str], node: Definition, text: str) -> None:
    first = node.body[0]
    indent = " " * (node.col_offset + 4)
    written = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    if written.endswith('"'):
        written = f'{written[:-1]}\\"'
    end = '"""' if "\n" not in text else '\n"""'
    docstring = textwrap.indent(f'"""{written}{end}', indent).splitlines()
    if isinstance(first, ast.Expr) and ast.unparse(first) == "...":
        line = lines[first.lineno - 1]
        lines[first.lineno - 1 : first.lineno] = [line[: first.col_offset].rstrip(), *docstring]
        return
    decorators = getattr(first, "decorator_list", [])
    start = min(one.lineno for one in (first, *decorators))
    lines[start - 1 : start - 1] = docstring


def main() -> None:
    from confluent_kafka import cimpl

    path = Path(sys.argv[1])
    path.write_text(documented(path.read_text(encoding="utf-8"), cimpl), encoding="utf-8")


if __name__ == "__main__":
    main()
