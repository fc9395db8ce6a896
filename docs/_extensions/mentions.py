"""Links the methods that docstrings mention, and shows properties and error codes as code.

Docstrings are plain text, which help() and editors show as it is: "poll() and consume() return
messages". In the reference each of these names becomes a link.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

# A call that is mentioned, a configuration property, an error code. Not inside of code, a link,
# or another word.
_MENTION = re.compile(
    r"(?<![\w.`/(\"\'])"
    r"(?:(?P<call>[A-Za-z_]\w*)\(\)"
    r"|(?P<property>[a-z]+(?:\.[a-z]+){1,5}(?:=\w+)?)(?=[\s,;:).]|$)"
    r"|(?P<code>_?[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+))"
    r"(?![\w`(/])"
)
_NO_PROPERTY = re.compile(r"^(?:e\.g|i\.e)$|\.(?:py|md|toml|json|io|org|com)$")


def _marked(line: str, owner: str, methods: set[str]) -> str:
    """Return a line of a docstring with its names marked up."""

    def mark(found: re.Match[str]) -> str:
        text = found[0]
        if found["call"]:
            is_ours = found["call"] in methods
            return f":py:meth:`{text} <{owner}.{found['call']}>`" if is_ours else f"``{text}``"
        if found["property"] and _NO_PROPERTY.search(text):
            return text
        return f"``{text}``"

    if "``" in line or line.lstrip().startswith((">>>", "...", "..")):
        return line
    return _MENTION.sub(mark, line)


def setup(app: Sphinx) -> dict[str, Any]:
    """Change docstrings before they are read as reStructuredText."""

    def process(
        app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]
    ) -> None:
        owner = name if what in ("class", "exception") else name.rpartition(".")[0]
        holder = obj if isinstance(obj, type) else None
        if holder is None and what in ("method", "property", "attribute"):
            holder = _class_named(owner)
        methods = {each for each in dir(holder) if callable(getattr(holder, each, None))}
        is_literal = False
        for number, line in enumerate(lines):
            if is_literal and line.strip() and not line.startswith(" "):
                is_literal = False
            if not is_literal:
                lines[number] = _marked(line, owner, methods if holder else set())
            is_literal = is_literal or line.rstrip().endswith("::")

    app.connect("autodoc-process-docstring", process, priority=900)  # after napoleon
    return {"parallel_read_safe": True}


def _class_named(name: str) -> type | None:
    module, _, last = name.rpartition(".")
    try:
        found = getattr(import_module(module), last, None)
    except ImportError:
        return None
    return found if isinstance(found, type) else None
