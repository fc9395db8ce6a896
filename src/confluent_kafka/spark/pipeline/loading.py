"""Load pipelines from files."""

from __future__ import annotations

import os
import re
import runpy
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from confluent_kafka._concealing import conceal

from .check import check, examine
from .failures import raised
from .lines import key_lines
from .model import Pipeline
from .problems import Findings, Key, PipelineError, Problem

_VARIABLE = re.compile(r"\$(\$?)\{(\w+)\}")


def load(file: str | os.PathLike[str], environment: Mapping[str, str] | None = None) -> Pipeline:
    """Return the pipeline that a file declares, after all checks that need no Spark.

    Args:
        file: a TOML file, or a Python file (``.py``) with a global variable ``pipeline``.
        environment: the values of ``${NAME}`` in the texts of a TOML file; by default the
            environment of the process. ``$${NAME}`` is the text ``${NAME}``.

    Raises:
        PipelineError: the pipeline is not valid. The error has the file, lines and keys of all
            problems.
        OSError: the file cannot be read.
    """
    path = Path(file)
    # Modules beside the file can contain functions of steps.
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    if path.suffix == ".py":
        return _from_python(path)
    return _from_toml(path, os.environ if environment is None else environment)


def located(error: PipelineError, file: str | os.PathLike[str]) -> PipelineError:
    """Return an error that was found at run time, with the file and the lines added."""
    path = Path(file)
    toml = path.suffix != ".py"
    lines = key_lines(path.read_text(encoding="utf-8")) if toml else {}
    return PipelineError(error.problems, str(path), lines)


def _from_python(path: Path) -> Pipeline:
    try:
        pipeline = runpy.run_path(str(path)).get("pipeline")
    # The file's own code can raise anything, and can try to end Python.
    except (Exception, SystemExit) as error:
        raise PipelineError([Problem((), f"cannot be run: {raised(error)}")], str(path)) from error
    if not isinstance(pipeline, Pipeline):
        problem = "the file has no variable 'pipeline' that is a Pipeline"
        raise PipelineError([Problem((), problem)], str(path))
    if problems := list(check(pipeline)):
        raise PipelineError(_without_secrets(problems, pipeline), str(path))
    return pipeline


def _from_toml(path: Path, environment: Mapping[str, str]) -> Pipeline:
    text = path.read_text(encoding="utf-8")
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PipelineError([Problem((), f"is not TOML: {error}")], str(path)) from None
    found = Findings()
    document = _substitute(document, (), environment, found)
    pipeline, problems = examine(document, found)
    if problems:
        raise PipelineError(_without_secrets(problems, document), str(path), key_lines(text))
    return pipeline


def _without_secrets(problems: list[Problem], settings: Any) -> list[Problem]:
    """Hide secrets in problems: a message can quote a value, and the value can be a password."""
    return [Problem(problem.key, conceal(problem.message, settings)) for problem in problems]


def _substitute(given: Any, key: Key, environment: Mapping[str, str], found: Findings) -> Any:
    """Replace ``${NAME}`` in all texts below a key."""
    if isinstance(given, dict):
        return {
            name: _substitute(one, (*key, name), environment, found) for name, one in given.items()
        }
    if isinstance(given, list):
        return [_substitute(one, key, environment, found) for one in given]
    if not isinstance(given, str):
        return given

    def replace(match: re.Match[str]) -> str:
        escaped, name = match.groups()
        if escaped:
            return match.group()[1:]
        if name not in environment:
            found.note(key, f"the environment variable {name} is not set")
        return environment.get(name, match.group())

    return _VARIABLE.sub(replace, given)
