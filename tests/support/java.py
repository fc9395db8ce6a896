"""Options for the Java processes that tests start, which do not live long."""

from __future__ import annotations

import os

# A short-lived Java loses more time than it gains by compiling with all optimisations and by
# verifying bytecode again. With these options, Spark takes a third of the processor's time, and a
# broker starts a fifth sooner.
QUICK_START = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto "
    "-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)


def start_java_quickly() -> None:
    """Sets the options for Spark's drivers that this process starts, and for Spark's launcher.

    The launcher builds the commands of the drivers. Executors on a cluster get their options from
    ``spark.executor.extraJavaOptions``.
    """
    for name in ("SPARK_SUBMIT_OPTS", "SPARK_LAUNCHER_OPTS"):
        os.environ.setdefault(name, QUICK_START)
