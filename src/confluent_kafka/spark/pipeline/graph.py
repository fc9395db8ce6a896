"""The dependencies between the views."""

from __future__ import annotations

from .model import Pipeline, Step
from .sql import tables


def inputs(step: Step) -> list[tuple[str, str]]:
    """Return the views that a step reads, each with the key of the step that names it."""
    if step.sql is not None:
        return [("sql", name) for name in sorted(tables(step.sql))]
    return [("input", step.input)] if step.input is not None else []


def order(pipeline: Pipeline) -> tuple[list[str], list[str]]:
    """Return the steps in the order of their dependencies; and a cycle, if there is one."""
    steps = {name.lower(): name for name in pipeline.steps}
    ordered: list[str] = []
    circle: list[str] = []

    def visit(name: str, path: list[str]) -> None:
        if name in path:
            circle[:] = circle or path[path.index(name) :]
        elif name not in ordered:
            for _, view in inputs(pipeline.steps[name]):
                if view.lower() in steps:
                    visit(steps[view.lower()], [*path, name])
            ordered.append(name)

    for name in pipeline.steps:
        visit(name, [])
    return ordered, circle
