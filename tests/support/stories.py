"""Runs pages of the documentation that a reader can type from top to bottom.

All Python blocks of a page share their variables. The output of a step is in a block of `text`
right after it, or in the lines of a `console` block that are not commands. `...` stands for any
text. Comments, which readers do not see, contain the other instructions:

    <!-- not run: the reason -->      the next block is not run
    <!-- file: delays.toml -->        the next block becomes a file in the reader's folder
    <!-- fails: the reason -->        the last command of the next block has an exit status above 0
    <!-- needs: fastavro, java -->    without these packages or programs the whole page is skipped
    <!-- patches: raw-request -->     without these patches of librdkafka the whole page is skipped

A Python block with "Ctrl-C" in it is interrupted once it has printed what the page shows.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
import re
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.documents import ROOT
from tests.support.waiting import TIMEOUT

_BLOCK = re.compile(
    r"^( *)(?P<fence>```+)(?P<language>\w*)[^\n]*\n(?P<text>.*?)^\1(?P=fence)$", re.DOTALL | re.M
)
_COMMENT = re.compile(r"<!-- (not run|file|needs|fails): ((?:(?!-->).)*) -->\s*\Z", re.DOTALL)
_NEEDS = re.compile(r"<!-- needs: (.*?) -->")
_PATCHES = re.compile(r"<!-- patches: (.*?) -->")


class Step(NamedTuple):
    """A block of a page.

    Args:
        line: the line of the page where the block begins.
        prints: the output that the page shows; None if it shows none.
        file: the name under which the block is stored instead of being run.
        reason: the reason why the block is not run.
        fails: whether the last command of the block must fail.
    """

    line: int
    language: str
    text: str
    prints: str | None = None
    file: str | None = None
    reason: str | None = None
    fails: bool = False


def needed(page: Path) -> list[str]:
    """The packages and programs without which a page cannot be run."""
    return _listed(_NEEDS, page)


def patches(page: Path) -> list[str]:
    """The patches of librdkafka without which a page cannot be run."""
    return _listed(_PATCHES, page)


def _listed(comment: re.Pattern[str], page: Path) -> list[str]:
    found = comment.search(page.read_text(encoding="utf-8"))
    return re.split(r",\s*", found[1]) if found else []


def steps(page: Path) -> list[Step]:
    """The blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    found: list[Step] = []
    end = 0
    for block in _BLOCK.finditer(text):
        before, end = text[end : block.start()], block.end()
        indented = re.sub(rf"^{block[1]}", "", block["text"], flags=re.M)
        if block["language"] == "text" and found and not before.strip():
            found[-1] = found[-1]._replace(prints=indented)
            continue
        said = _COMMENT.search(before)
        kind, value = said.groups() if said else ("", None)
        found.append(
            Step(
                text.count("\n", 0, block.start()) + 1,
                block["language"],
                indented,
                file=value if kind == "file" else None,
                reason=value if kind == "not run" else None,
                fails=kind == "fails",
            )
        )
    return found


class Story:
    """One page, which is run as if a reader typed it.

    Args:
        page: its file.
        folder: the reader's current folder, which gets the files of the page.
        replaced: texts of the page, such as addresses, and their replacements in this run.
    """

    def __init__(self, page: Path, folder: Path, replaced: Mapping[str, str]) -> None:
        self._page = page
        self._folder = folder
        self._replaced = replaced
        self._names: dict[str, Any] = {"__name__": "__main__"}
        self.ran = 0

    def tell(self) -> None:
        """Run the page from top to bottom."""
        with _as_before():
            self._tell()

    def _tell(self) -> None:
        for step in steps(self._page):
            if step.file is not None:
                file = self._folder / step.file
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(self._here(step.text), encoding="utf-8")
            elif step.reason is None and step.language in ("python", "console"):
                self.ran += 1
                run = self._python if step.language == "python" else self._console
                run(step)

    def _here(self, text: str) -> str:
        for shown, here in self._replaced.items():
            text = text.replace(shown, here)
        return text

    def _python(self, step: Step) -> None:
        # Empty lines at the start give each line its number in the page, so that tracebacks are
        # correct.
        source = "\n" * step.line + self._here(step.text)
        code = compile(source, str(self._page), "exec", dont_inherit=True)
        output = _Output()
        is_endless = "Ctrl-C" in step.text
        with (
            contextlib.chdir(self._folder),
            contextlib.redirect_stdout(output),
            _interrupt_after(output, step.prints) if is_endless else contextlib.nullcontext(),
        ):
            exec(code, self._names)
        self._compare(step, step.prints, output.getvalue())

    def _console(self, step: Step) -> None:
        commands = re.split(r"^\$ ", step.text, flags=re.M)[1:]
        for command in commands:
            lines = command.splitlines(keepends=True)
            count = 1
            while lines[count - 1].endswith("\\\n"):
                count += 1
            done = subprocess.run(
                ["sh", "-c", self._here("".join(lines[:count]))],
                cwd=self._folder,
                env=environment(self._folder),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=TIMEOUT * 10,  # Spark takes minutes to start on a busy machine
            )
            fails = step.fails and command is commands[-1]
            assert (done.returncode != 0) is fails, f"{self._at(step)}: {done.stdout}"
            self._compare(step, "".join(lines[count:]) or step.prints, done.stdout)

    def _compare(self, step: Step, shown: str | None, printed: str) -> None:
        if shown is not None:
            assert matches(self._here(shown), printed), (
                f"{self._at(step)}: this was printed:\n{printed}"
            )

    def _at(self, step: Step) -> str:
        return f"{self._page.relative_to(ROOT)}:{step.line}"


def environment(folder: Path) -> dict[str, str]:
    """The environment of a shell that finds the command line program."""
    program = folder / ".bin" / "confluent-kafka"
    if not program.exists():
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m confluent_kafka "$@"\n')
        program.chmod(0o755)
    paths = [str(program.parent), str(Path(sys.executable).parent), os.environ["PATH"]]
    return os.environ | {
        "COLUMNS": "100",
        "PATH": os.pathsep.join(paths),
        "PYTHONPATH": os.pathsep.join(sys.path),
        "XDG_CONFIG_HOME": str(folder / ".config"),
    }


def output_of(page: Path, command: str) -> str:
    """What a page shows after a command, for tests that compare it in another place.

    Args:
        page: the page.
        command: the command, without "$ ".
    """
    text = page.read_text(encoding="utf-8")
    (found,) = re.findall(
        rf"^\$ {re.escape(command)}\n(.*?)(?=^\$ |^```)", text, flags=re.DOTALL | re.M
    )
    return str(found)


def matches(shown: str, printed: str) -> bool:
    """Whether a program printed the text that a page shows. `...` stands for any text."""
    pattern = ".*?".join(re.escape(part) for part in _tidy(shown).split("..."))
    return re.fullmatch(pattern, _tidy(printed), re.DOTALL) is not None


def _tidy(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


@contextlib.contextmanager
def _as_before() -> Iterator[None]:
    """Restore the settings of the process that a page can change, for the tests after it."""
    root = logging.getLogger()
    environ = dict(os.environ)
    handlers = list(root.handlers)
    signals = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    levels = {logger: (logger.level, logger.disabled) for logger in _loggers()}
    try:
        yield
    finally:
        for logger in _loggers():
            level, logger.disabled = levels.get(logger, (logging.NOTSET, False))
            logger.setLevel(level)
        root.handlers[:] = handlers
        for number, handler in signals.items():
            signal.signal(number, handler)
        os.environ.clear()
        os.environ.update(environ)


def _loggers() -> list[logging.Logger]:
    root = logging.getLogger()
    known = root.manager.loggerDict.values()
    return [root, *(each for each in known if isinstance(each, logging.Logger))]


class _Output(io.StringIO):
    """Collects the output of all threads."""

    def __init__(self) -> None:
        super().__init__()
        self.changed = threading.Event()

    def write(self, text: str) -> int:
        count = super().write(text)
        self.changed.set()
        return count


@contextlib.contextmanager
def _interrupt_after(output: _Output, shown: str | None) -> Iterator[None]:
    """Press Ctrl-C in the block when it has printed the shown text, or after a timeout."""
    assert shown, 'a block with "Ctrl-C" is interrupted when it has printed what the page shows'
    over = threading.Event()

    def wait() -> None:
        ticks = 0
        while not over.is_set() and ticks < TIMEOUT * 10 and not matches(shown, output.getvalue()):
            output.changed.clear()
            ticks += not output.changed.wait(0.1)
        if not over.is_set():
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    thread = threading.Thread(target=wait)
    thread.start()
    try:
        yield
    except KeyboardInterrupt:
        traceback.clear_frames(sys.exc_info()[2])
    finally:
        over.set()
        thread.join()
