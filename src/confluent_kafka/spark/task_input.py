"""Detects whether a task has received all of its rows.

When Spark fails to compute a task's input, or dies, the stream of record batches to the Python
worker just ends. Arrow takes an end between two batches for the regular one, so that the rows
look complete. A task that fails anyway may live with that; one that commits a transaction would
make a part of its rows visible for all of them.

What tells the two ends apart is the signal of Spark's protocol between JVM and worker that
follows complete input. The worker looks at it when the task is over, which is too late.
"""

from . import pyspark_internals


class IncompleteInput(RuntimeError):
    """The input of a task ended before it was complete: Spark has failed or given up the task."""


class TaskInput:
    """The stream that the record batches of the current task come from.

    Raises:
        UnsupportedPySpark: it is not where PySpark 4.3 has it, so nothing could be told.
    """

    def __init__(self) -> None:
        self._stream = pyspark_internals.input_stream()

    def check_complete(self) -> None:
        """Return if the input was complete; called after its last batch.

        Raises:
            IncompleteInput: it was not.
        """
        # Blocks until there is the next byte or the end: the JVM sends the one or closes.
        if not self._stream.peek(1):
            raise IncompleteInput(
                "the rows of this task ended before they were complete: Spark failed to compute "
                "them or gave up the task; nothing of it is committed"
            )
