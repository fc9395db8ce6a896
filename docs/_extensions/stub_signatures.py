"""Signatures with types for the classes of the C extension, from its stub.

The extension's own signatures have no annotations. With this module the reference shows what type
checkers and editors show.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING, Any

import confluent_kafka

if TYPE_CHECKING:
    from sphinx.application import Sphinx

Signature = tuple[str, str | None]
_STUB = Path(confluent_kafka.__file__).with_name("cimpl.pyi")
_CALLABLE = ("class", "exception", "function", "method")


class _Public(ast.NodeTransformer):
    """Replaces the stub's private aliases with what they stand for.

    Args:
        aliases: the values of the aliases, by name.
    """

    def __init__(self, aliases: dict[str, ast.expr]) -> None:
        self._aliases = aliases

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if (value := self._aliases.get(node.id)) is None:
            return node
        return self.visit(ast.parse(ast.unparse(value), mode="eval").body)


def _signatures(stub: str) -> dict[str, Signature]:
    """Return arguments and result of each function and method of a stub, by qualified name."""
    tree = ast.parse(stub)
    public = _Public(
        {
            node.target.id: node.value
            for node in tree.body
            if isinstance(node, ast.AnnAssign)
            and isinstance(node.target, ast.Name)
            and node.value is not None
        }
    )
    found: dict[str, Signature] = {}

    def read(body: list[ast.stmt], scope: str) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef):
                read(node.body, f"{scope}{node.name}.")
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                found[scope + node.name] = _signature(public.visit(node), is_method=bool(scope))

    read(tree.body, "")
    return found


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef, is_method: bool) -> Signature:
    arguments = node.args
    if is_method and "staticmethod" not in map(ast.unparse, node.decorator_list):
        del (arguments.posonlyargs or arguments.args)[0]  # self
    return f"({ast.unparse(arguments)})", node.returns and ast.unparse(node.returns)


def setup(app: Sphinx) -> dict[str, Any]:
    """Let autodoc ask the stub first."""
    signatures = _signatures(_STUB.read_text(encoding="utf-8"))

    def process(
        app: Sphinx, what: str, name: str, obj: Any, options: Any, signature: str, returned: str
    ) -> Signature | None:
        owner = getattr(obj, "__objclass__", obj)
        module = getattr(owner, "__module__", None)
        if what not in _CALLABLE or module not in ("confluent_kafka", "confluent_kafka.cimpl"):
            return None
        if not isinstance(obj, type):
            return signatures.get(obj.__qualname__)
        made = [signatures.get(f"{obj.__name__}.{each}") for each in ("__init__", "__new__")]
        return next(((each[0], None) for each in made if each), None)

    app.connect("autodoc-process-signature", process)
    return {"parallel_read_safe": True}
