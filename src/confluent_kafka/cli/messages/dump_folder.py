"""The folder of a dump: files that are complete, and the positions that they reach."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import click

from confluent_kafka.cli.base.ending import WRONG_USAGE, fail
from confluent_kafka.cli.messages.file_outputs import FileOutput
from confluent_kafka.cli.topics.place import Place

STATE = "dump.json"
_LOCK = ".dump.lock"
_VERSION = 1


class State(NamedTuple):
    """The state of a dump.

    Attributes:
        arguments: the arguments that all runs of the dump must share, by option.
        suffix: the ending of the files.
        positions: the offset of the next message of each partition.
        files: how many files each topic has.
        messages: how many messages the files have.
    """

    arguments: dict[str, Any]
    suffix: str
    positions: dict[Place, int]
    files: dict[str, int]
    messages: int

    def name(self, topic: str, number: int) -> str:
        """Return the name of a file.

        Args:
            topic: its topic.
            number: its number among the files of the topic, from 0.
        """
        return f"{topic}-{number:06}{self.suffix}"


def read_state(folder: Path) -> State | None:
    """Return the state of the dump in a folder; None if the folder has no dump.

    Args:
        folder: the folder.

    Raises:
        ValueError: the file with the state is not valid.
    """
    try:
        found = json.loads((folder / STATE).read_bytes())
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise ValueError(f"{folder / STATE}: {error}") from None
    try:
        if found.pop("version") != _VERSION:
            raise ValueError(f"{folder / STATE}: another version of this package wrote it")
        positions = {
            (topic, int(number)): offset
            for topic, offsets in found.pop("positions").items()
            for number, offset in offsets.items()
        }
        return State(positions=positions, **found)
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"{folder / STATE}: is not the state of a dump ({error})") from None


def files_of(folder: Path) -> list[Path]:
    """Return the files of a dump of one topic, in their order.

    Args:
        folder: the folder.
    """
    state = read_state(folder)
    if state is None:
        raise click.BadParameter(
            f"'{folder}' is a directory without a dump: it has no {STATE}", param_hint="FILES"
        )
    if len(state.files) > 1:
        names = sorted(state.files)
        first = folder / f"{names[0]}-*{state.suffix}"
        raise click.BadParameter(
            f"'{folder}' has the topics {', '.join(names)}: name the files of one topic, such as "
            f"{first}",
            param_hint="FILES",
        )
    found = [
        folder / state.name(topic, number)
        for topic, count in state.files.items()
        for number in range(count)
    ]
    for file in found:
        if not file.exists():
            raise click.BadParameter(
                f"'{file}' is missing. If the dump was killed, run it again, which completes it",
                param_hint="FILES",
            )
    return found


class DumpFolder:
    """A folder that one dump at a time writes, inside a ``with`` block.

    Args:
        path: the folder, which is created if it is missing.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._state: State

    def __enter__(self) -> DumpFolder:
        # Imported here, because only dumps need it.
        from confluent_kafka.testing._data._lock import Lock

        if self.path.exists() and not self.path.is_dir():
            raise click.BadParameter(
                f"{str(self.path)!r} exists, and is not a folder", param_hint="--output"
            )
        self.path.mkdir(exist_ok=True)
        try:
            self._lock = Lock(self.path / _LOCK)
        except BlockingIOError:
            fail(f"{self.path}: another dump is writing into this folder")
        return self

    def __exit__(self, *exception: object) -> None:
        self._lock.release()

    def resume(self, arguments: Mapping[str, Any], suffix: str) -> dict[Place, int] | None:
        """Return the positions of the dump in the folder; None if a dump begins now.

        Args:
            arguments: the arguments that must be the same as in the first run.
            suffix: the ending of the files.
        """
        state = read_state(self.path)
        # In the form in which JSON returns it: lists for tuples, texts for enumerations.
        wanted = json.loads(json.dumps(arguments))
        if state is None:
            others = [one.name for one in self.path.iterdir() if not one.name.startswith(".")]
            if others:
                fail(
                    f"--output: {str(self.path)!r} has no dump, and is not empty: it has "
                    f"{others[0]!r}",
                    status=WRONG_USAGE,
                )
        elif differences := list(_differences(state, wanted, suffix)):
            fail(
                f"--output: the dump in {str(self.path)!r} has other arguments: use them, or "
                "another folder",
                *differences,
                status=WRONG_USAGE,
            )
        else:
            self._state = state
            self._recover()
            return state.positions
        self._state = State(wanted, suffix, {}, {}, 0)
        return None

    def next_file(self, topic: str, number: int) -> tuple[Path, Path]:
        """Return the name of a new file of a topic, and its temporary name.

        Args:
            topic: the topic.
            number: its number among the new files of the topic.
        """
        path = self.path / self._state.name(topic, self._state.files.get(topic, 0) + number)
        return path, _temporary(path)

    def commit(
        self, positions: Mapping[Place, int], added: Mapping[str, list[FileOutput]], messages: int
    ) -> None:
        """Add files to the dump, in one step with the positions that they reach.

        The state decides: once it names a file, the file is part of the dump. If the process ends
        before the file has its name, the next run gives it the name. A file that the state does
        not name has only messages that the next run reads again.

        Args:
            positions: the positions.
            added: the new files of each topic, in their order.
            messages: how many messages the files have.
        """
        before = self._state
        counts = {topic: before.files.get(topic, 0) + len(new) for topic, new in added.items()}
        files = [file for new in added.values() for file in new]
        state = before._replace(
            positions=dict(positions),
            files=before.files | counts,
            messages=before.messages + messages,
        )
        try:
            for file in files:
                file.complete()
            written = self._written(state)
        except BaseException:
            for file in files:
                file.discard()
            raise
        os.replace(written, self.path / STATE)
        self._state = state
        # From here on the files must not be deleted, not even after an error.
        for file in files:
            file.publish()

    def _written(self, state: State) -> Path:
        """Return a file with the state, under a temporary name."""
        positions: dict[str, dict[str, int]] = {}
        for (topic, number), offset in sorted(state.positions.items()):
            positions.setdefault(topic, {})[str(number)] = offset
        fields = {"version": _VERSION, **state._asdict(), "positions": positions}
        temporary = _temporary(self.path / STATE)
        with temporary.open("w", encoding="utf-8") as file:
            json.dump(fields, file, indent=1, ensure_ascii=False)
            file.flush()
            os.fsync(file.fileno())
        return temporary

    def _recover(self) -> None:
        """Publish the files that the state names, and delete those that it does not name."""
        suffix = self._state.suffix
        for left in self.path.glob(f".*{suffix}.partial"):
            name = left.name.removeprefix(".").removesuffix(".partial")
            topic, _, number = name.removesuffix(suffix).rpartition("-")
            if number.isdecimal() and int(number) < self._state.files.get(topic, 0):
                os.replace(left, self.path / name)
            else:
                left.unlink()


def _temporary(path: Path) -> Path:
    return path.with_name(f".{path.name}.partial")


def _differences(state: State, wanted: Mapping[str, Any], suffix: str) -> Iterator[str]:
    """Yield a line for each argument that differs from the argument of the dump."""
    before = {"--file-format": state.suffix} | state.arguments
    now = {"--file-format": suffix} | dict(wanted)
    for name in before | now:
        if before.get(name) != now.get(name):
            yield f"{name}: the dump has {_shown(before.get(name))}, not {_shown(now.get(name))}"


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value))
    return "none" if value is None else str(value)
