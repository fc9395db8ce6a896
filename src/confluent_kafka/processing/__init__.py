"""Services: handle messages in parallel, and commit what is done."""

from ._aio_worker import AIOWorker
from ._retry import Retry
from ._statistics import WorkerStatistics
from ._worker import Worker

__all__ = ["AIOWorker", "Retry", "Worker", "WorkerStatistics"]
