"""Helpers for streaming queries that run to their end."""

from __future__ import annotations

from typing import Any

from pyspark.errors import StreamingQueryException

from .starting import NOT_STARTED

_SECONDS = 300


def run_to_end(writer: Any, starts: int = 3) -> Any:
    """Starts a query and waits for its end.

    If Spark did not start the source in time, the query has read nothing, and is started again.
    """
    query = writer.start()
    try:
        assert query.awaitTermination(_SECONDS)
    except StreamingQueryException as error:
        if starts == 1 or NOT_STARTED not in str(error):
            raise
    else:
        return query
    finally:
        query.stop()
    return run_to_end(writer, starts - 1)
