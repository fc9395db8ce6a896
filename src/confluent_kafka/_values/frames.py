"""Consumed messages as data frames of other packages."""

from __future__ import annotations

from typing import Any


def to_pandas(batch: object) -> Any:
    """Return a MessageBatch as a pandas.DataFrame.

    Raises:
        ImportError: pandas or pyarrow is not installed.
    """
    try:
        import pandas  # noqa: F401  # pyarrow imports it too, but its error contains less
        import pyarrow
    except ModuleNotFoundError as missing:
        raise ImportError(
            f"to_pandas() needs pandas and pyarrow, and {missing.name} is not installed: "
            "pip install pandas pyarrow",
            name=missing.name,
        ) from missing
    return pyarrow.record_batch(batch).to_pandas()
