"""Reads the classes in the stub of an errors module."""

from __future__ import annotations

import ast
from pathlib import Path
from types import ModuleType

Classes = dict[str, tuple[str, list[str]]]


def stub_classes(module: ModuleType) -> Classes:
    """Return the name of the class, and its bases, for each name in the stub."""
    found: Classes = {}
    for node in ast.parse(Path(str(module.__file__)).with_suffix(".pyi").read_text()).body:
        if isinstance(node, ast.ClassDef):
            found[node.name] = (node.name, [ast.unparse(base) for base in node.bases])
        elif isinstance(node, ast.Assign):
            found[ast.unparse(node.targets[0])] = found[ast.unparse(node.value)]
    return found


def module_classes(module: ModuleType) -> Classes:
    """Return the name of the class, and its bases, for each name in the module itself."""
    return {
        name: (kind.__name__, [base.__name__ for base in kind.__bases__])
        for name, kind in vars(module).items()
        if isinstance(kind, type) and issubclass(kind, BaseException)
    }
