"""tools/stub_docs.py: the stub in a wheel is the repository's stub with the extension's
docstrings."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

import confluent_kafka
from confluent_kafka import cimpl
from tools.stub_docs import documented

STUB = Path(confluent_kafka.__file__).with_name("cimpl.pyi").read_text(encoding="utf-8")
DOCUMENTED = ast.parse(documented(STUB, cimpl))


def test_only_docstrings_are_added() -> None:
    """Without its docstrings, the wheel's stub equals the stub in the repository."""
    tree = ast.parse(documented(STUB, cimpl))
    removed = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Expr(ast.Constant(...))]
            removed += 1
    assert ast.unparse(tree) == ast.unparse(ast.parse(STUB))
    assert removed > 150


@pytest.mark.parametrize("name", ["Consumer.poll", "Producer.produce", "MessageBatch.eof"])
def test_methods_and_attributes_have_their_docstrings(name: str) -> None:
    """Methods and attributes have exactly the text of help()."""
    owner, _, member = name.partition(".")
    [found] = [
        node
        for each in DOCUMENTED.body
        if isinstance(each, ast.ClassDef) and each.name == owner
        for node in each.body
        if isinstance(node, ast.FunctionDef) and node.name == member
    ][:1]
    assert ast.get_docstring(found) == inspect.getdoc(getattr(getattr(cimpl, owner), member))


def test_functions_and_classes_have_their_docstrings() -> None:
    """Each public function and class is documented."""
    public = [
        node
        for node in DOCUMENTED.body
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_")
    ]
    assert len(public) > 15
    assert [node.name for node in public if not ast.get_docstring(node)] == []


def test_texts_that_would_end_a_docstring_are_escaped() -> None:
    """Backslashes and quotes in docstrings are unchanged."""

    class Module:
        def odd() -> None:  # type: ignore[misc]
            '''A \\ and """ in it, and "one at its end".'''

    [node] = ast.parse(documented("def odd() -> None: ...\n", Module)).body
    assert isinstance(node, ast.FunctionDef)
    assert ast.get_docstring(node) == 'A \\ and """ in it, and "one at its end".'
