"""Files of messages: JSON lines, CSV, Parquet and Arrow, by the name of the file."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import click

from confluent_kafka.cli.base.ending import fail
from confluent_kafka.cli.messages.decoding import Decoder
from confluent_kafka.cli.messages.file_outputs import FileOutput
from confluent_kafka.cli.messages.text_files import Csv, JsonLines

Kind = Callable[..., FileOutput]

_TEXTS: dict[str, Kind] = {".jsonl": JsonLines, ".csv": Csv}
_COLUMNS = (".parquet", ".arrow")
ENDINGS = (*_TEXTS, *_COLUMNS)


def has_columns(suffix: str) -> bool:
    """Return whether files of a format have typed columns.

    Args:
        suffix: the end of their names.
    """
    return suffix.lower() in _COLUMNS


def kind_of(suffix: str, option: str) -> Kind:
    """Return the class that writes files of a format.

    Args:
        suffix: the end of their names, one of ENDINGS.
        option: the option that determines the format, for the error if a package is missing.
    """
    if suffix in _TEXTS:
        return _TEXTS[suffix]
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        fail(f"{option} {suffix} needs pyarrow: pip install pyarrow ({error})")
    from confluent_kafka.cli.messages.column_files import Arrow, Parquet

    return Parquet if suffix == ".parquet" else Arrow


def file_output(path: Path, decoded: Mapping[str, Decoder], overwrite: bool) -> FileOutput:
    """Return what writes a file, in the format of its name.

    Args:
        path: the file.
        decoded: the decoders of the parts of messages that are JSON texts, "key" and "value".
        overwrite: whether the file may exist.
    """
    suffix = path.suffix.lower()
    if suffix not in ENDINGS:
        raise click.BadParameter(
            f"{str(path)!r} does not end with {', '.join(sorted(ENDINGS))}. Use --from for the "
            "place to start",
            param_hint="--output",
        )
    return kind_of(suffix, "--output")(_target(path, overwrite), decoded)


def _target(path: Path, overwrite: bool) -> Path:
    """Return the file to write: what a symbolic link points to, or the path itself."""
    # Path.resolve() raises for a loop only before CPython 3.13. realpath() leaves such links.
    target = Path(os.path.realpath(path))
    if any(map(os.path.islink, (target, *target.parents))):
        raise _refused(path, "it cannot be resolved: its symbolic links form a loop")
    if target.exists() and not target.is_file():
        raise _refused(path, "it is not a regular file")
    if target.exists() and not overwrite:
        raise _refused(path, "the file exists. Use --overwrite to replace it")
    if not target.parent.is_dir():
        raise _refused(path, f"there is no directory {str(target.parent)!r}")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise _refused(path, f"the directory {str(target.parent)!r} is not writable")
    return target


def _refused(path: Path, reason: str) -> click.BadParameter:
    return click.BadParameter(f"{str(path)!r}: {reason}", param_hint="--output")
