"""Detects whether a task has received all of its rows.

When Spark fails to compute a task's input, or dies, the stream of record batches to the Python
worker just ends. For Arrow, an end between two batches is a regular end, so the rows look complete.
This does not matter to a task that fails anyway. But a task that commits a transaction would make
only a part of its rows visible.

Spark's protocol between the JVM and the worker has a signal that follows complete input. The worker
itself reads it when the task is over, which is too late, so this module reads it before.
"""

from . import pyspark_internals


class IncompleteInput(RuntimeError):
    """The input of a task ended before it was complete: Spark failed or gave up the task."""


class TaskInput:
    """The stream of the current task's record batches.

    Raises:
        UnsupportedPySpark: it is not in the place where PySpark 4.3 has it.
    """

    def __init__(self) -> None:
        self._stream = pyspark_internals.input_stream()

    def check_complete(self) -> None:
        """Check that the input was complete; call it after the last batch.

        Raises:
            IncompleteInput: the input was not complete.
        """
        # This blocks until the next byte or the end of the stream: the JVM sends a byte or closes.
        if not self._stream.peek(1):
            raise IncompleteInput(
                "the rows of this task ended before they were complete: Spark failed to compute "
                "them or gave up the task; none of its rows is committed"
            )
