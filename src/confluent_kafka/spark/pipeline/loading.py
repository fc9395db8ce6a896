"""Pipelines out of files."""

from __future__ import annotations

import os
import re
import runpy
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .check import check
from .concealing import conceal
from .failures import raised
from .lines import key_lines
from .model import Pipeline
from .problems import Key, PipelineError, Problem
from .reading import read

_VARIABLE = re.compile(r"\$(\$?)\{(\w+)\}")


def load(file: str | os.PathLike[str], environment: Mapping[str, str] | None = None) -> Pipeline:
    """Return the pipeline that a file declares, checked as far as that goes without Spark.

    Args:
        file: TOML; or Python (``.py``) that has a global variable ``pipeline``.
        environment: what ``${NAME}`` in a text of a TOML file stands for; by default the
            environment of the process. ``$${NAME}`` is the text ``${NAME}``.

    Raises:
        PipelineError: something is wrong; it names the file, the lines and the keys of it all.
        OSError: the file cannot be read.
    """
    path = Path(file)
    # Functions of steps may stand in modules beside the file.
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    if path.suffix == ".py":
        return _from_python(path)
    return _from_toml(path, os.environ if environment is None else environment)


def located(error: PipelineError, file: str | os.PathLike[str]) -> PipelineError:
    """Return an error that was found while running with the file and its lines added."""
    path = Path(file)
    toml = path.suffix != ".py"
    lines = key_lines(path.read_text(encoding="utf-8")) if toml else {}
    return PipelineError(error.problems, str(path), lines)


def _from_python(path: Path) -> Pipeline:
    try:
        pipeline = runpy.run_path(str(path)).get("pipeline")
    # Whatever the file's own code raises, or ends Python with.
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
    problems: list[Problem] = []
    document = _substitute(document, (), environment, problems)
    pipeline = read(Pipeline, document, (), problems)
    if pipeline is not None and not problems:
        problems += check(pipeline)
    if problems or pipeline is None:
        raise PipelineError(_without_secrets(problems, document), str(path), key_lines(text))
    return pipeline


def _without_secrets(problems: list[Problem], settings: Any) -> list[Problem]:
    """A value in the wrong place can be quoted in a problem, and can be somebody's password."""
    return [Problem(problem.key, conceal(problem.message, settings)) for problem in problems]


def _substitute(
    given: Any, key: Key, environment: Mapping[str, str], problems: list[Problem]
) -> Any:
    """Put environment variables into all texts below a key."""
    if isinstance(given, dict):
        return {
            name: _substitute(one, (*key, name), environment, problems)
            for name, one in given.items()
        }
    if isinstance(given, list):
        return [_substitute(one, key, environment, problems) for one in given]
    if not isinstance(given, str):
        return given

    def replace(match: re.Match[str]) -> str:
        escaped, name = match.groups()
        if escaped:
            return match.group()[1:]
        if name not in environment:
            problems.append(Problem(key, f"the environment variable {name} is not set"))
        return environment.get(name, "")

    return _VARIABLE.sub(replace, given)
